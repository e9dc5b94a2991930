"""The stack of interpreters: who sees a call of an op, in which order, and what is left behind."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import forward_ad
from pellucid.autograd.modes import modes, push_interpreter
from pellucid.blocks import Block, temporary
from pellucid.core.call.interpreter import Execution, Interpreter
from pellucid.observe import slow_path


class Recorder(Interpreter):
    """Writes down what is computed."""

    def __init__(self) -> None:
        self.executions: list[Execution] = []

    def executed(self, execution: Execution) -> None:
        self.executions.append(execution)

    @property
    def names(self) -> list[str]:
        return [each.op.name for each in self.executions]


class Doubling(Interpreter):
    """Doubles the result of every multiplication."""

    def call(self, op: Any, operands: Any, params: Any, below: Any) -> Any:
        result = below(op, operands, params)
        return below(op, (result, 2.0), ()) if op.name == "mul" else result


@temporary
def on_stack(block: Block, interpreter: Any) -> Any:
    push_interpreter(block, interpreter)
    return interpreter


def test_a_recorder_sees_every_op_that_is_computed_with_its_arrays_and_results() -> None:
    x = torch.tensor([1.0, 2.0])
    with on_stack(Recorder()) as recorder:
        y = torch.neg(x) + 1
    assert recorder.names == ["neg", "add"]
    last = recorder.executions[-1]
    assert last.results == [y]
    np.testing.assert_array_equal(last.arrays[0], -x.numpy())
    assert last.operands[1] == 1


def test_a_recorder_below_vmap_sees_the_ops_on_all_samples() -> None:
    with on_stack(Recorder()) as recorder:
        torch.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    assert recorder.executions
    assert all(each.results[0].shape[0] == 3 for each in recorder.executions)


def test_a_recorder_sees_an_op_of_a_list_with_the_elements_as_operands() -> None:
    a, b = torch.ones(1), torch.ones(2)
    with on_stack(Recorder()) as recorder:
        torch.cat([a, b])
    (execution,) = recorder.executions
    assert execution.operands == (a, b)


def test_the_topmost_interpreter_decides_what_a_call_means() -> None:
    x, y = torch.tensor(3.0), torch.tensor(5.0)
    with on_stack(Doubling()):
        assert float(x * y) == 30.0
        assert float(x + y) == 8.0
    assert float(x * y) == 15.0


def test_interpreters_are_asked_from_the_top_down() -> None:
    order: list[str] = []

    class Named(Interpreter):
        def __init__(self, name: str) -> None:
            self.name = name

        def call(self, op: Any, operands: Any, params: Any, below: Any) -> Any:
            order.append(self.name)
            return below(op, operands, params)

        def change(self, op: Any, operands: Any, params: Any, below: Any) -> Any:
            order.append(f"{self.name} in place")
            return below(op, operands, params)

    x = torch.ones(2)
    with on_stack(Named("outer")), on_stack(Named("inner")):
        torch.exp(x)
        x.mul_(2)
    assert order == ["inner", "outer", "inner in place", "outer in place"]
    assert x.tolist() == [2.0, 2.0]


def test_what_an_interpreter_computes_can_be_differentiated() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    with on_stack(Doubling()):
        y = x * x
    y.backward()
    assert float(x.grad) == 12.0


def _fail(*args: Any) -> Any:
    raise ValueError("from the function")


def test_transforms_leave_the_stack_as_they_found_it_even_where_they_fail() -> None:
    active = len(slow_path.active)
    with torch.autocast("cpu"), pytest.raises(ValueError, match="from the function"):
        torch.vmap(_fail)(torch.ones(2))
    with pytest.raises(ValueError, match="from the function"), forward_ad.dual_level():
        _fail()
    assert modes.interpreters == ()
    assert len(slow_path.active) == active


def test_autocast_inside_and_around_vmap_gives_the_same() -> None:
    a, b = torch.rand(3, 2, 4), torch.rand(3, 4, 5)

    def product(a: Any, b: Any) -> Any:
        with torch.autocast("cpu"):
            return a @ b

    inside = torch.vmap(product)(a, b)
    with torch.autocast("cpu"):
        around = torch.vmap(torch.matmul)(a, b)
    assert inside.dtype == around.dtype == torch.bfloat16
    assert torch.equal(inside, around)


def test_autocast_leaves_sparse_products_to_their_rule() -> None:
    eye = torch.eye(2).to_sparse()
    with torch.autocast("cpu"):
        assert torch.equal((eye @ torch.ones(2, 1)).float(), torch.ones(2, 1))


def test_each_thread_has_a_stack_of_its_own() -> None:
    found: list[Any] = []
    with on_stack(Doubling()):
        thread = threading.Thread(target=lambda: found.append(torch.tensor(3.0) * 5))
        thread.start()
        thread.join()
    assert float(found[0]) == 15.0
