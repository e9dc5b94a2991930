"""Tensors of float8 are made, converted, printed, viewed, written and refused as PyTorch's are."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
import pellucid  # noqa: E402
from tests.samples.grouped import together  # noqa: E402
from tests.samples.running import builtin_class  # noqa: E402

CALLS = Path(__file__).with_name("float8_calls.txt").read_text().splitlines()
NAMES = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
OTHERS = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64"]


def operands(t: Any) -> dict[str, Any]:
    """Return what the calls name: numbers of three of the dtypes, a matrix, and what makes them."""
    t.manual_seed(0)
    values = t.tensor([0.1, -2.6, 448.0, 0.0, 1.0])
    matrix = t.tensor([[1.0, 2, 3], [4, 5, -6.5]])
    return {
        "t": t, "x": values.to(t.float8_e4m3fn), "e": values.to(t.float8_e5m2),
        "u": values.abs().to(t.float8_e8m0fnu), "m": matrix.to(t.float8_e4m3fn),
    }  # fmt: skip


def shown(call: str, library: Any) -> str:
    """Return what a call gives as text, or the error's class and first line."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return repr(eval(call, operands(library))).replace("pellucid.", "torch.")
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return f"{builtin_class(error).__name__}: {str(error).partition(chr(10))[0]}"


@together()
@pytest.mark.parametrize("call", CALLS)
def test_a_call_shows_what_pytorchs_shows(call: str) -> None:
    mine, theirs = shown(call, pellucid), shown(call, torch)
    if "Error: " in theirs:  # reasons and advice may follow
        mine = mine[: len(theirs)]
    assert mine == theirs


def bits(x: Any, library: Any) -> np.ndarray:
    return x.contiguous().view(library.uint8).numpy()


def floats() -> np.ndarray:
    """Return numbers of all sizes, and those around the middles between numbers of float8."""
    upper = np.arange(65536, dtype=np.uint32)[:, None] << 16
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    return (upper + lower).ravel().view(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_single_precision_is_rounded_bit_for_bit_as_there(name: str) -> None:
    x = floats()
    mine, theirs = (
        bits(library.from_numpy(x).to(getattr(library, name)), library)
        for library in (pellucid, torch)
    )
    np.testing.assert_array_equal(mine, theirs)


def converted(library: Any, values: np.ndarray, source: str, target: str) -> np.ndarray:
    codes = library.from_numpy(values).view(getattr(library, source))
    return bits(codes.to(getattr(library, target)), library)


@together()
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", [*OTHERS, *NAMES])
def test_all_numbers_become_the_same_in_other_dtypes(name: str, other: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    numbers = codes[~torch.from_numpy(codes).view(getattr(torch, name)).isnan().numpy()]
    mine, theirs = (converted(library, numbers, name, other) for library in (pellucid, torch))
    np.testing.assert_array_equal(mine, theirs)


@together()
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", OTHERS)
def test_numbers_of_other_dtypes_are_rounded_as_there(name: str, other: str) -> None:
    values = np.random.default_rng(0).standard_normal(2000) * 10.0 ** np.linspace(-6, 6, 2000)
    if other in ("bool", "uint8", "int8", "int32", "int64"):
        values = np.arange(256)
    found = []
    for library in (pellucid, torch):
        with warnings.catch_warnings(action="ignore"):
            x = library.from_numpy(values).to(getattr(library, other))
            found.append(bits(x.to(getattr(library, name)), library))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", NAMES[:4])
def test_products_of_matrices_are_rounded_as_there(name: str) -> None:
    values = np.random.default_rng(0).standard_normal((2, 40, 64)).astype(np.float32)
    found = []
    for library in (pellucid, torch):
        left, right = library.from_numpy(values).to(getattr(library, name))
        found.append(bits(left @ right.t(), library))
    assert (found[0] == found[1]).mean() > 0.99  # sums of another order round otherwise
