"""What the lines of a program have called, how often, and how long it took."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.autograd.sites import Site
from pellucid.inspect.tables import Column, limited_lines, time_text

#: lines of the summary
_MOST = 12


@dataclass(slots=True)
class Line:
    """What one line has called, in total.

    Attributes:
        times: How often.
        nanoseconds: For how long.
        nodes: The most nodes of a graph that it ran.
    """

    times: int = 0
    nanoseconds: int = 0
    nodes: int = 0


class Calls:
    """The calls of models, of backward and of optimizers, by line."""

    def __init__(self) -> None:
        self.lines: dict[tuple[Site, str], Line] = {}

    def add(self, site: Site, what: str, nanoseconds: int, nodes: int = 0) -> None:
        """Count a call.

        Args:
            site: The line.
            what: What it called.
            nanoseconds: How long it took.
            nodes: How many nodes a backward pass ran.
        """
        line = self.lines.get((site, what))
        if line is None:
            line = self.lines[site, what] = Line()
        line.times += 1
        line.nanoseconds += nanoseconds
        line.nodes = max(line.nodes, nodes)

    def text(self, width: int | None = None) -> str:
        """Return a table, the longest first."""
        rows = sorted(self.lines.items(), key=lambda item: item[1].nanoseconds, reverse=True)
        columns = [Column("line", is_text=True), Column("source", is_text=True, least=24)]
        columns += [Column("calls", is_text=True)]
        columns += map(Column, ("times", "time", "each", "nodes"))
        return "\n".join(limited_lines(columns, rows, _cells, _MOST, width, "line"))


def _cells(row: tuple[tuple[Site, str], Line]) -> list[str]:
    (site, what), line = row
    times = time_text(line.nanoseconds), time_text(line.nanoseconds // line.times)
    nodes = f"{line.nodes:,}" if line.nodes else ""
    return [str(site), site.text, what, f"{line.times:,}", *times, nodes]
