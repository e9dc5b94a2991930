"""The plan of a backward pass agrees with the pass."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import plan
from pellucid.observe import listening


def story() -> tuple[Any, Any, Any, Any]:
    t = torch.eye(2, requires_grad=True)
    a = torch.ones(2, requires_grad=True)
    y = t @ a
    return t, a, y, ((t @ (y + 1.0)).exp() ** 2).mean()


def ran_by(call: Any) -> list[str]:
    """Return the names of the nodes that a call runs, in order."""
    ran: list[str] = []
    with listening(lambda event, node: ran.append(node.name()) if event == "ran" else None):
        call()
    return ran


def test_the_order_is_that_of_the_pass() -> None:
    *_, loss = story()
    planned = [node.name for node in plan(loss).nodes]
    assert planned == ran_by(loss.backward)


def test_towards_some_inputs_only_what_leads_there_runs() -> None:
    _, a, y, loss = story()
    planned = plan(loss, inputs=[y], call="grad")
    ran = ran_by(lambda: torch.autograd.grad(loss, [y], retain_graph=True))
    assert [node.name for node in planned.nodes if node.runs] == ran
    assert [(leaf.name, leaf.action) for leaf in planned.leaves] == [("y", "returned")]
    planned = plan(loss, inputs=[a])
    assert [node.name for node in planned.nodes] == ran_by(lambda: loss.backward(inputs=[a]))
    assert [leaf.name for leaf in planned.leaves] == ["a"]


def test_leaves_are_written_taken_over_or_added_to() -> None:
    t, a, _, loss = story()
    assert {leaf.name: leaf.action for leaf in plan(loss).leaves} == {
        "t": "taken over", "a": "written",
    }  # fmt: skip
    t.grad = torch.zeros(2, 2)
    assert {leaf.name: leaf.action for leaf in plan(loss).leaves}["t"] == "added to"
    del t, a
    assert {leaf.action for leaf in plan(loss).leaves} <= {"dropped", "added to"}


def test_what_a_pass_frees_is_what_is_gone_after_it() -> None:
    x = torch.ones(1000, requires_grad=True)
    loss = (x.exp() * x).sin().sum()
    planned = plan(loss)
    before = torch.inspect.memory(loss).held_bytes
    loss.backward()
    assert planned.frees == before - torch.inspect.memory(loss).held_bytes == 8000


def test_nothing_is_freed_where_the_graph_is_kept() -> None:
    y = torch.ones(4, requires_grad=True).exp().sin()
    loss = (y.sin() * y.cos()).sum()
    assert plan(loss, retain_graph=True).frees == 0
    assert plan(loss, create_graph=True).frees == 0
    assert plan(loss).frees > plan(loss, retain_graph=y).frees > 0


def test_values_in_use_elsewhere_are_not_freed() -> None:
    x = torch.ones(1000, requires_grad=True)
    kept = x.exp()
    loss = kept.sum()
    assert plan(loss).frees == 0
    del kept
    assert plan(loss).frees == 4000


def chain(size: int) -> Any:
    h: Any = torch.ones(size, requires_grad=True)
    for _ in range(5):
        h = h.exp() * 0.1
    return h.sum()


def test_peak_and_end_agree_with_what_is_allocated() -> None:
    chain(10).backward()  # the first pass of a kind checks what it is computed by
    tracemalloc.start()
    loss = chain(1_000_000)
    planned = plan(loss)
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    loss.backward()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert abs(planned.held_before - 20_000_000) < 100
    assert abs((peak - before) - (planned.peak - planned.held_before)) < 100_000
    assert abs((after - before) - (planned.held_after - planned.held_before)) < 100_000


@pytest.mark.parametrize(
    ("prepare", "call", "kind"),
    [
        (lambda x: (x * x).sum().detach(), lambda loss, x: loss.backward(), "NoGraphError"),
        (lambda x: x * x, lambda loss, x: loss.backward(), "NonScalarError"),
        (lambda x: again((x * x).sum()), lambda loss, x: loss.backward(), "FreedGraphError"),
        (lambda x: changed(x), lambda loss, x: loss.backward(), "SavedModifiedError"),
        (lambda x: misshapen(x), lambda loss, x: loss.backward(), "ShapeError"),
    ],
)
def test_errors_to_come_are_told_with_their_messages(prepare: Any, call: Any, kind: str) -> None:
    x = torch.ones(3, requires_grad=True)
    loss = prepare(x)
    told = plan(loss).errors[0]
    assert told.kind == kind
    with pytest.raises(RuntimeError) as raised:
        call(loss, x)
    assert type(raised.value).__name__ == kind
    assert told.message.splitlines()[0] == str(raised.value).splitlines()[0]


def again(loss: Any) -> Any:
    loss.backward()
    return loss


def changed(x: Any) -> Any:
    y = x.exp()
    loss = y.sum()
    y += 1
    return loss


def misshapen(x: Any) -> Any:
    x.grad = torch.ones(3)
    x.grad.data = torch.ones(4)
    return (x * x).sum()


def test_an_input_that_is_not_used_is_told() -> None:
    x, other = (torch.ones(3, requires_grad=True) for _ in range(2))
    told = plan((x * x).sum(), inputs=[x, other], call="grad").errors
    assert [(error.kind, error.when) for error in told] == [
        ("UnusedInputError", "after all nodes have run")
    ]
    allowed = plan((x * x).sum(), inputs=[x, other], call="grad", allow_unused=True)
    assert allowed.errors == ()


def test_a_plan_takes_no_number_of_a_pass_and_writes_nothing() -> None:
    x = torch.ones(3, requires_grad=True)
    first = (x * x).sum()
    first.backward()
    loss = (x * x).sum()
    plan(loss)
    loss.backward()
    numbers = [each.grad_fn.next_functions[0][0].freed_by.number for each in (first, loss)]
    assert numbers[1] == numbers[0] + 1
    assert x.grad.tolist() == [4.0] * 3


def test_a_plan_as_text_and_as_json() -> None:
    *_, loss = story()
    told = plan(loss)
    assert json.loads(told.to_json())["peak"] == told.peak
    assert str(told).startswith("backward: 6 nodes, 2 leaves; ")
    assert "and 5 nodes more" in told.text(limit=1)


def test_grad_has_to_be_told_its_inputs() -> None:
    *_, loss = story()
    with pytest.raises(ValueError, match='call="grad" and inputs'):
        plan(loss, call="grad")


def test_a_deep_graph_is_planned_without_recursion(without_gc: None) -> None:
    y: Any = torch.ones(4, requires_grad=True)
    for _ in range(20_000):
        y = y.sin()
    planned = plan(y.sum())
    assert len(planned.nodes) == 20_001
    assert planned.frees == 19_999 * 16
