"""Evaluate expressions with the floating inputs in half precision, and compare what comes out."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tests.parity.side_by_side import Outcome, evaluate
from tests.samples.operands import Arrays, operands

#: distance from 1 to the next number
SPACING = {"float16": 2.0**-10, "bfloat16": 2.0**-7}


class InHalf:
    """A stand-in for a library: what comes from NumPy is of half precision, all else its own."""

    def __init__(self, library: ModuleType, dtype: str) -> None:
        self._library = library
        self._dtype = getattr(library, dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def from_numpy(self, array: np.ndarray) -> Any:
        tensor = self._library.from_numpy(array)
        return tensor.to(self._dtype) if array.dtype.kind == "f" else tensor


def real_inputs() -> Arrays:
    """Return the inputs of expressions, those that are complex left out."""
    return {name: array for name, array in operands().items() if array.dtype.kind != "c"}


def in_half(library: ModuleType, expression: str, dtype: str, arrays: Arrays) -> Outcome:
    """Evaluate an expression, with first gradients, on inputs of half precision."""
    stand_in: Any = InHalf(library, dtype)
    return evaluate(stand_in, expression, arrays, orders=1)


def differences_in_half(ours: Outcome, theirs: Outcome, spacing: float, units: float) -> list[str]:
    """Return in what two outcomes differ by more than some units in the last place."""
    if ours.error is not theirs.error:
        messages = (ours.message[:120], theirs.message[:120])
        return [f"ours {ours.error}: {messages[0]!r}, theirs {theirs.error}: {messages[1]!r}"]
    found = []
    if ours.facts != theirs.facts:
        found.append(f"results: ours {ours.facts}, theirs {theirs.facts}")
    for what in ("values", "gradients"):
        for number, pair in enumerate(zip(getattr(ours, what), getattr(theirs, what), strict=True)):
            text = _difference(*pair, spacing * units)
            if text:
                found.append(f"{what} {number}: {text}")
    return found


def _difference(mine: Any, yours: Any, tolerance: float) -> str:
    if not isinstance(mine, np.ndarray) and not isinstance(yours, np.ndarray):
        same = str(mine) == str(yours)
        return "" if same else f"ours {mine!r}, theirs {yours!r}"
    # a gradient that nobody computes and one of zeros say the same
    mine = np.zeros_like(yours) if mine is None else mine
    yours = np.zeros_like(mine) if yours is None else yours
    if mine.shape != yours.shape:
        return f"shapes {mine.shape} and {yours.shape}"
    wide = np.complex128 if mine.dtype.kind == "c" else np.float64
    mine, yours = mine.astype(wide), yours.astype(wide)
    finite = yours[np.isfinite(yours)]
    # what is small beside the rest of a tensor may be a difference of what is large
    scale = tolerance * float(np.abs(finite).max(initial=0.0))
    same = np.allclose(mine, yours, tolerance, scale, equal_nan=True)
    return "" if same else f"ours {mine.tolist()}, theirs {yours.tolist()}"[:400]
