"""Functions of the standard that change shapes."""

from __future__ import annotations

from collections.abc import Sequence

import pellucid as torch
from pellucid.array_api.data_types import promoted
from pellucid.errors import ArgumentError, IndexingError
from pellucid.tensors import Tensor

Axes = int | tuple[int, ...]


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Return arrays joined along an axis; without one, their elements in a row.

    Args:
        arrays: Arrays.
        axis: Axis along which they are joined; None for all elements in a row.
    """
    given = promoted(*arrays)
    if axis is None:
        return torch.cat([each.reshape(-1) for each in given])
    return torch.cat(given, dim=axis)


def expand_dims(x: Tensor, /, axis: Axes) -> Tensor:
    """Return an array with further dimensions of size 1.

    Args:
        x: Array.
        axis: Where in the result the axis, or the axes, are.

    Raises:
        ArgumentError: If an axis is named twice (a ``ValueError``).
        IndexError: If one is out of range.
    """
    if isinstance(axis, int):
        return torch.unsqueeze(x, axis)
    ndim = x.ndim + len(axis)
    if not all(-ndim <= each < ndim for each in axis):
        raise IndexingError(f"expand_dims(): axes {axis} are out of range for {ndim} dimensions")
    positions = sorted(each % ndim for each in axis)
    if len({*positions}) < len(positions):
        raise ArgumentError(f"expand_dims(): an axis appears twice in {axis}")
    for position in positions:
        x = torch.unsqueeze(x, position)
    return x


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """Return an array in reverse order along axes, by default along all.

    Args:
        x: Array.
        axis: Axis, or several; all if None.
    """
    return torch.flip(x, _axes(x, axis))


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Return an array with some of its axes at other places.

    Args:
        x: Array.
        source: Axis, or axes, to move.
        destination: Where they are in the result.
    """
    return torch.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Return an array with its axes in another order.

    Args:
        x: Array.
        axes: All axes, in their new order.
    """
    return torch.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return an array with each element repeated; without an axis, in a row.

    Args:
        x: Array.
        repeats: How often, for all elements or for each.
        axis: Axis; None for all elements in a row.
    """
    if isinstance(repeats, Tensor):
        repeats = repeats.to(torch.int64)
    return torch.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """Return the elements in another shape; with ``copy=False`` only if memory can be shared.

    Raises ValueError if it cannot.

    Args:
        x: Array.
        shape: New sizes, one of which may be -1.
        copy: Whether memory is copied: always, never, or, if None, only where it has to be.
    """
    if copy:
        return torch.clone(x).reshape(shape)
    if copy is None:
        return torch.reshape(x, shape)
    try:
        return x.view(shape)
    except RuntimeError as error:
        raise ArgumentError(str(error)) from None


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """Return an array with its elements moved on, the last ones to the front.

    Args:
        x: Array.
        shift: By how many places, for each axis.
        axis: Axis, or several; None for all elements in a row.
    """
    return torch.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Return an array without axes of size 1; raise ValueError for one that is larger.

    Args:
        x: Array.
        axis: Axis, or several, of size 1.
    """
    axes = _axes(x, axis)
    for each in axes:
        if x.shape[each] != 1:
            raise ArgumentError(f"axis {each} has size {x.shape[each]} and cannot be left out")
    return torch.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Return arrays joined along a new axis.

    Args:
        arrays: Arrays of one shape.
        axis: Where in the result the new axis is.
    """
    return torch.stack(promoted(*arrays), dim=axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Return an array repeated as a whole along each axis.

    Args:
        x: Array.
        repetitions: How often along each axis.
    """
    return torch.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the parts of an array along an axis.

    Args:
        x: Array.
        axis: Axis, counted from the end if negative.
    """
    return tuple(torch.unbind(x, axis))


def _axes(x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return (axis,) if isinstance(axis, int) else axis
