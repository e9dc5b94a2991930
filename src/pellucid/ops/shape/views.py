"""Views: other shapes of the same memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase
from pellucid.autograd.warned import warn_once
from pellucid.core import families
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face, unsigned
from pellucid.core.definition.op import Tensors
from pellucid.core.definition.public import public
from pellucid.core.families import linear, multilinear
from pellucid.core.memory.layouts import as_strided
from pellucid.core.memory.ownership import storage_offset_of
from pellucid.errors import ShapeError
from pellucid.kernels.meta import is_meta
from pellucid.ops.shape.broadcasting import unpacked_sequence
from pellucid.shapes import Like, as_tuple, dim_from_end, dims_from_end, infer_size, items_of


def restore_dims(g, ndim, dims, keepdim):
    """Give a reduction's gradient back the dimensions that were reduced away, with size 1."""
    if keepdim or not ndim:
        return g
    sizes = iter(g.shape)
    return g.reshape(tuple(1 if dim in dims else next(sizes) for dim in range(ndim)))


# ---- other sizes ----------------------------------------------------------------------------


@families.view(compiled_body=True)
def view(be, input, /, size):
    """Return a view of the elements in another shape of as many elements; one size may be -1.

    Raises RuntimeError where the elements do not lie in memory so that this is possible.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result; -1 leaves a size or follows from the others.

    >>> torch.arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    try:
        return _checked(input.reshape(size, copy=False), size)
    except ValueError:
        infer_size(tuple(size), input.size)
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        ) from None


def _checked(made: Any, size: Sequence[int]) -> Any:
    """Return what was made; NumPy infers sizes from any negative number, and PyTorch from -1."""
    if made.shape != size:
        infer_size(tuple(size), made.size)
    return made


@view.vjp("input")
def view_input(g, input: Like):
    return g.reshape(tuple(input.shape))


@linear(half="bitwise", float8=True, node_name="unsafe_view", compiled_body=True)
def unsafe_view(be, input, /, size):
    """Return the elements in another shape, in new memory.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result; -1 leaves a size or follows from the others.

    >>> torch.ones(2, 3).t().reshape(6).shape
    torch.Size([6])
    """
    return _checked(be.array(input, order="C").reshape(size), size)


@unsafe_view.vjp("input")
def unsafe_view_input(g, input: Like):
    return g.reshape(tuple(input.shape))


@public("reshape")
@replayable
def reshape(input: Any, shape: Sequence[int]) -> Any:
    """Return the elements in another shape: a view where that is possible, else a copy.

    Raises RuntimeError where the number of elements does not fit.

    Args:
        input: Tensor of any shape.
        shape: Sizes of the result; one of them may be -1.

    >>> torch.reshape(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    shape = as_tuple(shape, "reshape", "shape")
    array = input._array
    if array.flags.c_contiguous:
        return view(input, shape)
    sizes = infer_size(shape, array.size)
    try:
        array.reshape(sizes, copy=False)
    except ValueError:
        return unsafe_view(input, sizes)
    return view(input, sizes)


@families.view(node_name="view", holomorphic=False)
def view_dtype(be, input, /, dtype):
    """Return a view of the same bytes as numbers of another dtype.

    Args:
        input: Tensor of any shape.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.tensor([1.0]).view(torch.int32)
    tensor([1065353216], dtype=torch.int32)
    """
    wanted = dtypes.to_numpy_dtype(dtype)
    if wanted.itemsize != input.dtype.itemsize:
        _check_view_dtype(input, wanted)
    return input.view(wanted)


def _check_view_dtype(array: Any, wanted: Any) -> None:
    """Raise where elements of another size would straddle those that are there."""
    if not array.ndim:
        raise _no_view(array.dtype, wanted, "self.dim() cannot be 0")
    size, new_size = array.dtype.itemsize, wanted.itemsize
    steps = [step // size for step in array.strides]
    if steps[-1] != 1 and array.size:
        reason = "self.stride(-1) must be 1"
        raise _no_view(array.dtype, wanted, reason, steps[-1])
    if new_size < size:
        return
    ratio = new_size // size
    counted = {
        "self.size(-1)": array.shape[-1],
        "self.storage_offset()": 0 if is_meta(array) else storage_offset_of(array),
        **{f"self.stride({dim})": step for dim, step in enumerate(steps[:-1])},
    }
    for what, number in counted.items():
        if number % ratio:
            raise _no_view(array.dtype, wanted, f"{what} must be divisible by {ratio}", number)


def _no_view(found: Any, wanted: Any, reason: str, number: int | None = None) -> Exception:
    tail = "" if number is None else f", but got {number}"
    return ShapeError(
        f"{reason} to view {dtypes.scalar_name(found)} as {dtypes.scalar_name(wanted)} (different "
        f"element sizes){tail}"
    )


@view_dtype.vjp("input")
def view_dtype_input(g, input: Like):
    return view_dtype(g, dtypes.from_numpy_dtype(input.dtype))


@public("flatten", method=True)
@replayable
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Join the dimensions from ``start_dim`` to ``end_dim`` into one.

    Args:
        input: Tensor of any shape.
        start_dim: First dimension to flatten.
        end_dim: Last dimension to flatten.

    Raises:
        RuntimeError: If ``start_dim`` comes after ``end_dim``.

    >>> torch.ones(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])
    """
    shape = input._array.shape
    ndim = len(shape)
    start, end = dim_from_end(start_dim, ndim), dim_from_end(end_dim, ndim)
    if start > end:
        raise ShapeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not ndim:
        return reshape(input, (1,))
    if start == end:
        return input
    joined = math.prod(shape[start : end + 1])
    return reshape(input, (*shape[:start], joined, *shape[end + 1 :]))


@public("unflatten", reads_late=True)
def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """Split a dimension into several; one size may be -1.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        sizes: Sizes of the new dimensions.

    Raises:
        RuntimeError: If the sizes do not multiply up to that of the dimension.

    >>> torch.ones(6).unflatten(0, (2, -1)).shape
    torch.Size([2, 3])
    """
    shape = input._array.shape
    dim = dim_from_end(dim, len(shape))
    if not shape:
        raise ShapeError(
            f"unflatten got an unexpected error: Dimension specified as {dim} but tensor has no "
            "dimensions"
        )
    sizes = items_of(sizes)
    if not len(sizes):
        raise ShapeError("unflatten: sizes must be non-empty")
    try:
        parts = infer_size(tuple(sizes), shape[dim])
    except ShapeError:
        raise ShapeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return view(input, (*shape[:dim], *parts, *shape[dim + 1 :]))


@public("ravel", method=True)
def ravel(input: Any) -> Any:
    """Return the elements in one dimension.

    Args:
        input: Tensor of any shape.

    >>> torch.eye(2).ravel()
    tensor([1., 0., 0., 1.])
    """
    array = input._array
    size = (array.size,)
    return view(input, size) if array.flags.c_contiguous else unsafe_view(input, size)


@public(method="reshape_as")
def reshape_as(input: Any, other: Any) -> Any:
    """Return the elements in the shape of another tensor.

    Args:
        input: Tensor of any shape.
        other: Tensor of the shape, with as many elements.

    >>> torch.ones(4).reshape_as(torch.zeros(2, 2)).shape
    torch.Size([2, 2])
    """
    return reshape(input, tuple(other.shape))


@public(method="view_as")
def view_as(input: Any, other: Any) -> Any:
    """Return a view of the elements in the shape of another tensor.

    Args: As for `reshape_as`.

    >>> torch.ones(4).view_as(torch.zeros(2, 2)).shape
    torch.Size([2, 2])
    """
    return view(input, tuple(other.shape))


# ---- order of dimensions --------------------------------------------------------------------


@public("transpose swapdims", method=True)
@families.view(overloads=1)
def transpose(be, input, /, dim0, dim1):
    """Exchange two dimensions.

    Args:
        input: Tensor of any shape.
        dim0: First of the two dimensions.
        dim1: Second of the two dimensions.

    >>> torch.ones(2, 3).transpose(0, 1).shape
    torch.Size([3, 2])
    """
    ndim = input.ndim
    first, second = dim_from_end(dim0, ndim), dim_from_end(dim1, ndim)
    return input.swapaxes(first, second) if ndim else input.view()


@transpose.vjp("input")
def transpose_input(g, dim0, dim1):
    return transpose(g, dim0, dim1)


@public("swapaxes", method=True)
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Exchange two dimensions, as `transpose` does.

    Args:
        input: Tensor of any shape.
        axis0: First of the two dimensions.
        axis1: Second of the two dimensions.

    >>> torch.ones(2, 3).swapaxes(0, 1).shape
    torch.Size([3, 2])
    """
    return transpose(input, axis0, axis1)


@public("t", method=True)
@families.view(overloads=1)
def t(be, input, /):
    """Transpose a matrix; a vector stays as it is.

    Raises RuntimeError for more than two dimensions.

    Args:
        input: Tensor of at most two dimensions.

    >>> torch.ones(2, 3).t().shape
    torch.Size([3, 2])
    """
    if input.ndim > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input.transpose()


@t.vjp("input")
def t_input(g):
    return t(g)


@public("permute")
@families.view(compiled_body=True)
def permute(be, input, /, dims):
    """Put the dimensions in another order.

    Args:
        input: Tensor of any shape.
        dims: The dimensions in their new order.

    Raises:
        RuntimeError: If ``dims`` do not name each dimension once.

    >>> torch.ones(2, 3, 4).permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    if len(dims) != input.ndim:
        raise ShapeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            "length "
            f"of the desired ordering of dimensions i.e. input.dim() = {input.ndim} is not "
            "equal to "
            f"len(dims) = {len(dims)}"
        )
    order = tuple(dim_from_end(dim, input.ndim) for dim in items_of(dims))
    if len(set(order)) != len(order):
        raise ShapeError("permute(): duplicate dims are not allowed.")
    return input.transpose(order)


@permute.vjp("input")
def permute_input(g, dims):
    return permute(g, inverse_order(dims))


def inverse_order(dims: Sequence[int]) -> tuple[int, ...]:
    """Return the order of dimensions that undoes another."""
    order = [dim % len(dims) for dim in dims]
    return tuple(order.index(dim) for dim in range(len(order)))


@public("movedim moveaxis", method=True)
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Move dimensions to other positions; the rest keep their order.

    Args:
        input: Tensor of any shape.
        source: Dimensions to move.
        destination: Where the dimensions go.

    Raises:
        RuntimeError: If there are not as many sources as destinations, or one occurs twice.

    >>> torch.ones(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])
    """
    ndim = input._array.ndim
    sources = [source] if isinstance(source, int) else list(items_of(source))
    targets = [destination] if isinstance(destination, int) else list(items_of(destination))
    if len(sources) != len(targets):
        raise ShapeError(
            "movedim: Invalid source or destination dims: source "
            f"({sources} dims) should contain the same number of dims as destination ({targets} "
            "dims)"
        )
    sources, targets = ([dim_from_end(dim, ndim) for dim in dims] for dims in (sources, targets))
    for name, dims, given in (
        ("source", sources, source), ("destination", targets, destination)
    ):  # fmt: skip
        if len(set(dims)) != len(dims):
            raise ShapeError(f"movedim: repeated dim in `{name}` ({given})")
    rest = iter(dim for dim in range(ndim) if dim not in sources)
    moved = dict(zip(targets, sources, strict=True))
    return permute(input, tuple(moved[dim] if dim in moved else next(rest) for dim in range(ndim)))


_IDENTITY = "This function is the identity in these cases."
_CONJUGATE = "Consider using x.conj()."


def matrix_transpose(
    input: Any, name: str = "tensor.mT", of_number: str = f"Tensor.mT is {{}} {_IDENTITY}"
) -> Any:
    """Exchange the last two dimensions; ``name`` is that of the function, for errors."""
    if not input.ndim:
        warn_once(of_number.format("deprecated on 0-D tensors."))
        return input
    if input.ndim < 2:
        raise ShapeError(
            f"{name} is only supported on matrices or batches of matrices. Got "
            f"{input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def reversed_dims(input: Any) -> Any:
    """Reverse the order of the dimensions."""
    ndim = input._array.ndim
    if ndim == 0:
        warn_once(f"Tensor.T is deprecated on 0-D tensors. {_IDENTITY}")
    elif ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw an error in a future release. Consider `x.mT` to "
            "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
            "reverse the dimensions of a tensor."
        )
    return permute(input, tuple(reversed(range(ndim))))


def conjugate_transpose(input: Any, name: str, of_number: str) -> Any:
    """Exchange the last two dimensions and conjugate; errors say ``name`` and ``of_number``."""
    turned = matrix_transpose(input, name, of_number)
    return turned.conj() if input.is_complex() else turned


@public("adjoint", method=True)
def adjoint(input: Any) -> Any:
    """Exchange the last two dimensions and conjugate.

    Args:
        input: Matrices ``[*, n, m]``.

    >>> torch.adjoint(torch.ones(2, 3)).shape
    torch.Size([3, 2])
    """
    return conjugate_transpose(input, "tensor.adjoint()", f"adjoint() is {{}} {_CONJUGATE}")


# ---- dimensions of size 1 -------------------------------------------------------------------


def _squeeze_name(node: Any) -> str:
    dim = None if node.params is None else node.params[0]
    return f"SqueezeBackward{0 if dim is None else 1 if isinstance(dim, int) else 2}"


@public("squeeze", method=True)
@families.view(
    overloads=3,
    named=_squeeze_name,
    faces={
        "SqueezeBackward0": Face("self_sym_sizes"),
        "SqueezeBackward1": Face("dim self_sym_sizes"),
        "SqueezeBackward2": Face("dim() self_sym_sizes"),
    },
)
def squeeze(be, input, /, dim=None):
    """Return a view without dimensions of size 1: all, one, or those in a tuple.

    Args:
        input, dim: As for `unflatten`.

    >>> torch.ones(1, 2, 1).squeeze().shape, torch.ones(1, 2, 1).squeeze(0).shape
    (torch.Size([2]), torch.Size([2, 1]))
    """
    return input.reshape(_squeezed_shape(input.shape, dim))


def _squeezed_shape(shape: tuple[int, ...], dim: Any) -> tuple[int, ...]:
    if isinstance(dim, tuple | list) and not dim:
        return shape
    dims = dims_from_end(dim, len(shape))
    return tuple(size for position, size in enumerate(shape) if size != 1 or position not in dims)


@squeeze.vjp("input")
def squeeze_input(g, input: Like):
    return g.reshape(tuple(input.shape))


@public("unsqueeze", method=True)
@families.view(compiled_body=True, overloads=1, faces=Face("dim"))
def unsqueeze(be, input, /, dim):
    """Return a view with one more dimension, of size 1, at a position.

    Args: As for `squeeze`.

    >>> torch.ones(3).unsqueeze(1).shape
    torch.Size([3, 1])
    """
    axis = dim_from_end(dim, input.ndim + 1)
    return input.reshape((*input.shape[:axis], 1, *input.shape[axis:]))


@unsqueeze.vjp("input")
def unsqueeze_input(g, input: Like):
    return g.reshape(tuple(input.shape))


def _at_least(tensors: tuple[Any, ...], reshaped: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], TensorBase):
        return reshaped(tensors[0])
    return tuple(reshaped(tensor) for tensor in unpacked_sequence(tensors))


