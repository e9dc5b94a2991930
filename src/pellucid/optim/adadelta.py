"""The Adadelta optimizer."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.kernels.active import cpu
from pellucid.optim.adam import Adam
from pellucid.optim.operands import Arrays, Group, State, Updated, operands, zeros_for
from pellucid.optim.optimizer import Optimizer, take_steps
from pellucid.optim.options import (
    IMPLEMENTATION,
    check_not_negative,
    check_rate,
    options_of,
    require,
)
from pellucid.tensors import Tensor


@sections_of(Adam)
class Adadelta(Optimizer):
    """The Adadelta optimizer.

    The gradient is scaled by the root mean square of past steps over that of past gradients.
    Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

    Args:
        params, lr, eps, weight_decay, foreach, capturable, maximize, differentiable: As for `Adam`.
        rho: Decay rate, in [0, 1], of the running means of squared gradients and squared steps.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9968], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION

    def __init__(
        self, params: Any, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6,
        weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        require(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}")
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        options = options_of(
            locals(),
            "lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach",
            "differentiable",
        )  # fmt: skip
        super().__init__(params, options)

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, rho, eps = on.number(group["lr"]), group["rho"], group["eps"]
        for param, found, state, _ in self.counted(updated, group):
            if on is Arrays and self._step_compiled(param, found, lr, group):
                continue
            gradient = on.gradient(param, found, group)
            square = on.state(state, "square_avg")
            steps = on.state(state, "acc_delta")
            square *= rho
            square += gradient * gradient * (1 - rho)
            step = on.sqrt(steps + eps) / on.sqrt(square + eps) * gradient
            steps *= rho
            steps += step * step * (1 - rho)
            value = on.value(param)
            value -= step * lr

    def _step_compiled(self, param: Tensor, gradient: Tensor, lr: float, group: Group) -> bool:
        """Step in one pass over the parameter, unless the kernel declines its arrays."""
        state = self.state[param]
        done = cpu.adadelta_step(
            param._array, gradient._array, state["square_avg"]._array,
            state["acc_delta"]._array, lr, group["rho"], group["eps"], group["weight_decay"],
            -1.0 if group["maximize"] else 1.0,
        )  # fmt: skip
        return done is not NotImplemented

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["square_avg"] = zeros_for(param)
        state["acc_delta"] = zeros_for(param)


take_steps(Adadelta, "adadelta")
