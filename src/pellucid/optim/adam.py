"""Adam: steps scaled by running moments of the gradient."""

from __future__ import annotations

import math
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


class Adam(Optimizer):
    """Step along the running mean of the gradient over the root of its running mean square.

    Kingma and Ba, "Adam: a method for stochastic optimization", 2015; ``amsgrad`` after Reddi, Kale
    and Kumar, 2018: the mean square never shrinks. ``decoupled_weight_decay`` makes it `AdamW`.
    ``foreach``, ``fused`` and ``capturable`` change nothing here. Raises ValueError for options out
    of range.

    >>> import pellucid as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = {
        "amsgrad": False, "maximize": False, "foreach": None, "capturable": False,
        "differentiable": False, "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        refuse_unless(lr >= 0.0, f"Invalid learning rate: {lr}")
        refuse_unless(eps >= 0.0, f"Invalid epsilon value: {eps}")
        for index, beta in enumerate(betas):
            refuse_unless(0.0 <= beta < 1.0, f"Invalid beta parameter at index {index}: {beta}")
        refuse_unless(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        refuse_differentiable(differentiable)
        defaults = {
            "lr": lr, "betas": tuple(as_number(beta) for beta in betas), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        lr = as_number(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        for param in params:
            state = self.state[param]
            if not state:
                self._start(state, param, group)
            count = counted(state)
            array = parts(param._array)
            gradient = parts(self._gradient(param, lr, group))
            mean = parts(state["exp_avg"]._array)
            square = parts(state["exp_avg_sq"]._array)
            mean += (gradient - mean) * (1 - beta1)
            square *= beta2
            square += gradient * gradient * (1 - beta2)
            if group["amsgrad"]:
                largest = parts(state["max_exp_avg_sq"]._array)
                square = np.maximum(largest, square, out=largest)
            scale = np.sqrt(square) / math.sqrt(1 - beta2**count)
            scale += eps
            array -= mean / scale * (lr / (1 - beta1**count))

    def _start(self, state: dict[str, Any], param: Tensor, group: Group) -> None:
        state["step"] = step_count()
        state["exp_avg"] = zeros_for(param)
        state["exp_avg_sq"] = zeros_for(param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_for(param)

    def _gradient(self, param: Any, lr: float, group: Group) -> Any:
        if not group["decoupled_weight_decay"]:
            return gradient_of(param, group)
        array = param._array
        if group["weight_decay"]:
            array *= 1 - lr * group["weight_decay"]
        return -param._grad._array if group["maximize"] else param._grad._array
