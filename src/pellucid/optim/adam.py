"""The Adam optimizer."""

from __future__ import annotations

import math
from typing import Any

from pellucid.errors import GraphError
from pellucid.kernels.active import cpu
from pellucid.optim.moments import Moments
from pellucid.optim.operands import Arrays, Group, State, Updated, as_number, operands, zeros_for
from pellucid.optim.optimizer import take_steps
from pellucid.optim.options import IMPLEMENTATION, check_fused, check_moments, options_of, require
from pellucid.tensors import Tensor


class Adam(Moments):
    """The Adam optimizer: steps along the mean gradient over the root of its mean square.

    Sources: Kingma and Ba, "Adam: a method for stochastic optimization", 2015; for ``amsgrad``,
    Reddi, Kale and Kumar, "On the convergence of Adam and beyond", 2018.

    Args:
        params: Tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups with
            their own options.
        lr: Learning rate, a number or a tensor with one element.
        betas: Decay rates, in [0, 1), of the running means of the gradient and of its square; two
            floats or two tensors with one element.
        eps: Number added to the denominator for numerical stability.
        weight_decay: Coefficient of the L2 penalty.
        amsgrad: Whether to divide by the largest mean square so far instead of the current one.
        foreach: Accepted for compatibility; changes nothing.
        maximize: Whether to maximize the objective instead of minimizing it.
        capturable: Accepted for compatibility; changes nothing.
        differentiable: Whether autograd records the step, so that it can be differentiated.
        fused: Accepted for compatibility; changes nothing.
        decoupled_weight_decay: Whether to shrink the parameters directly, as ``AdamW`` does,
            instead of adding the penalty to the gradient.

    Raises:
        ValueError: If an option is out of range.
        RuntimeError: If ``fused`` is combined with ``foreach`` or ``differentiable``.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION | {
        "amsgrad": False, "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        check_moments(lr, betas, eps, weight_decay)
        _check_tensors(lr, betas, whole=bool(foreach and not capturable))
        check_fused(fused, foreach, differentiable)
        betas = (as_number(betas[0]), as_number(betas[1]))
        options = options_of(
            locals(),
            "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach",
            "capturable", "differentiable", "fused", "decoupled_weight_decay",
        )  # fmt: skip
        super().__init__(params, options)

    def update_sparse(self, group: Group, updated: list[Updated]) -> None:
        raise GraphError(
            "Adam does not support sparse gradients, please consider SparseAdam instead"
        )

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr = on.number(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        counted = self.counted(updated, group)
        if on is Arrays:
            counted = self._step_compiled(counted, lr, group)
        for state, count, value, _, mean, square in self._with_moments(on, lr, group, counted):
            if group["amsgrad"]:
                square = on.maximum_(on.state(state, "max_exp_avg_sq"), square)
            scale = on.sqrt(square) / math.sqrt(1 - beta2**count)
            scale += eps
            value -= mean / scale * (lr / (1 - beta1**count))

    def _step_compiled(self, counted: list[Any], lr: float, group: Group) -> list[Any]:
        """Step in one pass over each parameter; return those whose arrays the kernel declines."""
        beta1, beta2 = group["betas"]
        amsgrad, eps, decay = group["amsgrad"], group["eps"], group["weight_decay"]
        coupled, kept = (0.0, 1 - lr * decay) if group["decoupled_weight_decay"] else (decay, 1.0)
        sign = -1.0 if group["maximize"] else 1.0
        declined = []
        for each in counted:
            param, gradient, state, count = each
            done = cpu.adam_step(
                param._array, gradient._array,
                state["exp_avg"]._array, state["exp_avg_sq"]._array,
                state["max_exp_avg_sq"]._array if amsgrad else None,
                beta1, beta2, lr / (1 - beta1**count), math.sqrt(1 - beta2**count), eps,
                coupled, kept, sign,
            )  # fmt: skip
            if done is NotImplemented:
                declined.append(each)
        return declined

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_for(param)


take_steps(Adam, "adam")


def _check_tensors(lr: Any, betas: Any, whole: bool) -> None:
    """Raise ValueError for options that are tensors where PyTorch does not accept them."""
    require(
        not (whole and isinstance(lr, Tensor)),
        "lr as a Tensor is not supported for capturable=False and foreach=True",
    )
    kinds = [all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)]
    require(any(kinds), "betas must be either both floats or both Tensors")
    if kinds[1]:
        for index, beta in enumerate(betas):
            require(
                not whole,
                f"betas[{index}] as a Tensor is not supported for capturable=False and "
                "foreach=True",
            )
            require(beta.numel() == 1, f"Tensor betas[{index}] must be 1-element")
