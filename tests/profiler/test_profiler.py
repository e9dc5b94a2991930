"""torch.profiler: what programs written for PyTorch's profiler find."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd import profiler as autograd_profiler
from pellucid.observe import observers, watchers
from pellucid.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)
from pellucid.profiler.events import time_text

NONE, WARMUP = ProfilerAction.NONE, ProfilerAction.WARMUP
RECORD, SAVE = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE


def make_step() -> Any:
    """Return a function that makes one step of training."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.ones(3, 4)

    def step() -> None:
        optimizer.zero_grad()
        with record_function("forward"):
            loss = model(x).sum()
        loss.backward()
        optimizer.step()

    return step


@pytest.fixture(scope="module")
def profiled() -> profile:
    step = make_step()
    with profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True
    ) as found:
        step()
    return found


def test_ops_nodes_steps_and_ranges_are_events(profiled: profile) -> None:
    counts = {average.key: average.count for average in profiled.key_averages()}
    assert counts == {
        "forward": 1, "aten::linear": 2, "aten::relu": 1, "aten::sum": 1, "SumBackward0": 1,
        "AddmmBackward0": 2, "ReluBackward0": 1, "Optimizer.step#Adam.step": 1,
        "Optimizer.zero_grad#Adam.zero_grad": 1,
    }  # fmt: skip


def test_a_range_has_the_ops_inside_of_it_as_children(profiled: profile) -> None:
    (part,) = [event for event in profiled.events() if event.name == "forward"]
    names = [child.name for child in part.cpu_children]
    assert names == ["aten::linear", "aten::relu", "aten::linear", "aten::sum"]
    inside = sum(child.cpu_time_total for child in part.cpu_children)
    assert part.self_cpu_time_total == pytest.approx(part.cpu_time_total - inside)
    assert part.time_range.elapsed_us() == pytest.approx(part.cpu_time_total)
    assert part.is_user_annotation


def test_own_times_add_up_to_the_time_of_the_outermost_events(profiled: profile) -> None:
    outermost = [event for event in profiled.events() if event.cpu_parent is None]
    assert profiled.events().self_cpu_time_total == pytest.approx(
        sum(event.cpu_time_total for event in outermost)
    )
    assert profiled.events().total_average().count == len(profiled.events())


def test_memory_counts_what_is_made_less_what_is_freed(profiled: profile) -> None:
    averages = {average.key: average for average in profiled.key_averages()}
    assert averages["aten::relu"].self_cpu_memory_usage == 3 * 8 * 4
    (part,) = [event for event in profiled.events() if event.name == "forward"]
    inside = sum(child.cpu_memory_usage for child in part.cpu_children)
    assert part.cpu_memory_usage == part.self_cpu_memory_usage + inside


def test_shapes_tell_calls_apart_on_request(profiled: profile) -> None:
    averages = profiled.key_averages(group_by_input_shape=True)
    shapes = [average.input_shapes for average in averages if average.key == "aten::linear"]
    assert shapes == ["[[3, 4], [8, 4], [8]]", "[[3, 8], [1, 8], [1]]"]


def test_stacks_are_those_of_the_program_and_of_forward_for_nodes(profiled: profile) -> None:
    stacks = {event.name: event.stack for event in profiled.events()}
    assert [each.partition("(")[0] for each in stacks["aten::relu"][:2]] == ["test_profiler.py"] * 2
    assert stacks["aten::relu"][0].endswith(": step")
    assert stacks["ReluBackward0"] == stacks["aten::relu"]
    averages = profiled.key_averages(group_by_stack_n=1)
    assert {len(average.stack) for average in averages} == {1}


