"""Files for viewers, checked against what their formats ask for."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Recording, record


@pytest.fixture(scope="module")
def recording() -> Recording:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters())
    with record() as recording:
        for _ in range(2):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(torch.ones(2, 3)), torch.zeros(2, 1)).backward()
            optimizer.step()
        worker = threading.Thread(target=lambda: torch.ones(2).exp(), name="worker")
        worker.start()
        worker.join()
    return recording


def loaded(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


# ---- JSON ----------------------------------------------------------------------------------------


def test_json_has_everything_in_numbers_that_refer_to_places(
    recording: Recording, tmp_path: Path
) -> None:
    recording.json(tmp_path / "step.json")
    content = loaded(tmp_path / "step.json")
    assert content == recording.to_dict()
    for name in ("lines", "events", "nodes", "allocations", "steps"):
        assert [each["number"] for each in content[name]] == list(range(len(content[name])))
    for event in content["events"]:
        assert event["parent"] is None or event["parent"] < event["number"]
        assert event["line"] is None or event["line"] < len(content["lines"])
        assert event["thread"] < len(content["threads"])


# ---- Chrome's trace ------------------------------------------------------------------------------

#: the fields that each kind of entry must have
FIELDS = {
    "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"},
    "M": {"name", "ph", "pid", "tid", "args"},
    "s": {"name", "cat", "ph", "ts", "id", "pid", "tid"},
    "f": {"name", "cat", "ph", "bp", "ts", "id", "pid", "tid"},
    "C": {"name", "ph", "ts", "pid", "tid", "args"},
    "i": {"name", "ph", "s", "ts", "pid", "tid"},
}


@pytest.fixture(scope="module")
def entries(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    recording.chrome_trace(path)
    content = loaded(path)
    assert content["displayTimeUnit"] in ("ms", "ns")
    return content["traceEvents"]


def test_each_entry_of_a_trace_has_the_fields_of_its_kind(entries: list[dict[str, Any]]) -> None:
    assert {entry["ph"] for entry in entries} == FIELDS.keys()
    for entry in entries:
        assert entry.keys() == FIELDS[entry["ph"]]
        assert entry.get("ts", 0) >= 0
        assert entry.get("dur", 0) >= 0
        assert isinstance(entry["pid"], int)
        assert isinstance(entry["tid"], int)


def test_a_trace_has_a_span_for_each_event(
    recording: Recording, entries: list[dict[str, Any]]
) -> None:
    spans = [entry for entry in entries if entry["ph"] == "X"]
    assert Counter(span["name"] for span in spans) == Counter(e.name for e in recording.events)
    first = recording.events[0]
    assert (spans[0]["ts"], spans[0]["dur"]) == (first.start / 1000, first.duration / 1000)


def test_the_spans_of_a_thread_are_nested(entries: list[dict[str, Any]]) -> None:
    for thread in {entry["tid"] for entry in entries}:
        open_: list[float] = []
        for span in (e for e in entries if e["ph"] == "X" and e["tid"] == thread):
            while open_ and open_[-1] <= span["ts"]:
                open_.pop()
            end = span["ts"] + span["dur"]
            assert not open_ or end <= open_[-1] + 1e-6
            open_.append(end)


def test_each_arrow_of_a_trace_has_both_ends(entries: list[dict[str, Any]]) -> None:
    starts = {e["id"]: e["ts"] for e in entries if e["ph"] == "s"}
    ends = {e["id"]: e["ts"] for e in entries if e["ph"] == "f"}
    nodes = sum(e["ph"] == "X" and e["name"].endswith("Backward0") for e in entries)
    assert starts.keys() == ends.keys()
    assert len(starts) == nodes > 0
    assert all(starts[arrow] < ends[arrow] for arrow in starts)


def test_the_curve_of_a_trace_is_that_of_live_bytes(
    recording: Recording, entries: list[dict[str, Any]]
) -> None:
    sizes = [entry["args"]["bytes"] for entry in entries if entry["ph"] == "C"]
    assert max(sizes) == recording.peak.bytes
    assert min(sizes) >= 0


# ---- speedscope ----------------------------------------------------------------------------------


def test_a_speedscope_file_keeps_the_rules_of_its_format(
    recording: Recording, tmp_path: Path
) -> None:
    recording.speedscope(tmp_path / "step.speedscope.json")
    content = loaded(tmp_path / "step.speedscope.json")
    assert content["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = content["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str)
        assert frame.keys() <= {"name", "file", "line", "col"}
    assert len(content["profiles"]) == len(recording.threads)
    assert 0 <= content["activeProfileIndex"] < len(content["profiles"])
    for profile in content["profiles"]:
        check_profile(profile, len(frames))
    opened = sum(e["type"] == "O" for p in content["profiles"] for e in p["events"])
    assert opened == len(recording.events)


def check_profile(profile: dict[str, Any], frames: int) -> None:
    """Check an evented profile: times in order, what is opened last is closed first."""
    assert profile.keys() == {"type", "name", "unit", "startValue", "endValue", "events"}
    assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
    time, open_ = profile["startValue"], []
    for event in profile["events"]:
        assert event.keys() == {"type", "frame", "at"}
        assert time <= event["at"] <= profile["endValue"]
        assert 0 <= event["frame"] < frames
        time = event["at"]
        if event["type"] == "O":
            open_.append(event["frame"])
        else:
            assert event["type"] == "C"
            assert open_.pop() == event["frame"]
    assert open_ == []


# ---- DOT -----------------------------------------------------------------------------------------


def test_the_graph_has_a_box_for_each_op_of_a_line_and_their_times(
    recording: Recording, tmp_path: Path
) -> None:
    recording.dot(tmp_path / "step.dot")
    text = (tmp_path / "step.dot").read_text("utf-8")
    boxes = dict(re.findall(r'^  (n\d+) \[label="(.*)", fillcolor=".*"\];$', text, re.MULTILINE))
    edges = re.findall(r"^  (n\d+) -> (n\d+)(?: \[label=\"\d+\"\])?;$", text, re.MULTILINE)
    assert text.startswith("digraph {")
    assert text.endswith("}")
    assert len(text.splitlines()) == 3 + len(boxes) + len(edges)
    titles = {label.split("\\n")[0]: name for name, label in boxes.items()}
    assert set(titles) == {"linear ×2", "relu ×2", "mse ×2"}
    assert len(boxes) == 4  # the two linear layers are two modules
    assert all("forward" in label and "backward" in label for label in boxes.values())
    assert (titles["relu ×2"], titles["linear ×2"]) in edges
    assert len(edges) == 3
