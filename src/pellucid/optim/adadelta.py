"""Adadelta: steps scaled by the ratio of recent steps to recent gradients."""

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


class Adadelta(Optimizer):
    """Multiply the gradient by the root mean square of past steps over that of past gradients.

    Zeiler, "ADADELTA: an adaptive learning rate method", 2012. Raises ValueError for options out of
    range.

    >>> import pellucid as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9968], requires_grad=True)
    """

    older_defaults = {
        "foreach": None, "maximize": False, "differentiable": False, "capturable": False,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        refuse_unless(lr >= 0.0, f"Invalid learning rate: {lr}")
        refuse_unless(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}")
        refuse_unless(eps >= 0.0, f"Invalid epsilon value: {eps}")
        refuse_unless(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        refuse_differentiable(differentiable)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        lr, rho, eps = as_number(group["lr"]), group["rho"], group["eps"]
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = step_count()
                state["square_avg"] = zeros_for(param)
                state["acc_delta"] = zeros_for(param)
            counted(state)
            array = parts(param._array)
            gradient = parts(gradient_of(param, group))
            square = parts(state["square_avg"]._array)
            steps = parts(state["acc_delta"]._array)
            square *= rho
            square += gradient * gradient * (1 - rho)
            step = np.sqrt(steps + eps) / np.sqrt(square + eps) * gradient
            steps *= rho
            steps += step * step * (1 - rho)
            array -= step * lr
