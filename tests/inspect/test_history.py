"""Histories over steps, against what NumPy computes of the same steps."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import History, ParameterStep, history, record


class Train:
    """A model, and its parameters before each step with the gradients of it."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.x, self.y = torch.randn(8, 4), torch.randn(8, 1)
        self.losses: list[float] = []
        self.weights: list[list[Any]] = []
        self.gradients: list[list[Any]] = []

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.net(self.x), self.y)
            loss.backward()
            self.losses.append(loss.item())
            self.weights.append([p.detach().clone().numpy() for p in self.net.parameters()])
            self.gradients.append([p.grad.clone().numpy() for p in self.net.parameters()])
            self.optimizer.step()


@pytest.fixture(scope="module")
def seen() -> tuple[Train, History]:
    train = Train()
    with history() as found:
        train.run(5)
    return train, found


def test_norms_are_those_of_each_step(seen: tuple[Train, History]) -> None:
    train, found = seen
    names = [f"Sequential.{name}" for name, _ in train.net.named_parameters()]
    assert found.names == names
    for position, name in enumerate(names):
        rows = found.of(name)
        assert [row.step for row in rows] == [1, 2, 3, 4, 5]
        for number, row in enumerate(rows):
            gradient = np.linalg.norm(train.gradients[number][position])
            assert row.gradient == pytest.approx(gradient, rel=1e-5)
            assert row.update == pytest.approx(0.1 * gradient, rel=1e-3)
            weight = np.linalg.norm(train.weights[number][position])
            assert row.weight == pytest.approx(weight, rel=1e-5)
    assert found.losses == [(n, pytest.approx(each)) for n, each in enumerate(train.losses, 1)]


def test_only_some_steps_are_measured() -> None:
    train = Train()
    with history(every=3) as found:
        train.run(7)
    assert {row.step for row in found.rows} == {1, 4, 7}
    assert [step for step, _ in found.losses] == [1, 4, 7]
    before = len(found.rows)
    train.run(3)
    assert len(found.rows) == before


def test_training_is_the_same_when_it_is_looked_at(seen: tuple[Train, History]) -> None:
    train = Train()
    train.run(5)
    assert train.losses == seen[0].losses


class Writer:
    """What a history calls of a `SummaryWriter`."""

    def __init__(self) -> None:
        self.scalars: list[tuple[str, float, int]] = []
        self.histograms: list[tuple[str, int, int]] = []

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.scalars.append((tag, value, step))

    def add_histogram(self, tag: str, values: Any, step: int) -> None:
        self.histograms.append((tag, values.numel(), step))


def test_steps_are_written_as_they_come_with_histograms() -> None:
    train, writer = Train(), Writer()
    with history(writer=writer) as found:
        train.run(2)
        assert {step for *_, step in writer.scalars} == {1, 2}
    after = Writer()
    found.to_tensorboard(after)
    assert sorted(after.scalars) == sorted(writer.scalars)
    assert ("weights of Sequential.0.weight", 12, 2) in writer.histograms
    assert ("gradients of Sequential.2.bias", 1, 1) in writer.histograms


def test_a_recording_has_a_history_too(seen: tuple[Train, History]) -> None:
    train = Train()
    with record() as recording:
        train.run(5)
    rows = recording.history().rows
    assert len(rows) == len(seen[1].rows)
    for row, expected in zip(rows, seen[1].rows, strict=True):
        assert row.step == expected.step
        assert row[2:] == pytest.approx(expected[2:], rel=1e-5)


def test_the_table_and_the_page_have_a_curve_for_each_parameter(
    seen: tuple[Train, History], tmp_path: Path
) -> None:
    found = seen[1]
    text = found.text(width=140)
    assert text.startswith("history of 5 steps\nloss █")
    assert all(name in text for name in found.names)
    found.html(tmp_path / "history.html")
    page = (tmp_path / "history.html").read_text("utf-8")
    assert page.count("<svg") == 1 + 3 * len(found.names)
    assert page.count("<polyline") == page.count("<svg")


def test_what_is_not_finite_is_a_gap_with_a_dot() -> None:
    rows = [ParameterStep(n, "<w>", [1.0, math.nan, 2.0][n], 1.0, 0.0) for n in range(3)]
    found = History(rows)
    assert "▁×█" in found.text()
    page = found._repr_html_()
    assert page.count("<circle") == 1
    assert page.count("<polyline") == 4  # two parts, and two whole curves
    assert "<w>" not in page


def test_a_history_of_less_than_each_step_is_refused() -> None:
    with pytest.raises(ValueError, match="every=1 or more, not 0"):
        history(every=0).__enter__()
