"""Steps that are far too large or too small for the weights they change."""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.run import Entry, Optimizer, Parameter, Step, array_of

#: steps of an optimizer after which its updates are first measured, since weights may begin at zero
_FIRST = 2
#: measurements in a row that have to agree
PATIENCE = 5
#: of how many steps two are measured after those, beside those that follow a large update
_EVERY = 64
#: size of an update, relative to the weights, above which it is too large: they are replaced
TOO_LARGE = 1.0
#: the same for updates of more than one per weight, which is large for the weights of any layer
TOO_LARGE_IF_ABOVE_ONE = 0.2
#: the same below which an update is lost in the rounding of float32, whose epsilon is 1.2e-7
TOO_SMALL = 1e-8
#: how many times as large weights are after the first steps, if these were far too large
_LEAP = 20
#: how many times as large the loss is by then
_WORSE = 2
#: weights of fewer elements may have to be far larger than they begin
_FEW = 32
#: arrays beyond this many elements are not copied
_MOST = 10_000_000


@dataclass(slots=True)
class _Seen:
    """What was measured of an optimizer."""

    large: int = 0
    #: by parameter: measurements in a row that were lost; -1 from the first one that was not
    small: dict[Parameter, int] = field(default_factory=dict)
    rates: tuple[float, ...] = ()
    #: by parameter: the size of the weights before the first step
    first: dict[Parameter, float] = field(default_factory=dict)
    reported: bool = False


