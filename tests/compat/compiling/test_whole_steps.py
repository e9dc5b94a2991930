"""Whole training steps, ``zero_grad()`` and the optimizer's ``step()`` among them, at once."""

from __future__ import annotations

import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.nn import functional as F

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")

SETTLED = 8


class World:
    """A network with its optimizer, and a step that is compiled or not."""

    def __init__(
        self, wrap: Callable[[Any], Any], where: str = "first", width: int = 4, **options: Any
    ) -> None:
        torch.manual_seed(0)
        self.net = net = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1, **options)
        self.x, self.y = torch.randn(5, 3), torch.randn(5, 1)
        self.doubles = False

        def first(x: Any, y: Any) -> Any:
            self.optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            self.optimizer.step()
            return loss

        def before_backward(x: Any, y: Any) -> Any:
            loss = F.mse_loss(net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            return loss * 2 if self.doubles else loss

        def last(x: Any, y: Any) -> Any:
            loss = F.mse_loss(net(x), y)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            return loss

        def never(x: Any, y: Any) -> Any:
            loss = F.mse_loss(net(x), y)
            loss.backward()
            self.optimizer.step()
            return loss

        steps = {each.__name__: each for each in (first, before_backward, last, never)}
        self.step = wrap(steps[where])

    def __call__(self) -> Any:
        loss = self.step(self.x, self.y)
        params = [*self.net.parameters()]
        return (
            loss.tolist(),
            [each.detach().numpy().tobytes() for each in params],
            [None if each.grad is None else each.grad.numpy().tobytes() for each in params],
            [each._version for each in params],
            self.optimizer._opt_called,
        )

    def together(self) -> list[str]:
        """Return the operations that run at once."""
        (recorded,) = torch.inspect.compiled(self.step).recordings
        return [each.name for each in recorded.operations if each.at_once == 1]


def plainly(step: Any) -> Any:
    return step


def both(where: str = "first", **options: Any) -> tuple[World, World]:
    """Return a step plain and compiled, whose calls agree so far, and which runs at once."""
    worlds = World(plainly, where, **options), World(torch.compile, where, **options)
    for _ in range(SETTLED):
        assert worlds[0]() == worlds[1]()
    assert {"backward", "step"} <= {*worlds[1].together()}
    return worlds


LAYERS = ["Linear", "Tanh", "Linear"]


@pytest.mark.parametrize(
    ("where", "together"),
    [
        ("first", ["zero_grad", *LAYERS, "mse_loss", "backward", "step"]),
        ("before_backward", [*LAYERS, "mse_loss", "zero_grad", "backward", "step"]),
        ("last", [*LAYERS, "mse_loss", "backward", "step"]),
        ("never", [*LAYERS, "mse_loss", "backward", "step"]),
    ],
)
@pytest.mark.parametrize("momentum", [0, 0.9])
def test_a_whole_step_runs_at_once(where: str, together: list[str], momentum: float) -> None:
    _, compiled = both(where, momentum=momentum)
    assert compiled.together() == together
    (recorded,) = torch.inspect.compiled(compiled.step).recordings
    assert "the optimizer's step" in recorded.stretches[0].text
    lines = [each.line for each in recorded.operations if each.name in ("backward", "step")]
    assert recorded.stretches[0].lines[1] == max(lines)


def test_the_step_is_that_of_the_formula() -> None:
    _, compiled = both(momentum=0.5)
    params = [*compiled.net.parameters()]
    buffers = [compiled.optimizer.state[each]["momentum_buffer"].numpy().copy() for each in params]
    before = [each.detach().numpy().copy() for each in params]
    compiled.optimizer.param_groups[0]["lr"] = 0.25
    compiled()
    for param, value, buffer in zip(params, before, buffers, strict=True):
        assert param.grad is not None
        expected = value - 0.25 * (0.5 * buffer + param.grad.numpy())
        np.testing.assert_allclose(param.detach().numpy(), expected, rtol=1e-5, atol=1e-6)


CHANGES: dict[str, Callable[[World], Any]] = {
    "a rate": lambda world: world.optimizer.param_groups[0].update(lr=0.5),
    "another optimizer": lambda world: setattr(
        world, "optimizer", torch.optim.Adam(world.net.parameters())
    ),
    "a group": lambda world: world.optimizer.add_param_group(
        {"params": [torch.ones(2, requires_grad=True)]}
    ),
    "a state": lambda world: world.optimizer.load_state_dict(
        torch.optim.SGD(world.net.parameters(), lr=0.3, momentum=0.1).state_dict()
    ),
    "a hook of the step": lambda world: world.optimizer.register_step_post_hook(
        lambda optimizer, *_: optimizer.param_groups[0].update(lr=0.01)
    ),
    "a step of its own": lambda world: setattr(world.optimizer, "step", lambda: None),
    "no gradients": lambda world: world.net.requires_grad_(False)[0].weight.requires_grad_(),
    "a gradient": lambda world: setattr(world.net[0].weight, "grad", torch.ones(4, 3)),
    "a hook of a gradient": lambda world: world.net[0].weight.register_hook(lambda g: g * 2),
    "a decision by a hook": lambda world: world.net[0].weight.register_hook(
        lambda _: setattr(world, "doubles", not world.doubles)
    ),
    "a step replaced by a hook": lambda world: world.net[
        0
    ].weight.register_post_accumulate_grad_hook(
        lambda _: setattr(world.optimizer, "step", lambda: None)
    ),
    "a gradient that is watched": lambda world: weakref.finalize(
        world.net[0].weight.grad, setattr, world.net[2].bias, "data", torch.zeros(1)
    ),
}


@pytest.mark.parametrize("where", ["first", "before_backward", "never"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_between_calls_is_heeded(where: str, change: str) -> None:
    worlds = both(where, momentum=0.9)
    for each in worlds:
        CHANGES[change](each)
    for _ in range(SETTLED):
        assert worlds[0]() == worlds[1]()


@pytest.mark.parametrize("where", ["first", "before_backward"])
def test_the_end_of_a_gradient_that_two_parameters_share_is_heeded(where: str) -> None:
    worlds = both(where, momentum=0.9, width=1)
    for each in worlds:
        shared = torch.ones(1)
        each.net[0].bias.grad = each.net[2].bias.grad = shared
        weakref.finalize(shared, each.net[0].weight.register_hook, lambda g: g * 2)
        del shared
    for _ in range(SETTLED):
        assert worlds[0]() == worlds[1]()


def test_gradients_that_add_up_count_each_addition() -> None:
    for world in both("never"):
        assert world.net[0].weight.grad._version == SETTLED - 1


@pytest.mark.parametrize("where", ["first", "before_backward"])
def test_gradients_are_given_back_as_early_as_in_the_program(where: str) -> None:
    peaks = []
    for world in both(where, width=10_000):
        tracemalloc.start()
        world.step(world.x, world.y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= peaks[0] * 1.05


def test_a_change_is_noted_where_the_program_makes_it() -> None:
    notes = []
    for wrap in (plainly, torch.compile):
        world = World(wrap)
        for _ in range(SETTLED):
            saved = world.net[0].weight.sin()
            world()
        with pytest.raises(RuntimeError) as raised:
            saved.sum().backward()
        notes.append(str(raised.value))
    assert "SGD.step" in notes[0]
    assert notes[0] == notes[1]
