"""A formula of a program is written down only if all that it reads is fixed.

See Note [Fixed formulas] in `pellucid.core.backward.formula_reads`.
"""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import _native
from pellucid.core.backward.formula_reads import reads_of
from pellucid.core.backward.plan import plan_for
from pellucid.core.backward.recording import write_program
from pellucid.define import elementwise, linear

SCALE: float = 1.0
SHIFT: tuple[float, ...] = (1.0, 2.0)
limits = [1.0]
options = types.SimpleNamespace(scale=1.0)
calls = 0
slope: Any = torch.exp


def own_op(formula: Callable[..., Any]) -> Any:
    @linear
    def passed_on(be: Any, input: Any, /) -> Any:
        return input * 1

    passed_on.vjp("input")(formula)
    return passed_on


def gradient(function: Any) -> float:
    x = torch.ones(3, requires_grad=True)
    function(x * 1).sum().backward()
    assert x.grad is not None
    return x.grad[0].item()


def gradients(function: Any, change: Callable[[float], None]) -> list[float]:
    """Return the gradients after each of several changes; programs run from the second call on."""
    found = []
    for value in (1.0, 2.0, 2.0, 3.0, 5.0):
        change(value)
        found.append(gradient(function))
    return found


@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_a_formula_that_first_runs_on_an_empty_batch_runs_compiled_later() -> None:
    doubled = own_op(lambda g: g * 2)
    for rows in (0, 2, 2):  # the second pass writes its program down
        x = torch.ones(rows, 3, requires_grad=True)
        with torch.inspect.compiled_calls() as made:
            doubled(x).backward(torch.ones(rows, 3))
    assert made["PassedOnBackward0"].in_python == 0


@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_a_formula_whose_first_run_is_interrupted_runs_compiled_later() -> None:
    def formula(g: Any) -> Any:
        return g * 2

    def interrupt(frame: Any, event: str, arg: Any) -> None:
        is_run = event == "call" and frame.f_code is formula.__code__
        if is_run and isinstance(frame.f_locals["g"], np.ndarray | torch.Tensor):
            raise KeyboardInterrupt

    doubled, x = own_op(formula), torch.ones(2, 3, requires_grad=True)
    y = doubled(x)
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            y.backward(torch.ones(2, 3))
    finally:
        sys.setprofile(None)
    for _ in range(2):  # the first pass writes its program down
        with torch.inspect.compiled_calls() as made:
            doubled(x).backward(torch.ones(2, 3))
    assert made["PassedOnBackward0"].in_python == 0


def set_scale(value: float) -> None:
    global SCALE
    SCALE = value


def test_a_global_variable_that_changes_is_read_each_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    assert gradients(own_op(lambda g: g * SCALE), set_scale) == [1, 2, 2, 3, 5]


def test_more_values_of_a_global_variable_than_programs_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    scaled = own_op(lambda g: g * SCALE)
    for value in range(2, 30):
        set_scale(float(value))
        assert [gradient(scaled), gradient(scaled)] == [value, value]


def test_an_item_of_a_list_is_read_each_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "limits", [1.0])
    clipped = own_op(lambda g: torch.clamp(g * 10, -limits[0], limits[0]))
    assert gradients(clipped, lambda value: limits.__setitem__(0, value)) == [1, 2, 2, 3, 5]


def test_an_attribute_is_read_each_time():
    scaled = own_op(lambda g: g * options.scale)
    assert gradients(scaled, lambda value: setattr(options, "scale", value)) == [1, 2, 2, 3, 5]


def test_a_closure_is_read_each_time():
    scale = 1.0

    def change(value: float) -> None:
        nonlocal scale
        scale = value

    assert gradients(own_op(lambda g: g * scale), change) == [1, 2, 2, 3, 5]


def test_an_op_under_a_global_name_is_looked_up_each_time(monkeypatch: pytest.MonkeyPatch):
    sloped = own_op(lambda g: slope(g))
    for function, expected in ((torch.exp, math.e), (torch.sqrt, 1.0), (torch.exp, math.e)):
        monkeypatch.setitem(globals(), "slope", function)
        for _ in range(3):
            assert gradient(sloped) == pytest.approx(expected)


