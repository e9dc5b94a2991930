"""What a replay calls for a stretch: it runs at once, or is watched until it can.

The first replays run a stretch as it is written, and list the ops that it calls; see Note [Recorded
passes] in ``_native/engine/recorded_pass.hpp`` for what is made of them. What that gives is
compared with what the next replay gives, bit for bit, before it takes its place. Whatever is
unusual later runs as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from threading import Lock, get_ident
from typing import Any

import numpy as np

from pellucid._native import compiled
from pellucid.compat.compiling.stretches import Stretch
from pellucid.compat.compiling.trace import Step
from pellucid.inspect.tables import count_text
from pellucid.nn import Module
from pellucid.nn.modules.scope import names_below, structure
from pellucid.observe import watchers
from pellucid.random import default_generator, get_rng_state, set_rng_state
from pellucid.tensors import Tensor

_native: Any = compiled
#: how often a stretch is recorded anew, and how many calls in a row may be unlike its recording
_MOST_TRIES, _MOST_UNLIKE = 4, 20
#: after as many runs without nodes that were left to Python, nodes are made
_MOST_FAILED_RUNS = 2


def _makes_the_same(function: Any) -> bool:
    """Return whether what makes a tensor gives the same in each run: it draws no numbers."""
    if isinstance(function, partial):
        function = function.func
    return hasattr(function, "makes")


def _never(*args: Any) -> None:
    """Run nothing: what stands for a recorded pass where there is none."""


class _Names:
    """The names that nodes get in the modules among the arguments of a stretch."""

    def __init__(self, stretch: Stretch, args: tuple[Any, ...]) -> None:
        self._scopes = stretch.scopes
        self._names = self._of(args)

    def _of(self, args: tuple[Any, ...]) -> list[str | None]:
        return [names_below(args[outer]).get(id(args[inner])) for inner, outer in self._scopes]

    def hold(self, *args: Any) -> bool:
        """Return whether they are the same for these arguments."""
        return self._of(args) == self._names


class RecordedStretch:
    """What a replay calls for a stretch.

    Attributes:
        run: Gives what the stretch gives, or None where it has to run as it is written.
        why_not: Why nothing is recorded, if so.
        site: Where the optimizer's step stands in the replay: its code, and the instruction's
            offset.
    """

    def __init__(self, stretch: Stretch) -> None:
        self.stretch = stretch
        self.run: Callable[..., Any] = _never
        self.why_not = ""
        self.site: tuple[Any, int] = (None, 0)
        self._waits = 1
        self._tries = 0
        #: how often what was recorded without nodes did not run
        self._failed_runs = 0
        self._unlike = 0
        self._listed: list[Any] | None = None
        self._made: Any = None
        self._expected: Any = None
        self._fresh: list[bool] = []
        self._usually = False
        #: the thread whose call is watched, and what it has while it begins
        self._thread = 0
        self._beginning = Lock()
        self._args: tuple[Any, ...] = ()
        self._versions: tuple[Any, ...] = ()
        self._stream: Any = None
        self._draws = False

    @property
    def is_ready(self) -> bool:
        """Whether it runs at once by now."""
        return self.run is not _never

    @property
    def size(self) -> tuple[int, int, bool]:
        """How many calls it makes at once, how many nodes it runs back, and if it steps."""
        return _native.pass_size(self._made) if self.is_ready else (0, 0, False)

    @property
    def steps(self) -> list[Step]:
        """The steps of Python that it does at once; none if it runs as it is written."""
        if not self.is_ready:
            return []
        return [
            each for each in self.stretch.steps if each is not self.stretch.step or self.size[2]
        ]

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line that it has, with the optimizer's step if it makes that."""
        first, last = self.stretch.lines
        step = self.stretch.step
        if step is None or not self.size[2]:
            return first, last
        line = step.place[0]
        return min(first, line), max(last, line)

    def __str__(self) -> str:
        first, last = self.lines
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        many = "s" if first == last else ""
        if self.is_ready:
            how = "as tensors with their nodes" if self._usually else "without nodes between"
            calls, nodes, has_stepped = self.size
            parts = [count_text(calls, "call")]
            parts += [f"{count_text(nodes, 'node')} back"] * bool(nodes)
            parts += ["the optimizer's step"] * has_stepped
            told = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
            return f"{lines} run{many} at once in the compiled module, {how}: {told}"
        if self.why_not:
            return f"{lines} run{many} as written: {self.why_not}"
        return f"{lines} will run at once in the compiled module, if the next calls are alike"

    def begins(self, *args: Any) -> None:
        """Note that the stretch runs as it is written, with these arguments."""
        if not self._beginning.acquire(blocking=False):
            return  # another thread, or a finalizer of this one
        try:
            watches = self._listed is not None or self._expected is not None
            if not self.why_not and (not watches or self._thread == get_ident()):
                self._begin(args)
        finally:
            self._beginning.release()

    def _begin(self, args: tuple[Any, ...]) -> None:
        self._listed = self._expected = None
        self._thread = get_ident()
        if self._waits:  # the programs of its derivatives are written down
            self._waits -= 1
        elif self._made is None:
            self._listed, self._stream = [], get_rng_state()
            self._args, self._versions = args, tuple(map(_version, _tensors(args)))
            _native.list_calls(self._listed)
        elif self.run is _never:
            found = _native.run_apart(self._made, args)
            if isinstance(found, str):
                self._failed_runs += not self._usually
                self._try_again(found)
            else:
                self._expected = found
        else:
            self._unlike += 1
            if self._unlike > _MOST_UNLIKE:
                self._try_again("its arguments change")

    def failed(self) -> None:
        """Note that the stretch has raised an error."""
        if self._thread != get_ident():
            return
        if self._listed is not None:
            _native.list_calls(None)
        self._listed = self._expected = None
        self._args = ()

    def computed(self, root: Any, outputs: tuple[Any, ...], kept: tuple[Any, ...]) -> None:
        """Note what the stretch has computed, before its backward runs."""
        if self._thread != get_ident():
            return
        if self._listed is not None:
            calls, self._listed = self._listed, None
            args, self._args = self._args, ()
            _native.list_calls(None)
            self._record(calls, root, outputs, kept, args)
        elif self._expected is not None:
            self._fresh = [leaf.grad is None for leaf, _ in self._expected[1]]
            if not all(map(_same, self._expected[0], (*outputs, *kept))):
                self._give_up("what it gave was not the same")

    def _record(
        self, calls: list[Any], root: Any, outputs: tuple[Any, ...], kept: tuple[Any, ...],
        args: Any,
    ) -> None:  # fmt: skip
        given = _tensors(args)
        made = [each for each in calls if isinstance(each, tuple)]
        # a view has the version of what it looks at; to fill a new tensor counts as a change of it
        held = {id(each._storage) for each in (*given, *(e[-1] for e in made if len(e) == 3))}
        results = _flat(each[-1] for each in made)
        changed = [each for each in results if id(each._storage) not in held]
        changed += [each for each in _flat((*outputs, *kept)) if not _is_among(each, given)]
        if any(map(_version, changed)) or self._versions != tuple(map(_version, given)):
            self._give_up("tensors are changed in place")
            return
        if not self._draws_alike(calls):
            self._give_up("random numbers are drawn in a way that is not known")
            return
        kinds = tuple(self._kind(*each) for each in enumerate(args))
        names = _Names(self.stretch, args)
        made: Any = ""
        is_left_to_python = self._failed_runs >= _MOST_FAILED_RUNS
        ways = (False, True)[self.stretch.root is None or is_left_to_python :]
        if self.stretch.takes_gradients:  # of what has no other history than its own
            ways = (False,) if root is not None else ()
            made = "gradients are recorded, and no backward() follows"
        for usually in ways:
            made = _native.recorded_pass(
                _never, args, kinds, calls, root, outputs, kept, bool(self.stretch.behind),
                self.site, (_remember, _return_to), self._draws, watchers, structure, names.hold,
                self.stretch.reads, usually,
            )  # fmt: skip
            if not isinstance(made, str):
                self._made, self._usually = made, usually
                return
        self._try_again(made)

    def _draws_alike(self, calls: list[Any]) -> bool:
        """Return whether the draws that were listed are all that there were."""
        makings = [each for each in calls if isinstance(each, tuple) and len(each) == 3]
        draws = [each for each in makings if not _makes_the_same(each[0])]
        self._draws = bool(draws)
        now = get_rng_state()
        if draws:
            set_rng_state(self._stream)
            for function, args, _ in draws:
                function(*args)
            self._stream = get_rng_state()
            set_rng_state(now)
        return np.array_equal(self._stream.numpy(), now.numpy())

    def _kind(self, place: int, value: Any) -> str:
        """Return what the compiled module takes an argument for."""
        if place in self.stretch.zeroings:
            return "zero_grad first" if self.stretch.zeroes_first else "zero_grad"
        if place == self.stretch.stepping:
            return "step"
        if place in self.stretch.around:
            return "scope"
        return "layer" if isinstance(value, Module) else "value"

    def ended(self) -> None:
        """Note that the backward has run."""
        if self._expected is None or self._thread != get_ident():
            return
        pairs, self._expected = self._expected[1], None
        fresh = (pair for pair, is_fresh in zip(pairs, self._fresh, strict=True) if is_fresh)
        if not all(_same(gradient, leaf.grad) for leaf, gradient in fresh):
            self._give_up("the gradients were not the same")
        else:
            self.run, self._unlike = self._made, 0

    def _try_again(self, why: str) -> None:
        self._tries += 1
        self._waits, self._made, self.run = self._tries, None, _never
        if self._tries >= _MOST_TRIES:
            self._give_up(why)

    def _give_up(self, why: str) -> None:
        self.why_not, self._made, self.run = why, None, _never


