"""Recordings of values: what each result and gradient was like, against NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import record
from pellucid.inspect.page.recorded import graph_of
from pellucid.tensors.summary import summarize


@pytest.fixture(scope="module")
def recorded() -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    x = torch.randn(16, 4)
    with record(values=True) as recording:
        hidden = model[:2](x)
        model[2](hidden).sum().backward()
    return recording, hidden


def test_a_result_is_summed_up_as_numpy_does(recorded: tuple[Any, Any]) -> None:
    recording, hidden = recorded
    (row,) = [each for each in recording.values().rows if each.name == "relu"]
    values = hidden.detach().numpy()
    found = row.summary
    assert (found.shape, found.dtype, found.count) == ((16, 8), "float32", 128)
    assert found.mean == pytest.approx(values.mean())
    assert found.std == pytest.approx(values.std())
    assert (found.least, found.most) == (values.min(), pytest.approx(values.max()))
    assert found.zeros == (values == 0).sum()
    assert list(found.histogram) == np.histogram(values.astype(float), 16)[0].tolist()
    assert (len(found.picture), len(found.picture[0])) == (12, 8)
    assert np.mean(found.picture, 0)[0] == pytest.approx(
        np.mean([each.mean() for each in np.add.reduceat(values[:, :1], np.linspace(0, 16, 13)
        .astype(int)[:-1], 0) / np.diff(np.linspace(0, 16, 13).astype(int))[:, None]]), rel=1e-3
    )  # fmt: skip


@pytest.mark.parametrize(
    "values",
    [np.nextafter(1.0, [1, 2, 2]), np.float32([1e8, 1e8 + 8]), [-1.7e308, 1.7e308], [5e-324, 0.0]],
    ids=["nearly equal", "nearly equal floats", "the largest", "the smallest"],
)
def test_a_histogram_of_any_range_counts_every_element(values: Any) -> None:
    histogram = summarize(np.asarray(values), pictures=True).histogram
    assert len(histogram) == 16
    assert sum(histogram) == len(values)


def test_nearly_equal_values_fall_to_the_two_ends() -> None:
    values = np.nextafter(1.0, [1, 2, 2])
    with record(values=True) as recording:
        torch.tensor(values) * 1.0
    (row,) = [each for each in recording.values().rows if each.name == "mul"]
    assert row.summary.histogram == (1, *[0] * 14, 2)


def test_gradients_stand_beside_the_values_with_line_and_module(
    recorded: tuple[Any, Any],
) -> None:
    recording, _ = recorded
    table = recording.values()
    kinds = {(row.kind, row.name): row for row in table.rows}
    gradient = kinds["gradient", "ReluBackward0"]
    assert recording.lines[gradient.line].text == "hidden = model[:2](x)"
    assert gradient.summary.shape == (16, 8)
    assert kinds["gradient", "SumBackward0"].summary.mean == 1.0
    assert [row.name for row in table.rows if row.kind == "value"] == [
        "linear", "relu", "linear", "sum",
    ]  # fmt: skip
    assert table.of_module(gradient.module) != ()


def test_the_first_nan_is_named() -> None:
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    with record(values=True) as recording:
        root = x.sqrt()
        (root * 2).sum()
    first = recording.values().first_unusual
    assert first is not None
    assert (first.name, first.summary.nans) == ("sqrt", 1)
    assert "the first NaN or infinity: value of sqrt" in recording.values().text()


def test_nothing_is_summed_up_unless_asked_for(recorded: tuple[Any, Any]) -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as recording:
        x.exp().sum().backward()
    assert recording.values().rows == ()


def test_values_are_written_as_json(recorded: tuple[Any, Any], tmp_path: Path) -> None:
    recording, _ = recorded
    recording.json(tmp_path / "values.json")
    read = json.loads((tmp_path / "values.json").read_text("utf-8"))
    assert len(read["recorded_values"]) == len(recording.recorded_values)
    assert read["recorded_values"][0]["summary"]["shape"] == [16, 8]
    assert read["recorded_values"][0]["whole"] is None


def test_whole_values_are_copies_that_later_changes_do_not_reach() -> None:
    x = torch.ones(3, requires_grad=True)
    with record(values="whole") as recording:
        y = x * 2
        loss = y.sum()
        loss.backward()
        with torch.no_grad():
            y.zero_()
    rows = {(row.kind, row.name): row for row in recording.values().rows}
    assert rows["value", "mul"].whole.tolist() == [2, 2, 2]
    assert rows["gradient", "MulBackward0"].whole.tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match='takes values=True, False or "whole"'):
        record(values="all").__enter__()


def test_the_boxes_of_the_page_have_the_values(recorded: tuple[Any, Any], tmp_path: Path) -> None:
    recording, hidden = recorded
    graph = graph_of(recording)
    (relu,) = [n for n in graph.nodes if n.kind.op == "relu"]
    assert graph.values is not None
    assert graph.values.results[relu.number].summary.mean == pytest.approx(hidden.mean().item())
    assert relu.number in graph.values.gradients
    recording.html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert f"= {graph.values.results[relu.number].short}" in text
