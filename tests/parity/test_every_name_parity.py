"""Every public name gives what PyTorch gives on calls of its own, with operands of every kind.

Values, shapes, dtypes, gradients, second gradients and the class of the error, if there is one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import numpy as np
import pytest

import pellucid
from tests.ops.calls import Call, calls, wanted
from tests.parity.side_by_side import Arrays, differences, evaluate, inputs, used

torch = pytest.importorskip("torch")


def as_they_are(array: np.ndarray) -> np.ndarray:
    return array


def complex_numbers(array: np.ndarray) -> np.ndarray:
    """Return floats with an imaginary part."""
    if array.dtype.kind != "f":
        return array
    return np.asarray(array + 1j * np.roll(array, 1)).astype(np.result_type(array, np.complex64))


def whole_numbers(array: np.ndarray) -> np.ndarray:
    """Return floats as integers."""
    return np.asarray(np.nan_to_num(array * 3)).astype(int) if array.dtype.kind == "f" else array


def single_precision(array: np.ndarray) -> np.ndarray:
    """Return the doubles in half as many bits."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "floats": as_they_are,
    "complex": complex_numbers,
    "integers": whole_numbers,
    "single": single_precision,
}


@functools.cache
def arrays(kind: str) -> Arrays:
    return {name: KINDS[kind](array) for name, array in inputs().items()}


#: what PyTorch says where it has no kernel or no derivative for complex numbers, and we have
LACKING = re.compile(
    "not implemented for 'Complex|automatic differentiation for outputs with complex|"
    "omplex inputs not supported|only supports floating-point dtypes, X1 got: Complex|"
    "common dtype is Complex|following scalar types: Half, BFloat16, Float, Double; but got CPUComp"
)


def faults(call: Call, kind: str) -> list[str]:
    """Say in what the outcomes of a call differ."""
    needed = used(call.text, arrays(kind))
    ours, theirs = (evaluate(library, call.text, needed) for library in (pellucid, torch))
    if ours.error is NotImplementedError and theirs.error is RuntimeError:
        ours.error = RuntimeError  # which catches both
    if ours.error is None and LACKING.search(theirs.message):
        return []
    narrow = any(each.dtype.itemsize < 8 for each in needed.values() if each.dtype.kind in "fc")
    return differences(ours, theirs, rtol=1e-4 if narrow else 1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [".".join(key) for key in wanted()])
def test_name_gives_what_pytorch_gives(name: str, kind: str) -> None:
    place, _, last = name.rpartition(".")
    assert {
        call.text: wrong for call in calls()[place, last] if (wrong := faults(call, kind))
    } == {}
