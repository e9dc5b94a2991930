"""Recordings of PyTorch's programs: times by line, and the memory that the allocator gave."""

from __future__ import annotations

import gc
import importlib
import itertools
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pellucid.inspect import record
from pellucid.inspect.recording import Recording
from tests.samples.grouped import together

torch: Any = pytest.importorskip("torch")
nn = torch.nn
accelerator: Any = pytest.importorskip("pellucid.inspect.pytorch.accelerator")
dispatch: Any = pytest.importorskip("torch.utils._python_dispatch")

COUNT = 1000
SIZE = 4 * COUNT


def training(optimizer: str = "Adam") -> tuple[Callable[[], Any], Any]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
    chosen = getattr(torch.optim, optimizer)(net.parameters(), lr=0.01)
    x = torch.randn(32, 64)

    def step() -> Any:
        chosen.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        chosen.step()
        return loss.detach(), [each.detach().clone() for each in net.parameters()]

    return step, net


def two_steps(step: Callable[[], Any]) -> Recording:
    """Return a recording of two steps that follow a first one."""
    step()
    with record() as recording:
        step()
        step()
    return recording


def of_source(recording: Recording, text: str) -> list[Any]:
    """Return the memory that a line has made and that outlived its operation."""
    numbers = {line.number for line in recording.lines if line.text == text}
    events = recording.events
    return [
        each
        for each in recording.allocations
        if each.line in numbers
        and each.event is not None
        and each.kind == "result"
        and (each.freed is None or each.freed > events[each.event].end)
    ]


def test_each_line_has_its_times_forward_backward_and_in_updates() -> None:
    step, _ = training()
    recording = two_steps(step)
    rows = {row.text: row for row in recording.by_line()}
    forward = rows["loss = net(x).square().mean()"]
    assert forward.forward
    assert forward.backward
    assert not forward.update
    update = rows["chosen.step()"]
    assert update.update
    assert not update.backward
    assert rows["loss.backward()"].backward
    assert {"0", "1", "2"} <= {row.name for row in recording.by_module()}
    assert {"linear", "relu", "mm"} <= {row.name for row in recording.by_op()}
    assert recording.by_op()["linear"].calls == 4
    assert len(recording.steps) == 2
    own = sum(row.own for row in recording.by_op())
    assert 0 < own <= recording.duration


def test_parts_lie_inside_of_what_they_are_parts_of() -> None:
    step, _ = training()
    with record() as recording:
        step()
    assert len(recording.events) > 20
    for event in recording.events:
        assert event.start <= event.end <= recording.duration
        if event.parent is not None:
            around = recording.events[event.parent]
            assert around.start <= event.start
            assert event.end <= around.end


def test_nodes_run_at_the_lines_that_made_them() -> None:
    w = torch.ones(3, requires_grad=True)
    with record() as recording:
        x = w * 2
        y = x.exp()
        y.sum().backward()
    texts = {
        event.name: recording.lines[event.line].text
        for event in recording.events
        if event.kind == "node" and event.line is not None
    }
    assert texts == {
        "MulBackward0": "x = w * 2", "ExpBackward0": "y = x.exp()",
        "SumBackward0": "y.sum().backward()",
    }  # fmt: skip
    names = [node.name for node in recording.nodes]
    assert names == ["MulBackward0", "ExpBackward0", "SumBackward0"]
    assert [node.operands for node in recording.nodes] == [(None, None), (0,), (1,)]


def test_memory_is_what_the_allocator_gave_and_took() -> None:
    x = torch.ones(COUNT)
    gc.collect()  # what other tests have left is not freed in the block
    with record() as recording:
        a = x.exp()
        b = a * a
        del a
        c = b.exp()
        del b, c
    for text in ("a = x.exp()", "b = a * a", "c = b.exp()"):
        (made,) = of_source(recording, text)
        assert (made.bytes, made.like) == (SIZE, "float32[1000]")
        assert made.freed is not None
    before = sum(each.bytes for each in recording.allocations if each.event is None)
    assert recording.peak.bytes == before + 2 * SIZE
    assert recording.memory().live.bytes[-1] == before


