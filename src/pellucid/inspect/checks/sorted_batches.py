"""Batches whose samples are all of one class, as those of sorted data."""

from __future__ import annotations

from typing import Any

from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import values_of

KIND = "batches of one class"

#: samples of a batch that are not all of one class by chance
_LEAST_SAMPLES = 8
#: batches at the beginning that have the same class, and batches after which it is reported
_IN_A_ROW = 3
PATIENCE = 5


class SortedBatches(Check):
    """A look at the classes in the targets of each batch that is heard."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: the class of each batch that was heard; None once one had several
        self.seen: list[int] | None = []

    def called(self, call: Call) -> None:
        if self.seen is None or call.name != "cross_entropy" or not _is_trained(call):
            return
        target = call.argument(1, "target")
        if len(target.shape) != 1 or target.shape[0] < _LEAST_SAMPLES:
            return
        values = values_of(target)
        if values is None or not values.size or values.min() != values.max():
            self.seen = None
            return
        self.seen.append(int(values[0]))
        if len(self.seen) == _IN_A_ROW and len(set(self.seen)) > 1:
            self.seen = None  # one class after the other, as where two kinds of data are told apart
        elif len(self.seen) >= PATIENCE and len(set(self.seen)) > 1:
            shown = ", ".join(map(str, self.seen[-PATIENCE:]))
            self.report(
                KIND, f"each of the {len(self.seen)} batches that were looked at has one class",
                call.site,
                f"The classes were {shown}. A network that sees one class for a while learns to "
                "answer that, and forgets the others.",
                "Shuffle the samples: DataLoader(..., shuffle=True). If classes are to come one "
                "after the other, nothing is wrong.",
            )  # fmt: skip
            self.seen = None


def _is_trained(call: Call) -> bool:
    scores: Any = call.args[0] if call.args else None
    return call.recorded and getattr(scores, "requires_grad", False) and scores.shape[-1] > 1
