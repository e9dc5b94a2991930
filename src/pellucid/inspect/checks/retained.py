"""Graphs that are kept for another backward pass, which never comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check

#: graphs kept in vain by one line, in a row, after which it is reported
PATIENCE = 5


@dataclass(slots=True)
class _Line:
    """What became of the graphs that one line keeps."""

    #: nodes with a smaller number were made before the latest pass of the line
    seq: int = 0
    used: bool = False
    in_vain: int = 0
    settled: bool = False


class Retained(Check):
    """A search for lines that keep graphs which no later pass runs again."""

    kinds = ("retain_graph without need",)

    def prepare(self) -> None:
        self.lines: dict[Site, _Line] = {}

    def backward_began(self, asked: Any) -> None:
        oldest = asked.nodes[-1].seq if asked.nodes else asked.run.seq
        for line in self.lines.values():
            line.used = line.used or oldest < line.seq

    def backward_ended(self, asked: Any) -> None:
        if asked.keep is not True or asked.create_graph or not asked.nodes:
            return
        site = asked.run.site
        line = self.lines.setdefault(site, _Line())
        if line.seq and not line.settled:
            line.settled = line.used
            line.in_vain += 1
            if line.in_vain >= PATIENCE and not line.settled:
                line.settled = True
                self._report(site)
        line.seq, line.used = asked.run.seq, False

    def _report(self, site: Site) -> None:
        self.report(
            "retain_graph without need",
            f"the graph was kept {PATIENCE + 1} times, and no later pass has used it", site,
            "What the nodes have saved stays in memory until the loss itself is dropped.",
            "Leave retain_graph=True out.",
        )  # fmt: skip