def test_a_function_of_the_library_that_was_replaced_is_called(monkeypatch: pytest.MonkeyPatch):
    sloped = own_op(lambda g: torch.exp(g))
    assert [gradient(sloped) for _ in range(3)] == [pytest.approx(math.e)] * 3
    monkeypatch.setattr(torch, "exp", torch.sqrt)
    assert [gradient(sloped) for _ in range(3)] == [1.0] * 3


def test_a_formula_that_counts_and_prints_runs_once_a_pass(capsys: pytest.CaptureFixture[str]):
    def counting(g: Any) -> Any:
        global calls
        calls += 1
        print(type(g).__name__)
        return g * 1

    before, counted = calls, own_op(counting)
    for _ in range(4):
        gradient(counted)
    assert calls - before == 4
    assert capsys.readouterr().out.split() == ["ndarray"] * 4


def test_random_numbers_in_a_formula_are_drawn_each_time():
    noisy = own_op(lambda g: g * float(np.random.default_rng().normal()))
    assert len({gradient(noisy) for _ in range(5)}) == 5


@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_a_formula_of_fixed_things_is_written_down(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "SCALE", 2.0)

    @elementwise
    def bent(be: Any, input: Any, /, beta: float = 1.0) -> Any:
        return be.sin(input) * beta

    @bent.partial("input")
    def slope_of_bent(input: Any, beta: float) -> Any:
        return beta * SCALE * torch.cos(input) + SHIFT[1] * torch.pi

    backward = plan_for(bent.op, (True,)).backward
    program = write_program(backward, (1, 1, 1), 2, np.dtype("f"), (1.0,))
    assert program is not None
    read = {name: value for _, name, value in program.reads}
    assert read == {
        "SCALE": 2.0, "torch": torch, "cos": torch.cos, "SHIFT": SHIFT, "pi": torch.pi,
    }  # fmt: skip


@pytest.mark.parametrize(
    "formula",
    [
        lambda g: g * limits[0],
        lambda g: g * options.scale,
        lambda g: print(g),
        lambda g: [g for _ in limits],
        lambda g: (lambda: limits)(),
        lambda g: g * torch.random.initial_seed(),
        lambda g: g * torch.nn.functional,
        lambda g: g * np.pi,
        lambda g: set_scale(2.0),
        lambda g: getattr(options, "scale"),  # noqa: B009
        lambda g, scale=limits: g * scale,
        lambda g, *, scale=limits: g * scale,
        lambda g: __import__("os"),
        lambda g: torch.exp.op,
        np.exp,
    ],
)
def test_a_formula_that_reads_what_may_change_is_not_fixed(formula: Callable[..., Any]):
    assert reads_of(formula) is None


@pytest.mark.parametrize(
    "formula",
    [
        lambda g: torch.exp(g) * SCALE,
        lambda g: [torch.exp(each) for each in (g, g)],
        lambda g: g.reshape(len(g.shape)),
        lambda g: g if isinstance(g, int) else g * max(1, 2),
    ],
)
def test_a_formula_of_ops_constants_and_pure_functions_is_fixed(formula: Callable[..., Any]):
    assert reads_of(formula)


def test_a_derivative_cannot_be_replaced_after_the_op_was_used():
    scaled = own_op(lambda g: g * 2)
    scaled.vjp("input")(lambda g: g * 3)
    assert gradient(scaled) == 3
    with pytest.raises(RuntimeError, match="derivative of passed_on by 'input' is in use already"):
        scaled.vjp("input")(lambda g: g * 4)
    assert gradient(scaled) == 3


def test_a_formula_of_one_number_calls_functions_as_one_of_many_does() -> None:
    # NumPy multiplies an array without dimensions to a scalar.
    def spread(g: Any, input: Any) -> Any:
        return torch.broadcast_to(g * SCALE, input.shape)

    function = own_op(spread)
    for shape in ((), (3,)):
        x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
        function(x).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == torch.ones(shape).tolist()
