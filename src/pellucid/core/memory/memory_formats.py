"""Memory formats and layouts: named as in PyTorch, and accepted where PyTorch accepts them."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.kernels.numpy.float8 import fitted

#: what is public in ``pellucid`` too
__all__ = [
    "channels_last", "channels_last_3d", "contiguous_format", "layout", "memory_format",
    "jagged", "preserve_format", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc",
    "sparse_csr", "strided",
]  # fmt: skip


class _Named:
    """What is public under its name, and saved by it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class memory_format(_Named):  # noqa: N801 - PyTorch's name
    """An order of the elements in memory.

    Args:
        name: Its name, such as ``"channels_last"``.

    >>> torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """

    __slots__ = ()


class layout(_Named):  # noqa: N801 - PyTorch's name
    """A way of storing a tensor's elements, such as ``torch.strided`` or ``torch.sparse_csr``.

    Args:
        name: Its name, such as ``"strided"``.

    >>> torch.ones(2).layout
    torch.strided
    """

    __slots__ = ()

    @property
    def title(self) -> str:
        """The name in PyTorch's messages, such as ``SparseCsr``."""
        return self.name.removesuffix("_coo").title().replace("_", "")


contiguous_format: Final = memory_format("contiguous_format")
preserve_format: Final = memory_format("preserve_format")
channels_last: Final = memory_format("channels_last")
channels_last_3d: Final = memory_format("channels_last_3d")
strided: Final = layout("strided")
sparse_coo: Final = layout("sparse_coo")
sparse_csr: Final = layout("sparse_csr")
sparse_csc: Final = layout("sparse_csc")
sparse_bsr: Final = layout("sparse_bsr")
sparse_bsc: Final = layout("sparse_bsc")
jagged: Final = layout("jagged")
_mkldnn: Final = layout("_mkldnn")

#: dimensions of channels-last memory from the outermost to the innermost, and the way back
_LAST: Final = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
_BACK: Final = {4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}


def laid_out(be: Any, array: Any, wanted: memory_format | None, *, copy: bool) -> Any:
    """Return the array in the memory format that is wanted; the same one if it may be."""
    if wanted is None or wanted is preserve_format:
        return copied(array) if copy else array
    if wanted is contiguous_format:
        return be.array(array, order="C") if copy else be.asarray(array, order="C")
    if not isinstance(wanted, memory_format):
        raise _no_format(wanted)
    order = _LAST[4 if wanted is channels_last else 5]
    if array.ndim != len(order):
        raise _wrong_rank(wanted, array.ndim)
    moved = be.transpose(array, order)
    laid = be.array(moved, order="C") if copy else be.asarray(moved, order="C")
    return be.transpose(laid, _BACK[array.ndim])


def contiguous_copy(array: Any) -> Any:
    """Return the array if its elements lie one after the other, else a copy."""
    return array if array.flags.c_contiguous else array.copy()


def channels_last_copy(array: Any) -> Any:
    """Return the array of four or five dimensions if it is channels-last, else a copy."""
    moved = array.transpose(_LAST[array.ndim])
    return contiguous_copy(moved).transpose(_BACK[array.ndim])


def has_channels_last(array: Any) -> bool:
    """Return whether the strides are those of channels-last images or volumes, perhaps with gaps.

    As in PyTorch, a layout that could also be contiguous is not taken for channels-last.
    """
    ndim = array.ndim
    if ndim not in _LAST or array.flags.c_contiguous or not array.size or not array.strides[1]:
        return False
    least = 0
    for dim in (1, *range(ndim - 1, 1, -1), 0):
        step = array.strides[dim]
        if step < least or (dim == 0 and least == array.strides[1]):
            return False
        least = step * max(array.shape[dim], 1)
    return True


def empty(shape: tuple[int, ...], dtype: Any, wanted: memory_format | None) -> Any:
    """Return an array whose values are not set, in a memory format.

    Raises RuntimeError for a format that another number of dimensions has.
    """
    if wanted is None or wanted is contiguous_format:
        return np.empty(shape, dtype)
    return shaped(np.empty(math.prod(shape), dtype), shape, wanted)


def shaped(flat: Any, shape: tuple[int, ...], wanted: memory_format | None) -> Any:
    """View elements that lie one after the other as an array of a shape in a memory format."""
    if wanted is None or wanted is contiguous_format:
        return flat.reshape(shape)
    if not isinstance(wanted, memory_format):
        raise _no_format(wanted)
    if wanted is preserve_format:
        raise ShapeError(
            "unsupported memory format option Preserve: there is no other tensor whose order of "
            "dimensions could be preserved"
        )
    order = _LAST[4 if wanted is channels_last else 5]
    if len(shape) != len(order):
        raise _wrong_rank(wanted, len(shape))
    return flat.reshape([shape[dim] for dim in order]).transpose(_BACK[len(shape)])


def in_memory_order(array: Any) -> Any:
    """Return the elements in one dimension, as they follow each other in memory."""
    return array.transpose(outermost_first(array)).reshape(-1)


def empty_in_format(array: Any, dtype: Any, wanted: memory_format | None) -> Any:
    """Return an array whose values are not set, in the shape of another and a memory format."""
    if wanted is None or wanted is preserve_format:
        return empty_like(array, dtype)
    return empty(array.shape, dtype, wanted)


def suggested(array: Any) -> memory_format:
    """Return the memory format that an array is taken to have."""
    if not has_channels_last(array):
        return contiguous_format
    return channels_last if array.ndim == 4 else channels_last_3d


def copied(array: Any) -> Any:
    """Return a copy with the dimensions in the same order in memory, and no gaps."""
    if array.flags.c_contiguous:
        return array.copy()
    if 0 not in array.strides:
        return array.copy(order="K")
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
    order = outermost_first(array)
    made = np.empty_like(array, dtype, "C", False, [array.shape[dim] for dim in order])
    return made.transpose(np.argsort(order))


def converted(array: Any, dtype: Any) -> Any:
    """Return the array in a dtype; a copy has its dimensions in the same order in memory."""
    array = fitted(array, dtype)
    if array.dtype == dtype or 0 not in array.strides:
        return array.astype(dtype, copy=False)
    return copied(array).astype(dtype)


def outermost_first(array: Any) -> list[int]:
    """Return the dimensions in their order in memory; one without stride stays in its place."""
    strides = [abs(step) for step in array.strides]
    order = list(range(len(strides)))[::-1]
    for start in range(1, len(order)):
        position = start
        for inner in range(start - 1, -1, -1):
            near, far = strides[order[inner]], strides[order[position]]
            if near and far and near > far:
                order[inner], order[position] = order[position], order[inner]
                position = inner
            elif near and far and near < far:
                break
    return order[::-1]


def _no_format(given: Any) -> Exception:
    return ArgumentTypeError(
        f"argument 'memory_format' must be torch.memory_format, not {type(given).__name__}"
    )


def _wrong_rank(wanted: memory_format, ndim: int) -> Exception:
    needed = 4 if wanted is channels_last else 5
    return ShapeError(
        f"required rank {needed} tensor to use {wanted.name} format; this one has {ndim} dimensions"
    )


def is_contiguous(array: Any, wanted: memory_format = contiguous_format) -> bool:
    """Return whether the elements lie in memory without gaps, in the order that is asked for."""
    if wanted is contiguous_format or wanted is preserve_format:
        return array.flags.c_contiguous
    order = _LAST[4 if wanted is channels_last else 5]
    return array.ndim == len(order) and array.transpose(order).flags.c_contiguous
