"""Whole slices by index: selected, added, copied, filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.autocasting import Autocast
from pellucid.core.definition.dtype_rules import OWN
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous
from pellucid.core.memory.memory_formats import copied
from pellucid.core.memory.writing import shares_storage
from pellucid.errors import DimensionError, DtypeError, IndexingError, ShapeError
from pellucid.kernels.meta import is_meta
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.index.scatter import call_op, check_index, check_index_dtype, check_long_index
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.copying import clone, to
from pellucid.shapes import Like, dim_from_end, real_dim

_TENSORS = OWN.without_numbers()


def _check_vector(be: Any, name: str, index: Any, extent: int, message: str | None = None) -> None:
    """Raise where the index is not a vector, or points outside a dimension."""
    if index.ndim > 1:
        raise DimensionError(f"{name}: Index is supposed to be a vector")
    if index.size and not be.all_within(index, extent):
        low, high = int(index.min()), int(index.max())
        wrong = low if low < 0 else high
        if message is not None:
            raise IndexingError(f"{message}: index {wrong}, size {extent}")
        text = f"index {wrong} is out of bounds for dimension 0 with size {extent}"
        raise ShapeError(text) if name == "index_add_()" else IndexingError(f"{name}: {text}")


@public("index_select", method=True, out=EXACT)
@op(
    gradient_changes=1,
    dtypes=OWN.without_numbers(),
    half="bitwise",
    float8=True,
    layout=contiguous,
    order=("input", "dim", "index"),
    compiled_kernel=("chosen_slices", 1),
)
def index_select(be, input, index, /, dim: int):
    """Return the slices at a vector of indices along a dimension.

    Raises IndexError for indices that are not there, negative ones among them.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.

    >>> torch.index_select(torch.tensor([5, 6, 7]), 0, torch.tensor([2, 2, 0]))
    tensor([7, 7, 5])
    """
    if index.ndim > 1:
        raise DimensionError("index_select(): Index is supposed to be a vector")
    check_index_dtype("index_select", index)
    axis = dim_from_end(dim, input.ndim)
    if not input.ndim:
        if index.size != 1:
            raise ShapeError(
                f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)"
            )
        _check_vector(be, "index_select()", index, 1, "index out of range in self")
        return be.array(input)
    extent = input.shape[axis]
    if not extent and index.size and input.ndim > 1:
        raise ShapeError("index_select(): self indexing axis dim should be positive")
    if axis == 1 and index.size and not be.all_within(index, extent):
        wrong = int(index[(index < 0) | (index >= extent)].flat[0])
        raise ShapeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={extent}")
    _check_vector(be, "index_select()", index, extent, "index out of range in self")
    return be.take(input, index.reshape(-1), axis)


@index_select.vjp("input")
def index_select_input(g, input: Like, index, dim):
    return index_select_backward(g, index, tuple(input.shape), dim)


@op(node_name="index_add")
def index_select_backward(be, g, index, /, shape, dim):
    """Add slices to zeros at a vector of indices: the transpose of taking them."""
    return be.index_add(be.zeros(shape, g.dtype), dim_from_end(dim, len(shape)), index, g)


@index_select_backward.vjp("g")
def index_select_backward_g(g, index, dim):
    return index_select(g, dim, index)


def _source_dims(node: Any) -> int | None:
    """Return how many dimensions the source has, where it is a part of the history."""
    sizes = node.saved_sizes("source")
    return None if sizes is None else len(sizes)


@public("index_add", method=True, inplace=True, out=EXACT)
@op(
    torch_kernel_name="index_add_",
    dtypes=_TENSORS,
    apart=True,
    layout=contiguous,
    order=("input", "dim", "index", "source"),
    compiled_kernel=("slices_added", 1),
    faces=Face("alpha dim index source@", source_dim=_source_dims),
)
def index_add(be, input, index, source, /, dim: int, *, alpha=1):
    """Return a copy with ``alpha`` times the slices of ``source`` added at a vector of indices.

    Args:
        input, dim, index: As for `index_select`.
        source: Slices to add: the shape of ``input``, with one slice per index along ``dim``.
        alpha: Number that multiplies ``source``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``source`` differ.

    >>> torch.index_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])
    """
    check_index_dtype("index_add", index)
    flat = "index out of range in self" if input.ndim < 2 else None
    axis = _checked_slices(be, "index_add_", input, index, source, dim, flat)
    check_same_dtype(
        input, source, "index_add_(): self ({}) and source ({}) must have the same scalar type"
    )
    if alpha != 1:
        source = be.multiply(source, dtypes.fitted_number(alpha, source.dtype))
    return be.index_add(input, axis, index, source)


def _checked_slices(
    be: Any, name: str, input: Any, index: Any, source: Any, dim: int, message: str | None
) -> int:
    """Check slices against where they are to go; return the dimension from the front."""
    axis = dim_from_end(dim, input.ndim)
    if index.ndim > 1:
        raise DimensionError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim}"
        )
    if name == "index_add_" and input.ndim > 1:
        real_dim(axis, source.ndim)
    count = source.shape[axis] if source.ndim else 1
    if index.size != count:
        text = f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim)"
        if name == "index_copy_":
            raise IndexingError(f"{text} ({count})")
        raise ShapeError(f"{text}: ({count}), for dim: {axis}")
    rest = [s for a, s in enumerate(input.shape) if a != axis]
    if input.ndim:
        fits = [s for a, s in enumerate(source.shape) if a != axis] == rest
    else:
        fits = name != "index_add_" or not source.ndim
    if not fits:
        raise ShapeError(
            f"{name}(): source tensor shape must match self tensor shape, excluding the specified "
            f"dimension. Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    extent = input.shape[axis] if input.ndim else 1
    _check_vector(be, f"{name}()", index, extent, message)
    return axis


@index_add.vjp("input")
def index_add_input(g):
    return g


@index_add.vjp("source")
def index_add_source(g, index, dim, alpha):
    taken = index_select(g, dim, index)
    return taken if alpha == 1 else taken * alpha


@public("index_copy", method=True, inplace=True, out=EXACT)
@op(
    dtypes=OWN.without_numbers(),
    apart=True,
    autocast=Autocast.WIDEST,
    order=("input", "dim", "index", "source"),
    faces=Face("dim index source", source_dim=_source_dims),
)
def index_copy(be, input, index, source, /, dim: int):
    """Return a copy with the slices of ``source`` at a vector of indices.

    Args:
        input, dim, index: As for `index_select`.
        source: Slices to write: the shape of ``input``, with one slice per index along ``dim``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``source`` differ.

    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([1]), torch.ones(1))
    tensor([0., 1., 0.])
    """
    check_long_index("index_copy_", index)
    axis = _checked_slices(be, "index_copy_", input, index, source, dim, None)
    check_same_dtype(
        input, source,
        "index_copy_(): self and source expected to have the same dtype, but got (self) {} and "
        "(source) {}",
    )  # fmt: skip
    out = be.array(input, order="C")
    if input.ndim:
        out[_slices_at(axis, index)] = source
    else:
        out[...] = source.reshape(())
    return out


def _slices_at(axis: int, index: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * axis, index.reshape(-1))


@index_copy.vjp("input")
def index_copy_input(g, index, dim):
    return index_fill_scalar(g, index, dim, 0)


@index_copy.vjp("source")
def index_copy_source(g, index, source, dim):
    return index_select(g, dim, index).reshape(source.shape)


@op(torch_kernel_name="index_fill_cpu", node_name="index_fill")
def index_fill_scalar(be, input, index, /, dim, value):
    """Return a copy with one number in the slices at a vector of indices."""
    axis = dim_from_end(dim, input.ndim)
    extent = input.shape[axis] if input.ndim else 1
    outside = (index < -extent) | (index >= extent)
    if outside.any():
        wrong = int(index[outside].flat[0])
        raise IndexingError(
            f"index {wrong} is out of bounds for dimension {axis} with size {extent}"
        )
    out = copied(input)
    if input.ndim:
        out[_slices_at(axis, index)] = value
    elif index.size:
        out[...] = value
    return out


@index_fill_scalar.vjp("input")
def index_fill_scalar_input(g, index, dim):
    return index_fill_scalar(g, index, dim, 0)


@public("index_fill", method=True)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return a copy with one number in the slices at a vector of indices.

    Args:
        input, dim: As for `index_select`.
        index: Indices (int64) along ``dim``.
        value: Number to write.

    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 7)
    tensor([7., 0., 7.])
    """
    return _filled(call_op, input, dim, index, value)


