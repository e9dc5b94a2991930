"""Tensors in every layout, and what their strides say.

Strides along dimensions of size 1, and those of empty tensors, say nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

#: dimensions from the outermost in memory to the innermost, for each number of dimensions
Order = Callable[[int], tuple[int, ...]]

ORDERS: dict[str, Order] = {
    "contiguous": lambda ndim: tuple(range(ndim)),
    "channels-last": lambda ndim: (0, *range(2, ndim), 1) if ndim > 3 else tuple(range(ndim)),
    "transposed": lambda ndim: tuple(range(ndim))[::-1],
}


def in_order(library: ModuleType, array: np.ndarray, order: tuple[int, ...]) -> Any:
    """Return a tensor of the values whose dimensions lie in memory in an order."""
    memory = np.array(array.transpose(order), order="C")
    return library.from_numpy(memory).permute(tuple(int(n) for n in np.argsort(order)))


def sliced(library: ModuleType, array: np.ndarray) -> Any:
    """Return a tensor with a gap behind every element."""
    if array.ndim == 0:
        return library.from_numpy(np.array(array))
    return library.from_numpy(np.repeat(array, 2, -1))[..., ::2]


def expanded(library: ModuleType, array: np.ndarray) -> Any:
    """Return a tensor whose first dimension has no stride."""
    if array.ndim < 2 or not array.size:
        return library.from_numpy(np.array(array))
    return library.from_numpy(array[:1].copy()).expand(array.shape)


def laid_out(library: ModuleType, array: np.ndarray, layout: str) -> Any:
    """Return a tensor of the values in a layout."""
    if layout == "sliced":
        return sliced(library, array)
    if layout == "expanded":
        return expanded(library, array)
    return in_order(library, array, ORDERS[layout](array.ndim))


LAYOUTS = [*ORDERS, "sliced", "expanded"]


def strides_of(value: Any) -> tuple[int, ...] | None:
    """Return the strides of a tensor that say something."""
    if not hasattr(value, "requires_grad") or getattr(value, "is_sparse", False):
        return None
    if not value.numel():
        return ()
    return tuple(
        step if size > 1 else 0 for step, size in zip(value.stride(), value.shape, strict=True)
    )
