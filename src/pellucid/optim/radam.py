"""RAdam: Adam that trusts its mean square only once it has seen enough steps."""

from __future__ import annotations

from typing import Any

from pellucid.optim.adam import decayed, moments, start_moments
from pellucid.optim.operands import Group, counted, operands, scalar_state
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_moments
from pellucid.tensors import Tensor

#: a mean square over fewer steps than this has a variance that cannot be told
_SHORTEST = 5.0


class RAdam(Optimizer):
    """Step as `Adam` does, times a factor that takes back what the early variance adds.

    Liu et al., "On the variance of the adaptive learning rate and beyond", 2020; in the first steps
    the running mean alone is followed. With ``differentiable`` the step is recorded. Raises
    ValueError for options out of range.

    >>> import pellucid as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    older_defaults = {
        "foreach": None, "maximize": False, "differentiable": False, "capturable": False,
        "decoupled_weight_decay": False,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_moments(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, group: Group, params: list[Any]) -> None:
        on = operands(group)
        lr, eps = on.number(group["lr"]), group["eps"]
        beta1, beta2 = group["betas"]
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = scalar_state(0)
                start_moments(state, param)
            count = counted(state)
            value = on.value(param)
            gradient = decayed(on, param, lr, group)
            mean, square = moments(on, state, gradient, group)
            rate = lr / (1 - beta1**count)
            rectified = _rectification(count, beta2)
            if rectified is None:
                value -= mean * rate
            else:
                value -= mean / (on.sqrt(square) + eps) * (rate * rectified)


def _rectification(count: float, beta2: float) -> float | None:
    """Return the factor of a step, or None while the mean square covers too few steps."""
    longest = 2 / (1 - beta2) - 1
    correction = 1 - beta2**count
    length = longest - 2 * count * beta2**count / correction
    if length <= _SHORTEST:
        return None
    shrunk = (length - 4) * (length - 2) * longest
    full = (longest - 4) * (longest - 2) * length
    return (correction * shrunk / full) ** 0.5
