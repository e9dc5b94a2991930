"""Python numbers as operands: they take the dtype of the tensors they meet."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from pellucid.dtypes import KIND_RANK, number_rank
from pellucid.errors import DomainError
from pellucid.kernels.numpy.precision import silence

NUMBERS = (int, float, complex, np.number, np.bool_)
_constants: dict[tuple[type, Any, np.dtype[Any]], np.ndarray[Any, Any]] = {}
_MOST_CONSTANTS = 512


def is_number(value: Any) -> TypeGuard[int | float | complex]:
    """Return whether a value is a Python or NumPy number, which has no dtype of its own here."""
    return isinstance(value, NUMBERS)


def as_array(
    value: Any, dtype: np.dtype[Any], *, force: bool = False
) -> np.ndarray[Any, Any] | None:
    """Return the number as a 0-d array; ``None`` where its kind is above the dtype's.

    Numbers come again and again, so their arrays are remembered; they are read-only.
    """
    key = (value.__class__, value, dtype)
    found = _constants.get(key)
    if found is not None:
        return found
    if isinstance(value, np.generic):
        value = value.item()
    fits = number_rank(value) <= KIND_RANK[dtype.kind] and not (dtype.kind == "u" and value < 0)
    if not fits and not force:
        return None
    made = _read_only(value, dtype)
    if fits and (value != 0 or isinstance(value, int)):  # 0.0 and -0.0 are equal as keys
        if len(_constants) >= _MOST_CONSTANTS:
            _constants.clear()
        _constants[key] = made
    return made


def _read_only(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    try:
        with silence():
            # A dtype that came out of a pickle is another object than the usual one of its type.
            array = np.array(value).astype(np.dtype(dtype.type))
    except (OverflowError, TypeError):
        raise DomainError(
            f"value cannot be converted to type {dtype.name} without overflow: {value:.3e}"
        ) from None
    array.flags.writeable = False
    return array
