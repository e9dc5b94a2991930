"""The NAdam optimizer: Adam with Nesterov momentum."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.optim.adam import Adam
from pellucid.optim.moments import Moments
from pellucid.optim.operands import Group, State, Updated, operands, scalar_state
from pellucid.optim.options import IMPLEMENTATION, check_moments, check_not_negative, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class NAdam(Moments):
    """The NAdam optimizer: Adam with Nesterov momentum.

    The step combines the gradient and its running mean; the weight of the mean is ``beta1 * (1 -
    0.96**(step * momentum_decay) / 2)``. Source: Dozat, "Incorporating Nesterov momentum into
    Adam", 2016.

    Args:
        params, lr, eps, weight_decay: As for `Adam`.
        decoupled_weight_decay, foreach, maximize, capturable, differentiable: As for `Adam`.
        betas: Decay rates, in [0, 1), of the running means of the gradient and of its square.
        momentum_decay: Decay of the momentum, not negative.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8944], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION | {"decoupled_weight_decay": False}
    scalars = ("step", "mu_product")

    def __init__(
        self, params: Any, lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_moments(lr, betas, eps, weight_decay)
        check_not_negative(momentum_decay=momentum_decay)
        options = options_of(
            locals(),
            "lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay",
            "maximize", "foreach", "capturable", "differentiable",
        )  # fmt: skip
        super().__init__(params, options)

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, eps = on.number(group["lr"]), group["eps"]
        beta1, beta2 = group["betas"]
        moments = self._with_moments(on, lr, group, self.counted(updated, group))
        for state, count, value, gradient, mean, square in moments:
            present, ahead = _weights(on, state, count, beta1, group["momentum_decay"])
            scale = on.sqrt(square / (1 - beta2**count)) + eps
            value -= gradient / scale * (lr * present)
            value -= mean / scale * (lr * ahead)

    def writes(self, group: Group) -> int:
        return super().writes(group) + 1

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        # These two come first in PyTorch's checkpoints.
        state |= {"step": scalar_state(0), "mu_product": scalar_state(1)}
        super()._start(state, param, group)


def _weights(on: Any, state: State, count: float, beta1: float, decay: float) -> tuple[Any, Any]:
    """Return the weights of the gradient and of the mean in a step, and update their product."""
    weight, following = (
        beta1 * (1.0 - 0.5 * 0.96 ** (step * decay)) for step in (count, count + 1)
    )
    product = on.state(state, "mu_product")
    product *= weight
    so_far = product.double() if isinstance(product, Tensor) else product.item()
    return (1.0 - weight) / (1.0 - so_far), following / (1.0 - so_far * following)
