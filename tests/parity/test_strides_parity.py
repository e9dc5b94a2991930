"""The result of every function has the strides of PyTorch's, whatever the layout of its operands.

Strides along dimensions of size 1, and those of empty tensors, say nothing and are not compared.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.ops.calls import calls, wanted
from tests.parity.side_by_side import Arrays, flattened, inputs, used

torch = pytest.importorskip("torch")

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
        return library.from_numpy(array.copy())
    return library.from_numpy(np.repeat(array, 2, -1))[..., ::2]


def expanded(library: ModuleType, array: np.ndarray) -> Any:
    """Return a tensor whose first dimension has no stride."""
    if array.ndim < 2 or not array.size:
        return library.from_numpy(array.copy())
    return library.from_numpy(array[:1].copy()).expand(array.shape)


def laid_out(library: ModuleType, array: np.ndarray, layout: str) -> Any:
    """Return a tensor of the values in a layout."""
    if layout == "sliced":
        return sliced(library, array)
    if layout == "expanded":
        return expanded(library, array)
    return in_order(library, array, ORDERS[layout](array.ndim))


LAYOUTS = [*ORDERS, "sliced", "expanded"]


@functools.cache
def arrays() -> Arrays:
    return inputs()


def strides_of(value: Any) -> tuple[int, ...] | None:
    """Return the strides of a tensor that say something."""
    if not hasattr(value, "requires_grad") or getattr(value, "is_sparse", False):
        return None
    if not value.numel():
        return ()
    return tuple(
        step if size > 1 else 0 for step, size in zip(value.stride(), value.shape, strict=True)
    )


def strides(library: ModuleType, text: str, layout: str, only_first: bool) -> Any:
    """Return the strides of what a text gives; None if it raises."""
    names: dict[str, Any] = {"torch": library, "np": np, "nn": library.nn}
    names["F"] = library.nn.functional
    for place, (name, array) in enumerate(used(text, arrays()).items()):
        kept = "contiguous" if only_first and place else layout
        names[name] = laid_out(library, array, kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.manual_seed(0)
        try:
            result = eval(text, names)
        except Exception:  # noqa: BLE001 - what raises is compared elsewhere
            return None
    return [strides_of(part) for part in flattened(result)]


def faults(text: str) -> list[str]:
    """Say for which layouts the strides differ."""
    found = []
    for layout in LAYOUTS:
        for only_first in (False, True):
            if only_first and (layout == "contiguous" or len(used(text, arrays())) < 2):
                continue
            ours, theirs = (strides(lib, text, layout, only_first) for lib in (pellucid, torch))
            if ours != theirs and None not in (ours, theirs):
                which = f"{layout}, then contiguous" if only_first else layout
                found.append(f"{which}: ours {ours}, theirs {theirs}")
    return found
