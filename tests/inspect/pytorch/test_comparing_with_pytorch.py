"""A step of PyTorch's next to one of pellucid's: the first function or gradient that differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

import pellucid  # noqa: E402
from pellucid.inspect import compare  # noqa: E402

CLOSE = {"rtol": 1e-4, "atol": 1e-5}
x, y = np.random.default_rng(0).standard_normal((16, 4)).astype("f"), np.arange(16) % 2


def network(library: Any) -> Any:
    nn = library.nn
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))


def networks() -> tuple[Any, Any]:
    """Return one network of each library, with the same parameters."""
    theirs, ours = network(torch), network(pellucid)
    with pellucid.no_grad():
        for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            mine.copy_(pellucid.from_numpy(other.detach().numpy()))
    return theirs, ours


def step(library: Any, net: Any, scale: float = 1.0) -> Callable[[], None]:
    def run() -> None:
        for parameter in net.parameters():
            parameter.grad = None
        out = net(library.from_numpy(x))
        loss = library.nn.functional.cross_entropy(out, library.from_numpy(y))
        (loss * scale).backward()

    return run


def test_the_same_step_has_no_difference() -> None:
    theirs, ours = networks()
    found = compare(step(torch, theirs), step(pellucid, ours), **CLOSE)
    assert found, str(found)
    assert found.same == 5 + 6 + 1  # functions, gradients, and the product with one
    assert compare(step(torch, theirs), step(torch, theirs))


def test_another_weight_is_found_at_its_layer_with_both_lines() -> None:
    theirs, ours = networks()
    with pellucid.no_grad():
        ours[3].weight[0, 0] += 1
    found = compare(step(torch, theirs), step(pellucid, ours), **CLOSE)
    assert (found.same, found.phase) == (3, "forward")
    assert found.first is not None
    assert found.second is not None
    assert found.first[0] == found.second[0] == "linear"
    assert found.first[2] == found.second[2] == "out = net(library.from_numpy(x))"
    assert found.difference.startswith("values differ by up to")


def test_a_gradient_that_a_hook_changes_is_found_by_its_name() -> None:
    theirs, ours = networks()
    theirs[0].weight.register_hook(lambda grad: grad * 2)
    found = compare(step(torch, theirs), step(pellucid, ours), **CLOSE)
    assert found.phase == "backward"
    assert (found.first or ("",))[0] == "theirs.0.weight"
    assert (found.second or ("",))[0] == "ours.0.weight"
