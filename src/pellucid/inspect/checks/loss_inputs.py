"""What losses are given: probabilities where scores are wanted, or the other way round."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.origins import Origin
from pellucid.inspect.checks.run import values_of

#: how far the sum of probabilities may be from 1
_ROUNDING = 1e-3
#: rows of exp that sum to more are not probabilities
_NO_PROBABILITIES = 1.01

SOFTMAX = "softmax before cross_entropy"
SIGMOID = "sigmoid before a loss of scores"
BATCH = "softmax over the batch"
LOGARITHMS = "nll_loss without log_softmax"
TWICE = "softmax of a softmax"
ONE_CLASS = "cross_entropy of one class"
DIVERGENCE = "kl_div of what are not logarithms"
THRESHOLD = "scores compared with 0.5"


class LossInputs(Check):
    """A look at what losses are given, and at what it was computed by."""

    kinds = (SOFTMAX, SIGMOID, BATCH, LOGARITHMS, TWICE, ONE_CLASS, DIVERGENCE, THRESHOLD)

    def prepare(self) -> None:
        #: scores that a loss was given, and those that were compared with a half, by identity
        self.scores: dict[int, tuple[weakref.ref[Any], Site]] = {}
        self.halved: dict[int, tuple[weakref.ref[Any], Site]] = {}

    def called(self, call: Call) -> None:
        look = _LOOKS.get(call.name)
        if look is not None and call.args:
            look(self, call)

    # ---- losses of several classes --------------------------------------------------------------

    def _cross_entropy(self, call: Call) -> None:
        scores = call.args[0]
        shape = tuple(scores.shape)
        if len(shape) > 1 and shape[1] == 1:
            self.report_call(
                ONE_CLASS, call,
                f"cross_entropy is given scores of shape {list(shape)}: of one class",
                "The softmax of a single score is 1 whatever the score is, so the loss is 0 and "
                "all gradients are.",
                "Give the last layer one output for each class (two for yes and no), or use "
                "binary_cross_entropy_with_logits with targets of 0.0 and 1.0.",
            )  # fmt: skip
            return
        origin = self.run.origins.numbers_of(scores)
        if origin is None:
            return
        if origin.name == "softmax":
            self._probabilities(call, origin)
        elif origin.name == "sigmoid" and len(shape) > 1:
            self.report_call(
                SIGMOID, call, f"cross_entropy is given the result of sigmoid, at {origin.site}",
                "It takes scores of any size, and makes probabilities of them by itself. "
                f"{_floor_text(shape[1])}",
                f"Leave the sigmoid out{origin.written('igmoid')}.",
            )  # fmt: skip

    def _probabilities(self, call: Call, origin: Origin) -> None:
        scores = call.args[0]
        values, axis = values_of(scores), 1 if len(scores.shape) > 1 else 0
        if values is None:
            return
        if _sum_to_one(values, axis):
            self.report_call(
                SOFTMAX, call,
                f"cross_entropy is given probabilities: the softmax at {origin.site}",
                f"It takes scores, and applies log_softmax by itself: each row here sums to 1 "
                f"already. {_floor_text(values.shape[axis])}",
                f"Leave the softmax out{origin.written('oftmax')}, and apply it where "
                "probabilities are to be shown.",
            )  # fmt: skip
        elif values.ndim == 2 and _sum_to_one(values, 0):
            self._report_batch(call, origin, values)

    def _report_batch(self, call: Call, origin: Origin, probabilities: np.ndarray) -> None:
        sums = probabilities.sum(1)
        self.report_call(
            BATCH, call, f"{call.name} is given a softmax over the batch, made at {origin.site}",
            f"Each column of {list(probabilities.shape)} sums to 1, and the rows, one for each "
            f"sample, sum to {_range_text(sums)}: the samples share the probability, not the "
            "classes.",
            "Use dim=1 there for nll_loss; cross_entropy takes the scores as they are.",
        )  # fmt: skip

    def _nll_loss(self, call: Call) -> None:
        given = call.args[0]
        values = values_of(given)
        if values is None or values.ndim not in (1, 2) or not values.size:
            return
        axis = values.ndim - 1
        origin = self.run.origins.numbers_of(given)
        if values.min() >= 0 and _sum_to_one(values, axis):
            made = "" if origin is None else f", made at {origin.site}"
            self.report_call(
                LOGARITHMS, call, f"nll_loss is given probabilities{made}",
                "It takes their logarithms: of probabilities it makes a loss between -1 and 0, "
                f"here {-float(values.max()):.2g} at the least, whose gradient is the same however "
                "wrong they are.",
                "Use log_softmax in place of softmax, or cross_entropy on the scores themselves.",
            )  # fmt: skip
            return
        with np.errstate(over="ignore"):
            made = np.exp(values)
        sums = made.sum(axis)
        if not np.isfinite(values).all() or float(np.abs(sums - 1).max()) < 0.01:
            return
        if origin is not None and axis and _sum_to_one(made, 0):
            self._report_batch(call, origin, made)
        elif float(sums.min()) > _NO_PROBABILITIES:
            self.report_call(
                LOGARITHMS, call, "nll_loss is given what are not logarithms of probabilities",
                f"The rows of exp(input) sum to {_range_text(sums)}, not to 1, so the loss falls "
                "without bound as the scores grow, right or wrong.",
                "Apply log_softmax(input, dim=1) first, or use cross_entropy in its place.",
            )  # fmt: skip

    def _softmax(self, call: Call) -> None:
        origin = self.run.origins.numbers_of(call.args[0])
        made = self.run.origins.of(call.result)
        if origin is None or origin.name != "softmax" or made is None or made.dim != origin.dim:
            return
        values = values_of(call.result)
        if values is None or values.ndim <= made.dim or values.shape[made.dim] < 2:
            return
        shown = np.exp(values) if call.name == "log_softmax" else values
        self.report_call(
            TWICE, call, f"{call.name} is given what is a softmax already, made at {origin.site}",
            f"The second one makes them all nearly equal: here from {shown.min():.2g} to "
            f"{shown.max():.2g}, and never more than {_most(values.shape[made.dim]):.2g}.",
            "Leave one of them out.",
        )  # fmt: skip

    def _kl_div(self, call: Call) -> None:
        given, target = call.args[0], call.argument(1, "target")
        values, wanted = values_of(given), values_of(target)
        if values is None or wanted is None or not values.size or not wanted.size:
            return
        origin = self.run.origins.numbers_of(given)
        if values.min() >= 0 and values.max() > 0 and _sum_to_one(values, values.ndim - 1):
            made = "" if origin is None else f", made at {origin.site}"
            self.report_call(
                DIVERGENCE, call, f"the first argument of kl_div is probabilities{made}",
                "It should be their logarithms: each row of it sums to 1, and each row of its exp "
                f"to {_range_text(np.exp(values).sum(-1))}.",
                "Use log_softmax for the first argument, and softmax for the second one.",
            )  # fmt: skip
        elif wanted.max() <= 0 and wanted.min() < 0 and not call.argument(9, "log_target", False):
            self.report_call(
                DIVERGENCE, call, "the target of kl_div is never above zero",
                f"It goes from {wanted.min():.3g} to {wanted.max():.3g}, so it is logarithms, "
                "which kl_div takes for probabilities unless it is told.",
                "Give log_target=True, or softmax in place of log_softmax.",
            )  # fmt: skip

    # ---- losses of yes and no -------------------------------------------------------------------

    def _with_logits(self, call: Call) -> None:
        scores = call.args[0]
        self._remember(self.scores, scores, call)
        halved = self.halved.get(id(scores))
        if halved is not None and halved[0]() is scores:
            self._report_threshold(halved[1], call.site)
        origin = self.run.origins.numbers_of(scores)
        if origin is not None and origin.name in ("sigmoid", "softmax"):
            self.report_call(
                SIGMOID, call, f"{call.name} is given the result of {origin.name}, at "
                f"{origin.site}",
                "It takes scores, and applies sigmoid by itself. Of numbers between 0 and 1 it "
                "makes probabilities between 0.5 and 0.73.",
                f"Leave the {origin.name} out: {origin.site.text}.",
            )  # fmt: skip

    def _compared(self, call: Call) -> None:
        if (
            not any(type(each) is float and each == 0.5 for each in call.args[1:])
            and call.name != "round"
        ):
            return
        given = call.args[0]
        self._remember(self.halved, given, call)
        known = self.scores.get(id(given))
        if known is not None and known[0]() is given:
            self._report_threshold(call.site, known[1])

    def _report_threshold(self, compared: Site, loss: Site) -> None:
        self.report_once(
            THRESHOLD, "scores are judged by 0.5, which is the threshold of probabilities",
            compared,
            f"The loss at {loss} takes them for scores, so a score of 0.5 is a probability of "
            "0.62, and one of 0 is 0.5.", "Compare with 0, or compare sigmoid(scores) with 0.5.",
        )  # fmt: skip

    def _remember(self, where: dict[int, Any], tensor: Any, call: Call) -> None:
        key = id(tensor)
        where[key] = weakref.ref(tensor, lambda _: where.pop(key, None)), call.site


_LOOKS: dict[str, Callable[[LossInputs, Call], None]] = {
    "cross_entropy": LossInputs._cross_entropy,
    "nll_loss": LossInputs._nll_loss,
    "softmax": LossInputs._softmax,
    "log_softmax": LossInputs._softmax,
    "kl_div": LossInputs._kl_div,
    "binary_cross_entropy_with_logits": LossInputs._with_logits,
    "gt": LossInputs._compared,
    "ge": LossInputs._compared,
    "round": LossInputs._compared,
}


def _sum_to_one(values: np.ndarray, axis: int) -> bool:
    return bool(values.size) and float(np.abs(values.sum(axis) - 1).max()) < _ROUNDING


def _range_text(sums: np.ndarray) -> str:
    least, most = float(sums.min()), float(sums.max())
    return (
        f"{least:.3g}" if math.isclose(least, most, rel_tol=0.01) else f"{least:.3g} to {most:.3g}"
    )


def _most(count: int) -> float:
    """Return the largest probability that a softmax makes of numbers between 0 and 1."""
    return math.e / (math.e + count - 1)


def _floor_text(count: int) -> str:
    floor = -math.log(_most(count))
    return (
        f"With {count} classes the loss cannot fall below {floor:.2f}, however sure the model is."
    )