def test_the_curve_is_what_counting_live_storages_gives() -> None:
    """The mode sees results alone; what an operation has for itself is small in these."""

    class Counting(dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.live: dict[int, int] = {}
            self.most = 0

        def __torch_dispatch__(self, function: Any, _: Any, args: Any = (), kw: Any = None) -> Any:
            result = function(*args, **(kw or {}))
            for each in result if isinstance(result, tuple | list) else (result,):
                if isinstance(each, torch.Tensor):
                    storage = each.untyped_storage()
                    key = storage.data_ptr()
                    if key not in self.live:
                        self.live[key] = storage.nbytes()
                        weakref.finalize(storage, self.live.pop, key, None)
            self.most = max(self.most, sum(self.live.values()))
            return result

    step, net = training("SGD")
    known = {each.untyped_storage().data_ptr() for each in net.parameters()}
    with Counting() as counting:
        step()
    counted = counting.most - sum(
        each.numel() * 4 for each in net.parameters() if each.untyped_storage().data_ptr() in known
    )
    net.zero_grad()
    gc.collect()
    with record(gradients=False) as recording:
        step()
    before = sum(each.bytes for each in recording.allocations if each.event is None)
    parameters = sum(each.numel() * 4 for each in net.parameters())
    made = recording.peak.bytes - before
    assert made == pytest.approx(counted, abs=parameters + 64)
    assert made >= counted


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_the_curve_rises_and_falls_as_pytorch_s_profiler_says(kind: str) -> None:
    step, net = training(kind)
    step()

    def run() -> None:
        step()
        net.zero_grad()

    net.zero_grad()
    profiler = importlib.import_module("torch.autograd.profiler")
    with profiler.profile(use_kineto=True, profile_memory=True, record_shapes=True) as profile:
        run()
    events = profile.kineto_results.events()
    told = [each.nbytes() for each in events if each.name() == "[memory]"]
    with record(gradients=False) as recording:
        run()
    curve = recording.memory().live.bytes
    assert [after - before for before, after in itertools.pairwise(curve)] == told
    assert len(told) > 50


@pytest.mark.skipif(
    not hasattr(torch.ones(1, requires_grad=True).exp().grad_fn._raw_saved_result, "unpack_hook"),
    reason="this version of PyTorch does not show what a node has stored",
)
def test_what_holds_memory_is_told() -> None:
    w = torch.ones(COUNT, requires_grad=True)
    with record() as recording:
        y = w.exp()
        loss = (y * y).sum()
        del y
        loss.backward()
    (made,) = of_source(recording, "y = w.exp()")
    names = sorted(hold.name for hold in made.holds)
    assert names == ["ExpBackward0 as result", "MulBackward0 as other", "MulBackward0 as self"]
    assert made.freed is not None
    owners = {hold.kind for each in recording.allocations for hold in each.holds}
    assert {"saved", "gradient"} <= owners
    assert {each.kind for each in recording.allocations} >= {"parameter", "gradient", "result"}


def test_gradients_updates_and_values_are_measured_as_on_pellucid() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    with record(values=True) as recording:
        y = w * w
        y.sum().backward()
        optimizer.step()
    (row,) = recording.gradients().parameters
    assert row.norm == pytest.approx(10.0)
    assert row.ratio == pytest.approx(0.2)
    values = [(each.kind, each.name, each.summary.mean) for each in recording.values().rows]
    assert values[:2] == [("value", "mul", 12.5), ("value", "sum", 25.0)]
    assert ("gradient", "MulBackward0", 1.0) in values


@together()
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.complex64])
@pytest.mark.parametrize("layout", ["rows", "columns", "apart", "repeated"])
def test_gradients_of_any_layout_are_measured_as_numpy_does(layout: str, dtype: Any) -> None:
    torch.manual_seed(0)
    g = torch.randn(6, 5).to(dtype).relu() if dtype.is_floating_point else torch.randn(6, 5) + 0j
    arriving = {
        "rows": g, "columns": g.t().contiguous().t(), "apart": torch.stack([g, g], 2)[..., 0],
        "repeated": g[:1].expand(6, 5),
    }[layout]  # fmt: skip
    x = torch.ones(6, 5, dtype=dtype, requires_grad=True)
    with record() as recording:
        y = x * 2
        y.backward(arriving)
    (found,) = recording.gradients().lines
    expected = arriving.to(torch.complex128).numpy()
    assert found.norm == pytest.approx(np.linalg.norm(expected), rel=1e-3)
    assert found.zeros == pytest.approx(np.mean(expected == 0))
    assert found.count == 30


