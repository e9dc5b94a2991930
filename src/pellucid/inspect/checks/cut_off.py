"""Where what was computed from parameters was cut off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.autograd.cuts import Cut, recent_cuts
from pellucid.autograd.node import reachable


def latest_cut(parameters: Iterable[tuple[Any, str]]) -> Cut | None:
    """Return the latest call known to have cut off the history of one of these parameters.

    Usually the history is gone by now; then the module that made its end is what tells.

    Args:
        parameters: Parameters, each with its dotted name, which begins with that of the model.
    """
    given = list(parameters)
    modules = {name.partition(".")[2].rpartition(".")[0] for _, name in given} - {""}
    edges = [tensor.edge for tensor, _ in given]
    leaves = {edge[0] for edge in edges if edge is not None}
    for cut in recent_cuts():
        if cut.node is None:
            if cut.scope in modules:
                return cut
        elif not leaves.isdisjoint(reachable([cut.node])):
            return cut
    return None


def why_and_remedy(cut: Cut, count: int) -> tuple[str, str]:
    """Return what is to be said of a cut that concerns so many parameters, and what to do."""
    these, are = ("it", "it is") if count == 1 else ("them", "they are")
    return (
        f"What was computed from {these} is cut off there, by {cut.how}.",
        f"Leave {cut.how} out on that line if {are} to be trained.",
    )
