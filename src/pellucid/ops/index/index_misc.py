"""Places in a tensor: found, counted in two ways, and reduced into."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import call, new_tensor
from pellucid.core.definition.dtype_rules import OWN
from pellucid.core.definition.numbers import as_array, is_number
from pellucid.core.definition.public import EXACT, public
from pellucid.core.families import nograd
from pellucid.core.memory.writing import check_overlap
from pellucid.dtypes import from_numpy_dtype, int64, result_dtype, scalar_name
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimensionError,
    DtypeError,
    IndexingError,
    ShapeError,
)
from pellucid.kernels.meta import is_meta
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.elementwise.arithmetic import floor_divide, remainder
from pellucid.ops.index.scatter import scatter_reduce
from pellucid.ops.shape.copying import to
from pellucid.shapes import dim_from_end, items_of


@public("nonzero_static", method=True)
@nograd(torch_kernel_name="nonzero_count_cpu")
def nonzero_static(be, input, /, *, size, fill_value=-1):
    """Return the indices of the first ``size`` elements that are not zero, one row for each.

    Where there are fewer, rows of ``fill_value`` follow. Raises RuntimeError for a negative size.

    Args:
        input: Tensor of any shape.
        size: Number of indices to return; missing ones are ``fill_value``.
        fill_value: Value of every element.

    >>> torch.nonzero_static(torch.tensor([1, 0, 3]), size=3)
    tensor([[ 0],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise ShapeError("nonzero_static: 'size' must be an non-negative integer")
    result = be.full((size, input.ndim), fill_value, np.int64)
    if input.ndim and not is_meta(input):
        found = be.argwhere(input)[:size]
        result[: len(found)] = found
    return result


@nograd(torch_kernel_name="isin_default_cpu", dtypes=OWN.without_numbers(), node_name="isin")
def isin_values(be, elements, test_elements, /, assume_unique, invert):
    """Return which elements occur in another tensor."""
    return be.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)


@public("isin")
def isin(
    elements: Any = None, test_elements: Any = None, *, assume_unique: bool = False,
    invert: bool = False, element: Any = None, test_element: Any = None,
) -> Any:  # fmt: skip
    """Return which elements occur among the test elements; one of both may be a number.

    ``assume_unique`` says that no element occurs twice in either; ``invert`` turns the answer
    round. Raises RuntimeError for booleans and complex numbers.

    Args:
        elements: Elements to look up.
        test_elements: Elements to look among.
        assume_unique: Accepted as PyTorch does; it changes nothing.
        invert: Whether the answer is turned round.
        element: Elements to look up.
        test_element: Elements to look among.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    first = element if elements is None else elements
    second = test_element if test_elements is None else test_elements
    if not _fit_together(first, second):
        kinds = ", ".join(type(each).__name__ for each in (first, second))
        raise ArgumentTypeError(
            f"isin() received an invalid combination of arguments - got ({kinds}), but expected "
            "two tensors, or a tensor and a number"
        )
    tensors = [each for each in (first, second) if isinstance(each, TensorBase)]
    for each in tensors:
        if each._array.dtype.kind in "bcW":
            raise DtypeError(
                f"Unsupported input type encountered for isin(): {scalar_name(each._array.dtype)}"
            )
    for each in (first, second):
        if isinstance(each, bool | complex):
            name = scalar_name(np.asarray(each).dtype)
            raise DtypeError(f"Unsupported input type encountered for isin(): {name}")
    common = result_dtype([_plain(first), _plain(second)])
    both = [
        each if isinstance(each, TensorBase) else new_tensor(as_array(each, common, force=True))
        for each in (first, second)
    ]
    return isin_values(*both, assume_unique, invert)


def _fit_together(first: Any, second: Any) -> bool:
    tensors = [isinstance(each, TensorBase) for each in (first, second)]
    numbers = [is_number(each) for each in (first, second)]
    return any(tensors) and all(a or b for a, b in zip(tensors, numbers, strict=True))


def _plain(value: Any) -> Any:
    return value._array if isinstance(value, TensorBase) else value


# ---- slices reduced into others ---------------------------------------------------------------

_REDUCTIONS = ("prod", "mean", "amax", "amin")


@public("index_reduce", method=True, out=EXACT)
def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Return a copy with the slices of ``source`` reduced into it at a vector of indices.

    ``reduce`` is prod, mean, amax or amin; without ``include_self`` what was there does not count.
    Raises RuntimeError for another name, and IndexError for indices that are not there.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to work along; a negative one counts from the end.
        index: Indices (int64) along ``dim``.
        source: Tensor with the values to read.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the values that are there take part.

    >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
    >>> torch.index_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    operands = _spread_slices(input, dim, index, source, reduce)
    return call(scatter_reduce.op, operands, (dim, reduce, include_self))


@public(method="index_reduce_")
def index_reduce_(
    self: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Reduce the slices of ``source`` into this tensor at a vector of indices."""
    operands = _spread_slices(self, dim, index, source, reduce)
    check_overlap(self, (index,), apart=True)
    return call_inplace(scatter_reduce.op, operands, (dim, reduce, include_self))


def _spread_slices(
    input: Any, dim: int, index: Any, source: Any, reduce: str
) -> tuple[Any, Any, Any]:
    """Check slices and where they are to go; return the operands, an index for each element."""
    array, positions, slices = input._array, index._array, source._array
    if reduce not in _REDUCTIONS:
        raise ShapeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    if positions.dtype not in (np.int32, np.int64):
        raise DtypeError(
            "index_reduce_(): Expected dtype int32/int64 for index but got: "
            f"{scalar_name(positions.dtype)}"
        )
    if positions.ndim > 1:
        raise DimensionError(
            "index_reduce_(): Index is supposed to be a vector, but got dim: "
            f"{positions.ndim} with type: {scalar_name(positions.dtype)} and size: "
            f"{list(positions.shape)}"
        )
    if array.dtype != slices.dtype:
        raise DtypeError(
            f"index_reduce_(): self ({scalar_name(array.dtype)}) and source "
            f"({scalar_name(slices.dtype)}) must have the same scalar type"
        )
    axis = dim_from_end(dim, array.ndim)
    count = slices.shape[axis] if axis < slices.ndim else 1
    if positions.size != count:
        raise ShapeError(
            f"index_reduce_(): Number of indices ({positions.size}) should be equal to "
            f"source.size(dim): ({count}), for dim: {axis}"
        )
    ranks_fit = bool(array.ndim) == bool(slices.ndim)
    if not ranks_fit or _without(array.shape, axis) != _without(slices.shape, axis):
        raise ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(array.shape)} source.shape = {list(slices.shape)}"
        )
    extent = array.shape[axis] if array.ndim else 1
    if positions.size and (positions.min() < 0 or positions.max() >= extent):
        raise IndexingError("index out of range in self")
    along = [-1 if each == axis else 1 for each in range(slices.ndim)]
    spread = np.broadcast_to(positions.astype(np.int64).reshape(along), slices.shape)
    return input, new_tensor(spread), source


