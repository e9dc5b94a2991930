"""Elementwise functions are exact to a few units in the last place, on grids, against mpmath."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pellucid as torch


def _load() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "docs" / "generate_accuracy.py"
    spec = importlib.util.spec_from_file_location("generate_accuracy", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


accuracy = _load()
SINGLE, DOUBLE = 1.5, 4.0
#: what SciPy computes less exactly in double precision
LESS_EXACT = {
    "igamma": 20, "igammac": 20, "special.airy_ai": 80, "special.bessel_y1": 6, "special.i1": 8,
    "special.i1e": 8, "special.modified_bessel_k0": 8, "special.scaled_modified_bessel_k0": 8,
}  # fmt: skip

every_function = pytest.mark.parametrize("function", accuracy.FUNCTIONS, ids=lambda f: f.name)


@every_function
def test_single_precision_is_exact_to_one_and_a_half_units(function: Any) -> None:
    assert accuracy.largest_error(function, torch.float32) <= SINGLE


@every_function
def test_double_precision_is_exact_to_four_units(function: Any) -> None:
    bound = LESS_EXACT.get(function.name, DOUBLE)
    assert accuracy.largest_error(function, torch.float64) <= bound


def test_the_page_names_every_function_that_is_measured() -> None:
    page = accuracy.PAGE.read_text("utf-8")
    assert [each.name for each in accuracy.FUNCTIONS if f"| `{each.name}` |" not in page] == []
