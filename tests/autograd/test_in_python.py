"""`torch.inspect.in_python`: the definition runs, in Python, with the same results."""

from __future__ import annotations

import cProfile
import pstats
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.autograd.modes import modes
from pellucid.observe import slow_path

ENGINE = "autograd/engine.py"
CAREFUL = "autograd/careful_run.py"
FORMULA = "mul_other"


def a_step() -> torch.Tensor:
    """Return the gradient of the sum of a product, by two ops and a pass."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    (a * b).sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    return torch.cat([a.grad, b.grad])


def entered(program: Callable[[], Any]) -> set[str]:
    """Return the functions of the library that Python enters, by name and by file."""
    found: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            file = frame.f_code.co_filename.replace("\\", "/")
            found.update({frame.f_code.co_name, f"{file}:{frame.f_code.co_name}"})

    sys.setprofile(note)
    try:
        program()
    finally:
        sys.setprofile(None)
    return found


def goes_through_python(program: Callable[[], Any]) -> bool:
    found = entered(program)
    loop = any(each.endswith(f"{ENGINE}:execute") for each in found)
    planned = any(each.endswith(f"{ENGINE}:_walk") for each in found)
    careful = any(each.endswith(f"{CAREFUL}:step") for each in found)
    return loop and planned and {"mul", FORMULA} <= found and not careful


def test_ops_the_engine_and_derivatives_run_in_python() -> None:
    a_step()
    with torch.inspect.in_python():
        assert goes_through_python(a_step)


@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_outside_they_run_compiled_before_and_after() -> None:
    a_step()
    # a formula has programs for so many kinds of operands only: others may have been here first
    before = entered(a_step)
    with torch.inspect.in_python():
        a_step()
    assert "mul" not in before
    assert entered(a_step) == before


def test_gradients_are_the_same_to_the_bit() -> None:
    with torch.inspect.in_python():
        within = a_step()
    assert within.numpy().tobytes() == a_step().numpy().tobytes()


def test_blocks_can_be_nested() -> None:
    with torch.inspect.in_python():
        with torch.inspect.in_python():
            pass
        assert goes_through_python(a_step)
    assert (modes.in_python, slow_path.active) == (False, [])


@pytest.mark.parametrize("decorate", [torch.inspect.in_python, torch.inspect.in_python()])
def test_it_decorates_functions(decorate: Any) -> None:
    assert goes_through_python(decorate(a_step))
    assert not modes.in_python


def test_an_error_ends_it() -> None:
    with pytest.raises(RuntimeError), torch.inspect.in_python():
        raise RuntimeError
    assert (modes.in_python, slow_path.active) == (False, [])


def test_another_thread_gets_its_gradients_while_this_one_is_in_python() -> None:
    found: list[Any] = []
    with torch.inspect.in_python():
        thread = threading.Thread(target=lambda: found.append((modes.in_python, a_step())))
        thread.start()
        thread.join()
    ((mode, gradients),) = found
    assert not mode
    assert gradients.equal(a_step())


def test_hooks_and_higher_derivatives_work_within() -> None:
    with torch.inspect.in_python():
        x = torch.tensor(2.0, requires_grad=True)
        y = x**3
        y.register_hook(lambda g: g * 2)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (second,) = torch.autograd.grad(g, x)
    assert (g.item(), second.item()) == (24.0, 24.0)


def test_cprofile_names_operations_that_run_in_python() -> None:
    x = torch.ones(3, 3)

    def run() -> None:
        for _ in range(5):
            (x.exp() @ x).sum()

    with torch.inspect.in_python():
        run()  # functions are written when they are first called
        profile = cProfile.Profile()
        profile.runcall(run)
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    counts = {
        name: row[1] for (file, _, name), row in stats.items() if file.startswith("<pellucid")
    }
    assert counts.items() >= {"exp": 5, "matmul": 5, "sum": 5}.items()
