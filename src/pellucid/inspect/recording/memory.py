"""Live memory over the time of a recording, and what it was at its peak."""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from pellucid.inspect.recording.events import Allocation, Event
from pellucid.inspect.tables import (
    LINE,
    Column,
    Printed,
    limited_lines,
    share_text,
    size_text,
    terminal_width,
    time_text,
)

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording

_BARS = " ▁▂▃▄▅▆▇█"
_CHART_WIDTH = 60
_BEFORE = "(there before)"


@dataclass(frozen=True, slots=True)
class Live:
    """Live bytes over time.

    Attributes:
        times: When the amount changed, in nanoseconds since the recording began.
        bytes: The amount from each of these times on.
    """

    times: tuple[int, ...]
    bytes: tuple[int, ...]

    def at(self, time: int) -> int:
        """Return the live bytes at a time."""
        place = bisect_right(self.times, time) - 1
        return self.bytes[place] if place >= 0 else 0


@dataclass(frozen=True, slots=True)
class Kept:
    """Memory at the peak that one line has made and one kind of owner has kept.

    Attributes:
        where: ``file.py:LINE``; of memory that was there before, a remark in parentheses.
        text: The source of the line.
        kind: The kind of `Allocation`.
        held_by: What kept it.
        bytes: Its size.
        count: How many pieces of memory it is.
    """

    where: str
    text: str
    kind: str
    held_by: str
    bytes: int
    count: int


