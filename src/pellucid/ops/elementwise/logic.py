"""Logic: on truth values, and on the bits of integers."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON, TENSORS
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import nograd
from pellucid.errors import ArgumentTypeError


@public("logical_and", method=True, inplace=True, out=CASTING)
@nograd(dtypes=TENSORS, kernel="logical_and", batch=Batch.ELEMENTWISE, unseen=True)
def logical_and(be, input, other, /):
    """Return a bool tensor, True where both elements are true, that is, not 0.

    >>> torch.logical_and(torch.tensor([0, 1]), torch.tensor([2, 3]))
    tensor([False,  True])
    """


@public("logical_or", method=True, inplace=True, out=CASTING)
@nograd(dtypes=TENSORS, kernel="logical_or", batch=Batch.ELEMENTWISE, unseen=True)
def logical_or(be, input, other, /):
    """Return a bool tensor, True where at least one element is true, that is, not 0.

    >>> torch.logical_or(torch.tensor([0, 1]), torch.tensor([0, 0]))
    tensor([False,  True])
    """


@public("logical_xor", method=True, inplace=True, out=CASTING)
@nograd(dtypes=TENSORS, kernel="logical_xor", batch=Batch.ELEMENTWISE, unseen=True)
def logical_xor(be, input, other, /):
    """Return a bool tensor, True where just one element is true, that is, not 0.

    >>> torch.logical_xor(torch.tensor([1, 1]), torch.tensor([0, 2]))
    tensor([ True, False])
    """


@public("logical_not", method=True, inplace=True, out=CASTING)
@nograd(kernel="logical_not", batch=Batch.ELEMENTWISE, unseen=True)
def logical_not(be, input, /):
    """Return a bool tensor, True where elements are 0.

    Args:
        input: Tensor of any shape.

    >>> torch.logical_not(torch.tensor([0, 3]))
    tensor([ True, False])
    """


@public("bitwise_and", method=True, operators="and rand", inplace=True, out=CASTING)
@nograd(dtypes=COMMON, unsupported="fc", kernel="bitwise_and", batch=Batch.ELEMENTWISE)
def bitwise_and(be, input, other, /):
    """Return the bits that both integers, or truth values, have.

    >>> torch.bitwise_and(torch.tensor([6]), 3)
    tensor([2])
    """


@public("bitwise_or", method=True, operators="or ror", inplace=True, out=CASTING)
@nograd(dtypes=COMMON, unsupported="fc", kernel="bitwise_or", batch=Batch.ELEMENTWISE)
def bitwise_or(be, input, other, /):
    """Return the bits that at least one of the integers, or truth values, has.

    >>> torch.bitwise_or(torch.tensor([6]), 3)
    tensor([7])
    """


@public("bitwise_xor", method=True, operators="xor rxor", inplace=True, out=CASTING)
@nograd(dtypes=COMMON, unsupported="fc", kernel="bitwise_xor", batch=Batch.ELEMENTWISE)
def bitwise_xor(be, input, other, /):
    """Return the bits that just one of the integers, or truth values, has.

    >>> torch.bitwise_xor(torch.tensor([6]), 3)
    tensor([5])
    """


@public("bitwise_not", method=True, inplace=True, out=EXACT)
@nograd(dtypes=COMMON, unsupported="fc", kernel="invert", batch=Batch.ELEMENTWISE)
def bitwise_not(be, input, /):
    """Return the bits that an integer, or truth value, has not.

    >>> torch.bitwise_not(torch.tensor([0, 5]))
    tensor([-1, -6])
    """


@public("bitwise_left_shift", method=True, operators="lshift", inplace=True, out=CASTING)
@nograd(
    dtypes=COMMON,
    unsupported="bfc",
    kernel="left_shift",
    torch_kernel_name="lshift_cpu",
    batch=Batch.ELEMENTWISE,
)
def bitwise_left_shift(be, input, other, /):
    """Shift bits to the left: multiply by a power of 2.

    >>> torch.bitwise_left_shift(torch.tensor([3]), 2)
    tensor([12])
    """


@public("bitwise_right_shift", method=True, operators="rshift", inplace=True, out=CASTING)
@nograd(
    dtypes=COMMON,
    unsupported="bfc",
    kernel="right_shift",
    torch_kernel_name="rshift_cpu",
    batch=Batch.ELEMENTWISE,
)
def bitwise_right_shift(be, input, other, /):
    """Shift bits to the right: divide by a power of 2, rounding down.

    >>> torch.bitwise_right_shift(torch.tensor([12]), 2)
    tensor([3])
    """


@public(method="__invert__")
def invert(self: Any) -> Any:
    """Return ``~input``; raise TypeError for elements that are neither integer nor boolean."""
    if self._array.dtype.kind not in "biu":
        raise ArgumentTypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return bitwise_not(self)
