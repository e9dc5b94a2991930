"""Broadcasting: views that repeat elements along dimensions of size 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.autograd.warned import warn_once
from pellucid.core import families
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.memory.layouts import as_strided
from pellucid.dtypes import LEGACY_TYPE_NAMES, from_numpy_dtype
from pellucid.errors import ArgumentTypeError, DeviceError, ShapeError
from pellucid.shapes import as_tuple, broadcast_shapes, items_of


@families.view(compiled_body=True, faces=Face("self_sym_sizes"))
def expand(be, input, /, size):
    """Stretch dimensions of size 1, without copying; -1 leaves a size as it is.

    Raises RuntimeError where a size is neither 1 nor the one that is asked for.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result; -1 leaves a size or follows from the others.

    >>> torch.ones(2, 1).expand(2, 3).shape
    torch.Size([2, 3])
    """
    if input.shape == size:
        return input.view()
    shape, have = tuple(items_of(size)), input.shape
    if -1 in shape:
        shape = _kept_sizes(shape, have)
    if not have:
        return strided_view(be, input, shape, (0,) * len(shape))
    check_expandable(input, shape)
    added = len(shape) - len(have)
    strides = (0,) * added + tuple(
        stride if old == new else 0
        for stride, old, new in zip(input.strides, have, shape[added:], strict=True)
    )
    return strided_view(be, input, shape, strides)


@expand.vjp("input")
def expand_input(g):
    return g  # the engine sums what was stretched


def strided_view(be: Any, array: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """Return the memory of an array, from its first element on, in another shape."""
    if array.flags.c_contiguous and array.dtype.isbuiltin == 1:  # the same, at a twentieth
        return be.ndarray(shape, array.dtype, array, 0, strides)
    return as_strided(be.lib, array, shape, strides, writeable=array.flags.writeable)


def _kept_sizes(shape: tuple[int, ...], have: tuple[int, ...]) -> tuple[int, ...]:
    added = len(shape) - len(have)
    if -1 in shape[: max(added, 0)]:
        raise ShapeError(
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
            "dimension "
            f"{shape.index(-1)}"
        )
    return tuple(
        have[position - added] if size == -1 and added >= 0 else size
        for position, size in enumerate(shape)
    )


def check_expandable(array: Any, shape: tuple[int, ...]) -> None:
    """Raise RuntimeError where an array, or a tensor, cannot be stretched to a shape."""
    have = tuple(array.shape)
    added = len(shape) - len(have)
    if added < 0:
        kind = LEGACY_TYPE_NAMES[from_numpy_dtype(getattr(array, "_array", array).dtype).name]
        raise ShapeError(
            f"expand(torch.{kind}{{{list(have)}}}, size={list(shape)}): the number of sizes "
            f"provided ({len(shape)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(have)})"
        )
    for position in reversed(range(len(have))):
        old, new = have[position], shape[added + position]
        if old not in (1, new):
            raise ShapeError(
                f"The expanded size of the tensor ({new}) must match the existing size ({old}) at "
                f"non-singleton dimension {added + position}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(have)}"
            )


@public(method="expand_as")
def expand_as(input: Any, other: Any) -> Any:
    """Stretch a tensor to the shape of another.

    Args:
        input: Tensor of any shape.
        other: Tensor of the shape.

    >>> torch.ones(1).expand_as(torch.zeros(3))
    tensor([1., 1., 1.])
    """
    return expand(input, tuple(other.shape))


@public("broadcast_to", method=True)
def broadcast_to(input: Any, size: Sequence[int]) -> Any:
    """Stretch a tensor to a shape; the same as `expand`.

    Args: As for `expand`.

    >>> torch.broadcast_to(torch.ones(1), (3,))
    tensor([1., 1., 1.])
    """
    return expand(input, as_tuple(size, "broadcast_to", "size"))


@public("broadcast_tensors functional.broadcast_tensors", reads_late=True)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Stretch tensors to the shape that they have together.

    Args:
        *tensors: Tensors to combine.

    >>> a, b = torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))
    >>> a.shape, b.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))
    """
    tensors = unpacked_sequence(tensors)
    shape = broadcast_shapes(*(tensor.shape for tensor in tensors))
    return tuple(
        tensor if tensor.shape == shape else expand(tensor, tuple(shape)) for tensor in tensors
    )


def unpacked_sequence(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what was given one by one, or as one sequence."""
    if len(args) == 1 and isinstance(args[0], tuple | list):
        return tuple(items_of(args[0]))
    return args


def check_tensors(sequence: Iterable[Any]) -> None:
    """Raise TypeError for the first of several values that is not a tensor."""
    for position, each in enumerate(sequence):
        if not isinstance(each, TensorBase):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )


@public("meshgrid functional.meshgrid", reads_late=True)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Make the coordinates of a grid from vectors of coordinates, one per dimension.

    ``indexing="ij"`` gives result i the direction i; ``"xy"`` exchanges the first two. Raises
    RuntimeError for another value.

    Args:
        *tensors: Tensors to combine.
        indexing: ``"ij"`` for matrix order, ``"xy"`` for Cartesian order.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")
    >>> y
    tensor([[3, 4],
            [3, 4]])
    """
    given = unpacked_sequence(tensors)
    if indexing not in (None, "ij", "xy"):
        raise ShapeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    if not given:
        raise ShapeError("meshgrid expects a non-empty TensorList")
    check_tensors(given)
    for each in given:
        if each.device != given[0].device:
            raise DeviceError(
                "meshgrid expects all tensors to have the same device, and they are on "
                f"{given[0].device} and {each.device}"
            )
        check_same_dtype(each, given[0], "meshgrid expects all tensors to have the same dtype")
    wrong = next((tensor for tensor in given if tensor._array.ndim > 1), None)
    if wrong is not None:
        raise ShapeError(
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: one of shape "
            f"{list(wrong._array.shape)}"
        )
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            'argument. indexing="ij" says what is done without it.'
        )
    order = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        order[:2] = [1, 0]
    sizes = tuple(given[position].numel() for position in order)
    grids = []
    for position, tensor in enumerate(given):
        along = [1] * len(given)
        along[order.index(position)] = -1
        grids.append(expand(tensor.reshape(tuple(along)), sizes))
    return tuple(grids)
