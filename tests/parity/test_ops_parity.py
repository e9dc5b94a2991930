"""Every expression gives what PyTorch gives: values, shapes, dtypes, gradients twice, errors."""

from __future__ import annotations

import functools

import pytest

import pellucid
from tests.parity.expressions import NOT_THERE, ON_PURPOSE, expressions
from tests.parity.side_by_side import Outcome, differences, evaluate, inputs, used

torch = pytest.importorskip("torch")


@functools.cache
def arrays() -> dict:
    return inputs()


def both(expression: str) -> tuple[Outcome, Outcome]:
    needed = used(expression, arrays())
    return evaluate(pellucid, expression, needed), evaluate(torch, expression, needed)


def missing(expression: str) -> str | None:
    """Return the name in an expression that pellucid does not have yet."""
    return next((name for name in NOT_THERE if f"{name}(" in expression), None)


def tolerance(expression: str) -> float:
    """Return the relative tolerance of results in double precision."""
    narrow = any(
        array.dtype in ("float32", "float16") for array in used(expression, arrays()).values()
    )
    return 1e-4 if narrow else 1e-6


@pytest.mark.parametrize("expression", expressions())
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    if name := missing(expression):
        pytest.skip(f"{name} is not there yet")
    if expression in ON_PURPOSE:
        pytest.skip(ON_PURPOSE[expression])
    assert differences(*both(expression), rtol=tolerance(expression)) == []


@pytest.mark.parametrize("expression", ON_PURPOSE)
def test_what_differs_on_purpose_does_differ(expression: str) -> None:
    assert differences(*both(expression)) != []


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_said_not_to_be_there_is_not_there(name: str) -> None:
    root, *rest = name.split(".")
    found = {"torch": pellucid, "F": pellucid.nn.functional}.get(root, pellucid.Tensor)
    for part in rest:
        found = getattr(found, part, None)
    assert found is None