def test_the_time_in_which_gradients_are_measured_is_not_the_program_s() -> None:
    w = torch.randn(512, 512, requires_grad=True)
    with record() as recording:
        (w * 2).backward(torch.ones(512, 512))
    (node,) = [each for each in recording.events if each.kind == "node"]
    inside = [each for each in recording.events if each.parent == node.number]
    measuring = node.duration - node.self_time - sum(each.duration for each in inside)
    assert 0 < measuring <= recording.own_time


def test_the_recorder_leaves_the_program_its_bits_and_keeps_nothing() -> None:
    alone, _ = training()
    recorded, net = training()
    expected = [alone() for _ in range(3)]
    with record(values=True):
        found = [recorded() for _ in range(3)]
    for (loss, parameters), (other, others) in zip(expected, found, strict=True):
        assert torch.equal(loss, other)
        assert all(map(torch.equal, parameters, others))
    assert torch.overrides._get_current_function_mode() is None
    assert not torch.autograd._profiler_enabled()
    kept = weakref.ref(net)
    del net, recorded
    gc.collect()
    assert kept() is None


def test_a_block_that_an_error_ends_is_filled() -> None:
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="must match the size"), record() as recording:
        _ = w * 2 + torch.ones(3)
    assert next(event.name for event in recording.events) == "mul"
    assert not torch.autograd._profiler_enabled()


def test_a_second_recording_inside_says_why_it_has_nothing() -> None:
    with record() as recording:
        with pytest.warns(UserWarning, match="recorded nothing"), record() as inner:
            torch.ones(2).exp()
        torch.ones(2).sin()
    assert not inner.events
    assert {"exp", "sin"} <= {row.name for row in recording.by_op()}


def test_recordings_are_written_as_those_of_pellucid(tmp_path: Any) -> None:
    step, _ = training()
    with record() as recording:
        step()
    for name in ("html", "json", "chrome_trace", "speedscope", "dot", "svg"):
        getattr(recording, name)(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    assert "loss = net(x).square().mean()" in (tmp_path / "html").read_text("utf-8")


def test_times_of_an_accelerator_are_those_of_its_kernels(monkeypatch: Any) -> None:
    def event(device: str, linked: int, nanoseconds: int) -> Any:
        return SimpleNamespace(
            device_type=lambda: f"DeviceType.{device}", linked_correlation_id=lambda: linked,
            duration_ns=lambda: nanoseconds,
        )  # fmt: skip

    events = [event("CPU", 7, 1), event("CUDA", 7, 20), event("CUDA", 7, 30), event("CUDA", 0, 5)]
    assert accelerator.kernel_times(SimpleNamespace(events=lambda: events)) == {7: 50}
    assert accelerator.name() is None
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert accelerator.name() == "cuda"


def test_nodes_that_a_device_has_made_are_not_taken_for_others(monkeypatch: Any) -> None:
    """Where all nodes are of another thread, they count for the line of the pass."""
    monkeypatch.setattr(accelerator, "name", lambda: "cuda")
    w = torch.ones(3, requires_grad=True)

    def run() -> Recording:
        with record() as recording:
            y = w.exp()
            y.sum().backward()
        return recording

    def of_exp(recording: Recording) -> str:
        (event,) = [each for each in recording.events if each.name == "ExpBackward0"]
        return "" if event.line is None else recording.lines[event.line].text

    assert of_exp(run()) == "y = w.exp()"
    tree: Any = importlib.import_module("pellucid.inspect.pytorch.profile_tree")
    made = tree.forward_threads
    monkeypatch.setattr(tree, "forward_threads", lambda r: dict.fromkeys(made(r), 99))
    assert of_exp(run()) == "y.sum().backward()"


def test_memory_of_an_accelerator_is_what_its_allocator_has_given(monkeypatch: Any) -> None:
    """A block of a whole segment that is not in use is between two that are."""
    states = ("active_allocated", 512), ("inactive", 1024), ("active_allocated", 2048)
    blocks = [{"state": state, "size": size} for state, size in states]
    segment = {"device": 1, "address": 4096, "blocks": blocks}
    assert accelerator.given_memory() == {}
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "memory_snapshot", lambda: [segment])
    device = torch.device("cuda", 1)
    assert accelerator.given_memory() == {(device, 4096): 512, (device, 4096 + 1536): 2048}


