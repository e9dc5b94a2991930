"""The recordings of several ranks side by side: computing, exchanging and waiting, by line.

Note [Waiting and exchanging]
    A rank that stands at an exchange first waits until all members have come there, and then until
    the data have been moved. The two look the same from inside. They are told apart by what the
    others have recorded: the time until the last member has begun the same exchange is waiting, for
    that rank; the rest is the exchange itself. Clocks are those of the machines, which agree among
    the processes of one, and over several as well as their clocks are set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pellucid.inspect.tables import (
    LINE,
    Column,
    limited_lines,
    share_text,
    size_text,
    table_lines,
    time_text,
)
from pellucid.ranks import ranks

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording

#: characters of a rank's time as text
_WIDTH = 60
_MARKS = {"computing": "█", "exchanging": "▒", "waiting": "·"}
#: what a rank does
KINDS = tuple(_MARKS)
#: lines of the program in the table
_MOST = 20


class Stretch(NamedTuple):
    """Time in which a rank stood at an exchange.

    Attributes:
        kind: ``waiting`` (for a rank to come) or ``exchanging``.
        start: When it began, in nanoseconds since the first rank began to record.
        end: When it ended.
        call: The exchange.
        where: The line at which the rank stood.
        late: The rank that was waited for; None if it is not known, or nobody was.
    """

    kind: str
    start: int
    end: int
    call: str
    where: str
    late: int | None


@dataclass(slots=True)
class LineTimes:
    """What one line took on one rank.

    Attributes:
        rank: The rank.
        where: The line as ``file.py:LINE``.
        text: Its source.
        computing: Nanoseconds, without exchanges; backward counts for the line that made the node.
        exchanging: Nanoseconds.
        waiting: Nanoseconds.
        late: The ranks that it waited for, each with the nanoseconds.
    """

    rank: int
    where: str
    text: str
    computing: int
    exchanging: int
    waiting: int
    late: dict[int, int]


@dataclass(frozen=True, slots=True)
class RankTime:
    """What one rank did in the time of its recording.

    Attributes:
        rank: The rank.
        start: When its recording began, in nanoseconds since the first one began.
        end: When it ended.
        stretches: The times at which it stood at exchanges.
        peak_bytes: The most live memory.
        peak_where: The line that ran then.
        live: Moments, and the live bytes from each of them on.
    """

    rank: int
    start: int
    end: int
    stretches: tuple[Stretch, ...]
    peak_bytes: int
    peak_where: str
    live: tuple[tuple[int, int], ...]

    def time_of(self, kind: str) -> int:
        """Return how long it was ``computing``, ``exchanging`` or ``waiting``."""
        stood = dict.fromkeys(_MARKS, 0)
        for each in self.stretches:
            stood[each.kind] += each.end - each.start
        stood["computing"] = self.end - self.start - sum(stood.values())
        return stood[kind]


@dataclass(frozen=True, slots=True)
class RankTimes:
    """The recordings of all ranks side by side; they print as tables.

    Attributes:
        rows: What each rank did.
        lines: What each line took on each rank, the longest first.
    """

    rows: tuple[RankTime, ...]
    lines: tuple[LineTimes, ...]

    def __str__(self) -> str:
        columns = [Column("rank"), *map(Column, (*_MARKS, "share", "at most"))]
        columns += [LINE]
        legend = ", ".join(f"{mark} {kind}" for kind, mark in _MARKS.items())
        end = max(each.end for each in self.rows)
        marks = [f"{each.rank:4}  {_marks(each, end)}" for each in self.rows]
        return "\n".join(
            [
                *table_lines(columns, map(rank_cells, self.rows), None),
                "",
                f"rank  {legend}",
                *marks,
                "",
                self._lines(),
            ]
        )

    def _lines(self) -> str:
        columns = [LINE, Column("source", is_text=True, least=24), Column("rank")]
        columns += [*map(Column, _MARKS), Column("for rank", is_text=True)]
        return "\n".join(limited_lines(columns, self.lines, line_cells, _MOST, None, "line"))

    @staticmethod
    def times(line: LineTimes) -> tuple[int, int, int]:
        """Return computing, exchanging and waiting of a line."""
        return line.computing, line.exchanging, line.waiting


def rank_cells(row: RankTime) -> list[str]:
    """Return what tables show of a rank."""
    times = (time_text(row.time_of(kind)) for kind in KINDS)
    share = share_text(row.time_of("waiting"), row.end - row.start)
    return [str(row.rank), *times, share, size_text(row.peak_bytes), row.peak_where]


def line_cells(line: LineTimes) -> list[str]:
    """Return what tables show of a line on one rank."""
    times = map(time_text, RankTimes.times(line))
    return [line.where, line.text, str(line.rank), *times, late_text(line)]


def late_text(line: LineTimes) -> str:
    """Return the ranks that a line waited for, the longest waited for first."""
    return ", ".join(map(str, sorted(line.late, key=lambda rank: -line.late[rank])))


def _marks(row: RankTime, end: int) -> str:
    """Return a rank's time as characters, of which each shows what took most of its share."""
    marks = []
    for place in range(_WIDTH):
        since, until = place * end // _WIDTH, (place + 1) * end // _WIDTH
        took = dict.fromkeys(_MARKS, 0)
        for each in row.stretches:
            took[each.kind] += max(0, min(until, each.end) - max(since, each.start))
        inside = max(0, min(until, row.end) - max(since, row.start))
        took["computing"] = inside - took["exchanging"] - took["waiting"]
        most = max(took, key=lambda kind: took[kind])
        marks.append(_MARKS[most] if inside else " ")
    return "".join(marks)


