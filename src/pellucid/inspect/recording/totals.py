"""Times and bytes by line, module or op, with forward and backward side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pellucid.inspect.recording.events import Event
from pellucid.inspect.tables import (
    LINE,
    Column,
    Printed,
    count_text,
    share_text,
    size_text,
    table_lines,
    time_text,
)

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording


@dataclass(slots=True)
class Total:
    """What one line, module or op has taken; the times add up to those of the whole recording.

    Attributes:
        name: ``file.py:LINE``, the dotted name of a module, or the name of an op.
        text: The source of a line; empty for others.
        calls: How many events are counted, without nodes that ran backward.
        forward: Nanoseconds forward, without the parts that are counted elsewhere.
        backward: The same backward; of a line or module this is the time of the nodes it has made.
        update: The same in steps of optimizers.
        total: Nanoseconds with all parts: ops called by ops, modules inside of modules.
        made: Bytes of new memory.
        freed: Bytes that were freed meanwhile.
        at_peak: Bytes of what was made here that were there at the peak.
    """

    name: str
    text: str = ""
    calls: int = 0
    forward: int = 0
    backward: int = 0
    update: int = 0
    total: int = 0
    made: int = 0
    freed: int = 0
    at_peak: int = 0

    @property
    def own(self) -> int:
        """Nanoseconds without parts, of all phases."""
        return self.forward + self.backward + self.update

    def add(self, event: Event) -> None:
        """Count an event's own time and bytes."""
        if event.kind != "node":
            self.calls += 1
        if event.phase == "backward":
            self.backward += event.self_time
        elif event.phase == "update":
            self.update += event.self_time
        else:
            self.forward += event.self_time
        self.made += event.made
        self.freed += event.freed


@dataclass(slots=True)
class Totals(Printed):
    """A table of totals, the longest first; iterate over it for its rows.

    Attributes:
        kind: ``line``, ``module`` or ``op``.
        rows: The totals.
        recorder: Nanoseconds that the recorder itself has taken, which are in no row.
    """

    kind: str
    rows: list[Total] = field(default_factory=list)
    recorder: int = 0

    def __iter__(self) -> Iterator[Total]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Total:
        """Return the total of a line, module or op; raise KeyError if there is none."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return the table as text: at most ``limit`` rows, by default as wide as the terminal."""
        whole = sum(row.own for row in self.rows)
        shown = self.rows[:limit]
        cells = self.cells(limit)
        if self.recorder and len(shown) == len(self.rows):
            name = ["(the recorder)", ""] if self.kind == "line" else ["(the recorder)"]
            cells.append([*name, "", "", "", "", time_text(self.recorder), "", "", "", ""])
        lines = table_lines(self.columns, cells, width)
        left = len(self.rows) - len(shown)
        if left:
            rest = sum(row.own for row in self.rows[len(shown) :])
            lines.append(f"and {count_text(left, self.kind)} more, {share_text(rest, whole)}")
        return "\n".join(lines)

    @property
    def columns(self) -> list[Column]:
        """The columns of the table."""
        columns = [Column(self.kind, is_text=True)]
        if self.kind == "line":
            columns = [LINE, Column("source", is_text=True, least=24)]
        columns += map(Column, ("forward", "backward", "update", "share", "total", "calls"))
        return [*columns, *map(Column, ("made", "freed", "at peak"))]

    def cells(self, limit: int | None) -> list[list[str]]:
        """Return the texts in at most ``limit`` rows of the table."""
        whole = sum(row.own for row in self.rows)
        return [self._cells(row, whole) for row in self.rows[:limit]]

    def _cells(self, row: Total, whole: int) -> list[str]:
        names = [row.name, row.text] if self.kind == "line" else [row.name]
        times = (time_text(each) for each in (row.forward, row.backward, row.update))
        sizes = (size_text(each) if each else "" for each in (row.made, row.freed, row.at_peak))
        share = share_text(row.own, whole)
        return [*names, *times, share, time_text(row.total), f"{row.calls:,}", *sizes]


#: what an event is counted under; None for nothing
Key = Callable[[Event], str | None]


def by_line(recording: Recording) -> Totals:
    """Return the totals of each line."""
    lines = recording.lines

    def key(event: Event) -> str | None:
        return None if event.line is None else lines[event.line].where

    totals = _totals(recording, key)
    for line in lines:
        if line.where in totals:
            totals[line.where].text = line.text
    _add_parts(totals, recording.events, key)
    return _sorted("line", totals.values(), recording)


def by_op(recording: Recording) -> Totals:
    """Return the totals of each op, function, optimizer step and pass."""

    def key(event: Event) -> str | None:
        return None if event.kind in ("module", "range") else op_name(recording, event)

    totals = _totals(recording, key)
    _add_parts(totals, recording.events, key)
    return _sorted("op", totals.values(), recording)


def op_name(recording: Recording, event: Event) -> str:
    """Return the name of an event's op: of a node that of the op that made it, if it is known."""
    if event.kind != "node" or event.node is None:
        return event.name
    maker = recording.nodes[event.node].event
    return event.name if maker is None else recording.events[maker].name


def by_module(recording: Recording) -> Totals:
    """Return the totals of each module; the total has all that modules inside of it have taken."""
    totals = _totals(recording, lambda event: event.module or "(no module)")
    outermost = {event.name for event in recording.events if event.kind == "module"}
    outer = _outermost_modules(recording)
    for name in list(totals):
        while "." in name:  # modules that do nothing but call others
            name = name.rpartition(".")[0]
            totals.setdefault(name, Total(name))
    for name, row in totals.items():
        below = f"{name}."
        inside = [each for each in totals.values() if each is row or each.name.startswith(below)]
        row.total = sum(each.own for each in inside)
    for name in outermost & totals.keys():
        of_it = (e for e in recording.events if outer[e.number] == name)
        totals[name].total = sum(event.self_time for event in of_it)
    return _sorted("module", totals.values(), recording)


def _outermost_modules(recording: Recording) -> list[str | None]:
    """Return for each event the outermost module that it ran in, or that made its node."""
    found: list[str | None] = []
    for event in recording.events:
        maker = None if event.node is None else recording.nodes[event.node].event
        if event.kind == "module" and (event.parent is None or found[event.parent] is None):
            found.append(event.name)
        elif event.kind == "node" and maker is not None and maker < event.number:
            found.append(found[maker])
        else:
            found.append(None if event.parent is None else found[event.parent])
    return found


def _totals(recording: Recording, key: Key) -> dict[str, Total]:
    totals: dict[str, Total] = {}
    keys: list[str | None] = []
    for event in recording.events:
        name = key(event)
        keys.append(name)
        if name is not None:
            totals.setdefault(name, Total(name)).add(event)
    for allocation in recording.peak.alive:
        name = None if allocation.event is None else keys[allocation.event]
        if name is not None:
            totals[name].at_peak += allocation.bytes
    return totals


def _add_parts(totals: dict[str, Total], events: Iterable[Event], key: Key) -> None:
    """Add up how long the events took with their parts, each stretch of time only once."""
    enclosing: list[frozenset[str]] = []
    for event in events:
        name = key(event)
        around = frozenset[str]() if event.parent is None else enclosing[event.parent]
        if name is not None and name not in around:
            totals[name].total += event.duration
            around |= {name}
        enclosing.append(around)


def _sorted(kind: str, rows: Iterable[Total], recording: Recording) -> Totals:
    order = sorted(rows, key=lambda row: row.own, reverse=True)
    return Totals(kind, order, recording.own_time)
