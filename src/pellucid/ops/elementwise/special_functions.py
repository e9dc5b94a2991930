"""Special functions, computed by SciPy.

Source of the derivatives: NIST, "Digital Library of Mathematical Functions", chapters 7 to 10
and 25.
"""

from __future__ import annotations

from math import inf, log, pi, sqrt
from typing import Any

from pellucid.core.definition.dtype_rules import FLOAT_MATH, TENSORS
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise
from pellucid.errors import DomainError, UnimplementedError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import exp, lgamma, log1p
from pellucid.ops.elementwise.exponential import log as logarithm
from pellucid.ops.elementwise.signs import sgn
from pellucid.ops.elementwise.trigonometric import sinc

#: of the multivariate gamma function
_LARGEST_DIMENSION = 100_000


def _no_derivative(name: str) -> UnimplementedError:
    return UnimplementedError(f"the derivative for '{name}' is not implemented.")


# ---- Bessel functions -------------------------------------------------------------------------


@public("i0 special.i0 special.modified_bessel_i0 i0_", method=True, inplace=True, out=CASTING)
@elementwise(torch_kernel_name="i0_vml_cpu", dtypes=FLOAT_MATH, unsupported="c", kernel="i0")
def i0(be, input, /):
    """Return the modified Bessel function of the first kind, of order 0.

    >>> torch.special.i0(torch.tensor([1.0]))
    tensor([1.2661])
    """


@i0.partial("input")
def i0_partial(input):
    return i1(input)


@public("special.i0e", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="i0e")
def i0e(be, input, /):
    """Return ``exp(-|x|) * i0(x)``.

    >>> torch.special.i0e(torch.tensor([1.0]))
    tensor([0.4658])
    """


@i0e.partial("input")
def i0e_partial(input, out):
    return i1e(input) - sgn(input) * out


@public("special.i1 special.modified_bessel_i1", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="i1")
def i1(be, input, /):
    """Return the modified Bessel function of the first kind, of order 1.

    >>> torch.special.i1(torch.tensor([1.0]))
    tensor([0.5652])
    """


@i1.partial("input")
def i1_partial(input, out):
    zero = input == 0
    return where(zero, 0.5, i0(input) - out / where(zero, 1, input))


@public("special.i1e", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="i1e")
def i1e(be, input, /):
    """Return ``exp(-|x|) * i1(x)``.

    >>> torch.special.i1e(torch.tensor([1.0]))
    tensor([0.2079])
    """


@i1e.partial("input")
def i1e_partial(input, out):
    zero = input == 0
    ratio = out / where(zero, 1, input)
    return where(zero, 0.5, i0e(input) - sgn(input) * out - ratio)


@public("special.bessel_j0", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="j0")
def bessel_j0(be, input, /):
    """Return the Bessel function of the first kind, of order 0.

    >>> torch.special.bessel_j0(torch.tensor([1.0]))
    tensor([0.7652])
    """


@bessel_j0.partial("input")
def bessel_j0_partial(input):
    return -bessel_j1(input)


@public("special.bessel_j1", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="j1")
def bessel_j1(be, input, /):
    """Return the Bessel function of the first kind, of order 1.

    >>> torch.special.bessel_j1(torch.tensor([1.0]))
    tensor([0.4401])
    """


@bessel_j1.partial("input")
def bessel_j1_partial(input, out):
    zero = input == 0
    return where(zero, 0.5, bessel_j0(input) - out / where(zero, 1, input))


@public("special.bessel_y0", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="y0", domain=(0.5, 4.0))
def bessel_y0(be, input, /):
    """Return the Bessel function of the second kind, of order 0.

    >>> torch.special.bessel_y0(torch.tensor([1.0]))
    tensor([0.0883])
    """


@bessel_y0.partial("input")
def bessel_y0_partial(input):
    return -bessel_y1(input)


@public("special.bessel_y1", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="y1", domain=(0.5, 4.0))
def bessel_y1(be, input, /):
    """Return the Bessel function of the second kind, of order 1.

    >>> torch.special.bessel_y1(torch.tensor([1.0]))
    tensor([-0.7812])
    """


