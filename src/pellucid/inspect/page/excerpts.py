"""Excerpts of the source: the lines that made nodes, with some around them."""

from __future__ import annotations

import linecache
from collections.abc import Iterable

from pellucid.autograd.cells import cells

#: how many lines are shown before and after each
AROUND = 8


def excerpts(lines: Iterable[tuple[str, int]]) -> dict[str, list[tuple[int, str]]]:
    """Return numbered lines of each file around these lines; of unreadable files none.

    Args:
        lines: Paths of files, with line numbers from 1.
    """
    by_file: dict[str, set[int]] = {}
    for file, line in lines:
        by_file.setdefault(file, set()).add(line)
    return {
        file: found for file, wanted in by_file.items() if (found := _around(file, sorted(wanted)))
    }


def _around(file: str, wanted: list[int]) -> list[tuple[int, str]]:
    source = linecache.getlines(file)
    shown = sorted(
        {
            number
            for line in wanted
            for number in range(line - AROUND, line + AROUND + 1)
            if 0 < number <= len(source)
        }
    )
    return [(number, source[number - 1].rstrip("\n")) for number in shown]


def short_names(files: Iterable[str]) -> dict[str, str]:
    """Return each path without the folders that it can be told from the others without.

    A cell of a notebook is named as the notebook has it.
    """
    labels = {file: cells.label(file, cells.count) for file in files}
    names = {file: label for file, label in labels.items() if label is not None}
    paths = {file: file.replace("\\", "/").split("/") for file in labels if file not in names}
    for file, parts in paths.items():
        length = 1
        while length < len(parts) and any(
            other[-length:] == parts[-length:] for name, other in paths.items() if name != file
        ):
            length += 1
        names[file] = "/".join(parts[-length:])
    return names
