"""Ctrl-C at any instruction leaves every mode and every count as it was; see Note [Interrupts]."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid._native import compiled
from pellucid.autograd import forward_ad, graph
from pellucid.autograd.modes import interpreting, no_autocast
from pellucid.compat import overrides
from pellucid.compat.backends import cudnn
from pellucid.compat.flop_counter import FlopCounterMode
from pellucid.core.call.attributes import TorchFunctionMode, attributes
from pellucid.core.call.interpreter import Interpreter
from pellucid.core.call.overriding import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
)
from pellucid.func.levels import own_leaves
from pellucid.interpreters.vmap.batched import Level
from pellucid.interpreters.vmap.dispatch import entered, tangent_level
from pellucid.kernels.numpy.precision import silence
from pellucid.nn.utils import parametrize, stateless
from pellucid.observe import Observer, listening, observing, watching
from pellucid.serialization import safe_globals, skip_data
from pellucid.tensors.print_options import print_options, printoptions
from pellucid.utils import checkpoint
from tests.robustness.interrupts import (
    TrainingStep,
    generator_state,
    interrupted_at,
    state_of_the_process,
)
from tests.samples.duration import takes_long

# an interrupt while a generator is closed that nobody holds is told of, and goes no further
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LAYER = nn.Linear(2, 2)

MODES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "no_grad": torch.no_grad,
    "enable_grad": torch.enable_grad,
    "inference_mode": torch.inference_mode,
    "no inference_mode": lambda: torch.inference_mode(False),
    "in_python": torch.inspect.in_python,
    "saved_tensors_hooks": lambda: graph.saved_tensors_hooks(_same, _same),
    "save_on_cpu": graph.save_on_cpu,
    "disable_saved_tensors_hooks": lambda: graph.disable_saved_tensors_hooks("not here"),
    "allow_mutation": graph.allow_mutation_on_saved_tensors,
    "dual_level": forward_ad.dual_level,
    "autocast": lambda: torch.autocast("cpu"),
    "no autocast": lambda: torch.autocast("cpu", enabled=False),
    "no_autocast": no_autocast,
    "checkpoint early stop": lambda: checkpoint.set_checkpoint_early_stop(False),
    "checkpoint debug": lambda: checkpoint.set_checkpoint_debug_enabled(True),
    "fork_rng": torch.random.fork_rng,
    "own_leaves": own_leaves,
    "vmap level": lambda: entered(Level(3, "error")),
    "tangent level": lambda: tangent_level(Level(3, "error")),
    "interpreter": lambda: interpreting(Interpreter()),
    "no subclasses": DisableTorchFunctionSubclass,
    "no overriding": DisableTorchFunction,
    "function mode": TorchFunctionMode,
    "reentrant dispatch": overrides.enable_reentrant_dispatch,
    "listening": lambda: listening(lambda event, node: None),
    "watching": lambda: watching(lambda event, subject: None),
    "observing": lambda: observing(Observer()),
    "cached parametrizations": parametrize.cached,
    "printoptions": lambda: printoptions(precision=2),
    "flop counter": lambda: FlopCounterMode(display=False),
    "sparse invariants": torch.sparse.check_sparse_tensor_invariants,
    "cudnn flags": lambda: cudnn.flags(enabled=False),
    "skip_data": skip_data,
    "safe_globals": lambda: safe_globals([nn.ReLU]),
    "swapped": lambda: stateless.swapped(LAYER, {"weight": torch.zeros(2, 2)}),
    "silence": silence,
    "record": torch.inspect.record,
    "checking": torch.inspect.checking,
    "profile": lambda: torch.profiler.profile(with_stack=True),
    "autograd profiler": lambda: torch.autograd.profiler.profile(),
}
#: those whose instructions take seconds to interrupt one by one
OF_MANY_LINES = {"autocast", "autograd profiler", "checking", "profile", "record", "swapped"}
#: those that take effect when they are made, as PyTorch's do
SWITCHES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "set_grad_enabled": lambda: torch.set_grad_enabled(False),
    "set_detect_anomaly": lambda: torch.autograd.set_detect_anomaly(True),
    "detect_anomaly": torch.autograd.detect_anomaly,
}


def _same(value: Any) -> Any:
    return value


def everything() -> Any:
    return (
        state_of_the_process(), generator_state(), vars(print_options).copy(), cudnn.enabled,
        torch.serialization.get_safe_globals(), id(LAYER._parameters["weight"]),
        torch.sparse.check_sparse_tensor_invariants.is_enabled(),
        checkpoint._Overrides.early_stop, checkpoint._Overrides.debug,
        list(parametrize._cache.blocks), dict(torch.Tensor.__dict__),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def few_attributes_ask_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let modes hear of three attributes only, which are as hard to put back as a hundred."""
    asking = attributes._asking
    chosen = ["data", "shape", "view"]  # a property with a setter, one without, one of a base class
    monkeypatch.setattr(attributes, "_asking", {name: asking[name] for name in chosen})


@pytest.fixture(scope="module", autouse=True)
def used_before() -> Iterator[None]:
    """Enter every mode once: what is made at the first use of the library is not a mode.

    A recording looks at every object that there is when it begins. Those of the other tests are
    hidden from it, as it begins some thousand times here.
    """
    for make in (*MODES.values(), *SWITCHES.values()):
        with make():
            pass
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def put_back_wherever_interrupted(program: Callable[[], Any], everywhere: bool) -> int:
    """Interrupt a program at each place in turn, and return how many there are."""
    before, place = everything(), 0
    while True:
        place += 1
        interrupt = interrupted_at(place, program, everywhere)
        assert everything() == before, interrupt.at
        # `with` of the library leaves a block in its last instruction; before it, no signal arrives
        assert everywhere or gc.isenabled(), interrupt.at
        gc.enable()
        if interrupt.at is None:
            return place - 1


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[takes_long] * (each in OF_MANY_LINES)) for each in MODES]
)
def test_a_mode_is_over_wherever_it_is_interrupted(name):
    def program() -> None:
        with MODES[name]():
            pass

    put_back_wherever_interrupted(program, everywhere=False)
    if compiled is not None and not isinstance(MODES[name](), compiled.GradMode):
        put_back_wherever_interrupted(program, everywhere=True)


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_is_off_wherever_its_block_is_interrupted(name):
    before, place, at = everything(), 0, ("", 0)
    entered: list[bool] = []

    def program() -> None:
        with switch:
            entered.append(True)

    while at is not None:
        place, switch = place + 1, SWITCHES[name]()
        entered.clear()
        at = interrupted_at(place, program).at
        if not entered:  # it was made, which nothing undoes
            torch.set_grad_enabled(True)
            torch.autograd.set_detect_anomaly(False)
        assert everything() == before, at


@pytest.mark.parametrize("name", ["no_grad", "inference_mode"])
def test_a_decorated_function_leaves_its_mode_wherever_it_is_interrupted(name):
    function = MODES[name]()(lambda: None)
    assert put_back_wherever_interrupted(function, everywhere=False) > 0


# ---- a whole training step ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_training_step_can_be_interrupted_anywhere(seed):
    step = TrainingStep()
    step.check_interrupted(rounds=15, seed=seed)
