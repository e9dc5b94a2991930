"""Dropout and batch normalization in the wrong mode: while judging, or while training."""

from __future__ import annotations

import ast
import weakref
from typing import Any

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.calls import LOSSES, Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.origins import Origin
from pellucid.inspect.checks.run import Step

JUDGED = "judged in training mode"
TRAINED = "trained in evaluation mode"
FUNCTIONAL = "dropout that eval() does not turn off"

#: steps in evaluation mode, in a row, after which it is reported
PATIENCE = 3
#: what makes an answer of an output, before it is compared with the truth
_ANSWERS = frozenset({"argmax", "max", "topk", "round", "gt", "ge"})
_DROPOUTS = frozenset({
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout",
})  # fmt: skip


class _Model:
    """What is known of an outermost module."""

    def __init__(self, module: Any) -> None:
        self.reference = weakref.ref(module)
        #: the line of its latest call
        self.called: Site | None = None
        #: whether it was called in training mode, recorded; and that in this step
        self.trained = False
        #: whether it was called in evaluation mode, recorded, in this step
        self.evaluated = False
        #: steps in a row with calls in evaluation mode only
        self.steps = 0
        self.loaded = False
        #: the line that put it into evaluation mode
        self.turned: Site | None = None


class Modes(Check):
    """A search for models that are judged in training mode, or trained in evaluation mode."""

    kinds = (JUDGED, TRAINED, FUNCTIONAL)

    def prepare(self) -> None:
        self.models: dict[int, _Model] = {}
        self.settled: set[Any] = set()
        #: models called in training mode, recorded, since the latest step
        self.in_training: set[int] = set()

    def _model(self, module: Any) -> _Model:
        known = self.models.get(id(module))
        if known is None or known.reference() is not module:
            known = self.models[id(module)] = _Model(module)
        return known

    def module_began(self, module: Any, recorded: bool) -> None:
        known = self._model(module)
        if not recorded:
            if module.training and not known.called:
                known.called = user_site()
        elif module.training:
            known.trained = True
            self.in_training.add(id(module))
        else:
            known.evaluated = True

    def mode_changes(self, module: Any) -> None:
        if module.training:
            self._model(module).turned = user_site()

    def loaded(self, module: Any, state: Any, keys: Any, strict: bool) -> None:
        self._model(module).loaded = True

    # ---- trained in evaluation mode -------------------------------------------------------------

    def step_ended(self, step: Step) -> None:
        for known in tuple(self.models.values()):
            if known.evaluated:
                known.evaluated = False
                module = known.reference()
                if module is None or id(module) in self.in_training or module.training:
                    known.steps = 0
                elif id(module) not in self.settled:
                    self._count(step, known, module)
        self.in_training.clear()

    unsampled_step_ended = step_ended

    def _count(self, step: Step, known: _Model, module: Any) -> None:
        mine = {id(each) for each in module.parameters()}
        if not any(id(entry.tensor) in mine and entry.grad is not None for entry in step.entries):
            return
        known.steps += 1
        if known.steps < PATIENCE:
            return
        self.settled.add(id(module))
        dropouts, norms = _layers(module, training=False)
        fresh = [name for name, each in norms if _is_fresh(each)]
        if not (dropouts or fresh) or (known.loaded and not known.trained and not fresh):
            return
        name = type(module).__name__
        parts = [f"{listed([each for each, _ in dropouts])} drops nothing"] if dropouts else []
        if norms:
            parts.append(
                f"{listed([each for each, _ in norms])} uses fixed statistics, of a mean of 0 and "
                "a variance of 1"
                if fresh
                else f"{listed([each for each, _ in norms])} no longer follows the data"
            )
        since = f", which {known.turned} has put it into" if known.turned is not None else ""
        self.report(
            TRAINED, f"{name} is trained in evaluation mode{since}", step.site,
            f"For {PATIENCE} steps {' and '.join(parts)}.",
            f"Call {self.run.variable_of(module)}.train() before each epoch, after the "
            "evaluation; if fixed statistics are meant, put only the layers of normalization into "
            "eval().", step.number,
        )  # fmt: skip

    # ---- judged in training mode ----------------------------------------------------------------

    def called(self, call: Call) -> None:
        if call.name in _DROPOUTS:
            self._functional(call)
        elif not call.recorded and (call.name in LOSSES or call.name == "eq"):
            for tensor in call.tensors:
                origin = self.run.origins.of(tensor)
                if origin is not None:
                    self._judged(call, origin)

    def _judged(self, call: Call, origin: Origin) -> None:
        answered = call.name in LOSSES
        for each in origin.chain():
            answered = answered or each.name in _ANSWERS
            if each.model is not None and each.model is not call.module:
                if answered and each.training and not each.recorded:
                    self._report_judged(call, each.model)
                return

    def _report_judged(self, call: Call, module: Any) -> None:
        known, key = self._model(module), (id(module), "judged")
        optimized = self.run.optimized()
        mine = known.loaded or any(id(each) in optimized for each in module.parameters())
        if key in self.settled or not mine or not module.training:
            return
        dropouts, norms = _layers(module, training=True)
        if not (dropouts or norms):
            return
        self.settled.add(key)
        name, variable, parts = type(module).__name__, self.run.variable_of(module), []
        if dropouts:
            layer, each = dropouts[0]
            parts.append(f"{layer} drops {each.p:.0%} of its input at random")
        if norms:
            parts.append(
                f"{listed([each for each, _ in norms])} normalizes by the batch, so that answers "
                "depend on each other, and has taken these data into its statistics"
            )
        why = " and ".join(parts)
        self.report(
            JUDGED, f"{name} is in training mode, and {call.name} judges what it gives", call.site,
            f"Nothing is recorded, so this is not training: {why}"
            f"{'' if known.called is None else f' (called at {known.called})'}.",
            f"Call {variable}.eval() before, and {variable}.train() after.",
        )  # fmt: skip

    # ---- F.dropout ------------------------------------------------------------------------------

    def _functional(self, call: Call) -> None:
        module = call.module
        if module is None or module.training or not call.argument(2, "training", True):
            return
        inner = dict(module.named_modules()).get(call.scope or "", module)
        site = call.site
        if inner.training or site in self.settled or not _leaves_training_out(site):
            return
        self.settled.add(site)
        share = call.argument(1, "p", 0.5)
        self.report(
            FUNCTIONAL, f"{type(module).__name__} is in evaluation mode, and this drops "
            f"{share:.0%} of the values", site,
            f"F.{call.name} knows no mode: it drops unless it is given training=False, so answers "
            "differ from call to call.",
            f"Write F.{call.name}(..., training=self.training), or use nn.Dropout.",
        )  # fmt: skip


