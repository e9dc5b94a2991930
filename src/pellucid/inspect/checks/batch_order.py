"""Sequences whose first dimension counts samples, given to layers that take it for time."""

from __future__ import annotations

from typing import Any, NamedTuple

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import LOSSES, Call
from pellucid.inspect.checks.check import Check

KIND = "samples taken for time"

#: losses after which it is reported
PATIENCE = 3

#: calls by which layers read sequences, in either library
_READING = {"linear", "lstm", "gru", "rnn_tanh", "rnn_relu", "multi_head_attention_forward"}


class _Given(NamedTuple):
    """What a layer with ``batch_first=False`` was given: its line, and both leading sizes."""

    layer: str
    name: str
    site: Site
    first: int
    second: int


class BatchOrder(Check):
    """A comparison of the sizes that recurrent layers are given with those of the targets."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: layers that were called since the latest loss
        self.given: dict[str, _Given] = {}
        self.in_a_row = 0

    def called(self, call: Call) -> None:
        if self.is_settled or not call.recorded:
            return
        if call.name in LOSSES:
            self._compare(call)
        elif call.name in _READING and call.scope is not None and call.scope not in self.given:
            layer = _layer_of(call)
            shape = next((each.shape for each in call.tensors if _has_three_dimensions(each)), None)
            if layer is not None and shape is not None:
                self.given[call.scope] = _Given(
                    type(layer).__name__, call.scope, call.site, int(shape[0]), int(shape[1])
                )

    def _compare(self, call: Call) -> None:
        given, self.given = self.given, {}
        target = call.argument(1, "target")
        if not given or not is_tensor(target) or getattr(target, "is_nested", False):
            return
        rows = target.shape[0] if len(target.shape) in (1, 2) else 0
        width = target.shape[1] if len(target.shape) == 2 else 0
        swapped = (each for each in given.values() if each.first == rows != each.second)
        wrong = [each for each in swapped if each.second not in (1, width)]
        self.in_a_row = self.in_a_row + 1 if wrong else 0
        if self.in_a_row < PATIENCE:
            return
        self.is_settled = True
        each = wrong[0]
        self.report(
            KIND, f"{each.layer} ({each.name}) takes {each.first:,} samples for steps of time",
            each.site,
            f"It is given [{each.first}, {each.second}, ...], and the loss at {call.site} has "
            f"{rows:,} targets: with batch_first=False the first dimension is time, so each "
            "sample is read as what follows the one before, and its own "
            f"{each.second} steps as samples.",
            "Give batch_first=True where it is made, or x.transpose(0, 1) here. If samples are to "
            "see each other, nothing is wrong.",
        )  # fmt: skip


def _has_three_dimensions(tensor: Any) -> bool:
    """Return whether a tensor has three dimensions; a nested one of PyTorch's has no shape."""
    return not getattr(tensor, "is_nested", False) and len(tensor.shape) == 3


def _layer_of(call: Call) -> Any:
    """Return the layer that makes a call, if it takes the first dimension for time."""
    module = call.module
    if module is None:
        return None
    for name in ("", call.scope, (call.scope or "").partition(".")[2]):
        try:
            found = module.get_submodule(name) if name else module
        except (AttributeError, TypeError):
            continue
        if getattr(found, "batch_first", True) is False and (name or call.scope in _own(module)):
            return found
    return None


def _own(module: Any) -> tuple[str, str]:
    """Return the scopes of calls that the outermost module makes itself."""
    return "", type(module).__name__
