"""What stands between the last layer and a loss of scores: dropout, or what bounds them."""

from __future__ import annotations

import math

import numpy as np

from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.origins import Origin
from pellucid.inspect.checks.run import values_of

BOUNDED = "an activation before a loss of scores"
DROPPED = "dropout after the last layer"

_OF_YES_AND_NO = "binary_cross_entropy_with_logits"
_DROPPING = {"dropout", "alpha_dropout", "feature_alpha_dropout", "feature_dropout"}
_NEVER_NEGATIVE = {"relu", "relu6", "softplus"}
_UP_TO_ONE = {"tanh", "hardtanh", "softsign"}
#: elements from which a share of zeros is that of dropout
_LEAST = 20


class LastLayers(Check):
    """A look at the call that made the scores which a loss is given."""

    kinds = (BOUNDED, DROPPED)

    def called(self, call: Call) -> None:
        if call.name not in ("cross_entropy", _OF_YES_AND_NO) or not call.args:
            return
        origin = self.run.origins.numbers_of(call.args[0])
        if origin is None or self.has_reported(call.site) or not call.args[0].requires_grad:
            return
        if origin.name in _DROPPING:
            self._dropped(call, origin)
        elif call.name == _OF_YES_AND_NO:
            self._of_yes_and_no(call, origin)
        elif origin.name in _UP_TO_ONE | _NEVER_NEGATIVE:
            self._of_classes(call, origin)

    def _dropped(self, call: Call, origin: Origin) -> None:
        values = values_of(call.args[0])
        share = 0.0 if values is None or values.size < _LEAST else float((values == 0).mean())
        if not 0 < share < 1:
            return
        self.report_call(
            DROPPED, call,
            f"{call.name} is given what dropout has left of the scores, at {origin.site}",
            f"{share:.0%} of the scores are zero, whatever the model says, so part of the loss "
            "is chance, which no training makes smaller.",
            "Leave the dropout after the last layer out; between layers it is right.",
        )  # fmt: skip

    def _of_yes_and_no(self, call: Call, origin: Origin) -> None:
        target = values_of(call.argument(1, "target"))
        if target is None or not target.size:
            return
        if origin.name in _NEVER_NEGATIVE and (target < 0.5).any():
            limits = "no probability is below 0.5"
            out_of = float((target < 0.5).mean())
        elif origin.name in _UP_TO_ONE:
            limits = "probabilities are between 0.27 and 0.73"
            out_of = float(((target < 0.27) | (target > 0.73)).mean())
        else:
            return
        if out_of > 0:
            self.report_call(
                BOUNDED, call, f"{call.name} is given the result of {origin.name}, at "
                f"{origin.site}",
                f"It applies sigmoid to it, so {limits}: {out_of:.0%} of the targets are out of "
                "reach.",
                f"Leave the {origin.name} after the last layer out{origin.written(origin.name)}.",
            )  # fmt: skip

    def _of_classes(self, call: Call, origin: Origin) -> None:
        values = values_of(call.args[0])
        if values is None or values.ndim != 2 or values.shape[1] < 2:
            return
        count = values.shape[1]
        if origin.name in _UP_TO_ONE:
            why = (
                f"Its scores are between -1 and 1. With {count} classes the loss cannot fall below "
                f"{math.log1p((count - 1) * math.exp(-2)):.2f}, however sure the model is."
            )
        else:
            empty = int(np.sum(~values.any(axis=1)))
            if not empty or origin.name == "softplus":
                return
            why = (
                f"{empty} of {len(values)} rows have zeros only: of these the loss is "
                f"{math.log(count):.2f}, and they give no gradient at all."
            )
        self.report_call(
            BOUNDED, call, f"{call.name} is given the result of {origin.name}, at {origin.site}",
            why, f"Leave the {origin.name} after the last layer out{origin.written(origin.name)}.",
        )  # fmt: skip
