"""The Adamax optimizer."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.optim.adam import Adam
from pellucid.optim.operands import Group, State, Updated, operands, zeros_for
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import IMPLEMENTATION, check_moments, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class Adamax(Optimizer):
    """The Adamax optimizer, a variant of Adam based on the infinity norm.

    The running mean of the gradient is divided by a decaying maximum of its magnitude. Source:
    Kingma and Ba, "Adam: a method for stochastic optimization", 2015, section 7.1.

    Args:
        params, lr, eps, weight_decay, foreach, maximize, differentiable, capturable: As for `Adam`.
        betas: Decay rates, in [0, 1), of the running mean of the gradient and of the maximum.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION

    def __init__(
        self, params: Any, lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_moments(lr, betas, eps, weight_decay)
        super().__init__(params, options_of(locals()))

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, eps = on.number(group["lr"]), group["eps"]
        beta1, beta2 = group["betas"]
        for param, found, state, count in self.counted(updated, group):
            gradient = on.gradient(param, found, group)
            mean = on.state(state, "exp_avg")
            largest = on.state(state, "exp_inf")
            mean += (gradient - mean) * (1 - beta1)
            largest *= beta2
            on.maximum_(largest, on.absolute(gradient) + eps)
            value = on.value(param)
            value -= mean / largest * (lr / (1 - beta1**count))

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["exp_avg"] = zeros_for(param)
        state["exp_inf"] = zeros_for(param)