@public(method="index_fill_")
def index_fill_(self: Any, dim: int, index: Any, value: Any) -> Any:
    """Write one number into the slices at a vector of indices."""
    return _filled(call_inplace, self, dim, index, value)


def _filled(call: Any, input: Any, dim: int, index: Any, value: Any) -> Any:
    """Fill slices with a number, or with a tensor of one element, which may want a gradient."""
    given = value._array if isinstance(value, TensorBase) else np.asarray(value)
    if dtypes.is_complex_dtype(given.dtype) and not dtypes.is_complex_dtype(input._array.dtype):
        raise DtypeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    if isinstance(value, TensorBase) and value._array.ndim:
        raise ShapeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if isinstance(index, TensorBase) and index._array.dtype != np.int64:
        raise IndexingError("index_fill_(): Expected dtype int64 for index.")
    check_index("index_fill", index)
    if index._array.ndim > 1:
        raise ShapeError("Index has to be a vector/scalar")
    if not isinstance(value, TensorBase):
        number = dtypes.fitted_number(value, input._array.dtype)
        return call(index_fill_scalar.op, (input, index), (dim, number))
    # the value counts once for each place it is written
    if isinstance(index._array, np.ndarray) and not is_meta(index._array):
        index = new_tensor(np.unique(index._array))
    shape = list(input._array.shape)
    if shape:
        shape[dim_from_end(dim, len(shape))] = index._array.size
    if shares_storage(input, value):
        value = clone(value)  # read before it is written over
    values = expand(to(value, dtypes.from_numpy_dtype(input._array.dtype)), tuple(shape))
    return call(index_copy.op, (input, index, values), (dim,))
