"""Graphs that grow or stay are reported once, with the line and the remedy."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import checking

pytestmark = pytest.mark.usefixtures("without_the_session")


def kinds(findings: Any) -> list[str]:
    return [finding.kind for finding in findings]


def test_a_sum_of_losses_keeps_every_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    total: Any = 0
    with checking() as findings:
        for _ in range(12):
            loss = (w.exp() * w).sum()
            loss.backward()
            w.grad = None
            total = total + loss
    assert kinds(findings) == ["graphs are kept"]
    (finding,) = findings
    assert finding.text == "total = total + loss"
    assert finding.what.startswith("total keeps the graph of every step: 3 nodes more with each")
    assert ".item()" in finding.remedy


def test_losses_in_a_list_keep_every_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    losses = []
    with checking() as findings:
        for _ in range(12):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            losses.append(loss)
    assert kinds(findings) == ["graphs are kept"]
    assert "variable losses of" in findings[0].what
    assert findings[0].text == "loss = (w * w).sum()"


def test_a_hidden_state_carried_over_makes_the_graph_grow() -> None:
    w = torch.ones(3, requires_grad=True)
    h: Any = torch.zeros(3)
    with checking() as findings:
        for _ in range(12):
            h = torch.tanh(h * w + 1)
            h.sum().backward(retain_graph=True)
            w.grad = None
    assert "graph grows" in kinds(findings)
    finding = findings.of_kind("graph grows")[0]
    assert finding.text == "h = torch.tanh(h * w + 1)"
    assert "h = h.detach()" in finding.remedy
    assert "3 nodes and about" in finding.what


def test_each_line_is_reported_once() -> None:
    w = torch.ones(3, requires_grad=True)
    losses = []
    with checking() as findings:
        for _ in range(40):
            losses.append((w * w).sum())
            losses[-1].backward()
            w.grad = None
    assert kinds(findings) == ["graphs are kept"]


def test_several_losses_of_one_step_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    with checking() as findings:
        for _ in range(8):
            losses = [(w * factor).sum() for factor in range(1, 9)]
            for loss in losses:
                loss.backward()
            w.grad = None
    assert kinds(findings) == []


def test_longer_and_longer_sequences_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    with checking() as findings:
        for length in range(1, 15):
            h: Any = torch.zeros(3)
            for _ in range(length):
                h = torch.tanh(h * w + 1)
            h.sum().backward()
            w.grad = None
    assert kinds(findings) == []


def test_losses_kept_as_numbers_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    total = 0.0
    with checking() as findings:
        for _ in range(12):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            total += loss.item()
    assert kinds(findings) == []


WIDE = 256


def _keeping(keep: Any, steps: int = 140) -> Any:
    def program() -> None:
        torch.manual_seed(0)
        net = nn.Linear(4, WIDE)
        optimizer, x = torch.optim.SGD(net.parameters(), lr=1e-3), torch.randn(16, 4)
        for _ in range(steps):
            optimizer.zero_grad()
            out = net(x).tanh()
            loss = out.square().mean()
            loss.backward()
            keep(out, loss)
            optimizer.step()

    return program


class Log:
    """A class with a list that all its instances have."""

    kept: ClassVar[list[Any]] = []


@pytest.mark.parametrize("where", ["variable", "class", "dict"])
def test_outputs_that_are_kept_in_each_step(where: str) -> None:
    outputs: list[Any] = []
    by_step: dict[int, Any] = {}
    Log.kept = []

    def keep(out: Any, _: Any) -> None:
        copy = out.detach().clone()
        if where == "variable":
            outputs.append(copy)
        elif where == "class":
            Log.kept.append(copy)
        else:
            by_step[len(by_step)] = copy

    with checking() as findings:
        _keeping(keep)()
    Log.kept = []
    assert [finding.kind for finding in findings] == ["tensors pile up"], str(findings)
    finding = findings[0]
    assert finding.text == "copy = out.detach().clone()"
    assert {"variable": "outputs", "class": "kept", "dict": "by_step"}[where] in finding.what
    assert "16.4 kB more with each step" in finding.what
    assert finding.step == 128


def test_a_window_of_fixed_length_and_single_numbers_are_not_told() -> None:
    window: Any = deque(maxlen=1000)
    losses: list[Any] = []

    def keep(out: Any, loss: Any) -> None:
        window.append(out.detach().clone())
        losses.append(loss.detach())

    with checking() as findings:
        _keeping(keep)()
    assert len(findings) == 0, str(findings)


def _hooked(net: Any, kept: list[Any]) -> None:
    net.register_forward_hook(lambda module, args, out: kept.append(out.detach().clone()))


def test_activations_that_a_hook_keeps() -> None:
    kept: list[Any] = []

    def program() -> None:
        torch.manual_seed(0)
        net = nn.Linear(4, WIDE)
        _hooked(net, kept)
        optimizer, x = torch.optim.SGD(net.parameters(), lr=1e-3), torch.randn(16, 4)
        for _ in range(140):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()

    with checking() as findings:
        program()
    assert kinds(findings) == ["tensors pile up"]
    assert "kept" in findings[0].what
    assert "kept.append(out.detach()" in findings[0].text


def test_outputs_with_a_graph_that_no_pass_runs() -> None:
    judged: list[Any] = []

    def program() -> None:
        torch.manual_seed(0)
        net = nn.Linear(4, WIDE)
        optimizer, x = torch.optim.SGD(net.parameters(), lr=1e-3), torch.randn(16, 4)
        for _ in range(140):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            output = net(x)
            judged.append(output)

    with checking() as findings:
        program()
    assert kinds(findings) == ["tensors pile up"]
    assert "variable judged of" in findings[0].what
    assert findings[0].text == "output = net(x)"


@pytest.mark.parametrize("length", [3, 5, 6, 7, 20])
def test_a_window_of_losses_is_not_told_to_grow(length: int) -> None:
    w, window = torch.ones(3, requires_grad=True), deque[Any](maxlen=length)
    with checking() as findings:
        for _ in range(60):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            window.append(loss)
    assert len(findings) == 0, str(findings)


# ---- containers that the program keeps small ----


class Recent:
    """A memory of the latest things, as programs write it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[Any] = []

    def add(self, item: Any) -> None:
        self.items.append(item)
        if len(self.items) > self.size:
            self.items.pop(0)


