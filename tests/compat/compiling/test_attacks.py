"""What runs at once is held while others change it: finalizers, threads, interrupts, no memory."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from tests.compat.compiling.test_stretches import Step, agree, both, runs_at_once, there_is_a_module
from tests.robustness.interrupts import interrupted_at, state_of_the_process
from tests.samples.duration import takes_long

pytestmark = there_is_a_module


class Cycle:
    """A cycle whose end, when the collector finds it, does something."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.cycle, self.act = self, act

    def __del__(self) -> None:
        self.act()


@contextmanager
def collecting_always() -> Iterator[None]:
    """Let the collector run at every allocation."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        yield
    finally:
        gc.set_threshold(*before)


#: what others may do to a step, of which each leaves a step that runs or says what is wrong
_CHANGES: tuple[Callable[[Step], object], ...] = (
    lambda step: step.net[0]._parameters.clear(),
    lambda step: step.net[0].__dict__.clear(),
    lambda step: step.net._modules.clear(),
    lambda step: setattr(step.net[0], "weight", nn.Parameter(torch.zeros(4, 3))),
    lambda step: setattr(step.net[0].weight, "data", torch.zeros(2, 2)),
    lambda step: step.net.double(),
    lambda step: setattr(step.net[0].weight, "grad", torch.ones(4, 3)),
    lambda step: step.net.zero_grad(),
    lambda step: step.x.resize_(1, 3),
    lambda step: step.x.set_(torch.zeros(1)),
    lambda step: step.net[0].weight.register_hook(lambda g: g * 2),
    lambda step: step.run._compiled.traces.clear(),
    lambda step: torch.compiler.reset(),
)


# The step itself is not called: it would set context variables, such as NumPy's `errstate`, and a
# finalizer that does so while one is being set can end Python 3.11, without this library and NumPy,
# too: in `hamt_node_bitmap_assoc`, where `contextvar_set` (Python/context.c) reads the context's
# table, which it does not hold. To see it: 40 variables, a cycle whose `__del__` sets them all and
# leaves the next such cycle, `gc.set_threshold(1, 1, 1)`, and a loop that sets them.
@takes_long
@pytest.mark.parametrize("change", range(len(_CHANGES)))
@pytest.mark.parametrize("warm", [2, 6])
def test_a_finalizer_may_change_everything(change: int, warm: int) -> None:
    for place in range(1, 40, 13):
        step, passed = Step(torch.compile), 0
        for _ in range(warm):
            step()

        def act(step: Step = step, place: int = place) -> None:
            nonlocal passed
            passed += 1
            if passed == place:
                with suppress(Exception):
                    _CHANGES[change](step)
            elif passed < place:
                Cycle(act)

        Cycle(act)
        with collecting_always():
            for _ in range(3):
                with suppress(Exception):
                    step()
        passed = place
        gc.collect()
    agree(*both())


def test_threads_may_change_what_others_run() -> None:
    chosen = random.Random(0)
    for _ in range(6):
        step, stop = Step(torch.compile), threading.Event()
        for _ in range(6):
            step()

        def run(step: Step = step, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                with suppress(Exception):
                    step.run(step.x, step.y, step.shift)

        threads = [threading.Thread(target=run) for _ in range(3)]
        for each in threads:
            each.start()
        for _ in range(30):
            with suppress(Exception):
                chosen.choice(_CHANGES)(step)
        stop.set()
        for each in threads:
            each.join()
    agree(*both())


@pytest.mark.parametrize("calls", range(4))
def test_an_interrupt_leaves_nothing_behind(calls: int) -> None:
    plain, before, place = Step(lambda step: step), state_of_the_process(), 0
    expected = plain()[0].item()
    interrupted = True
    while interrupted:
        place += 29 if calls else 997
        step = Step(torch.compile)
        for _ in range(calls):
            step()
        interrupted = interrupted_at(place, step).at is not None
        assert state_of_the_process() == before
        assert [step()[0].item() for _ in range(8)] == [expected] * 8
        assert runs_at_once(step.run) == [True]


def test_a_gradient_that_is_recorded_itself_is_added_to_as_always() -> None:
    steps: tuple[Any, ...] = both()
    for step in steps:
        step.net[0].weight.grad = torch.ones(4, 3, requires_grad=True)
    agree(*steps)
    for step in steps:
        assert not step.net[0].bias.grad.requires_grad
