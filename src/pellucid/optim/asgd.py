"""The ASGD optimizer: averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.optim.adam import Adam
from pellucid.optim.operands import (
    Group,
    State,
    Updated,
    as_number,
    operands,
    scalar_state,
    zeros_for,
)
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import IMPLEMENTATION, check_not_negative, check_rate, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class ASGD(Optimizer):
    """Averaged stochastic gradient descent.

    The learning rate falls as ``lr / (1 + lambd * lr * step)**alpha``; the mean of the parameters
    since step ``t0`` is kept in the state as ``ax``. Source: Polyak and Juditsky, "Acceleration of
    stochastic approximation by averaging", 1992.

    Args:
        params, lr, weight_decay, foreach, maximize, differentiable, capturable: As for `Adam`.
        lambd: Decay of the parameters and of the learning rate.
        alpha: Exponent of the decay of the learning rate.
        t0: Step at which averaging starts.

    Raises:
        ValueError: If an option is out of range.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    older_defaults = IMPLEMENTATION
    scalars = ("step", "eta", "mu")

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75,
        t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, options_of(locals()))

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, decay = as_number(group["lr"]), group["lambd"]
        for param, found, state, count in self.counted(updated, group):
            rate, share = state["eta"]._array, state["mu"]._array
            gradient = on.gradient(param, found, group)
            value = on.value(param)
            mean = on.state(state, "ax")
            value *= 1 - decay * rate.item()
            value -= gradient * rate.item()
            mean += (value - mean) * share.item()
            rate[...] = lr / (1 + decay * lr * count) ** group["alpha"]
            share[...] = 1 / max(1, count - group["t0"])

    def writes(self, group: Group) -> int:
        return 1 if group["foreach"] else 2

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["eta"] = scalar_state(as_number(group["lr"]))
        state["mu"] = scalar_state(1)
        state["ax"] = zeros_for(param)
