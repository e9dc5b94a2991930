"""The networks of the benchmark of training, compiled and plain: the same bits after each step."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import pellucid as torch
from benchmarks import bench_training
from benchmarks.harness import Duel
from tests.samples.duration import takes_long

DUELS = [each for each in bench_training.cases() if isinstance(each, Duel)]
#: the first calls are recorded and watched, the last ones run at once
STEPS = 6


def _trained(duel: Duel, compiles: bool) -> list[Any]:
    """Return what a network, its gradients and its optimizer hold after each step."""
    step = duel.prepare(torch)
    names = inspect.getclosurevars(step).nonlocals
    optimizer: Any = names["optimizer"]
    held = inspect.getclosurevars(names["compute_loss"]).nonlocals.values()
    buffers = [b for each in held if isinstance(each, torch.nn.Module) for b in each.buffers()]
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    run: Any = torch.compile(step) if compiles else step
    seen: list[Any] = []
    for _ in range(STEPS):
        run()
        states = [
            each for state in optimizer.state.values() for each in state.values()
            if isinstance(each, torch.Tensor)
        ]  # fmt: skip
        gradients = [each.grad for each in parameters]
        tensors = [*parameters, *gradients, *buffers, *states, torch.get_rng_state()]
        seen.append([each.detach().numpy().tobytes() for each in tensors])
    return seen


@takes_long
@pytest.mark.parametrize("duel", DUELS, ids=lambda duel: duel.name)
def test_workloads_compiled_have_the_bits_of_plain_ones(duel: Duel) -> None:
    assert _trained(duel, compiles=True) == _trained(duel, compiles=False)
