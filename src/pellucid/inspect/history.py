"""Histories over the steps of a run: gradients, weights and updates of each parameter, the loss."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd import reading
from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError
from pellucid.inspect.checks.run import Entry, Run, array_of, loss_of
from pellucid.inspect.recording.measures import (
    distance,
    measure,
    ratio_of_norms,
    sum_of_squares,
)
from pellucid.inspect.tables import Column, Printed, count_text, table_lines
from pellucid.observe import watchers

#: characters of a curve in text
_CURVE = 16
_HEIGHTS = "▁▂▃▄▅▆▇█"


class ParameterStep(NamedTuple):
    """A parameter at one step of an optimizer.

    Attributes:
        step: The number of the step, from 1.
        name: The name of the parameter.
        gradient: The norm of its gradient.
        weight: The norm of the parameter before the step.
        update: The norm of the change that the step made to it.

    >>> from pellucid.inspect import ParameterStep
    >>> ParameterStep(1, "weight", 0.5, 2.0, 0.01).ratio
    0.005
    """

    step: int
    name: str
    gradient: float
    weight: float
    update: float

    @property
    def ratio(self) -> float:
        """The norm of the update divided by that of the parameter; infinite for one of zeros."""
        return ratio_of_norms(self.update, self.weight)


@dataclass(slots=True)
class History(Printed):
    """The steps of a run: prints as a table with a curve in each cell.

    Attributes:
        rows: Each parameter at each step that was measured.
        losses: Step and loss, of passes that began at one number.

    >>> from pellucid.inspect import History
    >>> print(History())
    history of 0 steps
    """

    rows: list[ParameterStep] = field(default_factory=list)
    losses: list[tuple[int, float]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the parameters, in the order of the optimizers."""
        return list(dict.fromkeys(row.name for row in self.rows))

    def of(self, name: str) -> list[ParameterStep]:
        """Return the steps of one parameter.

        Args:
            name: Its name, as in `names`.
        """
        return [row for row in self.rows if row.name == name]

    def curves(self) -> list[tuple[str, dict[str, list[float]]]]:
        """Return for each parameter its gradients, weights and relative updates."""
        return [
            (
                name,
                {
                    "gradient": [row.gradient for row in rows],
                    "weight": [row.weight for row in rows],
                    "update / weight": [row.ratio for row in rows],
                },
            )
            for name, rows in self._by_name().items()
        ]

    def _by_name(self) -> dict[str, list[ParameterStep]]:
        found: dict[str, list[ParameterStep]] = {}
        for row in self.rows:
            found.setdefault(row.name, []).append(row)
        return found

    def text(self, width: int | None = None) -> str:
        """Return the table as text, by default as wide as the terminal."""
        steps = len({row.step for row in self.rows})
        lines = [f"history of {count_text(steps, 'step')}"]
        if self.losses:
            values = [loss for _, loss in self.losses]
            lines.append(f"loss {curve(values)}  from {values[0]:.3g} to {values[-1]:.3g}")
        if self.rows:
            columns = [Column("parameter", True)]
            cells: list[list[str]] = []
            for name, found in self.curves():
                cells.append([name])
                for values in found.values():
                    cells[-1] += [curve(values), f"{values[-1]:.2g}"]
            for each in ("gradient", "weight", "update / weight"):
                columns += [Column(each, True, _CURVE), Column("last")]
            lines += ["", *table_lines(columns, cells, width)]
        return "\n".join(lines)

    def to_tensorboard(self, writer: Any) -> None:
        """Write everything as curves for TensorBoard.

        Args:
            writer: A ``SummaryWriter``, or anything else with its ``add_scalar``.
        """
        for step, loss in self.losses:
            writer.add_scalar("loss", loss, step)
        for row in self.rows:
            writer.add_scalar(f"gradients/{row.name}", row.gradient, row.step)
            writer.add_scalar(f"weights/{row.name}", row.weight, row.step)
            writer.add_scalar(f"updates/{row.name}", row.ratio, row.step)

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with the curves, which opens in a browser without a network.

        Args:
            path: The file, usually ``.html``.
        """
        from pellucid.inspect.page.histories import history_page

        Path(path).write_text(history_page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        from pellucid.inspect.page.histories import history_html

        return history_html(self)

    def __repr__(self) -> str:
        return f"<History of {count_text(len(self.rows), 'row')}>"


def curve(values: Sequence[float]) -> str:
    """Return numbers as a row of characters, from the least to the largest; × is not finite.

    Args:
        values: The numbers; of many, means of neighbours are shown.

    >>> curve([0.0, 1.0, 2.0, float("nan")])
    '▁▅█×'
    """
    parts = np.array_split(np.array(values, float), min(len(values), _CURVE) or 1)
    means = [float(part.mean()) if part.size else math.nan for part in parts]
    finite = [each for each in means if math.isfinite(each)]
    least, most = min(finite, default=0.0), max(finite, default=0.0)
    scale = (len(_HEIGHTS) - 1) / (most - least) if most > least else 0.0
    return "".join(
        _HEIGHTS[int((each - least) * scale + 0.5)] if math.isfinite(each) else "×"
        for each in means
    )


@temporary
def history(block: Block, every: int = 1, writer: Any = None) -> History:
    """Note gradients, weights and updates of all parameters at the optimizers' steps in the block.

    A step that is measured copies the parameters, and nothing else runs slower.

    Args:
        every: Only every so many steps of an optimizer are measured.
        writer: A ``SummaryWriter``, to which each measured step is written at once, with histograms
            of gradients and weights; or None.

    Returns:
        A context manager that gives the `History`, which fills while the block runs.

    Raises:
        ValueError: If ``every`` is less than one.

    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    >>> with torch.inspect.history() as seen:
    ...     for _ in range(3):
    ...         optimizer.zero_grad()
    ...         net(torch.ones(4, 2)).sum().backward()
    ...         optimizer.step()
    >>> [(row.step, row.gradient, round(row.update, 3)) for row in seen.of("Linear.bias")]
    [(1, 4.0, 2.0), (2, 4.0, 2.0), (3, 4.0, 2.0)]
    """
    if every < 1:
        raise ArgumentError(f"history() takes every=1 or more, not {every}")
    found = History()
    noting = _Noting(found, every, writer)
    block._append(watchers, noting.hear)
    others = ExitStack()
    block._at_end(others.close)
    for library in reading.others():
        others.enter_context(library.watching_torch(noting.hear))
    return found


class _Noting:
    """What fills a history.

    Args:
        history: The history.
        every: As in `history`.
        writer: As in `history`.
    """

    def __init__(self, history: History, every: int, writer: Any) -> None:
        self._history = history
        self._every = every
        self._writer = writer
        self._run = Run()
        self._names: dict[int, str] = {}
        self._before: list[tuple[Entry, Any]] = []
        self._steps = self._written = 0
        self._handlers: dict[str, Callable[[Any], None]] = {
            "module began": self._run.add_module,
            "backward ended": self._backward_ended,
            "step began": self._step_began,
            "step ended": self._step_ended,
        }

    def hear(self, event: str, subject: Any) -> None:
        """Take an event of `pellucid.observe.watching`."""
        handle = self._handlers.get(event)
        if handle is not None:
            handle(subject)

    @property
    def _is_due(self) -> bool:
        return self._steps % self._every == 0

    def _backward_ended(self, asked: Any) -> None:
        loss = loss_of(asked) if self._is_due else None
        if loss is not None:
            self._history.losses.append((self._steps + 1, loss))

    def _step_began(self, optimizer: Any) -> None:
        if self._is_due:
            entries = self._run.entries(optimizer)
            self._before = [(each, array_of(each.tensor).copy()) for each in entries]

    def _step_ended(self, optimizer: Any) -> None:
        self._steps += 1
        before, self._before = self._before, []
        for entry, array in before:
            entry.read_again()
            if entry.grad is not None:
                self._note(entry, array)
        if self._writer is not None and before:
            self._write(before)

    def _note(self, entry: Entry, before: Any) -> None:
        key = id(entry.key)
        if key not in self._names:
            self._names[key] = self._run.name_of(entry.tensor) or entry.label
        weight = sum_of_squares(before) ** 0.5
        self._history.rows.append(
            ParameterStep(
                self._steps, self._names[key], measure(array_of(entry.grad)).norm, weight,
                distance(array_of(entry.tensor), before),
            )
        )  # fmt: skip

    def _write(self, before: list[tuple[Entry, Any]]) -> None:
        history, writer = self._history, self._writer
        losses = [each for each in history.losses if each[0] > self._written]
        rows = [row for row in history.rows[-len(before) :] if row.step == self._steps]
        History(rows, losses).to_tensorboard(writer)
        self._written = self._steps
        for entry, _ in before:
            name = self._names.get(id(entry.key))
            if name is not None and entry.grad is not None:
                writer.add_histogram(f"gradients of {name}", entry.grad, self._steps)
                writer.add_histogram(f"weights of {name}", entry.tensor, self._steps)
