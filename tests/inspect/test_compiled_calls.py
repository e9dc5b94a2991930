"""How many calls ran compiled, how many in Python, and why."""

from __future__ import annotations

import threading

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.inspect import compiled_calls

needs_module = pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
X = torch.ones(3)


def with_wrong_flag() -> None:
    with pytest.raises(TypeError):
        torch.sum(X, 0, keepdim=1)  # type: ignore[call-overload]


def with_wrong_sizes() -> None:
    with pytest.raises(RuntimeError):
        X * torch.ones(4)


LEFT = {
    "operands of different dtypes": lambda: X * torch.ones(3, dtype=torch.float64),
    "an operand is missing, or is given by name": lambda: torch.mul(input=X, other=X),
    "a flag is not a bool": with_wrong_flag,
    "a dtype is asked for": lambda: X.sum(dtype=torch.float64),
    "an error, which Python explains": with_wrong_sizes,
}


@needs_module
def test_usual_calls_run_compiled() -> None:
    with compiled_calls() as calls:
        for _ in range(5):
            X * X
    assert (calls["mul"].compiled, calls["mul"].in_python) == (5, 0)
    assert [row.name for row in calls.rows] == ["mul"]


@needs_module
@pytest.mark.parametrize("why", LEFT)
def test_what_is_left_to_python_has_its_reason(why: str) -> None:
    with compiled_calls() as calls:
        LEFT[why]()
        LEFT[why]()
    (reasons,) = [row.why for row in calls.rows if row.in_python]
    assert dict(reasons) == {why: 2}


@needs_module
def test_a_mode_is_a_reason() -> None:
    with torch.inspect.in_python(), compiled_calls() as calls:
        X * X
    assert dict(calls["mul"].why) == {"a mode or a listener asks for the general way": 1}


@needs_module
def test_an_op_of_more_operands_than_usual_says_so() -> None:
    with compiled_calls() as calls:
        torch.nn.functional.batch_norm(torch.ones(2, 3), torch.zeros(3), X, X, X, training=False)
    left = [reason for row in calls.rows for reason in row.why]
    assert len(left) == 1
    assert left[0].startswith("the op ")


@needs_module
def test_a_node_runs_its_formulas_once_and_compiled_from_then_on() -> None:
    kind = torch.zeros(2, 3, 1, 1, 1, 1, requires_grad=True)  # of these sizes alone, elsewhere
    runs = []
    for _ in range(3):
        with compiled_calls() as calls:
            torch.sigmoid(kind).sum().backward()
        runs.append(calls["SigmoidBackward0"])
    assert [(run.compiled, run.in_python) for run in runs[1:]] == [(1, 0), (1, 0)]


@needs_module
def test_a_recorded_pass_runs_formulas_on_tensors() -> None:
    x = torch.ones(3, requires_grad=True)
    with compiled_calls() as calls:
        torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (why,) = calls["MulBackward0"].why
    assert why.startswith("recorded")


@needs_module
def test_a_hook_is_a_reason() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * x
    y.grad_fn.register_hook(lambda *_: None)
    with compiled_calls() as calls:
        y.sum().backward()
    assert calls["MulBackward0"].in_python == 1


@needs_module
def test_changes_in_place_are_counted() -> None:
    x, y = torch.ones(3), torch.ones(3, requires_grad=True) * 1
    with compiled_calls() as calls:
        x.add_(1)
        y.add_(1)
    assert (calls["add_"].compiled, calls["add_"].in_python) == (1, 1)


@needs_module
def test_blocks_may_be_nested_and_each_counts_for_itself() -> None:
    with compiled_calls() as outer:
        X * X
        with compiled_calls() as inner:
            X * X
        X * X
    X * X
    assert (outer["mul"].compiled, inner["mul"].compiled) == (3, 1)


@needs_module
def test_calls_of_other_threads_are_counted() -> None:
    with compiled_calls() as calls:
        thread = threading.Thread(target=lambda: X * X)
        thread.start()
        thread.join()
    assert calls["mul"].compiled == 1


@needs_module
def test_what_a_call_does_inside_is_no_call_of_its_own() -> None:
    with compiled_calls() as calls:
        torch.nn.functional.gelu(X)
    assert [(row.name, row.compiled) for row in calls.rows] == [("gelu", 1)]


def test_results_do_not_depend_on_being_counted() -> None:
    def step() -> list[float]:
        x = torch.linspace(-1, 1, 6, requires_grad=True)
        torch.nn.functional.softplus(x * x - x).sum().backward()
        assert x.grad is not None
        return x.grad.tolist()

    alone = step()
    with compiled_calls():
        assert step() == alone


def test_without_the_module_the_table_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from pellucid.inspect import compiled_calls as counted

    monkeypatch.setitem(counted.__init__.__globals__, "_module", None)
    with counted() as calls:
        X * X
    assert calls.rows == ()
    assert str(calls).startswith("Every call runs in Python: the compiled module is")
