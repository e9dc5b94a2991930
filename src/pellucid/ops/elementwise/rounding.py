"""Rounding to integers."""

from __future__ import annotations

from pellucid.core.definition.public import EXACT, public
from pellucid.core.families import elementwise
from pellucid.core.memory.memory_formats import copied
from pellucid.errors import UnsupportedDtypeError
from pellucid.ops.elementwise.arithmetic import zero_gradient


@public("floor floor_", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(torch_kernel_name="floor_vml_cpu", unsupported="bc", kernel="floor")
def floor(be, input, /):
    """Round down; the gradient is 0.

    >>> torch.floor(torch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """


@floor.vjp("input")
def floor_input(g):
    return zero_gradient(g)


@public("ceil ceil_", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(torch_kernel_name="ceil_vml_cpu", unsupported="bc", kernel="ceil")
def ceil(be, input, /):
    """Round up; the gradient is 0.

    >>> torch.ceil(torch.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """


@ceil.vjp("input")
def ceil_input(g):
    return zero_gradient(g)


@public("trunc fix trunc_ fix_", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(torch_kernel_name="trunc_vml_cpu", unsupported="bc", kernel="trunc")
def trunc(be, input, /):
    """Round towards zero; the gradient is 0.

    >>> torch.trunc(torch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """


@trunc.vjp("input")
def trunc_input(g):
    return zero_gradient(g)


@public("round special.round round_", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(torch_kernel_name="round_vml_cpu", unsupported="bc", float_kernel="rint")
def round(be, input, /, *, decimals=0):
    """Round to the nearest integer, halves to the even one, or to ``decimals`` places.

    The gradient is 0. Raises RuntimeError for integers with ``decimals``.

    Args:
        decimals: Number of digits after the decimal point; may be negative.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.4]))
    tensor([0., 2., 2.])
    >>> torch.round(torch.tensor([1.234]), decimals=1)
    tensor([1.2000])
    """
    if input.dtype.kind in "iu" and decimals:
        raise UnsupportedDtypeError('"round_cpu" not implemented for integers with `decimals`')
    return copied(input) if input.dtype.kind in "iu" else be.round(input, decimals)


@round.vjp("input")
def round_input(g):
    return zero_gradient(g)


@public("frac frac_", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(unsupported="biuc", kernel="frac")
def frac(be, input, /):
    """Return what rounding towards zero leaves.

    >>> torch.frac(torch.tensor([1.5, -1.5]))
    tensor([ 0.5000, -0.5000])
    """


@frac.vjp("input")
def frac_input(g):
    return g
