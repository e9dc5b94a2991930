"""Memory formats and layouts: named as in PyTorch, and accepted where PyTorch accepts them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pellucid.errors import ArgumentTypeError, ShapeError


class memory_format:  # noqa: N801 - PyTorch's name
    """Name an order of the elements in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout:  # noqa: N801 - PyTorch's name
    """Name a way of keeping a tensor's elements: ``torch.strided`` or ``torch.sparse_coo``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format: Final = memory_format("contiguous_format")
preserve_format: Final = memory_format("preserve_format")
channels_last: Final = memory_format("channels_last")
channels_last_3d: Final = memory_format("channels_last_3d")
strided: Final = layout("strided")
sparse_coo: Final = layout("sparse_coo")

_LAST: Final = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}


def laid_out(be: Any, array: Any, wanted: memory_format | None, *, copy: bool) -> Any:
    """Return the array in the memory format that is wanted; the same one if it may be."""
    if wanted is None or wanted is preserve_format:
        return copied(array) if copy else array
    if wanted is contiguous_format:
        return be.array(array, order="C") if copy else be.asarray(array, order="C")
    if not isinstance(wanted, memory_format):
        raise ArgumentTypeError(
            f"argument 'memory_format' must be torch.memory_format, not {type(wanted).__name__}"
        )
    order = _LAST[4 if wanted is channels_last else 5]
    if array.ndim != len(order):
        raise _wrong_rank(wanted, array.ndim)
    back = tuple(order.index(dim) for dim in range(len(order)))
    moved = be.transpose(array, order)
    return be.transpose(be.array(moved, order="C") if copy else be.asarray(moved, order="C"), back)


def copied(array: Any) -> Any:
    """Return a copy with the dimensions in the same order in memory, and no gaps."""
    if 0 not in array.strides:
        return np.array(array, order="K")
    copy = empty_like(array, array.dtype)
    np.copyto(copy, array)
    return copy


def empty_like(array: Any, dtype: Any) -> Any:
    """Return an array whose dimensions have the order in memory that those of another have.

    NumPy takes a dimension along which all elements are one for the innermost of all; here it stays
    where it is among its neighbours, and tensors that were expanded give contiguous ones.
    """
    if 0 not in array.strides:
        return np.empty_like(array, dtype, subok=False)
    order = _from_innermost(array.strides)[::-1]
    made = np.empty([array.shape[dim] for dim in order], dtype)
    return made.transpose(np.argsort(order))


def _from_innermost(strides: tuple[int, ...]) -> list[int]:
    """Return the dimensions by their strides; one without stride says nothing of its place."""
    order = list(range(len(strides)))[::-1]
    for start in range(1, len(order)):
        place = start
        for inner in range(start - 1, -1, -1):
            near, far = strides[order[inner]], strides[order[place]]
            if near and far and near > far:
                order[inner], order[place] = order[place], order[inner]
                place = inner
            elif near and far and near < far:
                break
    return order


def _wrong_rank(wanted: memory_format, ndim: int) -> Exception:
    needed = 4 if wanted is channels_last else 5
    return ShapeError(
        f"required rank {needed} tensor to use {wanted.name} format; this one has {ndim} dimensions"
    )


def is_contiguous(array: Any, wanted: memory_format = contiguous_format) -> bool:
    """Tell whether the elements lie in memory without gaps, in the order that is asked for."""
    if wanted is contiguous_format or wanted is preserve_format:
        return array.flags.c_contiguous
    order = _LAST[4 if wanted is channels_last else 5]
    return array.ndim == len(order) and array.transpose(order).flags.c_contiguous
