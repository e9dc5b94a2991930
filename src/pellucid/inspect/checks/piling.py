"""Tensors that stay, more with each step: outputs in a list, results in a dict.

Of the steps whose calls are heard, the tensors are known by weak references. A line whose tensors
of all these steps are still there much later keeps them.
"""

from __future__ import annotations

import weakref
from typing import Any

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step
from pellucid.inspect.checks.windows import is_in_a_queue_with_a_limit, longest_window
from pellucid.inspect.owners import OwnerChain, why_alive
from pellucid.inspect.tables import size_text

KIND = "tensors pile up"

#: steps whose tensors are looked for, and the first one at which that is done
_FROM = 8
FIRST_LOOK = 128
#: bytes of all that was kept so far, about, below which nothing is said
_LEAST_BYTES = 1_000_000
#: tensors of one step that are remembered
_MOST = 2000


class PilingTensors(Check):
    """A search for lines whose tensors are kept from step to step."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: by number of a step: the line and the size of each tensor
        self.made: dict[int, list[tuple[weakref.ref[Any], Site, int]]] = {}
        self.settled: set[Site] = set()

    def called(self, call: Call) -> None:
        coming = self.run.steps + 1
        if coming < _FROM or coming & (coming - 1) or not is_tensor(call.result):
            return
        made = self.made.setdefault(coming, [])
        if len(made) < _MOST:
            size = call.result.numel() * call.result.element_size()
            made.append((weakref.ref(call.result), call.site, size))

    def step_ended(self, step: Step) -> None:
        number = step.number
        if number < FIRST_LOOK or number & (number - 1):
            return
        earlier = [self.made[each] for each in self.made if _FROM <= each < number]
        if len(earlier) < 3:
            return
        kept = [{site for reference, site, _ in made if reference() is not None}
                for made in earlier]  # fmt: skip
        for site in set.intersection(*kept) - self.settled:
            alive = [
                (tensor, size)
                for made in earlier
                for reference, where, size in made
                if where == site and (tensor := reference()) is not None
            ]
            each = sum(size for _, size in alive) // len(earlier)
            if each * number >= _LEAST_BYTES:
                self._judge(site, alive[-1][0], each, number)
                return

    unsampled_step_ended = step_ended

    def _judge(self, site: Site, tensor: Any, each: int, number: int) -> None:
        chain = None if is_in_a_queue_with_a_limit(tensor) else _holder(tensor)
        if number - _FROM < longest_window(tensor, chain, site):
            return
        self.settled.add(site)
        if chain is None:
            return
        self.report(
            KIND, f"{chain.holder} keeps what this line makes: {size_text(each)} more with each "
            "step", site,
            f"What it made in step {_FROM} and since is still there in step {number}, about "
            f"{size_text(each * number)} by now.",
            "Keep a number, with .item(), or what is needed of it; or empty the container after "
            "each epoch, or use a deque(maxlen=...).", number,
        )  # fmt: skip


def _holder(tensor: Any) -> OwnerChain | None:
    """Return what of the program holds a tensor."""
    chains = [chain for chain in why_alive(tensor).chains if "pellucid.inspect" not in chain.root]
    named = [chain for chain in chains if "variable" in chain.root and chain.steps]
    return (named or chains or [None])[0]
