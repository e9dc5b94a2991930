"""Every expression gives what PyTorch gives: values, shapes, dtypes, gradients twice, errors."""

from __future__ import annotations

import functools

import pytest

import pellucid
from tests.parity.expressions import MISTAKES, NOT_THERE, ON_PURPOSE, expressions
from tests.parity.side_by_side import Outcome, differences, evaluate, inputs, used

torch = pytest.importorskip("torch")


@functools.cache
def arrays() -> dict:
    return inputs()


def both(expression: str) -> tuple[Outcome, Outcome]:
    needed = used(expression, arrays())
    return evaluate(pellucid, expression, needed), evaluate(torch, expression, needed)


def missing(expression: str) -> str | None:
    """Return the name in an expression that pellucid does not have."""
    for name in NOT_THERE.split():
        called = name.removeprefix("Tensor")
        if f"{called}(" in expression or f"{called}." in expression:
            return name
    return None


def marked(expression: str) -> object:
    """Return the expression as a case, one that fails where we are known to be wrong."""
    if expression not in MISTAKES.splitlines():
        return expression
    return pytest.param(expression, marks=pytest.mark.xfail(reason="known mistake", strict=True))


def tolerance(expression: str) -> float:
    """Return the relative tolerance of results in double precision."""
    narrow = any(
        array.dtype in ("float32", "float16") for array in used(expression, arrays()).values()
    )
    return 1e-4 if narrow else 1e-6


@pytest.mark.parametrize("expression", [marked(each) for each in expressions()])
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    if name := missing(expression):
        pytest.skip(f"{name} is not there yet")
    if expression in ON_PURPOSE:
        pytest.skip(ON_PURPOSE[expression])
    assert differences(*both(expression), rtol=tolerance(expression)) == []


@pytest.mark.parametrize("expression", ON_PURPOSE)
def test_what_differs_on_purpose_does_differ(expression: str) -> None:
    assert differences(*both(expression)) != []


@pytest.mark.parametrize("name", NOT_THERE.split())
def test_what_is_said_not_to_be_there_is_not_there(name: str) -> None:
    root, part = name.split(".")
    owner = {"torch": pellucid, "F": pellucid.nn.functional, "Tensor": pellucid.Tensor}[root]
    assert part not in dir(owner)
    if root != "torch":
        assert not hasattr(owner, part)