@public("atleast_1d functional.atleast_1d", reads_late=True)
def atleast_1d(*tensors: Any) -> Any:
    """Give tensors without dimensions one.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_1d(torch.tensor(1.0))
    tensor([1.])
    """
    return _at_least(tensors, lambda x: x if x._array.ndim else reshape(x, (1,)))


@public("atleast_2d functional.atleast_2d", reads_late=True)
def atleast_2d(*tensors: Any) -> Any:
    """Give tensors with fewer than two dimensions leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_2d(torch.ones(2))
    tensor([[1., 1.]])
    """
    return _at_least(tensors, _two_dims)


def _two_dims(x: Any) -> Any:
    if x._array.ndim >= 2:
        return x
    return unsqueeze(x, 0) if x._array.ndim else reshape(x, (1, 1))


@public("atleast_3d functional.atleast_3d", reads_late=True)
def atleast_3d(*tensors: Any) -> Any:
    """Give tensors with fewer than three dimensions a trailing one, and leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_3d(torch.ones(2)).shape
    torch.Size([1, 2, 1])
    """
    return _at_least(tensors, lambda x: x if x._array.ndim >= 3 else unsqueeze(_two_dims(x), -1))


# ---- slices --------------------------------------------------------------------------------


def last_step(place: tuple[Any, ...]) -> tuple[str, int, Any]:
    """Return the last of the views that PyTorch makes for an index, its dimension and its item."""
    index = place[0] if isinstance(place[0], tuple) else place
    if index == (slice(None),):
        return "Slice", 0, index[0]
    found: tuple[str, int, Any] = ("Alias", 0, None)
    dim = 0
    for item in index:
        if item is Ellipsis:
            continue
        kind = "Unsqueeze" if item is None else "Slice" if isinstance(item, slice) else "Select"
        if item != slice(None):
            found = (kind, dim, item)
        dim += kind != "Select"
    return found