def _remember() -> Any:
    """Return where the default stream of random numbers is."""
    return default_generator.stream, default_generator.stream.position()


def _return_to(remembered: Any) -> None:
    """Have a stream go on from where it was."""
    stream, position = remembered
    stream.return_to(position)


def _tensors(args: tuple[Any, ...]) -> list[Tensor]:
    """Return the tensors among arguments, and of the layers among them."""
    layers = (each for each in args if isinstance(each, Module))
    of_layers = ({**each._parameters, **each._buffers}.values() for each in layers)
    return [each for each in chain(args, *of_layers) if isinstance(each, Tensor)]


def _flat(values: Iterable[Any]) -> Iterator[Tensor]:
    """Yield the tensors among values, and those of tuples and lists."""
    for each in values:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, tuple | list):
            yield from _flat(each)


def _is_among(tensor: Tensor, others: list[Tensor]) -> bool:
    """Return whether a tensor has the memory of one of others."""
    return any(tensor._storage is each._storage for each in others)


def _version(value: Any) -> int:
    """Return how often a value was changed; 0 for what was made in inference mode, and counts none.

    That can be changed in inference mode alone, where nothing runs at once.
    """
    return value._version if isinstance(value, Tensor) and not value.is_inference() else 0


def _same(array: Any, tensor: Any) -> bool:
    """Return whether a tensor has the bits and strides of an array."""
    found = tensor._array
    return (
        array.dtype == found.dtype and array.shape == found.shape
        and array.strides == found.strides and array.tobytes() == found.tobytes()
    )  # fmt: skip
