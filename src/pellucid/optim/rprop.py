"""The Rprop optimizer: resilient backpropagation."""

from __future__ import annotations

from typing import Any

from pellucid.optim.operands import (
    Group,
    State,
    Updated,
    as_number,
    filled_for,
    operands,
    zeros_for,
)
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import IMPLEMENTATION, check_rate, options_of, require
from pellucid.tensors import Tensor


class Rprop(Optimizer):
    """The Rprop optimizer: resilient backpropagation.

    Each element has a step size of its own, which grows while the sign of its gradient stays and
    shrinks when the sign changes. Source: Riedmiller and Braun, "A direct adaptive method for
    faster backpropagation learning", 1993.

    Args:
        params: Tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups with
            their own options.
        lr: Initial step size, a number or a tensor with one element.
        etas: Factors of the step size when the sign changes (below 1) and when it stays (above 1).
        step_sizes: Smallest and largest step size.
        capturable: Accepted for compatibility; changes nothing.
        foreach: Accepted for compatibility; changes nothing.
        maximize: Whether to maximize the objective instead of minimizing it.
        differentiable: Whether autograd records the step, so that it can be differentiated.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        require(0.0 < etas[0] < 1.0 < etas[1], f"Invalid eta values: {etas[0]}, {etas[1]}")
        options = options_of(
            locals(),
            "lr", "etas", "step_sizes", "foreach", "maximize", "differentiable", "capturable",
        )  # fmt: skip
        super().__init__(params, options)

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        shrink, grow = group["etas"]
        for param, found, state, _ in self.counted(updated, group):
            gradient = on.gradient(param, found, group)
            before = on.state(state, "prev")
            size = on.state(state, "step_size")
            agreement = gradient * before
            turned = agreement < 0
            size *= on.where(turned, shrink, on.where(agreement > 0, grow, size * 0 + 1))
            size = on.clip_(size, *group["step_sizes"])
            gradient = on.where(turned, 0, gradient)
            value = on.value(param)
            value -= on.sign(gradient) * size
            before[...] = gradient

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["prev"] = zeros_for(param)
        state["step_size"] = filled_for(param, as_number(group["lr"]))
