"""Targets that a loss is not made for, or that the output cannot reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.inspect.checks.calls import LOSSES_OF_NUMBERS, Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import values_of

RANGE = "targets that the loss is not made for"
REACH = "targets that the output cannot reach"
SEVERAL = "several classes at once in cross_entropy"

#: what activations can give
_REACHES = {
    "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0), "hardtanh": (-1.0, 1.0),
    "relu": (0.0, np.inf), "relu6": (0.0, 6.0), "softplus": (0.0, np.inf),
    "hardsigmoid": (0.0, 1.0), "softsign": (-1.0, 1.0), "logsigmoid": (-np.inf, 0.0),
    "log_softmax": (-np.inf, 0.0),
}  # fmt: skip
#: the share of targets out of reach above which it is reported, and by how much of their spread
_SHARE, _MARGIN = 0.1, 0.05
#: position of the target, of the losses whose targets are 1 and -1
_SIGNS = {
    "soft_margin_loss": 1, "hinge_embedding_loss": 1, "margin_ranking_loss": 2,
    "cosine_embedding_loss": 2,
}  # fmt: skip


class Targets(Check):
    """A look at the targets of losses."""

    kinds = (RANGE, REACH, SEVERAL)

    def called(self, call: Call) -> None:
        if not call.args:
            return
        if call.name in ("binary_cross_entropy_with_logits", "binary_cross_entropy"):
            self._of_yes_and_no(call)
        elif call.name in LOSSES_OF_NUMBERS:
            self._of_numbers(call)
        elif call.name == "cross_entropy":
            self._of_classes(call)
        elif call.name in _SIGNS:
            self._of_signs(call)

    def _of_yes_and_no(self, call: Call) -> None:
        target = values_of(call.argument(1, "target"))
        if target is None or not target.size or (target.min() >= 0 and target.max() <= 1):
            return
        why = f"They go from {target.min():.3g} to {target.max():.3g}; it takes 0 to 1."
        if set(np.unique(target[:1000])) <= {-1.0, 1.0}:
            remedy = "Give (target + 1) / 2, or use soft_margin_loss, whose targets are -1 and 1."
        else:
            remedy = "Scale them, or use cross_entropy if they are numbers of classes."
        self.report_call(
            RANGE, call, f"the targets of {call.name} are not between 0 and 1",
            f"{why} Outside, the loss falls without bound as the scores grow.", remedy,
        )  # fmt: skip

    def _of_signs(self, call: Call) -> None:
        target = values_of(call.argument(_SIGNS[call.name], "target"))
        if target is None or not target.size or np.isin(target, (-1, 1)).all():
            return
        self.report_call(
            RANGE, call, f"the targets of {call.name} are not 1 and -1",
            f"They are from {target.min():.3g} to {target.max():.3g}, as in {_shown(target)}; of "
            "others it makes no loss of the kind.",
            "Give 2 * target - 1 if they are 0 and 1.",
        )  # fmt: skip

    def _of_numbers(self, call: Call) -> None:
        given, target = call.args[0], call.argument(1, "target")
        origin = self.run.origins.numbers_of(given)
        if origin is None or origin.name not in _REACHES or not given.requires_grad:
            return
        values = values_of(target)
        if values is None or values.size < 4:
            return
        least, most = _REACHES[origin.name]
        margin = _MARGIN * float(values.max() - values.min())
        share = float(((values < least - margin) | (values > most + margin)).mean())
        if share >= _SHARE:
            reach = f"above {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
            reach = f"below {most:g}" if least == -np.inf else reach
            self.report_call(
                REACH, call,
                f"{share:.0%} of the targets are where the output cannot go",
                f"{origin.name} at {origin.site} gives numbers {reach}; the targets go from "
                f"{values.min():.3g} to {values.max():.3g}.",
                f"Leave {origin.name} out of the last layer ({origin.site.text}), or scale the "
                "targets.",
            )  # fmt: skip

    def _of_classes(self, call: Call) -> None:
        scores, target = call.args[0], call.argument(1, "target")
        if len(scores.shape) != 2 or tuple(target.shape) != tuple(scores.shape):
            return
        values = values_of(target)
        if values is None or not np.isin(values, (0, 1)).all():
            return
        sums = values.sum(1)
        if sums.size and sums.max() > 1:
            row = int(sums.argmax())
            self.report_call(
                SEVERAL, call, "a row of the targets names several classes",
                f"Row {row} of the targets sums to {int(sums[row])}: the loss is of classes that "
                "exclude each other, and can never come near zero here.",
                "Use binary_cross_entropy_with_logits if a sample may have several classes.",
            )  # fmt: skip


def _shown(values: np.ndarray) -> Any:
    return [float(each) for each in values.ravel()[:4]]