def _without(shape: tuple[int, ...], position: int) -> tuple[int, ...]:
    return shape[:position] + shape[position + 1 :]


# ---- places counted through a tensor ----------------------------------------------------------


@public("unravel_index functional.unravel_index", reads_late=True)
def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Return one tensor of indices per dimension, for indices into a flattened tensor of a shape.

    Raises TypeError for indices that are not integers and for sizes that are none, and ValueError
    for negative sizes.

    Args:
        indices: Indices (int64).
        shape: Shape, as a tuple of sizes.

    >>> torch.unravel_index(torch.tensor([7, 2]), (3, 4))
    (tensor([1, 0]), tensor([3, 2]))
    """
    if indices._array.dtype.kind not in "iu":
        dtype = from_numpy_dtype(indices._array.dtype)
        raise ArgumentTypeError(f"expected 'indices' to be integer dtype, but got {dtype}")
    indices = to(indices, int64)
    positions: list[Any] = []
    for size in reversed(_sizes(shape)):
        positions.append(remainder(indices, size))
        indices = floor_divide(indices, size)
    return tuple(reversed(positions))


def _sizes(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, int | tuple | list):
        raise ArgumentTypeError(
            f"expected 'shape' to be int or sequence of ints, but got {type(shape)}"
        )
    sizes = (shape,) if isinstance(shape, int) else tuple(items_of(shape))
    for size in sizes:
        if not isinstance(size, int):
            raise ArgumentTypeError(
                f"expected 'shape' sequence to only contain ints, but got {type(size)}"
            )
    if any(size < 0 for size in sizes):
        raise ArgumentError(f"'shape' cannot have negative values, but got {sizes}")
    return sizes
