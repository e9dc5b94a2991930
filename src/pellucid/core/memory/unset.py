"""Memory whose values nobody has set: left as it is, or filled so that a use of it is noticed."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes


class _Unset:
    """Whether results have to be the same each time, and whether unset memory then is filled."""

    __slots__ = ("deterministic", "fill", "warn_only")

    def __init__(self) -> None:
        self.deterministic = False
        self.fill = True
        #: whether an operation that PyTorch has no deterministic form of warns rather than raises
        self.warn_only = False


unset = _Unset()


def filled_if_asked(array: Any) -> Any:
    """Return the array, filled with NaN or the largest integer where results must not change."""
    if unset.deterministic and unset.fill and type(array) is np.ndarray:
        array[...] = most_noticed(array.dtype)
    return array


def most_noticed(dtype: np.dtype[Any]) -> Any:
    """Return NaN, the largest integer or True."""
    rank = dtypes.from_numpy_dtype(dtype).rank
    return np.nan if rank > 1 else True if rank == 0 else np.iinfo(dtype).max
