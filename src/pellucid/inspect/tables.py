"""Tables as text: aligned, and folded to the width of the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

_GAP = 2
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: numbers stand on the right; a text may be cut where room is short."""

    heading: str
    is_text: bool = False
    #: as narrow as a text gets before columns are left out
    least: int = 12


#: a line of the program, whose number must not be cut off
LINE = Column("line", is_text=True, least=32)


def table_lines(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], width: int | None
) -> list[str]:
    """Return the lines of a table of at most a width; ``None`` stands for the terminal's.

    First the texts are cut, then columns on the right are left out, which the last line tells.
    """
    width = width or terminal_width()
    cells = [[column.heading for column in columns], *map(list, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    shown = len(columns)
    while shown > 1 and _least(columns[:shown], widths) > width:
        shown -= 1
    _narrow(columns[:shown], widths, width)
    lines = [_line(columns[:shown], row, widths) for row in cells]
    if shown < len(columns):
        left_out = ", ".join(column.heading for column in columns[shown:])
        lines += textwrap.wrap(f"(left out for want of width: {left_out})", width)
    return lines


def limited_lines(
    columns: Sequence[Column], rows: Sequence[Row], cells: Callable[[Row], Sequence[str]],
    limit: int | None, width: int | None, word: str, rest: str = "",
) -> list[str]:  # fmt: skip
    """Return a table of the first rows, and a line that says how many others there are.

    Args:
        columns: What it has.
        rows: What there is a row for.
        cells: Returns the cells of a row.
        limit: How many rows are shown; all of them if None.
        width: As of `table_lines`.
        word: What a row is.
        rest: What there is to say of those that are not shown.
    """
    lines = table_lines(columns, map(cells, rows[:limit]), width)
    left = 0 if limit is None else len(rows) - limit
    return [*lines, f"and {count_text(left, word)} more{rest}"] if left > 0 else lines


class Printed:
    """What is printed as its text."""

    __slots__ = ()

    def text(self) -> str:
        """Return the text."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()


def first_rows(
    heading: Sequence[str], rows: Sequence[Row], cells: Callable[[Row], Sequence[str]],
    limit: int | None, word: str, rest: str = "",
) -> list[str]:  # fmt: skip
    """Return the same of texts alone, as wide as they are."""
    return limited_lines(_texts(heading), rows, cells, limit, sys.maxsize, word, rest)


def columns(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table of texts, each column as wide as its widest cell."""
    return table_lines(_texts(heading), rows, sys.maxsize)


def _texts(heading: Sequence[str]) -> list[Column]:
    return [Column(each, is_text=True) for each in heading]


def terminal_width() -> int:
    """Return how many characters there are in a line of the terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def _least(columns: Sequence[Column], widths: list[int]) -> int:
    """Return the least width that columns can have together."""
    each = (min(w, c.least) if c.is_text else w for c, w in zip(columns, widths, strict=False))
    return sum(each) + _GAP * (len(columns) - 1)


def _narrow(columns: Sequence[Column], widths: list[int], width: int) -> None:
    """Take what is too much off the widest texts."""
    texts = [i for i, column in enumerate(columns) if column.is_text]
    excess = sum(widths[: len(columns)]) + _GAP * (len(columns) - 1) - width
    while excess > 0 and texts:
        widest = max(texts, key=lambda i: widths[i] - columns[i].least)
        if widths[widest] <= columns[widest].least:
            return
        widths[widest] -= 1
        excess -= 1


def _line(columns: Sequence[Column], row: Sequence[str], widths: list[int]) -> str:
    aligned = [
        cut(cell, width).ljust(width) if column.is_text else cell.rjust(width)
        for column, cell, width in zip(columns, row, widths, strict=False)
    ]
    return (" " * _GAP).join(aligned).rstrip()


def cut(text: str, width: int) -> str:
    """Return a text of at most this many characters; one that is longer ends in ``…``."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def size_text(size: int) -> str:
    """Write a number of bytes: ``16 B``, ``1.5 kB``, ``2.0 MB``."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def count_text(number: int, word: str) -> str:
    """Write a number with its noun: ``1 node``, ``1,200 nodes``, ``2 leaves``."""
    plural = {"leaf": "leaves"}.get(word, f"{word}s")
    return f"{number:,} {word if number == 1 else plural}"


def time_text(nanoseconds: float) -> str:
    """Write a time: ``1.25 ms``; an empty text for none at all."""
    for size, unit in _UNITS:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.{_decimals(nanoseconds / size)}f} {unit}"
    return f"{nanoseconds / 1000:.2f} µs" if nanoseconds else ""


def _decimals(value: float) -> int:
    return 2 if value < 10 else 1 if value < 100 else 0


def share_text(part: float, whole: float) -> str:
    """Write a share in percent."""
    return f"{100 * part / whole:.1f} %" if whole else ""
