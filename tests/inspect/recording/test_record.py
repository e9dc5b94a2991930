"""Recording a block: what is written down of ops, nodes, passes and steps, and by which line."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import Counter
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.observe import observers, slow_path, watchers
from pellucid.utils.checkpoint import checkpoint


def named(recording: Recording, name: str) -> Any:
    """Return the one event of this name."""
    (found,) = [event for event in recording.events if event.name == name]
    return found


def source(recording: Recording, event: Any) -> str:
    """Return the text of the line that an event belongs to."""
    return "" if event.line is None else recording.lines[event.line].text


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def test_every_op_and_node_is_recorded_in_the_order_of_its_beginning() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        (x * x).exp().sum().backward()
    assert [(event.kind, event.name) for event in recording.events] == [
        ("op", "mul"), ("op", "exp"), ("op", "sum"), ("backward", "backward"),
        ("node", "SumBackward0"), ("node", "ExpBackward0"), ("node", "MulBackward0"),
    ]  # fmt: skip


def test_what_is_outside_of_the_block_is_not_recorded() -> None:
    x = leaf(1.0)
    y = x * x
    with record() as recording:
        z = y.exp()
    z.backward()
    assert [event.name for event in recording.events] == ["exp"]


def test_ops_that_are_not_recorded_for_backward_are_events_too() -> None:
    x = torch.tensor([1.0, 2.0])
    with record() as recording, torch.no_grad():
        x.add_(1)
        x > 1  # noqa: B015
    assert [event.name for event in recording.events] == ["add_", "gt"]


def test_a_node_belongs_to_the_line_that_made_it() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        y = x * x
        loss = y.sum()
        loss.backward()
    assert source(recording, named(recording, "MulBackward0")) == "y = x * x"
    assert source(recording, named(recording, "SumBackward0")) == "loss = y.sum()"
    assert source(recording, named(recording, "backward")) == "loss.backward()"


def test_ops_of_a_recorded_backward_belong_to_the_line_of_their_node() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        y = (x * x).exp()
        total = y.sum()
        torch.autograd.grad(total, x, create_graph=True)
    node = named(recording, "ExpBackward0")
    inside = [event for event in recording.events if event.parent == node.number]
    assert [(event.name, event.phase) for event in inside] == [("mul", "backward")]
    assert source(recording, inside[0]) == "y = (x * x).exp()"


def test_an_event_has_shapes_and_dtypes_of_what_it_took_and_gave() -> None:
    a, b = torch.ones(2, 3), torch.ones(3, 4, requires_grad=True)
    with record() as recording:
        (a @ b).sum().backward()
    product, node = named(recording, "matmul"), named(recording, "MmBackward0")
    assert product.inputs == ("float32[2, 3]", "float32[3, 4]")
    assert product.outputs == ("float32[2, 4]",)
    assert node.inputs == ("float32[2, 4]",)
    assert node.outputs == ("float32[3, 4]",)


def test_parts_lie_within_the_time_of_the_whole_and_own_times_add_up_to_it() -> None:
    x, target = leaf(1.0, 2.0), torch.zeros(2)
    with record() as recording:
        torch.nn.functional.mse_loss(x, target).backward()
    for event in recording.events:
        parts = [each for each in recording.events if each.parent == event.number]
        assert all(event.start <= part.start and part.end <= event.end for part in parts)
        assert 0 <= event.self_time <= event.duration - sum(part.duration for part in parts)
    loss = named(recording, "mse_loss")
    assert loss.kind == "function"
    assert [e.name for e in recording.events if e.parent == loss.number] == ["mse"]


def test_modules_are_named_forward_and_backward() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    with record() as recording:
        model(torch.ones(1, 2)).sum().backward()
    modules = {event.name: event.module for event in recording.events}
    assert modules["Sequential"] == "Sequential"
    assert modules["linear"] == modules["AddmmBackward0"] == "0"
    assert modules["relu"] == modules["ReluBackward0"] == "1"
    assert modules["sum"] == modules["SumBackward0"] == ""


def test_a_step_of_an_optimizer_is_an_event_of_the_update() -> None:
    w = leaf(1.0)
    optimizer = torch.optim.Adam([w])
    with record() as recording:
        (w * w).backward()
        optimizer.step()
    step = named(recording, "Adam.step")
    assert (step.kind, step.phase) == ("step", "update")
    assert source(recording, step) == "optimizer.step()"


def test_steps_end_where_an_optimizer_steps_again() -> None:
    w, v = leaf(1.0), leaf(1.0)
    first, second = torch.optim.SGD([w]), torch.optim.SGD([v])
    with record() as recording:
        for _ in range(3):
            (w * w).backward()
            first.step()
            (v * v).backward()
            second.step()
    assert len(recording.steps) == 3
    passes = [event.step for event in recording.events if event.kind == "backward"]
    assert passes == [0, 0, 1, 1, 2, 2]


def test_without_an_optimizer_there_is_one_step() -> None:
    with record() as recording:
        torch.ones(2).exp()
    assert [(step.start, step.end) for step in recording.steps] == [(0, recording.duration)]


def test_nodes_know_which_nodes_made_their_operands_and_when_they_ran() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        (x * x).exp().sum().backward()
    product, exponential, total = recording.nodes
    assert product.operands == (None, None)
    assert exponential.operands == (product.number,)
    assert total.operands == (exponential.number,)
    for node in recording.nodes:
        assert node.ran is not None
        assert node.made < node.ran
    assert product.freed == product.ran


def test_a_graph_that_is_retained_is_freed_by_nobody() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    with record() as recording:
        z = y * y
        z.backward(retain_graph=True)
    (node,) = recording.nodes
    assert node.ran is not None
    assert node.freed is None


def test_a_node_that_is_dropped_without_a_pass_ends_there() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        y = x * x
        del y
    (node,) = recording.nodes
    assert node.ran is None
    assert node.freed is not None


# ---- programs of every kind ----------------------------------------------------------------------


class Cube(torch.autograd.Function):
    """The third power, by hand."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grads[0] * 3 * x * x


