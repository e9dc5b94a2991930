"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.optim.optimizer import (
    Array,
    Group,
    Optimizer,
    as_number,
    gradient_of,
    new_tensor,
    refuse_differentiable,
    refuse_unless,
)
from pellucid.tensor import Tensor


class SGD(Optimizer):
    """Step against the gradient, or against an average of past gradients.

    With gradient g, momentum m, dampening d: b = m b + (1 - d) g, then w = w - lr b. Nesterov's
    form steps along g + m b. ``foreach`` and ``fused`` change nothing here. Raises ValueError for
    options out of range.

    >>> import pellucid as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    older_defaults = {
        "nesterov": False, "maximize": False, "foreach": None, "differentiable": False,
        "fused": None,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        refuse_unless(lr >= 0.0, f"Invalid learning rate: {lr}")
        refuse_unless(momentum >= 0.0, f"Invalid momentum value: {momentum}")
        refuse_unless(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        refuse_unless(
            not nesterov or (momentum > 0 and dampening == 0),
            "Nesterov momentum requires a momentum and zero dampening",
        )
        refuse_differentiable(differentiable)
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        lr = as_number(group["lr"])
        rate = np.asarray(lr)  # an array of the parameters' dtype: NumPy is slow to take numbers in
        momentum = group["momentum"]
        plain = not (group["maximize"] or group["weight_decay"])
        for param in params:
            direction = param._grad._array if plain else gradient_of(param, group)
            if momentum:
                direction = self._averaged(param, direction, momentum, group)
            array = param._array
            if array.dtype is not rate.dtype:
                rate = np.asarray(lr, array.dtype)
            array -= direction * rate

    def _averaged(self, param: Tensor, gradient: Array, momentum: float, group: Group) -> Array:
        """Take the gradient into the parameter's running average; return where to step."""
        state = self.state[param]
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = new_tensor(gradient.copy())
            average = buffer._array
        else:
            average = buffer._array
            average *= momentum
            average += gradient * (1 - group["dampening"])
        return gradient + average * momentum if group["nesterov"] else average