def test_the_table_has_columns_and_rows(profiled: profile) -> None:
    lines = profiled.key_averages().table(sort_by="count", row_limit=2).splitlines()
    rule, heading, _, first, second, last_rule, total = lines
    assert [title.strip() for title in heading.split("  ") if title] == [
        "Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "CPU Mem",
        "Self CPU Mem", "# of Calls",
    ]  # fmt: skip
    assert rule == last_rule
    assert set(rule) == {"-", " "}
    assert {first.split()[0], second.split()[0]} == {"aten::linear", "AddmmBackward0"}
    assert total.startswith("Self CPU time total: ")


def test_a_table_is_sorted_cut_and_headed(profiled: profile) -> None:
    averages = profiled.key_averages()
    rows = averages.table(sort_by="self_cpu_time_total", row_limit=-1).splitlines()[3:-2]
    times = {average.key: average.self_cpu_time_total for average in averages}
    names = [row.split()[0] for row in rows]
    assert names == sorted(times, key=lambda name: times[name], reverse=True)
    assert "HEADING" in averages.table(header="HEADING").splitlines()[1]
    assert "ms" in averages.table(time_unit="ms", row_limit=1)
    (row,) = averages.table(top_level_events_only=True, row_limit=1).splitlines()[5:-2]
    assert row.split()[0] in ("Optimizer.zero_grad#Adam.zero_grad", "forward")
    with pytest.raises(AttributeError):
        averages.table(sort_by="colour")


def test_a_profile_has_its_recording(profiled: profile) -> None:
    assert profiled.recording is not None
    assert profiled.recording.by_module()["1"].forward > 0


# ---- files ---------------------------------------------------------------------------------------


def test_the_trace_is_that_of_the_recording_with_metadata(
    profiled: profile, tmp_path: Path
) -> None:
    profiled.add_metadata("run", "one")
    profiled.add_metadata_json("numbers", "[1, 2]")
    profiled.export_chrome_trace(tmp_path / "trace.json")
    profiled.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    plain = json.loads((tmp_path / "trace.json").read_text("utf-8"))
    with gzip.open(tmp_path / "trace.json.gz", "rt", encoding="utf-8") as file:
        assert json.load(file) == plain
    assert (plain["run"], plain["numbers"]) == ("one", [1, 2])
    assert "aten::relu" not in {entry["name"] for entry in plain["traceEvents"]}
    assert "relu" in {entry["name"] for entry in plain["traceEvents"]}


def test_stacks_are_written_for_flame_graphs(profiled: profile, tmp_path: Path) -> None:
    profiled.export_stacks(tmp_path / "stacks.txt", "self_cpu_time_total")
    for line in (tmp_path / "stacks.txt").read_text("utf-8").splitlines():
        stack, _, time = line.rpartition(" ")
        assert " " not in stack
        assert int(time) > 0
    with profile() as without:
        torch.ones(1).exp()
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        without.export_stacks(tmp_path / "stacks.txt")


@pytest.mark.parametrize("use_gzip", [False, True])
def test_the_handler_writes_a_file_for_each_trace(use_gzip: bool, tmp_path: Path) -> None:
    handler = tensorboard_trace_handler(tmp_path / "log", "worker", use_gzip)
    step = make_step()
    with profile(schedule=schedule(wait=0, warmup=1, active=1), on_trace_ready=handler) as found:
        for _ in range(4):
            step()
            found.step()
    names = [path.name for path in (tmp_path / "log").iterdir()]
    assert len(names) == 2
    ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
    assert all(name.startswith("worker.") and name.endswith(ending) for name in names)


# ---- schedules -----------------------------------------------------------------------------------


def test_a_schedule_waits_warms_up_records_and_repeats() -> None:
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    cycle = [NONE, WARMUP, RECORD, SAVE]
    assert [plan(step) for step in range(12)] == [NONE, *cycle, *cycle, NONE, NONE, NONE]
    with pytest.raises(AssertionError, match="non-negative"):
        plan(-1)


@pytest.mark.parametrize("wrong", [{"wait": -1}, {"active": 0}, {"repeat": -1}])
def test_a_schedule_that_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        schedule(**{"wait": 0, "warmup": 1, "active": 1, **wrong})