class Updates(Check):
    """A search for optimizers whose steps replace the weights, or are lost in their rounding."""

    kinds = ("updates far too large", "updates far too small")

    def prepare(self) -> None:
        self.seen: weakref.WeakKeyDictionary[Optimizer, _Seen] = weakref.WeakKeyDictionary()
        self.before: dict[int, np.ndarray] = {}
        #: the loss of the first pass, and the latest ones of the first passes
        self.first_loss: float | None = None
        self.losses: deque[float] = deque(maxlen=PATIENCE)

    def backward_began(self, asked: Any) -> None:
        if self.run.steps <= _FIRST + PATIENCE and len(asked.roots) == 1:
            root = asked.roots[0]
            if hasattr(root, "numel") and (array := array_of(root)).size == 1:
                self.losses.append(abs(array.item()))
                if self.first_loss is None:
                    self.first_loss = self.losses[0]

    def step_began(self, step: Step) -> None:
        self.before.clear()
        if step.optimizer.steps == 0:
            sizes = {entry.key: float(np.linalg.norm(array)) for entry, array in _weights(step)}
            self.seen[step.optimizer] = _Seen(first=sizes)
        if self._is_due(step.optimizer):
            self.before = {id(entry.tensor): array.copy() for entry, array in _weights(step)}

    def _is_due(self, optimizer: Optimizer) -> bool:
        """Return whether a step is measured: the first ones, then few, and after a large one."""
        taken = optimizer.steps
        if taken < _FIRST + PATIENCE:
            return taken >= _FIRST
        seen = self.seen.get(optimizer)
        return seen is None or (not seen.reported and (seen.large > 0 or taken % _EVERY < 2))

    def step_ended(self, step: Step) -> None:
        if not self.before:
            return
        ratios = [
            (entry, ratio)
            for entry in step.entries
            if entry.grad is not None and (ratio := self._ratio(entry)) is not None
        ]
        self.before.clear()
        if not ratios:
            return
        seen = self.seen.setdefault(step.optimizer, _Seen())
        large = [entry for entry, ratio in ratios if ratio >= TOO_LARGE]
        seen.large = seen.large + 1 if large else 0
        if large and not seen.reported:
            step.optimizer.follow()
        rates = tuple(float(entry.group.get("lr", 0)) for entry, _ in ratios)
        steady = all(rate > 0 for rate in rates) and seen.rates in ((), rates)
        for entry, ratio in ratios:
            count = seen.small.get(entry.key, 0)
            lost = steady and ratio < TOO_SMALL and entry.square > 0
            seen.small[entry.key] = count + 1 if lost and count >= 0 else -1
        seen.rates = rates
        self._judge(step, seen, large, [entry for entry, _ in ratios])

    def _ratio(self, entry: Entry) -> float | None:
        """Return the size of the update relative to the weights."""
        before = self.before.get(id(entry.tensor))
        if before is None:
            return None
        size, change = np.linalg.norm(before), np.linalg.norm(array_of(entry.tensor) - before)
        if size == 0 or not math.isfinite(size) or not math.isfinite(change):
            return None
        ratio = float(change / size)
        above_one = change > math.sqrt(before.size) and ratio > TOO_LARGE_IF_ABOVE_ONE
        return max(ratio, TOO_LARGE) if above_one else ratio

    def _judge(self, step: Step, seen: _Seen, large: list[Entry], all_: list[Entry]) -> None:
        if seen.reported:
            return
        leaping = self._leaping(step, seen)
        if leaping:
            seen.reported = True
            times = min(_size(each) / seen.first[each.key] for each in leaping)
            self._report(
                "large", step,
                f"the first {step.optimizer.steps} steps of {step.optimizer.name} have made "
                f"the weights of {listed(self.run.names_of(leaping))} {times:.0f} times as large",
                f"The loss was {self.first_loss:.3g} before, and is {self.losses[-1]:.3g} by now: "
                "such steps lead past any minimum.", "Lower the learning rate.",
                leaping[0],
            )  # fmt: skip
            return
        if seen.large >= PATIENCE:
            seen.reported = True
            names = listed(self.run.names_of(large))
            self._report(
                "large", step,
                f"each step of {step.optimizer.name} replaces the weights of {names}",
                f"{PATIENCE} steps in a row have changed them by more than their own size, where "
                "a thousandth is usual.", "Lower the learning rate.", large[0],
            )  # fmt: skip
            return
        small = [entry for entry in all_ if seen.small[entry.key] >= PATIENCE]
        if small:
            seen.reported = True
            self._report_small(step, small, len(small) == len(all_))

    def _leaping(self, step: Step, seen: _Seen) -> list[Entry]:
        """Return what the first steps have made many times as large, if the loss has risen."""
        before, losses = self.first_loss, list(self.losses)
        is_due = step.optimizer.steps == _FIRST + PATIENCE and len(losses) == PATIENCE
        if not is_due or before is None or not min(losses[-3:]) > _WORSE * before:
            return []
        return [
            entry
            for entry, array in _weights(step)
            if array.size >= _FEW and 0 < seen.first.get(entry.key, 0) * _LEAP < _size(entry)
            and _size(entry) > math.sqrt(array.size)
        ]  # fmt: skip

    def _report_small(self, step: Step, small: list[Entry], all_of_them: bool) -> None:
        remedy = "Raise the learning rate, or look for a loss that is scaled down."
        why = f"They are less than {TOO_SMALL:g} of the weights, below the rounding of float32"
        if not all_of_them:
            size = math.sqrt(small[0].square / small[0].tensor.numel())
            why += f": its gradients are of {size:.2g}, while other layers get larger ones"
            remedy = (
                "Gradients fade on the way down through layers that flatten them, as sigmoid and "
                "tanh do: use relu, normalization or connections around layers, or Adam, whose "
                "steps do not depend on the size."
            )
        names = listed(self.run.names_of(small))
        what = f"the steps of {step.optimizer.name} change nothing in {names}"
        self._report("small", step, what, f"{why}.", remedy, small[0])

    def _report(
        self, size: str, step: Step, what: str, why: str, remedy: str, entry: Entry
    ) -> None:
        rate = entry.group.get("lr")
        self.report(
            f"updates far too {size}", what, step.site, why,
            f"{remedy} It is {rate:g}." if remedy.startswith(("Lower", "Raise")) else remedy,
            step.number,
        )  # fmt: skip


def _weights(step: Step) -> Iterator[tuple[Entry, np.ndarray]]:
    """Yield the parameters of layers, with their values."""
    for entry in step.entries:
        array = array_of(entry.tensor)
        if array.ndim >= 2 and array.dtype.kind == "f" and array.size <= _MOST:
            yield entry, array


def _size(entry: Entry) -> float:
    return float(np.linalg.norm(array_of(entry.tensor)))
