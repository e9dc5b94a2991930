"""Base class of Adam and its variants, which keep running means of the gradient and its square."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.optim.operands import Group, State, zeros_for
from pellucid.optim.optimizer import Optimizer
from pellucid.tensors import Tensor


class Moments(Optimizer):
    """Base class of optimizers with running means of the gradient and of its square."""

    def _with_moments(
        self, on: Any, lr: Any, group: Group, counted: list[tuple[Any, Any, State, float]]
    ) -> Iterator[tuple[State, float, Any, Any, Any, Any]]:
        """Update the moments of one `counted` parameter after the other.

        Yields its state, the number of steps, its value, the gradient with weight decay, and the
        running means of the gradient and of its square.
        """
        beta1, beta2 = group["betas"]
        for param, found, state, count in counted:
            value = on.value(param)
            gradient = _decayed(on, param, found, lr, group)
            mean = on.state(state, "exp_avg")
            square = on.state(state, "exp_avg_sq")
            mean += (gradient - mean) * (1 - beta1)
            square *= beta2
            square += gradient * gradient * (1 - beta2)
            yield state, count, value, gradient, mean, square

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["exp_avg"] = zeros_for(param)
        state["exp_avg_sq"] = zeros_for(param)


def _decayed(on: Any, param: Any, gradient: Any, lr: Any, group: Group) -> Any:
    """Return the gradient with weight decay; decoupled decay shrinks the parameter itself."""
    if not group["decoupled_weight_decay"]:
        return on.gradient(param, gradient, group)
    if group["weight_decay"]:
        value = on.value(param)
        value *= 1 - lr * group["weight_decay"]
    return on.gradient(param, gradient, {"maximize": group["maximize"]})
