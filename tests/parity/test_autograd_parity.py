"""Random programs of views and in-place changes, run side by side with PyTorch."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

Action = Callable[[ModuleType, list[Any]], Any]


def views(choice: random.Random, quiet: bool) -> Action:
    """Return an action that adds a view of a tensor in the pool."""
    source, kind, dim = choice.randrange(100), choice.randrange(7 - quiet), choice.randrange(2)

    def act(lib: ModuleType, pool: list[Any]) -> Any:
        t = pool[source % len(pool)]
        if t.ndim == 0:
            return t.view(1)
        d = dim % t.ndim
        if kind == 0:
            return t.select(d, t.shape[d] - 1)
        if kind == 1:
            return t.narrow(d, 0, max(1, t.shape[d] - 1))
        if kind == 2:
            return t.transpose(0, t.ndim - 1)
        if kind == 3:
            return t.unsqueeze(d)
        if kind == 4:
            return t[..., ::2]
        if kind == 5:
            return t.detach()
        return t.unbind(d)[0]

    return act


def changes(choice: random.Random, quiet: bool) -> Action:
    """Return an action that changes a tensor of the pool in place."""
    target, other, kind = choice.randrange(100), choice.randrange(100), choice.randrange(5 + quiet)
    factor = choice.choice([0.5, 1.5, -1.0])

    def act(lib: ModuleType, pool: list[Any]) -> Any:
        t, o = pool[target % len(pool)], pool[other % len(pool)]
        # PyTorch refuses some changes of views unless somebody has asked for their history before
        t.is_leaf
        if kind == 0:
            t.mul_(factor)
        elif kind == 1:
            t.add_(o)
        elif kind == 2:
            t.mul_(o)
        elif kind == 3:
            t.copy_(o)
        elif kind == 4:
            t.zero_()
        else:
            with lib.no_grad():
                t.add_(factor)

    return act


def results(choice: random.Random, quiet: bool) -> Action:
    """Return an action that adds a new tensor computed from the pool."""
    source, other, kind = choice.randrange(100), choice.randrange(100), choice.randrange(4)

    def act(lib: ModuleType, pool: list[Any]) -> Any:
        t, o = pool[source % len(pool)], pool[other % len(pool)]
        if kind == 0:
            return t * o
        if kind == 1:
            return t + 1.0
        if kind == 2:
            return t * 0.5
        return t.sin()

    return act


MAKERS = [views, views, changes, changes, changes, results]


def program(seed: int) -> list[Action]:
    """Make a program; every other one has changes that are not recorded.

    Those have no views of which there are several at once: after such a change PyTorch refuses
    these, though nothing is wrong with their gradients.
    """
    choice, quiet = random.Random(seed), bool(seed % 2)
    length = choice.randint(3, 9)
    return [choice.choice(MAKERS)(choice, quiet) for _ in range(length)]


def run(lib: ModuleType, actions: list[Action]) -> list[Any]:
    """Run a program, and return what it did: errors on the way, values and gradients at the end."""
    numbers = np.random.default_rng(0).uniform(0.5, 1.5, (4, 3))
    x = lib.tensor(numbers.tolist(), dtype=lib.float64, requires_grad=True)
    w = lib.tensor(numbers[0].tolist(), dtype=lib.float64, requires_grad=True)
    pool = [x * 1, w * 2, lib.zeros(4, 3, dtype=lib.float64)]
    story: list[Any] = []
    for action in actions:
        try:
            made = action(lib, pool)
        except RuntimeError:
            story.append("RuntimeError")
            continue
        story.append(None)
        if made is not None:
            pool.append(made)
    values = [t.detach().numpy().copy() for t in pool]
    try:
        total = (x * 0).sum() + (w * 0).sum()
        for position, t in enumerate(pool):
            if t.requires_grad:
                total = total + (t * t * (position + 1)).sum()
        first = lib.autograd.grad(total, [x, w], create_graph=True)
        slope = first[0].sum() + first[1].sum()
        # where all gradients are zeros, PyTorch gives them no graph
        second = (
            lib.autograd.grad(slope, [x, w], allow_unused=True)
            if slope.requires_grad
            else (None,) * 2
        )
    except RuntimeError as error:
        return [story, values, str(error)]
    gradients = [None if g is None else g.detach().numpy() for g in (*first, *second)]
    return [story, values, gradients]


@pytest.mark.parametrize("block", range(20))
def test_programs_of_views_and_changes_agree(block):
    for seed in range(block * 100, block * 100 + 100):
        actions = program(seed)
        expected, got = run(torch, actions), run(pellucid, actions)
        assert got[0] == expected[0], f"program {seed}: {got[0]} where PyTorch has {expected[0]}"
        for mine, theirs in zip(got[1], expected[1], strict=True):
            np.testing.assert_allclose(mine, theirs, err_msg=f"values of program {seed}")
        if isinstance(expected[2], str) or isinstance(got[2], str):
            assert isinstance(expected[2], str), f"program {seed}: {got[2]}"
            assert isinstance(got[2], str), f"program {seed}: {expected[2]}"
            continue
        for mine, theirs in zip(got[2], expected[2], strict=True):
            zero = np.zeros(())
            np.testing.assert_allclose(
                zero if mine is None else mine, zero if theirs is None else theirs, rtol=1e-9,
                err_msg=f"gradients of program {seed}",
            )  # fmt: skip
