"""Activations nearly all of whose elements are where they are flat, from the first steps on."""

from __future__ import annotations

import numpy as np

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import values_of

KIND = "saturation"

#: looks in a row, the first at one of the first steps, after which it is reported
PATIENCE = 4
_SHARE = 0.9
#: the derivative below which an element is counted
_FLAT = 1e-6
_LEAST = 32


class Saturation(Check):
    """A search for sigmoid and tanh that let hardly any gradient pass from the beginning."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: looks in a row; -1 for a line that is settled
        self.flat: dict[Site, int] = {}

    def called(self, call: Call) -> None:
        if call.name not in ("sigmoid", "tanh") or not call.recorded:
            return
        site = call.site
        known = self.flat.get(site, 0)
        made = values_of(call.result)
        if known < 0 or made is None or made.size < _LEAST or not call.result.requires_grad:
            return
        slope = made * (1 - made) if call.name == "sigmoid" else 1 - made * made
        share = float((np.abs(slope) < _FLAT).mean())
        self.flat[site] = known + 1 if _SHARE <= share < 1 else -1
        given = values_of(call.args[0])
        if self.flat[site] >= PATIENCE and given is not None:
            self.flat[site] = -1
            self.report(
                KIND, f"{share:.0%} of what {call.name} gives is where it is flat", site,
                f"Its operands go from {given.min():.3g} to {given.max():.3g}, and hardly any "
                f"gradient passes beyond {'15' if call.name == 'sigmoid' else '8'}; so it was at "
                f"each of {PATIENCE} looks from the first steps on.",
                "Scale the input: subtract its mean and divide by its standard deviation.",
            )  # fmt: skip
