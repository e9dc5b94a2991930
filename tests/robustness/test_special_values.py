"""NaN, infinity, zero and extreme numbers give results, not warnings, under any settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.operands import Arrays, operands, tensors_of
from tests.samples.reader import grouped, texts
from tests.samples.running import flattened, run, used

assert torch.nn.functional

FILLINGS = {
    "nan": np.array([np.nan]),
    "inf": np.array([np.inf, -np.inf]),
    "zero": np.array([0.0, -0.0]),
    "extreme": np.array([6e4, -6e4, 6e-8, -6e-8, np.nan, np.inf, 0.0]),
}
#: all but those in which NumPy itself computes
PROGRAMS = [each for each in texts("expressions") if not each.startswith("np.")]


def has_floats(program: str) -> bool:
    """Return whether a program names an operand that a filling changes."""
    return any(array.dtype.kind in "fc" for array in used(program, operands()).values())


FILLED = [each for each in PROGRAMS if has_floats(each)]
#: programs by filling; those that no filling changes run with one of them
CASES = [
    (filling, group)
    for filling in FILLINGS
    for group in grouped(PROGRAMS if filling == "nan" else FILLED, 200)
]


def filled(arrays: Arrays, filling: np.ndarray) -> Arrays:
    """Return the arrays with all that are floating point or complex filled again."""
    return {
        name: np.resize(filling, array.shape).astype(array.dtype)
        if array.dtype.kind in "fc"
        else array
        for name, array in arrays.items()
    }


def outcome(program: str, arrays: Arrays) -> Any:
    """Return the values and gradients that a program gives, or the error that it raises."""
    tensors = tensors_of(torch, arrays, requires_grad=True)
    try:
        result = run(torch, program, tensors)
        outputs = [each for each in flattened(result) if isinstance(each, torch.Tensor)]
        roots = [each for each in outputs if each.requires_grad]
        if roots:
            torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return error
    leaves = [each for each in tensors.values() if each.grad is not None]
    return [each.detach().numpy() for each in outputs] + [leaf.grad.numpy() for leaf in leaves]


def differ(usual: Any, strict: Any) -> bool:
    if isinstance(usual, Exception) or isinstance(strict, Exception):
        return type(usual) is not type(strict)
    return not all(
        np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
        for one, other in zip(usual, strict, strict=True)
    )


def under_strict_settings(program: str, arrays: Arrays) -> Any:
    """Run with NumPy's warnings made errors; pellucid's own warnings are no matter here."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        return outcome(program, arrays)


@pytest.mark.parametrize(
    ("filling", "group"), CASES, ids=lambda each: each if isinstance(each, str) else each[0][:30]
)
def test_settings_that_make_errors_of_warnings_change_nothing(
    filling: str, group: list[str]
) -> None:
    arrays = filled(operands(), FILLINGS[filling])
    found = {}
    for program in group:
        needed = used(program, arrays)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            usual = outcome(program, needed)
        strict = under_strict_settings(program, needed)
        if differ(usual, strict):
            found[program] = strict
    assert found == {}