@bessel_y1.partial("input")
def bessel_y1_partial(input, out):
    return bessel_y0(input) - out / input


@public("special.modified_bessel_k0", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="k0", domain=(0.5, 4.0))
def modified_bessel_k0(be, input, /):
    """Return the modified Bessel function of the second kind, of order 0.

    >>> torch.special.modified_bessel_k0(torch.tensor([1.0]))
    tensor([0.4210])
    """


@modified_bessel_k0.partial("input")
def modified_bessel_k0_partial(input):
    return -modified_bessel_k1(input)


@public("special.modified_bessel_k1", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="k1", domain=(0.5, 4.0))
def modified_bessel_k1(be, input, /):
    """Return the modified Bessel function of the second kind, of order 1.

    >>> torch.special.modified_bessel_k1(torch.tensor([1.0]))
    tensor([0.6019])
    """


@modified_bessel_k1.partial("input")
def modified_bessel_k1_partial(input, out):
    return -modified_bessel_k0(input) - out / input


@public("special.scaled_modified_bessel_k0", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="k0e", domain=(0.5, 4.0))
def scaled_modified_bessel_k0(be, input, /):
    """Return ``exp(x) * modified_bessel_k0(x)``.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0]))
    tensor([1.1445])
    """


@scaled_modified_bessel_k0.partial("input")
def scaled_modified_bessel_k0_partial(input, out):
    return out - scaled_modified_bessel_k1(input)


@public("special.scaled_modified_bessel_k1", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="k1e", domain=(0.5, 4.0))
def scaled_modified_bessel_k1(be, input, /):
    """Return ``exp(x) * modified_bessel_k1(x)``.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0]))
    tensor([1.6362])
    """


@scaled_modified_bessel_k1.partial("input")
def scaled_modified_bessel_k1_partial(input, out):
    return out - scaled_modified_bessel_k0(input) - out / input


@public("special.spherical_bessel_j0", out=CASTING)
def spherical_bessel_j0(input: Any) -> Any:
    """Return the spherical Bessel function of the first kind, of order 0: ``sin(x) / x``.

    Args:
        input: Real tensor of any shape.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0]))
    tensor([1.])
    """
    infinite = (input == inf) | (input == -inf)
    return where(infinite, 0, sinc(input / pi))


@public("special.airy_ai", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="airy_ai")
def airy_ai(be, input, /):
    """Return Airy's function of the first kind, a solution of ``y'' = x y``.

    >>> torch.special.airy_ai(torch.tensor([1.0]))
    tensor([0.1353])
    """


@airy_ai.partial("input")
def airy_ai_partial(input):
    return airy_ai_slope(input)


@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="airy_ai_slope")
def airy_ai_slope(be, input, /):
    """Return the derivative of Airy's function of the first kind."""


@airy_ai_slope.partial("input")
def airy_ai_slope_partial(input):
    return input * airy_ai(input)


# ---- the normal distribution, entropy ---------------------------------------------------------


@public("special.ndtr", out=CASTING)
@elementwise(
    torch_kernel_name="mul_cpu_reduced_float", dtypes=FLOAT_MATH, unsupported="c", kernel="ndtr"
)
def ndtr(be, input, /):
    """Return the share of a normal distribution that lies below.

    >>> torch.special.ndtr(torch.tensor([1.0]))
    tensor([0.8413])
    """


@ndtr.partial("input")
def ndtr_partial(input):
    return exp(input * input * -0.5) * (1 / sqrt(2 * pi))


@public("special.ndtri", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="ndtri", domain=(0.1, 0.9))
def ndtri(be, input, /):
    """Undo `ndtr`; NaN outside of [0, 1].

    >>> torch.special.ndtri(torch.tensor([0.75]))
    tensor([0.6745])
    """


@ndtri.partial("input")
def ndtri_partial(out):
    return exp(out * out * 0.5) * sqrt(2 * pi)


@public("special.log_ndtr", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="log_ndtr")
def log_ndtr(be, input, /):
    """Return the logarithm of `ndtr`, exact also where that is small.

    >>> torch.special.log_ndtr(torch.tensor([1.0]))
    tensor([-0.1728])
    """