def _leaves_training_out(site: Site) -> bool:
    """Return whether the source of a call of F.dropout gives no ``training``."""
    found = site.expression
    if not isinstance(found, ast.Call):
        return False
    name = getattr(found.func, "attr", getattr(found.func, "id", ""))
    given = [*(each.arg for each in found.keywords), *(["training"] if len(found.args) > 2 else [])]
    return "dropout" in name.lower() and "training" not in given and None not in given


def _layers(module: Any, training: bool) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """Return dropouts and batch normalizations that are in a mode, by name."""
    dropouts, norms = [], []
    for name, each in module.named_modules():
        if bool(each.training) is not training:
            continue
        if "Dropout" in type(each).__name__ and getattr(each, "p", 0):
            dropouts.append((_layer_name(name, each), each))
        elif is_tensor(getattr(each, "running_mean", None)) and "BatchNorm" in type(each).__name__:
            norms.append((_layer_name(name, each), each))
    return dropouts, norms


def _layer_name(name: str, layer: Any) -> str:
    """Return the dotted name of a layer, with its type where a number alone would stand."""
    kind = type(layer).__name__
    return f"{kind} {name}" if name.rpartition(".")[2].isdigit() else name or kind


def _is_fresh(norm: Any) -> bool:
    """Return whether a batch normalization has seen no batch at all."""
    counted = getattr(norm, "num_batches_tracked", None)
    return counted is not None and int(counted) == 0
