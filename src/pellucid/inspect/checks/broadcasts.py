"""A column of predictions compared with a row of targets: every pair of them."""

from __future__ import annotations

from collections import deque
from typing import Any

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import LOSSES_OF_NUMBERS, Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.origins import Origin

KIND = "a column compared with a row"

_BY_HAND = ("sub", "eq", "ne", "squared_difference")


class Broadcasts(Check):
    """A search for ``[N, 1]`` and ``[N]`` that become ``[N, N]`` on the way to one number."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: comparisons of all with all that have not come to one number yet
        self.open: deque[tuple[Origin, tuple[int, ...], tuple[int, ...]]] = deque(maxlen=8)

    def called(self, call: Call) -> None:
        if call.name in LOSSES_OF_NUMBERS:
            first, second = call.args[0], call.argument(1, "target")
            if _all_with_all(first, second):
                self._report(call.site, call.name, tuple(first.shape), tuple(second.shape))
        elif call.name in _BY_HAND:
            self._note(call)
        elif call.name in ("mean", "sum") and self.open and call.result.numel() == 1:
            self._reduced(call)

    def step_ended(self, step: Any) -> None:
        self.open.clear()

    def _note(self, call: Call) -> None:
        tensors = call.tensors
        if len(tensors) != 2 or not _all_with_all(*tensors):
            return
        origins = [self.run.origins.of(each) for each in tensors]
        predicted = [_is_predicted(origin, call) for origin in origins]
        if sum(predicted) != 1:
            return
        target = tensors[predicted.index(False)]
        made = self.run.origins.of(call.result)
        if not target.requires_grad and made is not None:
            self.open.append((made, tuple(tensors[0].shape), tuple(tensors[1].shape)))

    def _reduced(self, call: Call) -> None:
        origin = self.run.origins.of(call.result)
        behind = [] if origin is None else list(_all_behind(origin))
        for made, first, second in tuple(self.open):
            if any(each is made for each in behind):
                self.open.remove((made, first, second))
                self._report(made.site, made.name, first, second)

    def _report(
        self, site: Site, name: str, first: tuple[int, ...], second: tuple[int, ...]
    ) -> None:
        count = max(first)
        column, row = ("first", "second") if len(first) == 2 else ("second", "first")
        self.report_once(
            KIND, f"{name} of {list(first)} and {list(second)} makes [{count}, {count}]", site,
            f"Each of the {count} predictions is compared with each of the {count} targets, so the "
            "best answer is the mean of all targets, whatever the input.",
            f"Give both one shape: squeeze(1) on the {column}, or unsqueeze(1) on the {row}.",
        )  # fmt: skip


def _all_with_all(first: Any, second: Any) -> bool:
    """Return whether one is a column and the other one a row of as many numbers."""
    shapes = [tuple(getattr(each, "shape", ())) for each in (first, second)]
    column, row = sorted(shapes, key=len, reverse=True)
    return len(column) == 2 and len(row) == 1 and column == (row[0], 1) and row[0] > 1


def _is_predicted(origin: Origin | None, call: Call) -> bool:
    """Return whether a module made the numbers, other than the one that compares them."""
    if origin is None:
        return False
    for each in origin.chain():
        if each.model is not None:
            return each.model is not call.module
    return False


def _all_behind(origin: Origin) -> list[Origin]:
    found, stack = [], [origin]
    while stack:
        now = stack.pop()
        found.append(now)
        stack += [each for each in now.sources if each is not None]
    return found
