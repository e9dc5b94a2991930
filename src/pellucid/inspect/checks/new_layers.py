"""Layers that are made anew, with random weights, in each step."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step

KIND = "a layer made anew in each step"

#: steps that are compared: the first ones, whose calls are all heard
_STEPS = 3


class _Use(NamedTuple):
    """A parameter that a call was given, and its identity, which outlives it here."""

    reference: weakref.ref[Any]
    identity: int
    call: str


class NewLayers(Check):
    """A search for lines that use parameters which no other step has used, and no optimizer has."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: by line: the parameters of each of the first steps
        self.used: dict[Site, list[list[_Use]]] = {}

    def called(self, call: Call) -> None:
        number = self.run.steps
        if self.is_settled or number >= _STEPS or not call.recorded:
            return
        given = [each for each in (*call.args, *call.kwargs.values()) if self._was_made(each)]
        if given and _is_computed_of(call.result, given[0]):
            steps = self.used.setdefault(call.site, [[] for _ in range(_STEPS)])
            steps[number] += [_Use(weakref.ref(each), id(each), call.name) for each in given]

    def _was_made(self, value: Any) -> bool:
        """Return whether a value is a parameter of a layer that was made since the run began.

        A copy of a layer, which is made with the values of another, is not meant.
        """
        return _is_parameter(value) and self.run.assigned_at(value) is not None

    def step_ended(self, step: Step) -> None:
        if self.is_settled or self.run.steps < _STEPS:
            return
        self.is_settled = True
        optimized = self.run.optimized()
        for site, steps in self.used.items():
            if all(steps) and not any(use.identity in optimized for uses in steps for use in uses):
                if _are_all_others(steps):
                    self._report(site, steps[-1][0].call, step)
        self.used.clear()

    def _report(self, site: Site, call: str, step: Step) -> None:
        self.report(
            KIND, f"the parameters of {call} are new ones in each of the first {_STEPS} steps, and "
            "no optimizer has them", site,
            "The layer is made again whenever this runs, with random weights, so it never learns, "
            "and what is trained before it has to cope with another one each time.",
            "Make the layer once, in __init__, and call it here.", step.number,
        )  # fmt: skip


def _is_parameter(value: Any) -> bool:
    """Return whether a value is a parameter of a module that is trained, of either library's."""
    return getattr(value, "requires_grad", False) and type(value).__name__ == "Parameter"


def _is_computed_of(result: Any, parameter: Any) -> bool:
    """Return whether a result has a history of its own: a parameter that is filled has none."""
    results = result if isinstance(result, tuple | list) else (result,)
    return any(is_tensor(each) and each.requires_grad and each is not parameter for each in results)


def _are_all_others(steps: list[list[_Use]]) -> bool:
    """Return whether none of the parameters of a step is there, and used, in a later one."""
    for number, earlier in enumerate(steps):
        later = {id(tensor) for uses in steps[number + 1 :] for use in uses
                 if (tensor := use.reference()) is not None}  # fmt: skip
        alive = [use for use in earlier if use.reference() is not None]
        if any(use.identity in later for use in alive):
            return False
    return True
