"""Adam: steps scaled by running moments of the gradient."""

from __future__ import annotations

import math
from typing import Any

from pellucid.optim.operands import (
    Group,
    State,
    as_number,
    counted,
    operands,
    scalar_state,
    zeros_for,
)
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_fused, check_moments, refuse_unless
from pellucid.tensors import Tensor


class Adam(Optimizer):
    """Step along the running mean of the gradient over the root of its running mean square.

    Kingma and Ba, "Adam: a method for stochastic optimization", 2015; ``amsgrad`` after Reddi, Kale
    and Kumar, 2018: the mean square never shrinks. ``decoupled_weight_decay`` makes it `AdamW`.
    With ``differentiable`` the step is recorded. ``foreach``, ``fused`` and ``capturable`` change
    nothing here. Raises ValueError for options out of range.

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
        check_moments(lr, betas, eps, weight_decay)
        _check_tensors(lr, betas, whole=bool(foreach and not capturable))
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr, "betas": tuple(as_number(beta) for beta in betas), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        on = operands(group)
        lr = on.number(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        for param in params:
            state = self.state[param]
            if not state:
                self._start(state, param, group)
            count = counted(state)
            value = on.value(param)
            gradient = decayed(on, param, lr, group)
            mean, square = moments(on, state, gradient, group)
            if group["amsgrad"]:
                square = on.raised(on.state(state, "max_exp_avg_sq"), square)
            scale = on.sqrt(square) / math.sqrt(1 - beta2**count)
            scale += eps
            value -= mean / scale * (lr / (1 - beta1**count))

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        state["step"] = scalar_state(0)
        start_moments(state, param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_for(param)


def start_moments(state: State, param: Tensor) -> None:
    """Start the running mean of the gradient and of its square."""
    state["exp_avg"] = zeros_for(param)
    state["exp_avg_sq"] = zeros_for(param)


def moments(on: Any, state: State, gradient: Any, group: Group) -> tuple[Any, Any]:
    """Take a gradient into the running mean and the running mean square; return both."""
    beta1, beta2 = group["betas"]
    mean = on.state(state, "exp_avg")
    square = on.state(state, "exp_avg_sq")
    mean += (gradient - mean) * (1 - beta1)
    square *= beta2
    square += gradient * gradient * (1 - beta2)
    return mean, square


def decayed(on: Any, param: Any, lr: Any, group: Group) -> Any:
    """Return the gradient with weight decay; a decoupled one shrinks the parameter at once."""
    if not group["decoupled_weight_decay"]:
        return on.gradient(param, group)
    if group["weight_decay"]:
        value = on.value(param)
        value *= 1 - lr * group["weight_decay"]
    return on.gradient(param, {"maximize": group["maximize"]})


def _check_tensors(lr: Any, betas: Any, whole: bool) -> None:
    """Raise ValueError for options that are tensors where PyTorch takes none."""
    refuse_unless(
        not (whole and isinstance(lr, Tensor)),
        "lr as a Tensor is not supported for capturable=False and foreach=True",
    )
    kinds = [all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)]
    refuse_unless(any(kinds), "betas must be either both floats or both Tensors")
    if kinds[1]:
        for index, beta in enumerate(betas):
            refuse_unless(
                not whole,
                f"betas[{index}] as a Tensor is not supported for capturable=False and "
                "foreach=True",
            )
            refuse_unless(beta.numel() == 1, f"Tensor betas[{index}] must be 1-element")