@log_ndtr.partial("input")
def log_ndtr_partial(input):
    return sqrt(2 / pi) / erfcx(input * (-1 / sqrt(2)))


@public("special.erfcx", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="ceE", kernel="erfcx")
def erfcx(be, input, /):
    """Return ``exp(x * x) * erfc(x)``.

    >>> torch.special.erfcx(torch.tensor([1.0]))
    tensor([0.4276])
    """


@erfcx.partial("input")
def erfcx_partial(input, out):
    return input * out * 2 - 2 / sqrt(pi)


@public("special.entr", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="entr", domain=(0.1, 2.0))
def entr(be, input, /):
    """Return ``-x * log(x)``: 0 at 0, and minus infinity below.

    >>> torch.special.entr(torch.tensor([0.5]))
    tensor([0.3466])
    """


@entr.partial("input")
def entr_partial(input):
    return -logarithm(input) - 1


@public("special.xlog1py", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", kernel="xlog1py", domain=(-0.5, 2.0))
def xlog1py(be, input, other, /):
    """Return ``input * log1p(other)``, 0 where ``input`` is, unless ``other`` is NaN.

    >>> torch.special.xlog1py(torch.tensor([0.0, 1.0]), torch.tensor([-1.0, 0.0]))
    tensor([0., 0.])
    """


@xlog1py.partial("input")
def xlog1py_partial_input(input, other):
    return where((input == 0) & (other <= -1), 0, log1p(other))


@xlog1py.partial("other")
def xlog1py_partial_other(input, other):
    return input / (other + 1)


# ---- gamma and zeta functions -----------------------------------------------------------------


@public("igamma special.gammainc", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="cbiu", kernel="gammainc", domain=(0.5, 3.0))
def igamma(be, input, other, /):
    """Return the regularized lower incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    >>> torch.igamma(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.6321])
    """


@igamma.partial("input")
def igamma_partial_input(input):
    raise _no_derivative("igamma: input")


@igamma.partial("other")
def igamma_partial_other(input, other):
    return exp((input - 1) * logarithm(other) - other - lgamma(input))


@public("igammac special.gammaincc", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="cbiu", kernel="gammaincc", domain=(0.5, 3.0))
def igammac(be, input, other, /):
    """Return the regularized upper incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    >>> torch.igammac(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.3679])
    """


@igammac.partial("input")
def igammac_partial_input(input):
    raise _no_derivative("igammac: input")


@igammac.partial("other")
def igammac_partial_other(input, other):
    return -exp((input - 1) * logarithm(other) - other - lgamma(input))


@public("special.zeta", out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c", domain=(1.5, 3.0))
def zeta(be, input, other, /):
    """Return Hurwitz's zeta function: the sum of ``1 / (k + other) ** input`` over all k >= 0.

    >>> torch.special.zeta(torch.tensor([2.0]), torch.tensor([1.0]))
    tensor([1.6449])
    """
    # as PyTorch, and unlike SciPy: the limits for infinite arguments are not taken
    found = be.zeta(input, other)
    return be.where(be.isposinf(other), found.dtype.type("nan"), found)


@zeta.partial("input")
def zeta_partial_input(input):
    raise _no_derivative("zeta")


@zeta.partial("other")
def zeta_partial_other(input, other):
    return -input * zeta(input + 1, other)


@public("mvlgamma special.multigammaln", method=True, inplace=True, keeps_input=True, out=CASTING)
def multigammaln(input: Any, p: int) -> Any:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        input: Real tensor of any shape.
        p: Dimension.

    Raises:
        RuntimeError: If ``p`` is less than 1 or unreasonably large.

    >>> torch.special.multigammaln(torch.tensor([2.0]), 1)
    tensor([0.])
    """
    if p < 1:
        raise DomainError("p has to be greater than or equal to 1")
    if p > _LARGEST_DIMENSION:
        raise DomainError(f"p has to be at most {_LARGEST_DIMENSION}: the time grows with it")
    total = lgamma(input)
    for step in range(1, p):
        total = total + lgamma(input - step / 2)
    return total + p * (p - 1) / 4 * log(pi)
