"""Where what was computed from parameters was cut off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pellucid.autograd.cuts import Cut, recent_cuts
from pellucid.autograd.node import AccumulateGrad, reachable


def latest_cut(parameters: Iterable[tuple[Any, str]]) -> Cut | None:
    """Return the latest call known to have cut off the history of one of these parameters.

    Of a line that cuts often, the leaves are not always known; then the module that made the end
    is what tells.

    Args:
        parameters: Parameters, each with its dotted name, which begins with that of the model.
    """
    given = list(parameters)
    modules = {name.partition(".")[2].rpartition(".")[0] for _, name in given} - {""}
    wanted = {id(tensor) for tensor, _ in given}
    for cut in recent_cuts():
        leaves = {id(each.leaf) for each in _leaves(cut)}
        if not wanted.isdisjoint(leaves) or (not leaves and cut.scope in modules):
            return cut
    return None


def _leaves(cut: Cut) -> Iterator[Any]:
    """Yield the leaves that are known below what was left behind."""
    yield from cut.leaves
    if cut.node is not None:
        yield from (each for each in reachable([cut.node]) if isinstance(each, AccumulateGrad))


def why_and_remedy(cut: Cut, count: int) -> tuple[str, str]:
    """Return what is to be said of a cut that concerns this many parameters, and what to do."""
    these, are = ("it", "it is") if count == 1 else ("them", "they are")
    return (
        f"What was computed from {these} is cut off there, by {cut.how}.",
        f"Leave {cut.how} out on that line if {are} to be trained.",
    )