def _index_name(node: Any) -> str:
    return f"{last_step(node.params)[0]}Backward0"


def _item(node: Any) -> Any:
    return last_step(node.params)[2]


def _end(item: slice) -> Any:
    return 2**63 - 1 if item.stop is None else item.stop


def along(dim: int, axis: Any) -> tuple[Any, ...]:
    """Return the index that takes a place along a dimension."""
    return (*(slice(None),) * dim, axis, ...)


def _with_steps_of_new_dims(be: Any, found: Any) -> Any:
    """Give dimensions that are new the strides that `unsqueeze` gives them: NumPy's are 0."""
    strides = list(found.strides)
    for dim in reversed(range(found.ndim)):
        if not strides[dim] and found.shape[dim] == 1:
            last = dim + 1 == found.ndim
            strides[dim] = found.itemsize if last else found.shape[dim + 1] * strides[dim + 1]
    return as_strided(
        be.lib, found, found.shape, strides, subok=True, writeable=found.flags.writeable
    )


@families.view(
    node_name="slice",
    compiled_body=True,
    named=_index_name,
    faces={
        "AliasBackward0": Face(),
        "UnsqueezeBackward0": Face(dim=lambda node: last_step(node.params)[1]),
        "SliceBackward0": Face(
            "self_sym_sizes",
            dim=lambda node: last_step(node.params)[1],
            start=lambda node: unsigned(_item(node).start or 0),
            end=lambda node: unsigned(_end(_item(node))),
            step=lambda node: _item(node).step or 1,
        ),
    },
)
def basic_index(be, input, /, index):
    """Return a view of what slices, integers, ``None`` and ``...`` select.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> torch.arange(6).view(2, 3)[1, 1:]
    tensor([4, 5])
    """
    found = input[index]
    if index.__class__ is tuple and any(part is None for part in index):
        return _with_steps_of_new_dims(be, found)
    return found


