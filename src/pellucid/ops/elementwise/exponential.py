"""Exponentials and logarithms, and the special functions that belong to them."""

from __future__ import annotations

from math import log as natural_log
from math import nan, pi, prod, sqrt
from typing import Any

from pellucid.core.definition.dtype_rules import FLOAT_MATH, TENSORS
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise
from pellucid.errors import ArgumentError
from pellucid.ops.elementwise.conditional import where

_LN2, _LN10 = natural_log(2), natural_log(10)
_FIRST_INFINITE_FACTORIAL = 171


@public("exp exp_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="exp_vml_cpu", dtypes=FLOAT_MATH, kernel="exp")
def exp(be, input, /):
    """Return e to the power of the elements.

    >>> torch.exp(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """


@exp.partial("input")
def exp_partial(out):
    return out


@exp.out_variant
def exp_into(be, out, input):
    be.exp(input, out=out)


@public("exp2 special.exp2 exp2_", method=True, inplace=True, out=CASTING)
@elementwise(torch_kernel_name="exp2", dtypes=FLOAT_MATH, kernel="exp2")
def exp2(be, input, /):
    """Return 2 to the power of the elements.

    >>> torch.exp2(torch.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """


@exp2.vjp("input")
def exp2_input(g, out):
    return g * out * _LN2


@public("expm1 special.expm1 expm1_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="expm1_vml_cpu", dtypes=FLOAT_MATH, kernel="expm1")
def expm1(be, input, /):
    """Return ``exp(input) - 1``, exact also near 0.

    >>> torch.expm1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """


@expm1.partial("input")
def expm1_partial(out):
    return out + 1


@public("log log_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="log_vml_cpu", dtypes=FLOAT_MATH, kernel="log", domain=(0.1, 5.0),
    singular=True,
)  # fmt: skip
def log(be, input, /):
    """Return the natural logarithm, NaN for negative numbers.

    >>> torch.log(torch.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])
    """


@log.vjp("input")
def log_input(g, input):
    return g / input


@public("log2 log2_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="log2_vml_cpu", dtypes=FLOAT_MATH, kernel="log2", domain=(0.1, 5.0),
    singular=True,
)  # fmt: skip
def log2(be, input, /):
    """Return the logarithm to base 2, NaN for negative numbers.

    >>> torch.log2(torch.tensor([1.0, 8.0]))
    tensor([0., 3.])
    """


@log2.vjp("input")
def log2_input(g, input):
    return g / (input * _LN2)


@public("log10 log10_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="log10_vml_cpu", dtypes=FLOAT_MATH, kernel="log10", domain=(0.1, 5.0),
    singular=True,
)  # fmt: skip
def log10(be, input, /):
    """Return the logarithm to base 10, NaN for negative numbers.

    >>> torch.log10(torch.tensor([1.0, 50.0]))
    tensor([0.0000, 1.6990])
    """


@log10.vjp("input")
def log10_input(g, input):
    return g / (input * _LN10)


@public("log1p special.log1p log1p_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="log1p_vml_cpu", dtypes=FLOAT_MATH, kernel="log1p", domain=(-0.9, 5.0),
    singular=True, node_name="log1_p",
)  # fmt: skip
def log1p(be, input, /):
    """Return ``log(1 + input)``, exact also near 0.

    >>> torch.log1p(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """


@log1p.vjp("input")
def log1p_input(g, input):
    return g / (input + 1)


@public("logaddexp", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="biu", float_kernel="logaddexp")
def logaddexp(be, input, other, /):
    """Return ``log(exp(input) + exp(other))`` without overflow.

    Of complex numbers too.

    >>> torch.logaddexp(torch.tensor([1000.0]), torch.tensor([1000.0]))
    tensor([1000.6932])
    """
    return be.logaddexp(input, other)


@logaddexp.partial("input")
def logaddexp_partial(input, other):
    return 1 / (1 + exp(other - input))


@logaddexp.partial("other")
def logaddexp_partial_other(input, other):
    return 1 / (1 + exp(input - other))


@public("logaddexp2", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="biuc", kernel="logaddexp2")
def logaddexp2(be, input, other, /):
    """Return the logarithm to base 2 of ``2**input + 2**other`` without overflow.

    >>> torch.logaddexp2(torch.tensor([1000.0]), torch.tensor([1000.0]))
    tensor([1001.])
    """


@logaddexp2.partial("input")
def logaddexp2_partial(input, other):
    return 1 / (1 + exp2(other - input))


@logaddexp2.partial("other")
def logaddexp2_partial_other(input, other):
    return 1 / (1 + exp2(input - other))


@public("xlogy special.xlogy xlogy_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="xlogy", domain=(0.1, 5.0))
def xlogy(be, input, other, /):
    """Return ``input * log(other)``, and 0 where ``input`` is 0.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """


@xlogy.partial("input")
def xlogy_partial(input, other):
    return where((input == 0) & (other <= 0), 0, log(other))


@xlogy.partial("other")
def xlogy_partial_other(input, other):
    return input / other


@public("erf special.erf erf_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="erf_vml_cpu", dtypes=FLOAT_MATH, unsupported="c", kernel="erf")
def erf(be, input, /):
    """Return the error function.

    >>> torch.erf(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """


@erf.partial("input")
def erf_partial(input):
    return exp(-(input * input)) * (2 / sqrt(pi))


@public("erfc special.erfc erfc_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="erfc_vml_cpu", dtypes=FLOAT_MATH, unsupported="c", kernel="erfc")
def erfc(be, input, /):
    """Return ``1 - erf(input)``, exact also where that is small.

    >>> torch.erfc(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """


@erfc.partial("input")
def erfc_partial(input):
    return exp(-(input * input)) * (-2 / sqrt(pi))


@public("erfinv special.erfinv", method=True, inplace=True, out=CASTING)
@elementwise(
    torch_kernel_name="erfinv_vml_cpu", dtypes=FLOAT_MATH, unsupported="c", kernel="erfinv",
    domain=(-0.9, 0.9),
)  # fmt: skip
def erfinv(be, input, /):
    """Return the inverse of the error function, NaN beyond -1 and 1.

    >>> torch.erfinv(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """


@erfinv.partial("input")
def erfinv_partial(out):
    return exp(out * out) * (sqrt(pi) / 2)


@public("lgamma special.gammaln", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="lgamma_vml_cpu", dtypes=FLOAT_MATH, unsupported="c", kernel="gammaln",
    domain=(0.1, 5.0),
)  # fmt: skip
def lgamma(be, input, /):
    """Return the natural logarithm of the absolute value of the gamma function.

    >>> torch.lgamma(torch.tensor([1.0, 5.0]))
    tensor([0.0000, 3.1781])
    """


@lgamma.partial("input")
def lgamma_partial(input):
    return digamma(input)


@public("digamma special.digamma special.psi", method=True, inplace=True, out=CASTING)
@elementwise(
    torch_kernel_name="digamma", dtypes=FLOAT_MATH, unsupported="c", kernel="digamma",
    domain=(0.1, 5.0),
)  # fmt: skip
def digamma(be, input, /):
    """Return the derivative of `lgamma`.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """


@digamma.partial("input")
def digamma_partial(input):
    return polygamma_of(input, 1)


@elementwise(
    dtypes=FLOAT_MATH,
    unsupported="c",
    domain=(0.5, 5.0),
    node_name="polygamma",
    torch_kernel_name="polygamma",
)
def polygamma_of(be, input, /, n):
    """Return the ``n``-th derivative of `digamma`, n at least 1.

    By Hurwitz's zeta function: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.4.10.
    """
    if n == 1:
        return be.trigamma(input)
    factor = prod(map(float, range(1, min(n, _FIRST_INFINITE_FACTORIAL) + 1)))
    return be.multiply(be.zeta(n + 1.0, input), factor if n % 2 else -factor)


@polygamma_of.partial("input")
def polygamma_of_partial(input, n):
    return polygamma_of(input, n + 1)


@public("polygamma special.polygamma", out=CASTING)
def polygamma(n: int, input: Any) -> Any:
    """Return the ``n``-th derivative of `digamma`; for n = 0 that function itself.

    Raises ValueError for an ``n`` that is negative or does not fit int64.

    Args:
        n: Order of the derivative, not negative.
        input: Tensor of any shape.

    >>> torch.polygamma(1, torch.tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])
    """
    if n < 0:
        raise ArgumentError(f"polygamma(n, x) does not support negative n, but got n = {n}.")
    if n >= 2**63:
        raise ArgumentError("Overflow when unpacking long long: n does not fit int64")
    return digamma(input) if n == 0 else polygamma_of(input, n)


@public(method="polygamma", inplace=True, keeps_input=True)
def polygamma_method(self: Any, n: int) -> Any:
    """Return the ``n``-th derivative of `digamma` at the elements."""
    return polygamma(n, self)


@public("logit special.logit logit_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="logit", domain=(0.1, 0.9))
def logit(be, input, /, eps=None):
    """Return ``log(input / (1 - input))``; with ``eps`` of the input clamped to [eps, 1 - eps].

    Args:
        eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

    >>> torch.logit(torch.tensor([0.25, 0.5]))
    tensor([-1.0986,  0.0000])
    """
    return be.logit(input if eps is None else be.clip(input, eps, 1 - eps))


@logit.vjp("input")
def logit_input(g, input, eps):
    low = 0 if eps is None else eps
    inside = (input >= low) & (input <= 1 - low)
    return where(inside, g / (input * (1 - input)), nan if eps is None else 0)