# ---- from the recordings -------------------------------------------------------------------------


class _Part(NamedTuple):
    """What a rank tells the others of its recording."""

    clock: int
    duration: int
    #: call, key, members, beginning, and beginning, end and line of each wait
    exchanges: list[tuple[str, Any, tuple[int, ...], int, list[tuple[int, int, str]]]]
    #: computing, and the source, by line
    lines: dict[str, tuple[int, str]]
    peak: tuple[int, str]
    live: tuple[tuple[int, int], ...]


def side_by_side(recording: Recording, group: Any) -> RankTimes:
    """Exchange what the ranks have recorded, and put it together; all ranks call it."""
    members = ranks.resolved(group)
    parts: list[_Part] = members.gathered(_part(recording), "Recording.over_ranks")
    first = min(part.clock for part in parts)
    begun: dict[Any, dict[int, int]] = defaultdict(dict)
    for rank, part in enumerate(parts):
        for _, key, _, time, _ in part.exchanges:
            if key is not None:
                begun[key][rank] = part.clock - first + time
    rows = tuple(_row(rank, part, first, begun) for rank, part in enumerate(parts))
    lines = [each for row, part in zip(rows, parts, strict=True) for each in _lines(row, part)]
    lines.sort(key=lambda each: -sum(RankTimes.times(each)))
    return RankTimes(rows, tuple(lines))


def _part(recording: Recording) -> _Part:
    lines: dict[str, tuple[int, str]] = {}
    for event in recording.events:
        if event.line is not None and event.kind != "exchange":
            line = recording.lines[event.line]
            before = lines.get(line.where, (0, ""))[0]
            lines[line.where] = before + event.self_time, line.text
    texts = {line.where: (0, line.text) for line in recording.lines}
    live = recording.memory().live
    return _Part(
        recording.clock, recording.duration, list(_exchanges(recording)), texts | lines,
        (recording.peak.bytes, recording.peak.where),
        tuple(zip(live.times, live.bytes, strict=True)),
    )  # fmt: skip


def _exchanges(recording: Recording) -> Iterator[Any]:
    for each in recording.exchanges:
        waits = []
        for number in each.waits:
            event = recording.events[number]
            where = "" if event.line is None else recording.lines[event.line].where
            waits.append((event.start, event.end, where))
        yield each.call, each.key, each.members, each.begun, waits


def _row(rank: int, part: _Part, first: int, begun: dict[Any, dict[int, int]]) -> RankTime:
    since = part.clock - first
    stretches: list[Stretch] = []
    for call, key, _, _, waits in part.exchanges:
        others = {each: time for each, time in begun.get(key, {}).items() if each != rank}
        late = max(others, key=lambda each: others[each]) if others else None
        come = 0 if late is None else others[late]
        for start, end, where in waits:
            stretches += _split(since + start, since + end, come, call, where, late)
    stretches.sort(key=lambda each: each.start)
    live = tuple((since + time, size) for time, size in part.live)
    return RankTime(rank, since, since + part.duration, tuple(stretches), *part.peak, live)


def _split(
    start: int, end: int, come: int, call: str, where: str, late: int | None
) -> Iterator[Stretch]:
    """Divide a wait where the last rank has come."""
    come = min(max(come, start), end)
    if come > start:
        yield Stretch("waiting", start, come, call, where, late)
    if end > come:
        yield Stretch("exchanging", come, end, call, where, None)


def _lines(row: RankTime, part: _Part) -> Sequence[LineTimes]:
    found = {
        where: LineTimes(row.rank, where, text, time, 0, 0, {})
        for where, (time, text) in part.lines.items()
    }
    for each in row.stretches:
        line = found.setdefault(each.where, LineTimes(row.rank, each.where, "", 0, 0, 0, {}))
        took = each.end - each.start
        if each.kind == "exchanging":
            line.exchanging += took
            continue
        line.waiting += took
        if each.late is not None:
            line.late[each.late] = line.late.get(each.late, 0) + took
    return [each for each in found.values() if sum(RankTimes.times(each))]
