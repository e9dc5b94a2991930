"""What threads and interrupts do to tensors, round after round: no crash, no wrong number.

    python -m tests.stress [NAME ...]

runs PELLUCID_STRESS_ROUNDS rounds of each, 1,000 if it is not set; the tests run a few.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

import pellucid as torch
from tests.robustness.interrupts import TrainingStep

#: so many elements that the interpreter's lock is let go while they are computed
MANY = 200_000
#: so many that the memory of a tensor goes back to the system with it
VERY_MANY = 10_000_000


@contextmanager
def once_let_go(act: Callable[[], object]) -> Iterator[None]:
    """Let another thread call a function as soon as this one lets go of the interpreter's lock."""
    gate = threading.Lock()
    gate.acquire()

    def run() -> None:
        with gate:
            act()

    thread = threading.Thread(target=run)
    thread.start()
    gate.release()
    try:
        yield
    finally:
        thread.join()


def list_cleared_during(join: Callable[[list[torch.Tensor]], torch.Tensor]) -> None:
    """Join a list that another thread clears: what stood in it at first is what is joined."""
    expected = np.repeat(np.arange(8, dtype=np.float32), MANY)
    for requires_grad in (False, True):
        given = [torch.full((MANY,), float(k), requires_grad=requires_grad) for k in range(8)]
        try:
            with once_let_go(given.clear):
                found = join(given)
        except (RuntimeError, ValueError):  # there was nothing left to join
            continue
        assert np.array_equal(found.detach().numpy().ravel(), expected)


def list_cleared_during_cat() -> None:
    list_cleared_during(torch.cat)


def list_cleared_during_stack() -> None:
    list_cleared_during(torch.stack)


def one_graph_in_three_threads() -> None:
    """Go backward through one graph in three threads: some say that it was freed, none is wrong."""
    x = torch.full((MANY,), 2.0, requires_grad=True)
    y = x
    for _ in range(6):
        y = y * (y.detach() * 0 + 1.0)
    total = y.sum()
    del y
    told: list[str] = []

    def run() -> None:
        try:
            total.backward()
        except RuntimeError as error:
            told.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("second time" in each for each in told), told
    grad = x.grad
    assert grad is None or bool((grad == grad[0]).all())
    assert grad is None or float(grad[0]) in (1.0, 2.0, 3.0)
    assert len(told) == 3 or grad is not None


def gradient_dropped_while_added_to() -> None:
    """Drop a gradient while a backward pass adds to it: it stays dropped, or is what was added."""
    w = torch.zeros(VERY_MANY, requires_grad=True)
    w.grad = torch.ones(VERY_MANY)
    seed, out = torch.ones(VERY_MANY), w.view(-1)

    def drop() -> None:
        w.grad = None

    with once_let_go(drop):
        out.backward(seed)
    assert w.grad is None or bool((w.grad == 1).all())


def hogwild() -> None:
    """Train one model in three threads: no step fails, and no parameter is ruined."""
    model = torch.nn.Linear(3, 1)
    x, y = torch.ones(8, 3), torch.zeros(8, 1)
    told: list[Exception] = []

    def train() -> None:
        try:
            optimizer = torch.optim.SGD(model.parameters(), 0.01)
            for _ in range(20):
                optimizer.zero_grad()
                ((model(x) - y) ** 2).mean().backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
                optimizer.step()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is one too many
            told.append(error)

    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not told, told
    assert all(bool(torch.isfinite(each).all()) for each in model.parameters())


def training_step_interrupted() -> None:
    """Interrupt a training step anywhere: every mode is as before, and the next step is right."""
    training_step().check_interrupted(rounds=1, seed=next(_seeds))


_seeds = itertools.count()
training_step = functools.cache(TrainingStep)

ROUNDS: dict[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        list_cleared_during_cat,
        list_cleared_during_stack,
        one_graph_in_three_threads,
        gradient_dropped_while_added_to,
        hogwild,
        training_step_interrupted,
    )
}


def main(names: list[str]) -> None:
    count = int(os.environ.get("PELLUCID_STRESS_ROUNDS", "1000"))
    for name in names or ROUNDS:
        begin = time.perf_counter()
        for _ in range(count):
            ROUNDS[name]()
        print(f"{name}: {count} rounds, {time.perf_counter() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
