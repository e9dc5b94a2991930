"""What it costs to be watched: the steps of `bench_training`, watched and not.

All checks and the line of state are part of it, but not the one step that ``watch`` records.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from types import ModuleType
from typing import Any

from benchmarks import bench_training
from benchmarks.harness import (
    Case,
    Program,
    Row,
    at_most,
    duration,
    median_ratio,
    step_of,
    time_in_turns,
)

MOST = 1.5
#: of a step of a millisecond, for one check that finds nothing
MOST_OF_ONE = 0.01
#: steps before the clock starts, and those that are timed: as many as have two that are sampled
_WARM, _TIMED = 70, 320


def cases() -> list[Case]:
    """Return each training step, watched against unwatched; and each check by itself."""
    watched: list[Case] = [
        Watched(duel.name, duel.prepare)
        for duel in bench_training.cases()
        if isinstance(duel, bench_training.Duel)
    ]
    return [*watched, Watched("MLP 256-192-192-10, batch 96, Adam", small_perceptron), EachCheck()]


def small_perceptron(torch: ModuleType) -> Program:
    """Train a network whose step takes less than a millisecond."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(256, 192), nn.ReLU(), nn.Linear(192, 192), nn.Tanh(), nn.Linear(192, 10)
    )
    x, y = torch.randn(96, 256), torch.randint(0, 10, (96,))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    return step_of(model, optimizer, lambda: nn.functional.cross_entropy(model(x), y))


@dataclass(frozen=True, slots=True)
class Watched:
    """A step of training that is watched, against the same one that is not."""

    name: str
    prepare: Callable[[ModuleType], Program]

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield one line."""
        from pellucid.inspect.watch import Terminal, Watch
        from pellucid.observe import watching

        step, watch = self.prepare(ours), Watch(Terminal(io.StringIO(), every=100), records=False)

        def watched() -> None:
            with watching(watch.hear):
                step()

        times = time_in_turns([watched, step])
        ratio = median_ratio(*times)
        best = [min(rounds) for rounds in times]
        yield Row(
            name=f"watched: {self.name}",
            ours=duration(best[0]),
            reference=f"not watched {duration(best[1])}",
            ratio=ratio,
            target=at_most(MOST),
            reached=ratio <= MOST,
        )


@dataclass(frozen=True, slots=True)
class EachCheck:
    """What each check takes of a step: on average over those looked at in full and the others.

    The gradients' norms, which several checks ask for, are a row of their own. Of the times that
    steps of a kind take, that of the quickest tenth counts: on a machine with other work the rest
    is of waiting, and of caches that are cold.
    """

    name: str = "each check"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time steps that are watched and others in turns, and yield a line for each check."""
        from pellucid.inspect.checks.run import EVERY
        from pellucid.inspect.checks.training import Training
        from pellucid.observe import watching

        step, training = small_perceptron(ours), Training(print)
        training.checks.insert(0, _gradient_norms(training.run))
        spent: Counter[str] = Counter()
        for check in training.checks:
            _time_hooks(check, spent)
        clock, alone = _quick([_of(lambda: None) for _ in range(1000)]), []
        steps: dict[bool, list[Counter[str]]] = {True: [], False: []}
        for number in range(1, _WARM + _TIMED):
            with watching(training.hear):
                step()
            if number > _WARM:
                steps[number % EVERY < 2].append(spent.copy())
            spent.clear()
            alone.append(_of(step))
        base = _quick(alone)
        for check in training.checks:
            name = type(check).__name__
            full, usual = (
                _quick([each[name] - clock * each[f"{name} calls"] for each in steps[kind]])
                for kind in (True, False)
            )
            each = max(0.0, (2 * full + (EVERY - 2) * usual) / EVERY)
            yield Row(
                name=f"{name}, in a step of {duration(base / 1e9)}",
                ours=duration(each / 1e9),
                ratio=each / 1e6,
                target=at_most(MOST_OF_ONE),
                reached=each / 1e6 <= MOST_OF_ONE,
            )


def _gradient_norms(run: Any) -> Any:
    """Return a check that only reads the gradients' norms, which those after it then have."""
    from pellucid.inspect.checks.check import Check

    class GradientNorms(Check):
        """A reader of the norms of all gradients."""

        def step_began(self, step: Any) -> None:
            for entry in step.entries:
                _ = entry.square

    return GradientNorms(run, print)


def _time_hooks(check: Any, spent: Counter[str]) -> None:
    """Have each hook of a check add the time that it takes, and count its calls."""
    name = type(check).__name__

    def timed(hook: Callable[..., None]) -> Callable[..., None]:
        def call(*subjects: Any) -> None:
            began = perf_counter_ns()
            hook(*subjects)
            spent[name] += perf_counter_ns() - began
            spent[f"{name} calls"] += 1

        return call

    for hook in [each for each in dir(type(check)) if not each.startswith("_")]:
        if callable(getattr(check, hook)):
            setattr(check, hook, timed(getattr(check, hook)))


def _quick(times: list[float]) -> float:
    """Return the time below which a tenth of the times are."""
    return sorted(times)[len(times) // 10]


def _of(program: Callable[[], object]) -> float:
    began = perf_counter_ns()
    program()
    return perf_counter_ns() - began
