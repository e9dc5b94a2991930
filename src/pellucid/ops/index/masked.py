"""Elements by a mask, and the positions of those that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import nograd
from pellucid.core.memory.writing import shares_storage
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import ArgumentTypeError, DtypeError, ShapeError
from pellucid.kernels.meta import is_meta
from pellucid.kernels.numpy.elementwise import truth_values
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.elementwise.conditional import masked_fill, where
from pellucid.ops.index.indexing import gather_index, kept_index, put_index
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.views import reshape
from pellucid.shapes import broadcast_shapes


@public(method="masked_fill_")
def masked_fill_(self: Any, mask: Any, value: Any) -> Any:
    """Write a number, or the value of a 0-d tensor, where the mask holds."""
    if shares_storage(self, value):
        value = value.clone()  # read before it is written over
    return call_inplace(masked_fill.op, (self, mask, value), ())


def _checked_mask(name: str, mask: Any) -> Any:
    if not isinstance(mask, TensorBase):
        raise ArgumentTypeError(
            f"{name}(): argument 'mask' must be Tensor, not {type(mask).__name__}"
        )
    if mask._array.dtype != np.bool_:
        raise DtypeError(
            f"{name}: expected BoolTensor for mask; this one is "
            f"{from_numpy_dtype(mask._array.dtype)}"
        )
    return truth_values(mask._array)


@public("masked_select", method=True, out=EXACT)
def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where the mask is true, as a vector.

    Args:
        input: Tensor that broadcasts with ``mask``.
        mask: Boolean tensor that broadcasts with ``input``.

    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
    """
    array = _checked_mask("masked_select", mask)
    if array.ndim and array.shape == input._array.shape:
        return gather_index(input, kept_index(input, (array,)))
    shape = tuple(broadcast_shapes(input._array.shape, array.shape))
    return gather_index(_one_dim(expand(input, shape)), (_mask_copy(array, shape),))


def _one_dim(input: Any) -> Any:
    """Return a tensor that a mask can select from: 0-d ones get a dimension."""
    return input if input._array.ndim else reshape(input, (1,))


def _mask_copy(array: Any, shape: tuple[int, ...]) -> Any:
    return np.atleast_1d(np.broadcast_to(array, shape)).copy()


@public("masked_scatter", method=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return a copy with the elements of ``source``, one after the other, where the mask is true.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.
        source: Tensor with the values to read.

    Raises:
        RuntimeError: If ``source`` has fewer elements than the mask has True.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    array = _checked_mask("masked_scatter", mask)
    check_same_dtype(
        input, source,
        "masked_scatter: expected self and source to have same dtypes but got{} and {}",
    )  # fmt: skip
    shape = tuple(broadcast_shapes(input._array.shape, array.shape))
    chosen = _mask_copy(array, shape)
    if is_meta(chosen):
        return where(mask, source.sum(), expand(input, shape))  # of the same shape and history
    count = int(np.count_nonzero(chosen))
    if source._array.size < count:
        raise ShapeError(
            "Number of elements of source < number of ones in mask: "
            f"{source._array.size} for {count}"
        )
    values = reshape(source, (source._array.size,))[:count]
    written = put_index(_one_dim(expand(input, shape)), values, (chosen,), False)
    return reshape(written, shape)


@public(method="masked_scatter_")
def masked_scatter_(self: Any, mask: Any, source: Any) -> Any:
    """Write the elements of ``source``, one after the other, where the mask is true."""
    return self.copy_(masked_scatter(self, mask, source))


@public("argwhere", method=True)
@nograd(torch_kernel_name="nonzero_count_cpu", batch=Batch.DYNAMIC_SHAPE)
def argwhere(be, input, /):
    """Return the indices (int64) of the elements that are not zero, one row for each.

    Args:
        input: Tensor of any shape with ``d`` dimensions; the result is ``[count, d]``.

    >>> torch.argwhere(torch.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    if input.ndim:
        return be.argwhere(input)
    return be.empty((int(be.count_nonzero(input)), 0), np.int64)


@public("nonzero", method=True, out=EXACT)
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

    Args:
        input: Tensor of any shape.
        as_tuple: Whether to return one tensor of indices per dimension.

    >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
    (tensor([1, 2]),)
    """
    if not as_tuple:
        return argwhere(input)
    positions = argwhere(_one_dim(input))
    return tuple(positions.unbind(1))
