"""Single operations on 100, 10,000 and 1,000,000 elements: where the arithmetic takes over."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Duel, Program

SIDES = (10, 100, 1000)
REPEATS = {10: 100, 100: 20, 1000: 1}

Action = Callable[[ModuleType, Any, Any], object]

ACTIONS: dict[str, Action] = {
    "a * b": lambda torch, a, b: a * b,
    "a + b": lambda torch, a, b: a + b,
    "a * 2": lambda torch, a, b: a * 2,
    "a / b": lambda torch, a, b: a / b,
    "a + row": lambda torch, a, b: a + b[0],
    "exp": lambda torch, a, b: a.exp(),
    "tanh": lambda torch, a, b: a.tanh(),
    "sigmoid": lambda torch, a, b: a.sigmoid(),
    "relu": lambda torch, a, b: a.relu(),
    "gelu": lambda torch, a, b: torch.nn.functional.gelu(a),
    "pow(2)": lambda torch, a, b: a**2,
    "a > b": lambda torch, a, b: a > b,
    "where": lambda torch, a, b: torch.where(a > 0, a, b),
    "sum": lambda torch, a, b: a.sum(),
    "sum(1)": lambda torch, a, b: a.sum(1),
    "mean(0)": lambda torch, a, b: a.mean(0),
    "var(1)": lambda torch, a, b: a.var(1),
    "max(1)": lambda torch, a, b: a.max(1),
    "argmax(1)": lambda torch, a, b: a.argmax(1),
    "softmax(1)": lambda torch, a, b: a.softmax(1),
    "cumsum(1)": lambda torch, a, b: a.cumsum(1),
    "sort(1)": lambda torch, a, b: a.sort(1),
    "a @ b": lambda torch, a, b: a @ b,
    "a.t()": lambda torch, a, b: a.t(),
    "a[:, 1:]": lambda torch, a, b: a[:, 1:],
    "a.t().contiguous()": lambda torch, a, b: a.t().contiguous(),
    "cat": lambda torch, a, b: torch.cat([a, b]),
    "layer_norm": lambda torch, a, b: torch.nn.functional.layer_norm(a, a.shape[1:]),
    "mse_loss": lambda torch, a, b: torch.nn.functional.mse_loss(a, b),
}
#: those whose backward is timed with them
DIFFERENTIATED = (
    "a * b", "a + row", "exp", "tanh", "relu", "sum", "mean(0)", "softmax(1)", "a @ b", "cat",
    "layer_norm", "mse_loss",
)  # fmt: skip
#: sorting a million numbers or multiplying large matrices tells of NumPy and BLAS only
SMALL_ONLY = ("sort(1)", "a @ b")


def cases() -> list[Case]:
    """Return what is measured here."""
    return [
        Duel(
            f"{name}, {side * side:,} elements{', with backward' if backward else ''}",
            functools.partial(prepare, action=action, side=side, backward=backward),
            units=REPEATS[side],
        )
        for name, action in ACTIONS.items()
        for side in SIDES
        for backward in (False, True)
        if not (side == SIDES[-1] and name in SMALL_ONLY)
        if not backward or name in DIFFERENTIATED
    ]


def prepare(torch: ModuleType, action: Action, side: int, backward: bool) -> Program:
    """Make two square matrices; do the same thing with them again and again."""
    torch.manual_seed(0)
    a = torch.rand(side, side) + 0.5
    b = torch.rand(side, side) + 0.5
    repeats = REPEATS[side]
    if not backward:

        def program() -> None:
            for _ in range(repeats):
                action(torch, a, b)

        return program
    a.requires_grad_()
    above = torch.ones_like(action(torch, a, b))

    def program_with_backward() -> None:
        for _ in range(repeats):
            action(torch, a, b).backward(above)
            a.grad = None

    return program_with_backward
