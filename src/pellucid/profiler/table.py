"""The table of a profile, with PyTorch's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.profiler.events import time_text

_WIDTH = 12
_MARGIN = 4
_UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def write(
    events: Sequence[Any], sort_by: str | None, row_limit: int, src_width: int | None,
    name_width: int | None, shapes_width: int | None, header: str | None, top_level_only: bool,
    time_unit: str | None, shows_memory: bool,
) -> str:  # fmt: skip
    """Return the table as text; see `pellucid.profiler.events.EventList.table`."""
    if not events:
        return ""
    whole = sum(event.self_cpu_time_total for event in events)
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda event: getattr(event, sort_by.replace("cuda", "device")), reverse=True)
    if top_level_only:
        rows = [event for event in rows if event.cpu_parent is None]
    rows = rows if row_limit < 0 else rows[:row_limit]
    columns = _columns(events, src_width, name_width, shapes_width, shows_memory)
    cells = [_cells(event, whole, columns, time_unit) for event in rows]
    return _framed(columns, cells, header, top_level_only, f"{time_text(whole)}")


def _columns(
    events: Sequence[Any], src_width: int | None, name_width: int | None,
    shapes_width: int | None, shows_memory: bool,
) -> dict[str, int]:  # fmt: skip
    """Return the columns with their widths."""
    columns = {"Name": _limited((event.key for event in events), name_width)}
    titles = ["Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    if shows_memory:
        titles += ["CPU Mem", "Self CPU Mem"]
    columns |= dict.fromkeys([*titles, "# of Calls"], _WIDTH)
    if any(event.input_shapes for event in events):
        columns["Input Shapes"] = _limited((str(e.input_shapes) for e in events), shapes_width)
    if any(event.stack for event in events):
        columns["Source Location"] = _limited((s for e in events for s in e.stack), src_width)
    return columns


def _limited(texts: Any, most: int | None) -> int:
    width = max(map(len, texts)) + _MARGIN
    return width if most is None else min(width, most)


def _cells(
    event: Any, whole: float, columns: dict[str, int], time_unit: str | None
) -> list[list[str]]:
    """Return the lines of an event's row: one, or one for each line of its stack."""
    values = {
        "Name": _shortened(event.key, columns["Name"]),
        "Self CPU %": _percent(event.self_cpu_time_total, whole),
        "Self CPU": _time(event.self_cpu_time_total, time_unit),
        "CPU total %": _percent(event.cpu_time_total, whole),
        "CPU total": _time(event.cpu_time_total, time_unit),
        "CPU time avg": _time(event.cpu_time, time_unit),
        "CPU Mem": _size(event.cpu_memory_usage),
        "Self CPU Mem": _size(event.self_cpu_memory_usage),
        "# of Calls": str(event.count),
        "Input Shapes": str(event.input_shapes)[: columns.get("Input Shapes")],
    }
    if "Source Location" not in columns:
        return [[values[title] for title in columns]]
    width = columns["Source Location"]
    first, *others = [each[:width] for each in event.stack] or [""]
    values["Source Location"] = first
    blank = dict.fromkeys(columns, "")
    rows = [values, *({**blank, "Source Location": each} for each in others), blank]
    return [[row[title] for title in columns] for row in rows]


def _shortened(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def _time(microseconds: float, unit: str | None) -> str:
    if unit is None:
        return time_text(microseconds)
    return f"{microseconds / _UNITS[unit]:.3f}{unit}"


def _size(size: int) -> str:
    for amount, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(size) >= amount:
            return f"{size / amount:.2f} {unit}"
    return f"{size} B"


def _framed(
    columns: dict[str, int], rows: list[list[list[str]]], header: str | None, top_level: bool,
    whole: str,
) -> str:  # fmt: skip
    """Return heading and rows between rules, and the sum of times below."""
    rule = _aligned(["-" * width for width in columns.values()], columns)
    lines: list[str] = []
    if header is not None:
        lines += ["=" * len(rule), header]
    if top_level:
        lines += ["=" * len(rule), "This report only display top-level ops statistics"]
    lines += [rule, _aligned(list(columns), columns), rule]
    lines += [_aligned(line, columns) for row in rows for line in row]
    return "\n".join([*lines, rule, f"Self CPU time total: {whole}", ""])


def _aligned(cells: list[str], columns: dict[str, int]) -> str:
    parts = [
        f"{cell:<{width}}" if title == "Source Location" else f"{cell:>{width}}"
        for cell, (title, width) in zip(cells, columns.items(), strict=True)
    ]
    return "".join(f"{part}  " for part in parts)