@families.view(batch=Batch.ELEMENTWISE, faces=Face(hidden=True))
def of_level(be, input, /):
    """Return a view of the whole for a transform to differentiate with respect to.

    Args:
        input: Tensor of any shape.

    >>> from pellucid.ops.shape.views import of_level
    >>> of_level(torch.ones(2))
    tensor([1., 1.])
    """
    return input[...]


@of_level.vjp("input")
def of_level_input(g):
    return g


@basic_index.vjp("input")
def basic_index_input(g, input: Like, index):
    parts = index if index.__class__ is tuple else (index,)
    if parts != (slice(None),) and all(part in (..., slice(None)) for part in parts):
        return g
    return slices_backward([g], [index], tuple(input.shape))


@multilinear(float8=True, additive=True)
def slices_backward(be, parts: Tensors, /, indices, shape):
    """Put tensors into zeros of a shape, each at its index; ``None`` stands for zeros.

    Args:
        parts: Tensors to write.
        indices: Indices (int64).
        shape: Sizes of the result; one of them may be -1.

    >>> from pellucid.ops.shape.views import slices_backward
    >>> slices_backward([torch.ones(1), None], [slice(1, 2), slice(0, 1)], (2,))
    tensor([0., 1.])
    """
    dtype = next(part.dtype for part in parts if part is not None)
    covered = sum(0 if part is None else math.prod(part.shape) for part in parts)
    out = (be.empty if covered == math.prod(shape) else be.zeros)(shape, dtype)
    for part, index in zip(parts, indices, strict=True):
        if part is not None:
            out[index] = part
    return out


@slices_backward.vjp("parts")
def slices_backward_parts(g, parts: Like, indices):
    metas: Any = parts
    return [
        None if part is None else basic_index(g, index)
        for part, index in zip(metas, indices, strict=True)
    ]
