"""The RAdam optimizer: Adam with a rectified learning rate."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.optim.adam import Adam
from pellucid.optim.moments import Moments
from pellucid.optim.operands import Group, Updated, operands
from pellucid.optim.options import IMPLEMENTATION, check_moments, options_of
from pellucid.tensors import Tensor

#: the shortest average (in effective steps) whose variance is finite
_MIN_LENGTH = 5.0


@sections_of(Adam)
class RAdam(Moments):
    """The RAdam optimizer: Adam with a correction for the variance of early steps.

    The learning rate is multiplied by a factor that compensates for the variance of the mean
    square; in the first steps, where it is too large, only the running mean of the gradient is
    used. Source: Liu et al., "On the variance of the adaptive learning rate and beyond", 2020.

    Args:
        params, lr, eps, weight_decay: As for `Adam`.
        decoupled_weight_decay, foreach, maximize, capturable, differentiable: As for `Adam`.
        betas: Decay rates, in [0, 1), of the running means of the gradient and of its square.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION | {"decoupled_weight_decay": False}

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_moments(lr, betas, eps, weight_decay)
        options = options_of(
            locals(),
            "lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable",
            "decoupled_weight_decay", "differentiable",
        )  # fmt: skip
        super().__init__(params, options)

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, eps = on.number(group["lr"]), group["eps"]
        beta1, beta2 = group["betas"]
        moments = self._with_moments(on, lr, group, self.counted(updated, group))
        for _, count, value, _, mean, square in moments:
            rate = lr / (1 - beta1**count)
            rectified = _rectification(count, beta2)
            if rectified is None:
                value -= mean * rate
            else:
                value -= mean / (on.sqrt(square) + eps) * (rate * rectified)


def _rectification(count: float, beta2: float) -> float | None:
    """Return the factor of the learning rate, or None if the mean square covers too few steps."""
    max_length = 2 / (1 - beta2) - 1
    correction = 1 - beta2**count
    length = max_length - 2 * count * beta2**count / correction
    if length <= _MIN_LENGTH:
        return None
    shrunk = (length - 4) * (length - 2) * max_length
    full = (max_length - 4) * (max_length - 2) * length
    return (correction * shrunk / full) ** 0.5
