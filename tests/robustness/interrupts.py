"""Interrupting a program at any instruction at which Python can be interrupted."""

from __future__ import annotations

import copy
import dis
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import pellucid
import pellucid._native
from pellucid import nn
from pellucid.autograd import Function, graph
from pellucid.autograd.modes import _PutsGradModeBack, anomaly, modes
from pellucid.blocks import Block
from pellucid.device import placing
from pellucid.interpreters.autocast import state
from pellucid.nn import functional as F
from pellucid.nn.modules.calling import global_hooks
from pellucid.observe import observers, slow_path, watchers
from pellucid.random import get_rng_state
from pellucid.utils.checkpoint import checkpoint

LIBRARY = str(Path(pellucid.__file__).parent)
#: in Python alone, the one function in which an interrupt leaves a mode on; see Note [Interrupts]
_OPEN = set() if pellucid._native.compiled is not None else {"__exit__"}


def state_of_the_process() -> Any:
    """Return every mode and every count that an interrupt must not change."""
    fields = {
        name: getattr(modes, name)
        for name, value in vars(type(modes)).items()
        if not name.startswith("_") and not isinstance(value, property)
    }
    return {
        **fields, "active": list(slow_path.active), "general": list(slow_path.general),
        "scopes": list(slow_path.scopes), "watchers": list(watchers), "observers": list(observers),
        "anomaly": (anomaly.enabled, anomaly.check_nan), "device": placing.device,
        "autocast": (dict(state.enabled), dict(state.dtypes), state.cache_enabled, state.nesting),
        "hooks": len(global_hooks), "numpy": np.geterr(),
        "default dtype": pellucid.get_default_dtype(),
    }  # fmt: skip


class Interrupt:
    """Raises KeyboardInterrupt at the n-th place of the library's code that can be interrupted.

    These are the places at which Python looks for signals: where a function begins, and after a
    call. With ``everywhere`` they are all instructions, also those that no signal can interrupt.
    """

    def __init__(self, place: int, everywhere: bool = False) -> None:
        self.place = place
        self.passed = 0
        self.at: tuple[str, int] | None = None
        #: those who are calling C, which looks for no signals when what it calls returns
        self._in_c: list[FrameType] = []
        self._follow = (sys.settrace, self._trace) if everywhere else (sys.setprofile, self._call)

    def __enter__(self) -> Interrupt:
        follow, function = self._follow
        follow(function)
        return self

    def __exit__(self, *_: object) -> None:
        self._follow[0](None)

    def _call(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            self._in_c.append(frame)
        elif event in ("c_return", "c_exception") and self._in_c:
            self._in_c.pop()
        returns = event == "return" and not _enters(frame) and not self._is_called_by_c(frame)
        if event in ("call", "c_return") or returns:
            self._pass(frame)

    def _is_called_by_c(self, frame: FrameType) -> bool:
        return bool(self._in_c) and self._in_c[-1] is frame.f_back

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._pass(frame)
        return self._instruction

    def _instruction(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "opcode":
            self._pass(frame)
        return self._instruction

    def _pass(self, frame: FrameType) -> None:
        if not _is_library(frame) or _finalizes(frame):
            return
        self.passed += 1
        if self.passed == self.place:
            self._follow[0](None)
            self.at = frame.f_code.co_filename, frame.f_lineno
            raise KeyboardInterrupt


def _enters(frame: FrameType) -> bool:
    """Return whether ``with`` itself calls a function, after which it looks for no signals."""
    caller = frame.f_back
    return (
        frame.f_code.co_name == "__enter__"
        and caller is not None
        and dis.opname[caller.f_code.co_code[caller.f_lasti]] == "BEFORE_WITH"
    )


def _finalizes(frame: FrameType | None) -> bool:
    """Return whether a ``__del__`` runs, whose errors Python prints and drops."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def _is_library(frame: FrameType) -> bool:
    code = frame.f_code
    is_open = code.co_name in _OPEN and isinstance(
        frame.f_locals.get("self"), Block | _PutsGradModeBack
    )
    return code.co_filename.startswith(LIBRARY) and not is_open


def interrupted_at(place: int, program: Callable[[], Any], everywhere: bool = False) -> Interrupt:
    """Run a program until a place, and return where it was: ``at`` is None where it has ended."""
    with Interrupt(place, everywhere) as interrupt:
        try:
            program()
        except KeyboardInterrupt:
            assert interrupt.at is not None
    return interrupt


def generator_state() -> Any:
    """Return the state of the shared stream of random numbers."""
    return get_rng_state().tolist()


class Doubled(Function):
    """Twice its argument, with a backward of its own that goes backward itself."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Double the argument."""
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        """Double the gradient, by a pass within the pass."""
        with pellucid.enable_grad():
            x = ctx.saved_tensors[0].detach().requires_grad_()
            (found,) = pellucid.autograd.grad((x * 2 * g.detach()).sum(), x)
        return found


class TrainingStep:
    """A step of training that goes through most modes, from a state that can be taken up again."""

    def __init__(self) -> None:
        pellucid.manual_seed(0)
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)
        self.model = nn.Sequential(self.first, nn.ReLU(), nn.Dropout(0.5), self.second)
        self.optimizer = pellucid.optim.Adam(self.model.parameters(), 0.01)
        self.x, self.y = pellucid.randn(6, 3), pellucid.randn(6, 1)
        self.run()  # what is remembered from the first step on is not part of the state
        self.start = copy.deepcopy((self.model.state_dict(), self.optimizer.state_dict()))
        self.expected = self.result()
        self.take_up()
        with Interrupt(-1) as whole:
            self.run()
        #: at how many places a step can be interrupted
        self.places = whole.passed

    def take_up(self) -> None:
        """Go back to the state in which every step begins."""
        model, optimizer = copy.deepcopy(self.start)
        self.model.load_state_dict(model)
        self.optimizer.load_state_dict(optimizer)
        pellucid.manual_seed(1)

    def run(self) -> Any:
        """Take a step, and return the loss."""
        self.optimizer.zero_grad()
        hidden = checkpoint(self.first, self.x, use_reentrant=False)
        out = self.model[1:](Doubled.apply(hidden))
        handle = out.register_hook(lambda g: g * 1.0)
        with graph.save_on_cpu():
            loss = F.mse_loss(out, self.y)
        with pellucid.autocast("cpu"):
            loss = loss + self.model(self.x).float().mean() * 0.1
        loss.backward()
        handle.remove()
        with pellucid.no_grad():
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss

    def result(self) -> list[Any]:
        """Return what a step from the beginning computes."""
        self.take_up()
        loss = self.run()
        return [loss.tolist(), *(each.tolist() for each in self.model.parameters())]

    def check_interrupted(self, rounds: int, seed: int) -> None:
        """Interrupt steps at random places; nothing is left of it, and the next step is right."""
        before, chosen = state_of_the_process(), random.Random(seed)
        for _ in range(rounds):
            self.take_up()
            interrupt = interrupted_at(chosen.randint(1, self.places), self.run)
            assert state_of_the_process() == before, interrupt.at
            assert self.result() == self.expected, interrupt.at
