"""Printed tables for the width of a screen: rows that are wider become a few lines each."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

#: characters in a line of printed text beside the menu of 1280 pixels, and on a phone's 390
DESKTOP, PHONE = 116, 42
_GAP = "  "


def for_screens(text: str) -> tuple[str, str]:
    """Return printed text as a desktop shows it, and as a phone does."""
    return stacked(text, DESKTOP), stacked(text, PHONE)


def stacked(text: str, width: int) -> str:
    """Return printed text in which each row of a table that is too wide has lines of its own.

    Args:
        text: What a program prints. Cells of a table are at least two spaces apart.
        width: How many characters a line may have. Other lines than tables' may be longer.

    Returns:
        The text; as it is if all tables are narrow enough.

    Example:
        >>> print(stacked("node  line   source\\nexp   1      y = x.exp()", 20))
        exp  line: 1
          source: y =
            x.exp()
    """
    lines: list[str] = []
    for blank, block in groupby(text.splitlines(), key=lambda line: not line.strip()):
        rows = list(block)
        wide = not blank and max(map(len, rows)) > width
        lines += _stacked_table(rows, width) if wide else rows
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _stacked_table(lines: list[str], width: int) -> Iterable[str]:
    """Return the lines of a table row by row; the lines themselves if they are not a table."""
    places = _columns(lines)
    if len(lines) < 2 or len(places) < 3:
        return lines
    headings, *rows = ([line[place].strip() for place in places] for line in lines)
    indent = sum(1 for _ in _unheaded(headings))
    return [line for row in rows for line in _row_lines(headings, row, width, indent)]


def _columns(lines: list[str]) -> list[slice]:
    """Return where columns stand: between gaps of two characters that are blank in all lines."""
    length = max(map(len, lines))
    used = [any(line[i : i + 1].strip() for line in lines) for i in range(length)]
    drawn = "".join("x" if each else " " for each in used)
    return [slice(*found.span()) for found in re.finditer(r"x(?: ?x)*", drawn)]


def _unheaded(headings: Sequence[str]) -> Iterator[str]:
    """Yield the first headings as far as they are empty."""
    for heading in headings:
        if heading:
            return
        yield heading


def _row_lines(
    headings: Sequence[str], row: Sequence[str], width: int, unheaded: int
) -> Iterator[str]:
    """Yield the lines of a row: what has no heading and the first that has, then all others."""
    line = _GAP.join(row[: unheaded + 1])
    indent = " " * (len(line) - len(row[unheaded]) if unheaded else 2)
    full = False
    for heading, cell in zip(headings[unheaded + 1 :], row[unheaded + 1 :], strict=True):
        piece = f"{heading}: {cell}" if heading and cell else cell
        if not piece:
            continue
        if not full and len(line) + len(_GAP) + len(piece) <= width:
            line += _GAP + piece
            continue
        yield line
        *whole, line = textwrap.wrap(
            piece, width, initial_indent=indent, subsequent_indent=indent + _GAP
        )
        full = bool(whole)
        yield from whole
    yield line