def test_a_custom_function_has_its_ops_as_parts() -> None:
    x = leaf(2.0)
    with record() as recording:
        Cube.apply(x).backward()
    cube, node = named(recording, "Cube"), named(recording, "CubeBackward")
    parts = [e.name for e in recording.events if e.parent == cube.number]
    assert parts == ["mul", "mul"]
    assert [e.name for e in recording.events if e.parent == node.number] == ["mul"] * 3
    assert source(recording, node) == "Cube.apply(x).backward()"
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_computes_again_counts_as_backward(reentrant: bool) -> None:
    x = leaf(1.0, 2.0)

    def part(value: Any) -> Any:
        return value.exp().sin()

    with record() as recording:
        checkpoint(part, x, use_reentrant=reentrant).sum().backward()
    phases = Counter((e.name, e.phase) for e in recording.events if e.name in ("exp", "sin"))
    assert phases["exp", "forward"] == phases["exp", "backward"] == 1
    again = [e for e in recording.events if e.name == "exp" and e.phase == "backward"]
    assert {source(recording, event) for event in again} == {"return value.exp().sin()"}


def test_threads_are_told_apart() -> None:
    x = leaf(1.0)

    def work() -> None:
        x.exp()

    with record() as recording:
        x.sin()
        worker = threading.Thread(target=work, name="a worker")
        worker.start()
        worker.join()
    assert recording.threads[named(recording, "exp").thread] == "a worker"
    assert named(recording, "exp").parent is None
    assert named(recording, "sin").thread != named(recording, "exp").thread


def test_recordings_may_be_nested() -> None:
    x = leaf(1.0)
    with record() as outer:
        x.sin()
        with record() as inner:
            x.exp()
        x.cos()
    assert [event.name for event in inner.events] == ["exp"]
    assert [event.name for event in outer.events] == ["sin", "exp", "cos"]


def test_a_recording_may_begin_and_end_in_the_middle_of_a_pass() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    block = record()
    recordings: list[Recording] = []
    y.register_hook(lambda g: recordings.append(block.__enter__()))

    def end(g: Any) -> None:
        block.__exit__(None, None, None)

    x.register_hook(end)
    y.sum().backward()
    assert recordings[0].duration > 0
    assert observers == []


