"""A recording: what has happened in the steps it was made of, ready to be asked."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.inspect.recording import (
    chrome_trace,
    gradients,
    memory,
    rank_times,
    speedscope,
    totals,
    values,
)
from pellucid.inspect.recording.events import (
    Allocation,
    Event,
    LineGradient,
    ParameterGradient,
    RecordedExchange,
    RecordedNode,
    RecordedValue,
    SourceLine,
    Step,
)
from pellucid.inspect.recording.rank_times import RankTimes
from pellucid.inspect.recording.time_graph import write_dot
from pellucid.inspect.tables import count_text

if TYPE_CHECKING:
    from pellucid.inspect.history import History

#: the version of what `Recording.to_dict` returns
FORMAT = 1

PathLike = str | os.PathLike[str]


@dataclass(slots=True)
class Recording:
    """What has happened in a block of `pellucid.inspect.record`.

    It is empty until the block ends.

    Attributes:
        lines: The lines of the program that took part.
        events: What took time, sorted by beginning.
        nodes: The nodes that were made, in the order of their making.
        allocations: The memory that was made or used.
        steps: The steps of training.
        line_gradients: The gradients that arrived at the results of each line.
        parameter_gradients: The gradients and updates of each parameter.
        threads: The names of the threads.
        duration: How long the recording took, in nanoseconds.
        recorded_values: What results and gradients were like, with ``record(values=True)``.
        own_time: How much of that the recorder itself took, which no event has.
        process: The number of the process.
        exchanges: The exchanges with other ranks that were begun.
        clock: The time of day at which it began, in nanoseconds.
        ranks: The recordings of all ranks side by side, after `over_ranks`.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.inspect.record() as recording:
    ...     (x * x).sum().backward()
    >>> recording
    <Recording of 5 events in 1 step>
    """

    lines: tuple[SourceLine, ...] = ()
    events: tuple[Event, ...] = ()
    nodes: tuple[RecordedNode, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    steps: tuple[Step, ...] = ()
    line_gradients: tuple[LineGradient, ...] = ()
    parameter_gradients: tuple[ParameterGradient, ...] = ()
    threads: tuple[str, ...] = ()
    duration: int = 0
    own_time: int = 0
    recorded_values: tuple[RecordedValue, ...] = ()
    process: int = 0
    exchanges: tuple[RecordedExchange, ...] = ()
    clock: int = 0
    ranks: RankTimes | None = field(default=None, repr=False, compare=False)
    _peak: memory.Peak | None = field(default=None, repr=False, compare=False)

    # ---- tables ----------------------------------------------------------------------------------

    def by_line(self) -> totals.Totals:
        """Return times and bytes by line; backward counts for the line that made the node.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with torch.inspect.record() as recording:
        ...     y = (x * x).sum()
        ...     y.backward()
        >>> [row.text for row in recording.by_line() if row.forward and row.backward]
        ['y = (x * x).sum()']
        """
        return totals.by_line(self)

    def by_module(self) -> totals.Totals:
        """Return times and bytes by module; the column ``total`` has those inside of it, too."""
        return totals.by_module(self)

    def by_op(self) -> totals.Totals:
        """Return times and bytes by op; the column ``total`` has the ops that it calls, too.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with torch.inspect.record() as recording:
        ...     (x * x).sum().backward()
        >>> recording.by_op()["mul"].calls
        1
        """
        return totals.by_op(self)

    # ---- memory and gradients --------------------------------------------------------------------

    def memory(self) -> memory.MemoryTimeline:
        """Return the live bytes over time, together and by line, and what there was at the peak.

        What a kernel uses for itself alone while it runs is not seen.
        """
        return memory.timeline(self)

    @property
    def peak(self) -> memory.Peak:
        """The moment with the most live memory: the lines that made it, and what kept it."""
        if self._peak is None:
            self._peak = memory.find_peak(self)
        return self._peak

    def gradients(self, step: int = -1) -> gradients.GradientFlow:
        """Return the gradients and updates of one step, by line and by parameter.

        Args:
            step: The number of the step; -1 is the last.

        Raises:
            IndexError: If there is no such step.

        >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> with torch.inspect.record() as recording:
        ...     (w * w).sum().backward()
        ...     optimizer.step()
        >>> row = recording.gradients().parameters[0]
        >>> row.norm, round(row.ratio, 3)
        (10.0, 0.2)
        """
        return gradients.flow(self, step)

    def history(self) -> History:
        """Return gradients, weights and updates of each parameter over the recorded steps."""
        from pellucid.inspect.history import History, ParameterStep

        return History([
            ParameterStep(each.step + 1, each.name, each.norm, each.weight, each.update)
            for each in self.parameter_gradients
        ])  # fmt: skip

    def values(self, step: int = -1) -> values.ValueTable:
        """Return what the results of one step, and the gradients that arrived at them, were like.

        Args:
            step: The number of the step; -1 is the last.

        Raises:
            IndexError: If there is no such step.

        >>> x = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> with torch.inspect.record(values=True) as recording:
        ...     (x * x).sum().backward()
        >>> [(row.kind, row.name, row.summary.mean) for row in recording.values().rows][:2]
        [('value', 'mul', 12.5), ('value', 'sum', 25.0)]
        """
        return values.table(self, step)

    def over_ranks(self, group: Any = None) -> RankTimes:
        """Put the recordings of all ranks side by side; all of them call it.

        For each rank and line: how long it computed, waited for the last rank to come to an
        exchange, and exchanged. The page that `html` writes has it as well from then on.

        Args:
            group: The group; the default one if None.

        Raises:
            ValueError: Without a process group.

        >>> torch.distributed.init_process_group(world_size=1, rank=0)
        >>> with torch.inspect.record() as recording:
        ...     _ = torch.ones(2).exp()
        >>> len(recording.over_ranks().rows)
        1
        >>> torch.distributed.destroy_process_group()
        """
        self.ranks = rank_times.side_by_side(self, group)
        return self.ranks

    # ---- files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text, ready for JSON."""
        shown = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.compare}
        return {"format": FORMAT, **shown}

    def json(self, path: PathLike) -> None:
        """Write everything to a file, as JSON.

        Args:
            path: The file.
        """
        _write_json(path, self.to_dict())

    def chrome_trace(self, path: PathLike) -> None:
        """Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing.

        Args:
            path: The file, usually ``.json``.
        """
        _write_json(path, chrome_trace.chrome_trace(self))

    def speedscope(self, path: PathLike) -> None:
        """Write a profile for speedscope (speedscope.app).

        Args:
            path: The file, usually ``.speedscope.json``.
        """
        _write_json(path, speedscope.speedscope(self))

    def dot(self, path: PathLike) -> None:
        """Write the graph of ops by line, with their times, in the language of Graphviz.

        Args:
            path: The file, usually ``.dot``.
        """
        Path(path).write_text(write_dot(self), encoding="utf-8")

    def svg(self, path: PathLike) -> None:
        """Write the curve of live memory as a drawing.

        Args:
            path: The file, usually ``.svg``.
        """
        from pellucid.inspect.page.curve import memory_svg

        Path(path).write_text(memory_svg(self), encoding="utf-8")

    def html(self, path: PathLike) -> None:
        """Write a page that opens in a browser: the graph over time, live memory, hot lines.

        Args:
            path: The file, usually ``.html``.
        """
        from pellucid.inspect.page.recorded import recording_page

        Path(path).write_text(recording_page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return live memory and times by line, for notebooks."""
        from pellucid.inspect.page.notebook import recording_html

        return recording_html(self)

    def __str__(self) -> str:
        return str(self.by_line())

    def __repr__(self) -> str:
        counted = count_text(len(self.events), "event"), count_text(len(self.steps), "step")
        return f"<Recording of {counted[0]} in {counted[1]}>"


def _plain(value: Any) -> Any:
    """Return dataclasses and named tuples as dictionaries, and tuples as lists."""
    names = getattr(value, "__dataclass_fields__", None) or getattr(value, "_fields", None)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return None
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _write_json(path: PathLike, content: Any) -> None:
    Path(path).write_text(json.dumps(content), encoding="utf-8")
