"""Listeners hear of nodes, watchers of whole passes and steps, and the result is the same."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd.passes import BackwardPass
from pellucid.observe import Observer, listening, observing, slow_path, watching


def test_a_listener_hears_of_every_node_made_and_run() -> None:
    heard: list[tuple[str, str]] = []

    def listener(event: str, node: Any) -> None:
        heard.append((event, node.name()))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with listening(listener):
        (x * x).exp().sum().backward()
    assert heard == [
        ("node", "MulBackward0"), ("node", "ExpBackward0"), ("node", "SumBackward0"),
        ("ran", "SumBackward0"), ("ran", "ExpBackward0"), ("ran", "MulBackward0"),
    ]  # fmt: skip


def test_nobody_is_told_after_the_block_and_the_short_way_is_open_again() -> None:
    heard: list[str] = []
    before = len(slow_path.active)
    with listening(lambda event, node: heard.append(event)):
        assert len(slow_path.active) == before + 1
    assert len(slow_path.active) == before
    torch.ones(2, requires_grad=True) * 2
    assert heard == []


def test_being_watched_changes_no_gradient() -> None:
    def gradient() -> list[float]:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).exp().sum().backward()
        assert x.grad is not None
        return x.grad.tolist()

    with listening(lambda event, node: None):
        watched = gradient()
    assert watched == gradient()


def test_a_watcher_hears_of_a_whole_training_step_and_ops_stay_on_the_short_path() -> None:
    heard: list[tuple[str, Any]] = []
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = len(slow_path.active)
    with watching(lambda event, subject: heard.append((event, subject))):
        assert len(slow_path.active) == before
        optimizer.zero_grad()
        net(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    assert [event for event, _ in heard] == [
        "zero_grad", "module began", "module ended", "backward began", "backward ended",
        "step began", "step ended",
    ]  # fmt: skip
    assert [heard[i][1] for i in (0, 1, 2, 5, 6)] == [optimizer, net, net, optimizer, optimizer]


def test_a_backward_pass_is_told_with_its_number_line_roots_and_nodes() -> None:
    passes: list[BackwardPass] = []
    x = torch.ones(2, requires_grad=True)
    first, second = (x * x).sum(), (x * x).sum()
    with watching(lambda event, subject: passes.append(subject)):
        first.backward(retain_graph=True)
        torch.autograd.grad(second, x)
    backward, _, grad, _ = passes
    assert backward.run.call == "backward"
    assert backward.run.site.filename == __file__
    assert backward.run.site.text == "first.backward(retain_graph=True)"
    assert backward.roots == [first]
    assert backward.inputs is None
    assert backward.keep is True
    assert [node.name() for node in backward.nodes] == ["SumBackward0", "MulBackward0"]
    assert grad.run.call == "grad"
    assert grad.roots == [second]
    assert grad.inputs == [x]
    assert not grad.keep
    assert grad.run.number == backward.run.number + 1


def test_a_watcher_is_told_of_a_pass_that_fails_and_can_read_the_error() -> None:
    heard: list[tuple[str, BaseException | None]] = []
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    with (
        watching(lambda event, _: heard.append((event, sys.exception()))),
        pytest.raises(RuntimeError, match="a second time") as caught,
    ):
        loss.backward()
    assert heard == [("backward began", None), ("backward failed", caught.value)]


def test_a_step_with_a_closure_holds_the_passes_of_the_closure() -> None:
    heard: list[str] = []
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with watching(lambda event, _: heard.append(event)):
        optimizer.step(closure)
    assert heard[:4] == ["step began", "zero_grad", "backward began", "backward ended"]
    assert heard[-1] == "step ended"


def test_a_module_called_inside_another_is_not_told_by_itself() -> None:
    heard: list[Any] = []
    inner = torch.nn.Linear(2, 2)
    outer = torch.nn.Sequential(inner)
    with watching(lambda event, module: heard.append(module)):
        outer(torch.ones(1, 2))
        inner(torch.ones(1, 2))
        outer.zero_grad()
    assert heard == [outer, outer, inner, inner, outer]


def test_a_watcher_may_stop_watching_while_it_is_told_and_changes_no_gradient() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    heard: list[str] = []

    def note(event: str, _: Any) -> None:
        heard.append(event)
        if event == "backward ended":
            stack.close()

    with contextlib.ExitStack() as stack:
        stack.enter_context(watching(note))
        (x * x).exp().sum().backward()
        (x * x).exp().sum().backward()
    assert heard == ["backward began", "backward ended"]
    expected = 2 * np.array([2 * v * np.exp(v * v) for v in (1.0, 2.0)])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)


class Noting(Observer):
    """An observer that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def op_began(self, kind: str, name: str, operands: Any) -> None:
        self.heard.append((kind, name, len(operands)))

    def op_ended(self, result: Any) -> None:
        self.heard.append(None if result is None else result._array.tolist())

    def node_began(self, node: Any, g: Any) -> None:
        self.heard.append((node.name(), g.tolist()))

    def node_ended(self, node: Any, grads: Any) -> None:
        self.heard.append([None if g is None else g.tolist() for g in grads])


def test_an_observer_hears_of_ops_and_nodes_before_and_after_them() -> None:
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(1)
    noting = Noting()
    with observing(noting):
        (x * 3).sum().backward()
        y.add_(1)
    assert noting.heard == [
        ("op", "mul", 2), [3.0, 6.0], ("op", "sum", 1), 9.0,
        ("SumBackward0", 1.0), [[1.0, 1.0]], ("MulBackward0", [1.0, 1.0]), [[3.0, 3.0], None],
        ("op", "add_", 2), [2.0],
    ]  # fmt: skip


def test_an_observer_hears_of_functions_around_their_ops_and_of_errors() -> None:
    noting, x, y = Noting(), torch.ones(2), torch.zeros(3)
    with observing(noting):
        torch.nn.functional.mse_loss(x, x)
        with pytest.raises(RuntimeError):
            torch.add(x, y)
    assert noting.heard == [
        ("function", "mse_loss", 2), ("op", "mse", 2), 0.0, 0.0,
        ("op", "add", 2), None,
    ]  # fmt: skip
