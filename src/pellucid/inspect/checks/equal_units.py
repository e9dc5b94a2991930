"""Units of a layer that are all equal, and stay so."""

from __future__ import annotations

import numpy as np

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Entry, Step, array_of

KIND = "units that are all equal"

#: steps of an optimizer after which its layers are looked at
_LOOKS = (2, 5)
_MOST = 5_000_000


class EqualUnits(Check):
    """A search for layers whose rows are equal, and get equal gradients."""

    kinds = (KIND,)

    def prepare(self) -> None:
        self.equal: set[int] = set()

    def step_ended(self, step: Step) -> None:
        if step.optimizer.steps not in _LOOKS:
            return
        last = step.optimizer.steps == _LOOKS[-1]
        for entry in step.entries:
            if entry.grad is None or not _are_equal(entry):
                continue
            if last and id(entry.tensor) in self.equal:
                self._report(step, entry)
            self.equal.add(id(entry.tensor))

    def _report(self, step: Step, entry: Entry) -> None:
        (name,), count = self.run.names_of([entry]), len(array_of(entry.tensor))
        self.report(
            KIND, f"all {count} rows of {name} are equal, after {step.optimizer.steps} steps as "
            "well", step.optimizer.made or step.site,
            f"They were made equal, get equal gradients, and so stay equal: the {count} units "
            "compute one number.",
            "Begin with random weights: leave out what fills them with a constant, or use "
            "nn.init.kaiming_uniform_.", step.number,
        )  # fmt: skip


def _are_equal(entry: Entry) -> bool:
    if entry.tensor.ndim < 2 or entry.tensor.shape[0] < 2 or entry.tensor.numel() > _MOST:
        return False
    weights, gradients = array_of(entry.tensor), array_of(entry.grad)
    if not weights.shape == gradients.shape == entry.tensor.shape or weights.dtype.kind != "f":
        return False
    return (
        np.allclose(weights[0], weights[1], rtol=1e-5)
        and np.allclose(weights, weights[0], rtol=1e-5)
        and bool(gradients.any())
        and np.allclose(
            gradients, gradients[0], rtol=1e-4, atol=1e-4 * float(np.abs(gradients).max())
        )
    )
