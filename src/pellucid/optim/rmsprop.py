"""The RMSprop optimizer."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.kernels.active import cpu
from pellucid.optim.adam import Adam
from pellucid.optim.operands import Arrays, Group, Updated, operands, zeros_for
from pellucid.optim.optimizer import Optimizer, take_steps
from pellucid.optim.options import IMPLEMENTATION, check_not_negative, check_rate, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class RMSprop(Optimizer):
    """The RMSprop optimizer: the gradient is divided by the root of its running mean square.

    Sources: Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012; for
    ``centered``, Graves, "Generating sequences with recurrent neural networks", 2013.

    Args:
        params, lr, eps, weight_decay, capturable, foreach, maximize, differentiable: As for `Adam`.
        alpha: Decay rate of the running mean square, not negative.
        momentum: Factor of the momentum; 0 means none.
        centered: Whether to divide by the root of the variance instead of the mean square.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w], lr=0.01)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION | {"momentum": 0, "centered": False}

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False,
        capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_not_negative(epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = options_of(
            locals(),
            "lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable",
            "foreach", "maximize", "differentiable",
        )  # fmt: skip
        super().__init__(params, options)

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, alpha, momentum = on.number(group["lr"]), group["alpha"], group["momentum"]
        for param, found, state, _ in self.counted(updated, group):
            if on is Arrays and self._step_compiled(param, found, lr, group):
                continue
            gradient = on.gradient(param, found, group)
            square = on.state(state, "square_avg")
            square *= alpha
            square += gradient * gradient * (1 - alpha)
            if group["centered"]:
                mean = on.state(state, "grad_avg")
                mean += (gradient - mean) * (1 - alpha)
                scale = on.sqrt(square - mean * mean) + group["eps"]
            else:
                scale = on.sqrt(square) + group["eps"]
            step = gradient / scale
            if momentum > 0:
                buffer = on.state(state, "momentum_buffer")
                buffer *= momentum
                buffer += step
                step = buffer
            value = on.value(param)
            value -= step * lr

    def _step_compiled(self, param: Tensor, gradient: Tensor, lr: float, group: Group) -> bool:
        """Step in one pass over the parameter, unless the kernel declines its arrays."""
        state = self.state[param]
        done = cpu.rmsprop_step(
            param._array, gradient._array, state["square_avg"]._array,
            state["grad_avg"]._array if group["centered"] else None,
            state["momentum_buffer"]._array if group["momentum"] > 0 else None,
            lr, group["alpha"], group["eps"], group["momentum"], group["weight_decay"],
            -1.0 if group["maximize"] else 1.0,
        )  # fmt: skip
        return done is not NotImplemented

    def _start(self, state: dict[str, Any], param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["square_avg"] = zeros_for(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_for(param)
        if group["centered"]:
            state["grad_avg"] = zeros_for(param)


take_steps(RMSprop, "rmsprop")
