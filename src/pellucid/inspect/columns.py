"""Rows of text in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence


def columns(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return heading and rows as lines, each column as wide as its widest cell."""
    table = [heading, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
