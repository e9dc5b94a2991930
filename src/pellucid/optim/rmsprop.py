"""RMSprop: steps scaled by the root mean square of recent gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.optim.optimizer import (
    Group,
    Optimizer,
    as_number,
    counted,
    gradient_of,
    parts,
    refuse_differentiable,
    refuse_unless,
    step_count,
    zeros_for,
)
from pellucid.tensor import Tensor


class RMSprop(Optimizer):
    """Divide the gradient by the root of its running mean square.

    Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012; ``centered``
    after Graves, 2013: the variance takes the place of the mean square. Raises ValueError for
    options out of range.

    >>> import pellucid as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w], lr=0.01)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = {
        "momentum": 0, "centered": False, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        refuse_unless(lr >= 0.0, f"Invalid learning rate: {lr}")
        refuse_unless(eps >= 0.0, f"Invalid epsilon value: {eps}")
        refuse_unless(momentum >= 0.0, f"Invalid momentum value: {momentum}")
        refuse_unless(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        refuse_unless(alpha >= 0.0, f"Invalid alpha value: {alpha}")
        refuse_differentiable(differentiable)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        lr, alpha, momentum = as_number(group["lr"]), group["alpha"], group["momentum"]
        for param in params:
            state = self.state[param]
            if not state:
                self._start(state, param, group)
            counted(state)
            array = parts(param._array)
            gradient = parts(gradient_of(param, group))
            square = parts(state["square_avg"]._array)
            square *= alpha
            square += gradient * gradient * (1 - alpha)
            if group["centered"]:
                mean = parts(state["grad_avg"]._array)
                mean += (gradient - mean) * (1 - alpha)
                scale = np.sqrt(square - mean * mean) + group["eps"]
            else:
                scale = np.sqrt(square) + group["eps"]
            step = gradient / scale
            if momentum > 0:
                buffer = parts(state["momentum_buffer"]._array)
                buffer *= momentum
                buffer += step
                step = buffer
            array -= step * lr

    def _start(self, state: dict[str, Any], param: Tensor, group: Group) -> None:
        state["step"] = step_count()
        state["square_avg"] = zeros_for(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_for(param)
        if group["centered"]:
            state["grad_avg"] = zeros_for(param)