def test_only_the_active_steps_are_recorded_and_handed_over() -> None:
    ready: list[tuple[int, list[str], int]] = []

    def look(found: profile) -> None:
        steps = [event.name for event in found.events() if event.name.startswith("ProfilerStep")]
        assert found.recording is not None
        ready.append((found.step_num, steps, len(found.recording.steps)))
        averages = [a for a in found.key_averages() if a.key == "ProfilerStep*"]
        assert averages[0].count == len(steps)

    step = make_step()
    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=plan, on_trace_ready=look) as found:
        for _ in range(10):
            assert (found.current_action in (RECORD, SAVE)) == bool(observers)
            step()
            found.step()
    assert [(number, names) for number, names, _ in ready] == [
        (4, ["ProfilerStep#2", "ProfilerStep#3"]), (8, ["ProfilerStep#6", "ProfilerStep#7"]),
    ]  # fmt: skip
    assert observers == watchers == []


@pytest.mark.parametrize("every", [False, True])
def test_events_of_all_cycles_are_kept_on_request(every: bool) -> None:
    with profile(schedule=schedule(wait=1, warmup=0, active=2), acc_events=every) as profiled:
        for _ in range(6):
            torch.ones(2)
            profiled.step()
    counts = {average.key: average.count for average in profiled.key_averages()}
    assert counts["aten::ones"] == (4 if every else 2)


def test_batches_of_a_loader_are_ranges() -> None:
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(3)))
    with profile() as profiled:
        list(batches)
    counts = {average.key: average.count for average in profiled.key_averages()}
    name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    assert counts[name] == 4  # the last finds that there are no more


def test_without_a_schedule_the_whole_block_is_handed_over_at_its_end() -> None:
    ready: list[int] = []
    with profile(on_trace_ready=lambda found: ready.append(len(found.events()))):
        torch.ones(2).exp()
        assert ready == []
    assert ready == [2]


def test_nothing_can_be_asked_of_a_profile_that_has_not_run(tmp_path: Path) -> None:
    waiting = profile()
    for ask in (waiting.events, waiting.key_averages):
        with pytest.raises(AssertionError, match="must be initialized"):
            ask()
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        profile(activities=[])


# ---- ranges and the older names ------------------------------------------------------------------


def test_a_function_may_be_a_range() -> None:
    @record_function("named")
    def double(x: Any) -> Any:
        return x * 2

    x = torch.ones(2)
    with profile() as found:
        assert double(x).tolist() == [2.0, 2.0]
    assert [e.name for e in found.events()][:2] == ["named", "aten::mul"]


def test_the_older_profiler_gives_the_same() -> None:
    step = make_step()
    with autograd_profiler.profile(record_shapes=True) as found:
        step()
    assert found is not None
    assert {"aten::linear", "forward"} <= {a.key for a in found.key_averages()}
    assert str(found) == found.table(row_limit=-1)
    assert found.self_cpu_time_total == found.function_events.self_cpu_time_total
    assert found.total_average().key == "Total"
    with pytest.raises(RuntimeError, match="not reentrant"):
        found.__enter__()


def test_the_older_profiler_may_be_switched_off_and_says_when_it_has_not_run() -> None:
    with autograd_profiler.profile(enabled=False) as found:
        torch.ones(1).exp()
    assert found is None
    assert str(autograd_profiler.profile()) == "<unfinished torch.autograd.profile>"


def test_profilers_of_other_makers_are_not_there() -> None:
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        autograd_profiler.emit_nvtx().__enter__()


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0, "0.000us"), (0.5, "0.500us"), (999.4, "999.400us"), (1500, "1.500ms"), (2e6, "2.000s")],
)
def test_times_are_written_as_in_pytorch(microseconds: float, text: str) -> None:
    assert time_text(microseconds) == text
