"""What the tools say against what is so: against tracemalloc, counts by hand, and each other."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.utils.checkpoint import checkpoint

MANY = 100_000


def freed_by_dropping(make: Callable[[], Any]) -> tuple[int, int]:
    """Return what the ledger says that a graph keeps, and what really goes when it is dropped."""
    make()  # what is made once
    gc.collect()
    tracemalloc.start()
    try:
        loss = make()
        said = torch.inspect.memory(loss).held_bytes
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        del loss
        gc.collect()
        return said, before - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


w = torch.ones(MANY, requires_grad=True)
net = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.Tanh())
conv = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))


class Packing:
    """Hooks that keep values in a container of their own."""

    def pack(self, tensor: Any) -> Any:
        return {"kept": [tensor.detach() * 1.0]}

    def unpack(self, packed: Any) -> Any:
        return packed["kept"][0]


def packed(pack: Any, unpack: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return (w.exp().sin() * 2.0).sum()


class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.table = x.detach() * 2
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.table


def rows_of(batch: Any) -> Any:
    return sum(each.exp().sum() for each in batch.unbind(0))


LEDGERS: dict[str, Callable[[], Any]] = {
    "elementwise": lambda: (w.exp().sin() * w).sum(),
    "network": lambda: net(torch.ones(128, 64)).sum(),
    "convolutions": lambda: conv(torch.ones(4, 3, 24, 24)).sum(),
    "checkpoint by hooks": lambda: checkpoint(
        lambda t: t.exp().sin().tanh(), w * 2, use_reentrant=False
    ).sum(),
    "checkpoint by a function": lambda: checkpoint(
        lambda t: t.exp().sin().tanh(), w * 2, use_reentrant=True
    ).sum(),
    "two checkpoints": lambda: checkpoint(
        torch.exp, checkpoint(torch.sin, w * 2, use_reentrant=False), use_reentrant=False
    ).sum(),
    "nested checkpoints": lambda: checkpoint(
        lambda t: checkpoint(torch.sin, t * 2, use_reentrant=False).exp(), w * 1.5,
        use_reentrant=False,
    ).sum(),
    "packed in containers": lambda: packed(Packing().pack, Packing().unpack),
    "packed as arrays": lambda: packed(lambda t: t.numpy() * 1.0, torch.from_numpy),
    "packed as halves": lambda: packed(lambda t: t.half(), lambda t: t.float()),
    "a custom function": lambda: Keeps.apply(w * 1.0).sum(),
    "parts of larger memory": lambda: (w * 2)[:10].exp().sin().sum(),
    "views that are saved": lambda: (w * 2).view(100, 1000)[3].sin().sum(),
    "unbind": lambda: rows_of((w * 2).view(10, -1)),
    "indices": lambda: w[torch.arange(0, MANY, 2)].exp().sum(),
    "double backward": lambda: torch.autograd.grad(
        (w.exp() * w).sum(), w, create_graph=True
    )[0].sum(),
}  # fmt: skip


@pytest.mark.parametrize("kind", LEDGERS)
def test_the_ledger_says_what_goes_when_the_graph_is_dropped(kind: str) -> None:
    said, went = freed_by_dropping(LEDGERS[kind])
    assert said == pytest.approx(went, rel=0.05, abs=20_000)


@pytest.mark.parametrize("kind", LEDGERS)
def test_the_graph_and_the_ledger_say_the_same_bytes(kind: str) -> None:
    loss = LEDGERS[kind]()
    said, picture = torch.inspect.memory(loss), torch.inspect.graph(loss)
    assert (picture.held_bytes, picture.leaf_bytes) == (said.held_bytes, said.leaf_bytes)


@pytest.mark.parametrize("kind", [k for k in LEDGERS if k != "double backward"])
def test_the_plan_and_the_ledger_say_the_same_of_what_stays(kind: str) -> None:
    loss = LEDGERS[kind]()
    before = torch.inspect.memory(loss)
    plan = torch.inspect.plan(loss)
    assert plan.held_before == before.held_bytes + before.grad_bytes
    loss.backward()
    after = torch.inspect.memory(loss)
    lasting = after.held_bytes + sum(each.grad_bytes for each in after.leaves)
    for parameter in (w, *net.parameters(), *conv.parameters()):
        parameter.grad = None
    assert plan.held_after - plan.in_use_after == lasting


def test_what_a_variable_keeps_is_told_apart_in_the_plan() -> None:
    x = torch.ones(1000, requires_grad=True)
    kept = x.exp()
    loss = kept.sin().sum()
    plan = torch.inspect.plan(loss)
    assert plan.in_use_after == 4000
    assert ", of which 4.0 kB in use elsewhere" in str(plan)
    del kept
    assert torch.inspect.plan(loss).in_use_after == 0


# ---- what a block is called ----


def test_a_block_has_the_name_of_the_tensor_that_was_saved() -> None:
    x = torch.randn(512, 64)
    layer = nn.Linear(64, 8)
    blocks = torch.inspect.memory(layer(x).sum()).by_storage
    assert [block.like for block in blocks] == ["float32[512, 64]"]


def test_a_part_of_a_larger_memory_is_called_so() -> None:
    x = torch.ones(1000)
    v = torch.ones(10, requires_grad=True)
    (block,) = torch.inspect.memory((x[:10] * v).sum()).by_storage
    assert (block.like, block.bytes) == ("float32[10] of float32[1000]", 4000)


def test_a_block_with_different_views_has_the_name_of_all_of_it() -> None:
    x = torch.ones(1000)
    v, u = torch.ones(10, requires_grad=True), torch.ones(20, requires_grad=True)
    (block,) = torch.inspect.memory((x[:10] * v).sum() + (x[:20] * u).sum()).by_storage
    assert block.like == "float32[1000]"


# ---- recordings ----


def test_memory_that_was_there_before_is_made_by_no_line() -> None:
    x = torch.ones(1000, requires_grad=True)
    a = x.detach() + 1
    with torch.inspect.record() as recording:
        b = a + 1
        del a
    rows = {line.where: line for line in recording.memory().lines}
    assert rows["(there before)"].made == 4000
    (line,) = [row for name, row in rows.items() if name != "(there before)"]
    assert (line.made, line.left, line.text) == (4000, 4000, "b = a + 1")
    assert b is not None


def test_the_recorder_has_a_row_for_its_own_time() -> None:
    with torch.inspect.record() as recording:
        for _ in range(20):
            w.exp().sum().backward()
    w.grad = None
    table = recording.by_line()
    assert "(the recorder)" in table.text()
    named = sum(row.own for row in table) + recording.own_time
    assert 0 < recording.own_time < recording.duration
    assert named <= recording.duration


@pytest.mark.parametrize("kind", ["elementwise", "network"])
def test_the_peak_of_a_recording_is_that_of_tracemalloc(kind: str) -> None:
    LEDGERS[kind]().backward()
    for parameter in (w, *net.parameters()):
        parameter.grad = None
    with torch.inspect.record() as recording:
        LEDGERS[kind]().backward()
    for parameter in (w, *net.parameters()):
        parameter.grad = None
    there = sum(a.bytes for a in recording.allocations if a.born == 0)
    tracemalloc.start()
    try:
        LEDGERS[kind]().backward()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    for parameter in (w, *net.parameters()):
        parameter.grad = None
    assert recording.peak.bytes - there == pytest.approx(peak, rel=0.1)