def test_where_an_accelerator_is_used_its_memory_alone_counts(monkeypatch: Any) -> None:
    x = torch.ones(COUNT)
    place = torch.device("cuda", 0), 77
    monkeypatch.setattr(accelerator, "given_memory", lambda: {place: 8192})
    with record() as recording:
        x.exp()
    assert [each.bytes for each in recording.allocations] == [8192]
    assert recording.memory().live.bytes[0] == recording.peak.bytes == 8192
    assert "no tensor" in recording.peak.text()


@pytest.mark.parametrize("keeps", [True, False])
def test_what_an_allocator_has_back_unseen_is_gone_at_the_end(
    keeps: bool, monkeypatch: Any
) -> None:
    """The thread of a device may give back the loss when it no longer tells the profiler."""
    x = torch.ones(COUNT)
    kept, loss = (torch.device("cuda", 0), 77), (torch.device("cuda", 0), 99)
    at_the_end = {kept: 8192} if keeps else {}
    given = iter([{kept: 8192, loss: 512}, at_the_end])
    monkeypatch.setattr(accelerator, "given_memory", lambda: next(given))
    with record() as recording:
        x.exp()
    curve = recording.memory().live.bytes
    assert (curve[0], curve[-1]) == (8704, sum(at_the_end.values()))
    left = [each.bytes for each in recording.allocations if each.freed is None]
    assert left == [*at_the_end.values()]


def test_tensors_without_values_have_no_memory_and_are_of_no_accelerator() -> None:
    without_values = torch.ones(7919, device="meta")
    x = torch.ones(COUNT)
    with record() as recording:
        y = x.exp()
    assert SIZE in [each.bytes for each in recording.allocations if each.kind == "result"]
    assert without_values.nbytes not in [each.bytes for each in recording.allocations]
    assert y.shape == x.shape


def test_a_range_whose_end_the_profiler_has_not_seen_takes_no_time() -> None:
    """Its end is then the least of all times, and the difference wraps."""
    tree: Any = importlib.import_module("pellucid.inspect.pytorch.profile_tree")

    def own(nanoseconds: int) -> Any:
        return SimpleNamespace(
            name=tree.OWN, tag=SimpleNamespace(name="TorchOp"), children=[], start_tid=1,
            start_time_ns=2_000, duration_time_ns=nanoseconds,
        )  # fmt: skip

    clock = SimpleNamespace(span=SimpleNamespace(start=1_000, end=0))
    recorder = SimpleNamespace(
        device=None, before={}, given={}, memory=[], spans=[], marks_by_number=[clock], own_time=0,
        began=1_000, ended=9_000, measuring=[],
    )  # fmt: skip
    events = [own(300), own(7_427_548_803_000_000_000), own(-2_000)]
    tree.Tree(recorder, SimpleNamespace(experimental_event_tree=lambda: events)).read()
    assert recorder.own_time == 300


def test_random_numbers_of_accelerators_are_put_back(monkeypatch: Any) -> None:
    put: list[Any] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: ["as it was"])
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", put.append)
    put_back = accelerator.random_state()
    expected = torch.rand(2)
    put_back()
    assert torch.equal(torch.rand(2), expected)
    assert put == [["as it was"]]
