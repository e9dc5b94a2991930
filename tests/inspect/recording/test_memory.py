"""Memory in a recording: what is alive when, which line made it, and what kept it."""

from __future__ import annotations

from typing import Any

import numpy as np

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.inspect.recording import Allocation
from pellucid.inspect.recording.memory import live_bytes

KILO = 1000


def leaf(count: int = KILO // 4) -> Any:
    """Return a leaf of one kilobyte."""
    return torch.ones(count, requires_grad=True)


def of_source(recording: Recording, text: str) -> list[Allocation]:
    """Return what the line with this text has made."""
    return [
        each
        for each in recording.allocations
        if each.line is not None and recording.lines[each.line].text == text
    ]


def test_an_op_makes_the_bytes_of_its_result_and_a_view_makes_none() -> None:
    x = torch.ones(10, 10)
    with record() as recording:
        y = x * 2
        z = y.t()
    made = {event.name: event.made for event in recording.events if event.kind == "op"}
    assert made == {"mul": 400, "t": 0}
    assert z.shape == (10, 10)
    assert [each.kind for each in of_source(recording, "y = x * 2")] == ["result"]


def test_bytes_are_freed_by_what_runs_when_the_last_view_dies() -> None:
    x = torch.ones(10)
    with record() as recording:
        y = x * 2
        z = y.view(2, 5)
        del y
        z.exp_()
        del z
    (made,) = [each for each in recording.allocations if each.kind == "result"]
    assert made.freed is not None
    assert made.freed >= recording.events[-1].end


def test_what_was_there_before_is_a_parameter_or_an_input() -> None:
    w, x = leaf(), torch.ones(KILO // 4)
    with record() as recording:
        (w * x).sum()
    kinds = {each.kind: each for each in recording.allocations}
    assert kinds["parameter"].born == 0
    assert kinds["parameter"].event is kinds["input"].event is None
    assert (kinds["input"].born, kinds["input"].line) == (0, None)


def test_what_is_made_outside_of_operations_belongs_to_the_line_that_uses_it_first() -> None:
    with record() as recording:
        x = torch.from_numpy(np.ones(10, np.float32))
        x.exp()
    kinds = {each.kind: each for each in recording.allocations}
    line = kinds["input"].line
    assert line is not None
    assert recording.lines[line].text == "x.exp()"


def test_a_saved_value_is_held_from_forward_until_its_node_has_run() -> None:
    x = leaf()
    with record() as recording:
        y = x.exp()
        total = y.sum()
        del y
        total.backward()
    (made,) = of_source(recording, "y = x.exp()")[:1]
    (hold,) = made.holds
    node = recording.nodes[0]
    assert (hold.kind, hold.name, hold.node) == ("saved", "ExpBackward0 as out", node.number)
    assert (hold.since, hold.until) == (node.made, node.ran)
    assert made.freed is not None
    assert hold.until is not None
    assert made.freed >= hold.until
    (run,) = [event for event in recording.events if event.name == "ExpBackward0"]
    assert run.freed >= KILO


def test_shared_memory_is_counted_once_and_has_all_its_holders() -> None:
    x = leaf()
    with record() as recording:
        y = x.exp()
        loss = (y * y).sum()
        del y
    assert loss.requires_grad
    (made,) = of_source(recording, "y = x.exp()")
    names = ["ExpBackward0 as out", "MulBackward0 as input", "MulBackward0 as other"]
    assert sorted(hold.name for hold in made.holds) == names


def test_the_peak_is_where_most_bytes_are_alive() -> None:
    with record() as recording:
        a = torch.ones(KILO // 4).exp()
        b = a.exp()
        del a
        c = b.exp().exp()
        del b, c
    live = recording.memory().live
    assert recording.peak.bytes == max(live.bytes) >= 3 * KILO
    assert live.at(recording.peak.time) == recording.peak.bytes
    assert sum(each.bytes for each in recording.peak.alive) == recording.peak.bytes
    assert sum(each.bytes for each in recording.peak.kept) == recording.peak.bytes


def test_live_bytes_agree_with_a_count_at_every_moment() -> None:
    x = leaf()
    with record() as recording:
        for _ in range(3):
            (x * x).exp().sum().backward()
    live = live_bytes(recording.allocations)
    for time, size in zip(live.times, live.bytes, strict=True):
        assert size == sum(a.bytes for a in recording.allocations if a.is_alive(time))


def test_the_peak_says_which_line_made_what_and_what_kept_it() -> None:
    x = leaf()
    with record() as recording:
        y = x.sin()
        total = y.exp().sum()
        total.backward()
    kept = {(each.text, each.kind): each.held_by for each in reversed(recording.peak.kept)}
    exponential = kept["total = y.exp().sum()", "result"]
    assert exponential.startswith("ExpBackward0 as out, test_memory.py:")
    assert kept["y = x.sin()", "result"] == "a variable of the program"
    assert kept["", "parameter"] == "the model or a variable"
    text = str(recording.peak)
    assert text.startswith(f"peak: {recording.peak.bytes / 1000:.1f} kB after ")
    assert "y = x.sin()" in text


def test_gradients_and_optimizer_states_are_named_after_their_parameters() -> None:
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters())
    with record() as recording:
        model(torch.ones(1, 3)).sum().backward()
        optimizer.step()
    names = {hold.kind: set[str]() for each in recording.allocations for hold in each.holds}
    for each in recording.allocations:
        for hold in each.holds:
            names[hold.kind].add(hold.name)
    assert names["parameter"] == {"weight", "bias"}
    assert names["gradient"] == {"weight.grad", "bias.grad"}
    assert names["state"] >= {"exp_avg of weight", "exp_avg_sq of bias"}


def test_the_timeline_has_a_curve_for_each_line() -> None:
    x = leaf()
    with record() as recording:
        y = x.exp()
        y.sum().backward()
    timeline = recording.memory()
    (row,) = [each for each in timeline.lines if each.text == "y = x.exp()"]
    assert row.made >= row.largest >= row.left >= KILO
    assert row.largest == max(row.live.bytes)
    assert sum(each.at_peak for each in timeline.lines) == recording.peak.bytes
    assert [phase for _, phase in timeline.phases] == ["forward", "backward"]
    assert "|" in str(timeline)
    assert "peak:" in str(timeline)


def test_memory_of_strided_views_and_foreign_buffers_is_counted_at_its_owner() -> None:
    buffer = np.zeros(100, np.float32)
    with record() as recording:
        x = torch.from_numpy(buffer)
        y = x.as_strided((2, 2), (1, 1)) + 1
        y.exp()
    inputs = [each for each in recording.allocations if each.kind == "input"]
    assert [each.bytes for each in inputs] == [400]


def test_an_empty_recording_has_an_empty_peak() -> None:
    with record() as recording:
        pass
    assert recording.peak.bytes == 0
    assert "peak: 0 B" in str(recording.memory())