@dataclass(frozen=True, slots=True)
class Peak(Printed):
    """The moment with the most live memory.

    Attributes:
        time: When it was, in nanoseconds since the recording began.
        bytes: The live bytes.
        event: What ran then.
        where: The line that it belongs to.
        alive: The memory that was there.
        kept: The same by line and by what kept it, the largest first.
    """

    time: int
    bytes: int
    event: Event | None
    where: str
    alive: tuple[Allocation, ...]
    kept: tuple[Kept, ...]

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return the peak as text: at most ``limit`` rows, by default as wide as the terminal."""
        lines = [*textwrap.wrap(self._headline(), width or terminal_width()), ""]
        columns = [
            Column("bytes"), LINE, Column("source", True, 20),
            Column("held by", True, 20), Column("what", True, 9), Column("share"),
            Column("tensors"),
        ]  # fmt: skip
        rest = f", {size_text(sum(each.bytes for each in self.kept[limit:]))}"
        lines += limited_lines(columns, self.kept, self._cells, limit, width, "row", rest)
        return "\n".join(lines)

    def _cells(self, each: Kept) -> list[str]:
        return [size_text(each.bytes), each.where, each.text, each.held_by, each.kind,
                share_text(each.bytes, self.bytes), f"{each.count:,}"]  # fmt: skip

    def _headline(self) -> str:
        text = f"peak: {size_text(self.bytes)} after {time_text(self.time) or '0 µs'}"
        if self.event is not None:
            text += f", in {self.event.name} ({self.event.phase})"
        return text + (f" of {self.where}" if self.where else "")


@dataclass(frozen=True, slots=True)
class LineMemory:
    """The memory that one line has made.

    Attributes:
        where: ``file.py:LINE``.
        text: The source of the line.
        made: The bytes that it has made, all together.
        largest: The most bytes of it that were there at once.
        at_peak: Those that were there at the peak of the whole.
        left: Those that are there at the end.
        live: How many there were at which time.
    """

    where: str
    text: str
    made: int
    largest: int
    at_peak: int
    left: int
    live: Live


@dataclass(frozen=True, slots=True)
class MemoryTimeline(Printed):
    """Live memory over the time of a recording, all together and by line.

    Attributes:
        live: All together.
        lines: By line, the line with the most memory at once first.
        peak: The moment with the most.
        duration: How long the recording took, in nanoseconds.
        phases: When a phase began, and which: ``forward``, ``backward`` or ``update``.
    """

    live: Live
    lines: tuple[LineMemory, ...]
    peak: Peak
    duration: int
    phases: tuple[tuple[int, str], ...]

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return a curve, the peak and a table by line, of at most ``limit`` rows."""
        lines = [*self._curve((width or terminal_width()) - 2), ""]
        columns = [
            LINE, Column("source", True, 24), Column("at once"), Column("at peak"),
            Column("made"), Column("left"),
        ]  # fmt: skip
        lines += limited_lines(columns, self.lines, _line_cells, limit, width, "line")
        return "\n".join([*lines, "", self.peak.text(limit, width)])

    def _curve(self, room: int) -> list[str]:
        """Draw the live bytes over time, and below it the phases: f, b and u."""
        width = min(room, _CHART_WIDTH)
        moments = [self.duration * i // width for i in range(width + 1)]
        highest = [
            max([self.live.at(start), *self._between(start, end)])
            for start, end in pairwise(moments)
        ]
        top = self.peak.bytes or 1
        bars = "".join(_BARS[round(each / top * (len(_BARS) - 1))] for each in highest)
        return [
            f"live bytes in {time_text(self.duration)} of forward, backward and update",
            f"|{bars}|",
            f"|{''.join(self._phase(time)[:1] or ' ' for time in moments[:-1])}|",
        ]  # fmt: skip

    def _between(self, start: int, end: int) -> tuple[int, ...]:
        times = self.live.times
        return self.live.bytes[bisect_right(times, start) : bisect_right(times, end)]

    def _phase(self, time: int) -> str:
        place = bisect_right(self.phases, (time, "~")) - 1
        return self.phases[place][1] if place >= 0 else ""


def _line_cells(each: LineMemory) -> list[str]:
    sizes = each.largest, each.at_peak, each.made, each.left
    return [each.where, each.text, *map(size_text, sizes)]


def live_bytes(allocations: Iterable[Allocation]) -> Live:
    """Return the live bytes over time; what is freed and made at one moment is made last."""
    changes: dict[int, int] = defaultdict(int)
    for each in allocations:
        changes[each.born] += each.bytes
        if each.freed is not None:
            changes[each.freed] -= each.bytes
    times = sorted(changes)
    return Live(tuple(times), tuple(accumulate(changes[time] for time in times)))


def find_peak(recording: Recording) -> Peak:
    """Return the peak of a recording, and what kept the memory that was there."""
    live = live_bytes(recording.allocations)
    if not live.times:
        return Peak(0, 0, None, "", (), ())
    most = max(live.bytes)
    time = live.times[live.bytes.index(most)]
    alive = tuple(each for each in recording.allocations if each.is_alive(time))
    event = _running(recording, time)
    where = _where(recording, None if event is None else event.line)[0]
    return Peak(time, most, event, where, alive, _kept(recording, alive, time))


def _running(recording: Recording, time: int) -> Event | None:
    """Return the innermost event that runs at a time."""
    running = [event for event in recording.events if event.start <= time <= event.end]
    return max(running, key=lambda event: event.start, default=None)


def _where(recording: Recording, line: int | None) -> tuple[str, str]:
    found = None if line is None else recording.lines[line]
    return ("", "") if found is None else (found.where, found.text)


def _kept(recording: Recording, alive: Iterable[Allocation], time: int) -> tuple[Kept, ...]:
    together: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for each in alive:
        where, text = _where(recording, each.line)
        key = (where or _BEFORE, text, each.kind, _holders(recording, each, time))
        together[key].append(each.bytes)
    kept = [Kept(*key, sum(sizes), len(sizes)) for key, sizes in together.items()]
    return tuple(sorted(kept, key=lambda each: each.bytes, reverse=True))


def _holders(recording: Recording, allocation: Allocation, time: int) -> str:
    """Describe what keeps a memory at a time: parameters by their kind, nodes by name."""
    holds = [hold for hold in allocation.holds if hold.covers(time)]
    kinds = {hold.kind for hold in holds}
    if "parameter" in kinds:
        return "the model or a variable"
    if "gradient" in kinds:
        return ".grad"
    if "state" in kinds:
        return "the optimizer"
    saved = dict.fromkeys(_saved_text(recording, hold.node, hold.name) for hold in holds)
    if saved:
        return ", ".join(saved)
    if allocation.kind == "gradient":
        return "the backward pass"
    return "no tensor" if allocation.kind == "library" else "a variable of the program"


def _saved_text(recording: Recording, node: int | None, name: str) -> str:
    line = None if node is None else recording.nodes[node].line
    where = _where(recording, line)[0]
    return f"{name}, {where}" if where else name


def timeline(recording: Recording) -> MemoryTimeline:
    """Return the live memory over the time of a recording."""
    peak = recording.peak
    by_line: dict[tuple[str, str], list[Allocation]] = defaultdict(list)
    for each in recording.allocations:
        where, text = _where(recording, each.line)
        by_line[where or _BEFORE, text].append(each)
    lines = [_line_memory(*key, made, peak.time) for key, made in by_line.items()]
    lines.sort(key=lambda each: each.largest, reverse=True)
    phases: list[tuple[int, str]] = []
    for event in recording.events:
        if event.parent is None and (not phases or phases[-1][1] != event.phase):
            phases.append((event.start, event.phase))
    live = live_bytes(recording.allocations)
    return MemoryTimeline(live, tuple(lines), peak, recording.duration, tuple(phases))


def _line_memory(where: str, text: str, made: list[Allocation], peak: int) -> LineMemory:
    live = live_bytes(made)
    return LineMemory(
        where, text, made=sum(each.bytes for each in made), largest=max(live.bytes),
        at_peak=sum(each.bytes for each in made if each.is_alive(peak)), left=live.bytes[-1],
        live=live,
    )  # fmt: skip