def test_hooks_run_once_and_their_ops_are_parts_of_the_node() -> None:
    x = leaf(1.0, 2.0)
    calls: list[Any] = []

    def hook(g: Any) -> Any:
        calls.append(None)
        return g * 2

    with record() as recording:
        y = x.exp()
        y.register_hook(hook)
        y.sum().backward()
    assert len(calls) == 1
    node = named(recording, "ExpBackward0")
    assert named(recording, "mul").parent == node.number


def test_an_error_goes_up_and_the_recording_ends_well() -> None:
    x = torch.ones(2, 3)
    with record() as recording:
        with pytest.raises(RuntimeError):
            x @ x
        x.exp()
    assert [event.name for event in recording.events] == ["matmul", "exp"]
    assert named(recording, "matmul").outputs == ()


def test_an_error_out_of_the_block_ends_the_recording() -> None:
    before = len(slow_path.active)
    recordings: list[Recording] = []

    def program() -> None:
        with record() as recording:
            recordings.append(recording)
            torch.ones(1).exp()
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        program()
    assert recordings[0].events[-1].name == "exp"
    assert observers == watchers == []
    assert len(slow_path.active) == before


def test_vmap_autocast_and_saved_tensor_hooks_are_recorded_without_changing_anything() -> None:
    def program() -> Any:
        x = leaf(1.0, 2.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
            y = torch.func.vmap(torch.exp)(x * x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = torch.outer(y, y).sum()
        z.backward()
        assert x.grad is not None
        return x.grad.tolist()

    with record() as recording:
        watched = program()
    assert watched == program()
    assert recording.nodes


# ---- rules of every inspection -------------------------------------------------------------------


def test_a_recording_extends_no_lifetime() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        y = x.exp()
        array, node = weakref.ref(y._array), weakref.ref(y._edge[0])
        del y
        assert array() is None
        assert node() is None
    assert recording.allocations[-1].freed is not None


def test_a_recording_holds_neither_tensors_nor_arrays_nor_nodes() -> None:
    x = leaf(1.0, 2.0)
    with record() as recording:
        y = x.exp()
        y.sum().backward()
    gc.collect()
    assert not [each for each in gc.get_referrers(y._array) if each is not y]
    stack: list[Any] = [recording.to_dict()]
    while stack:
        value = stack.pop()
        assert isinstance(value, dict | list | str | int | float | None)
        stack += value.values() if isinstance(value, dict) else ()
        stack += value if isinstance(value, list) else ()


def test_versions_gradients_and_reference_counts_are_as_without_a_recording() -> None:
    import sys

    def program() -> tuple[Any, ...]:
        model = torch.nn.Linear(2, 2)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.fill_(0.5)
        versions = [p._version for p in model.parameters()]
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        gradients = [p.grad.tolist() for p in model.parameters() if p.grad is not None]
        optimizer.step()
        counts = [sys.getrefcount(p._array) for p in model.parameters()]
        counts += [sys.getrefcount(p._grad._array) for p in model.parameters()]
        after = [p._version for p in model.parameters()]
        return versions, gradients, counts, after, model.weight.tolist()

    with record():
        watched = program()
    assert watched == program()


def test_a_gradient_is_taken_over_by_its_leaf_as_without_a_recording() -> None:
    x = torch.ones(3, requires_grad=True)
    with record() as recording:
        x.exp().sum().backward()
    assert x.grad is not None
    made = [each for each in recording.allocations if any(h.kind == "gradient" for h in each.holds)]
    assert [recording.events[each.event or 0].name for each in made] == ["ExpBackward0"]


def test_sparse_operands_and_gradients_do_not_disturb_the_program() -> None:
    matrix = torch.eye(3).to_sparse().requires_grad_()
    weight = torch.ones(3, 2, requires_grad=True)
    with record() as recording:
        torch.sparse.mm(matrix, weight).sum().backward()
    assert matrix.grad is not None
    assert matrix.grad.is_sparse
    assert weight.grad is not None
    assert weight.grad.tolist() == [[1.0, 1.0]] * 3
    assert len(recording.by_line()) > 0