def trimmed_by_pop(length: int) -> Any:
    recent_losses: list[Any] = []

    def keep(loss: Any, step: int) -> None:
        recent_losses.append(loss)
        if len(recent_losses) > length:
            recent_losses.pop(0)

    return keep


def trimmed_by_slices(length: int) -> Any:
    state: Any = {"latest": []}

    def keep(loss: Any, step: int) -> None:
        state["latest"].append(loss)
        state["latest"] = state["latest"][-length:]

    return keep


def trimmed_by_del(length: int) -> Any:
    window: list[Any] = []

    def keep(loss: Any, step: int) -> None:
        window.append(loss)
        del window[:-length]

    return keep


def trimmed_by_a_sum(length: int) -> Any:
    state = {"newest": ()}

    def keep(loss: Any, step: int) -> None:
        state["newest"] = (*state["newest"], loss)[-length:]

    return keep


def overwritten_in_turn(length: int) -> Any:
    slots: list[Any] = [None] * length

    def keep(loss: Any, step: int) -> None:
        slots[step % length] = loss

    return keep


def one_for_each_task(length: int) -> Any:
    by_task: dict[str, Any] = {}
    tasks = [f"task {number}" for number in range(length)]

    def keep(loss: Any, step: int) -> None:
        task = tasks[step % length]
        by_task[task] = loss

    return keep


def in_an_object(length: int) -> Any:
    recent = Recent(length)
    return lambda loss, step: recent.add((step, loss))


def cleared_now_and_then(length: int) -> Any:
    shown: list[Any] = []

    def keep(loss: Any, step: int) -> None:
        shown.append(loss)
        if len(shown) == length:
            shown.clear()

    return keep


def queue_of_pairs(length: int) -> Any:
    pairs: Any = deque(maxlen=length)
    return lambda loss, step: pairs.append({"step": step, "loss": loss})


WINDOWS = [
    trimmed_by_pop, trimmed_by_slices, trimmed_by_del, trimmed_by_a_sum, overwritten_in_turn,
    one_for_each_task, in_an_object, cleared_now_and_then, queue_of_pairs,
]  # fmt: skip


def losses_kept(keep: Any, steps: int) -> list[str]:
    w = torch.ones(3, requires_grad=True)
    with checking() as findings:
        for step in range(steps):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            keep(loss, step)
    return kinds(findings)


@pytest.mark.parametrize("length", [6, 40])
@pytest.mark.parametrize("window", WINDOWS)
def test_a_container_that_is_kept_small_is_not_told(window: Any, length: int) -> None:
    assert losses_kept(window(length), 130) == []


def test_a_long_window_of_outputs_is_not_told() -> None:
    newest: list[Any] = []

    def keep(out: Any, _: Any) -> None:
        newest.append(out.detach().clone())
        if len(newest) > 200:
            newest.pop(0)

    with checking() as findings:
        _keeping(keep)()
    assert len(findings) == 0, str(findings)


def test_what_is_trimmed_too_seldom_is_told_when_no_window_is_that_long() -> None:
    thinned: list[Any] = []

    def keep(loss: Any, step: int) -> None:
        thinned.append(loss)
        if step % 10 == 0:
            thinned.pop()

    assert losses_kept(keep, 1100) == ["graphs are kept"]


def test_a_dictionary_with_an_entry_for_each_step_is_told() -> None:
    def keeping() -> Any:
        of_step: dict[int, Any] = {}

        def keep(loss: Any, step: int) -> None:
            of_step[step] = loss

        return keep

    assert losses_kept(keeping(), 40) == []
    assert losses_kept(keeping(), 120) == ["graphs are kept"]


def test_a_list_in_a_dictionary_with_fixed_keys_is_told_at_once() -> None:
    history: dict[str, Any] = {}
    history["train_loss"] = []
    history["lr"] = 0.1

    def keep(loss: Any, step: int) -> None:
        history["train_loss"].append(loss)
        history["lr"] = 0.1 / (step + 1)

    assert losses_kept(keep, 8) == ["graphs are kept"]


def test_a_history_that_is_cut_every_ten_steps_is_not_told_to_grow() -> None:
    w = torch.ones(3, requires_grad=True)
    carried: Any = torch.zeros(3)
    with checking() as findings:
        for step in range(30):
            carried = torch.tanh(carried * w + 1)
            carried.sum().backward(retain_graph=True)
            w.grad = None
            if step % 10 == 9:
                carried = carried.detach()
    assert "graph grows" not in kinds(findings), str(findings)
