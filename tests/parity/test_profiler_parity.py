"""The profiler's tables, names and schedules are PyTorch's."""

from __future__ import annotations

import inspect
import itertools
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


def profiled(library: ModuleType, **options: Any) -> Any:
    """Return a profile of the same step."""
    model = library.nn.Sequential(
        library.nn.Linear(4, 8), library.nn.ReLU(), library.nn.Linear(8, 1)
    )
    optimizer = library.optim.SGD(model.parameters(), lr=0.1)
    x = library.ones(3, 4)
    with library.profiler.profile(
        activities=[library.profiler.ProfilerActivity.CPU], **options
    ) as found:
        with library.profiler.record_function("forward"):
            loss = model(x).sum()
        loss.backward()
        optimizer.step()
    return found


def columns(table: str) -> list[str]:
    """Return the titles of a table's columns."""
    heading = next(line for line in table.splitlines() if "Self CPU %" in line)
    return re.split(r"\s{2,}", heading.strip())


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("shapes", [False, True])
def test_tables_have_the_same_columns(memory: bool, shapes: bool) -> None:
    ours, theirs = (
        profiled(library, record_shapes=shapes, profile_memory=memory)
        .key_averages(group_by_input_shape=shapes)
        .table()
        for library in (pellucid, torch)
    )
    assert columns(ours) == columns(theirs)


def test_lines_of_tables_are_built_alike() -> None:
    ours, theirs = (
        profiled(library).key_averages().table(row_limit=1, header="heading").splitlines()
        for library in (pellucid, torch)
    )
    assert len(ours) == len(theirs)
    assert ours[1] == theirs[1] == "heading"
    # the first column is as wide as the longest name
    assert [line.split()[1:] for line in (ours[2], ours[4])] == [
        line.split()[1:] for line in (theirs[2], theirs[4])
    ]
    assert ours[3].split() == theirs[3].split()
    assert re.sub(r"[\d.]+m?u?s", "", ours[-1]) == re.sub(r"[\d.]+m?u?s", "", theirs[-1])


NAMES = [
    "forward", "aten::linear", "aten::relu", "aten::sum", "AddmmBackward0", "ReluBackward0",
    "SumBackward0", "Optimizer.step#SGD.step",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_both_know_has_the_same_name_and_count(name: str) -> None:
    ours, theirs = (
        {average.key: average.count for average in profiled(library).key_averages()}
        for library in (pellucid, torch)
    )
    if name == "aten::sum":  # there also of the gradient of the bias
        assert name in theirs
    else:
        assert ours[name] == theirs[name]


def test_shapes_and_the_parts_of_a_range_are_the_same() -> None:
    found = []
    for library in (pellucid, torch):
        events = profiled(library, record_shapes=True).events()
        (part,) = [event for event in events if event.name == "forward"]
        found.append([(child.name, child.input_shapes[:3]) for child in part.cpu_children])
    assert found[0][:3] == found[1][:3]
    assert [name for name, _ in found[0]] == [name for name, _ in found[1]]


@pytest.mark.parametrize(
    ("wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"),
    [*itertools.product((0, 2), (1,), (1, 3), (0, 2), (0, 3), (0, 1))],
)
def test_schedules_are_the_same(
    wait: int, warmup: int, active: int, repeat: int, skip_first: int, skip_first_wait: int
) -> None:
    options = {
        "wait": wait, "warmup": warmup, "active": active, "repeat": repeat,
        "skip_first": skip_first, "skip_first_wait": skip_first_wait,
    }  # fmt: skip
    ours, theirs = (lib.profiler.schedule(**options) for lib in (pellucid, torch))
    assert [ours(i).name for i in range(24)] == [theirs(i).name for i in range(24)]


@pytest.mark.parametrize(
    "name", ["profile", "schedule", "tensorboard_trace_handler", "record_function"]
)
def test_parameters_are_the_same(name: str) -> None:
    ours, theirs = (
        list(inspect.signature(getattr(library.profiler, name)).parameters)
        for library in (pellucid, torch)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", ["CPU", "CUDA", "XPU", "MTIA", "HPU", "PrivateUse1"])
def test_activities_have_the_same_values(name: str) -> None:
    ours, theirs = (
        getattr(library.profiler.ProfilerActivity, name) for library in (pellucid, torch)
    )
    assert ours.value == int(theirs.value)


def test_the_names_of_trace_files_are_alike(tmp_path: Path) -> None:
    endings = []
    for library in (pellucid, torch):
        folder = tmp_path / library.__name__
        handler = library.profiler.tensorboard_trace_handler(str(folder), "worker")
        with library.profiler.profile(on_trace_ready=handler):
            library.ones(2).exp()
        (path,) = folder.iterdir()
        endings.append(re.sub(r"\d+", "N", path.name))
    assert endings[0] == endings[1]


@pytest.mark.parametrize("size", [0, -12, 1000, 1024, -5000, 3_000_000, 2_000_000_000])
def test_sizes_are_written_alike(size: int) -> None:
    from pellucid.profiler.table import _size

    assert _size(size) == torch.autograd.profiler_util._format_memory(size)
