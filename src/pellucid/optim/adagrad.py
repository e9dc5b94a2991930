"""The Adagrad optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.docstrings import sections_of
from pellucid.errors import GraphError
from pellucid.optim.adam import Adam
from pellucid.optim.operands import (
    Arrays,
    Group,
    Updated,
    filled_for,
    operands,
    scalar_state,
    sparse_rows,
)
from pellucid.optim.optimizer import Optimizer, State
from pellucid.optim.options import check_fused, check_not_negative, check_rate, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class Adagrad(Optimizer):
    """The Adagrad optimizer: the gradient is divided by the root of the sum of its past squares.

    Source: Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011.

    Args:
        params, lr, weight_decay, eps, foreach, maximize, differentiable, fused: As for `Adam`.
        lr_decay: The learning rate is divided by ``1 + (step - 1) * lr_decay``.
        initial_accumulator_value: Initial value of the sum of squares, not negative.

    Raises: As for `Adam`.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    older_defaults = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_not_negative(
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            epsilon=eps,
        )
        check_fused(fused, foreach, differentiable)
        options = options_of(
            locals(),
            "lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach",
            "maximize", "differentiable", "fused",
        )  # fmt: skip
        super().__init__(params, options)

    def add_param_group(self, param_group: Group) -> None:
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for param in group["params"]:
            self._start(self.state[param], param, group)

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        total = filled_for(param, group["initial_accumulator_value"])
        state |= {"step": scalar_state(0), "sum": total}

    def update_sparse(self, group: Group, updated: list[Updated]) -> None:
        if group["weight_decay"]:
            raise GraphError(
                "weight_decay option is not compatible with sparse gradients: it would change all "
                "rows"
            )
        lr, decay = Arrays.number(group["lr"]), group["lr_decay"]
        for param, found, state, count in self.counted(updated, group):
            rate = lr / (1 + (count - 1) * decay)
            where, gradient = sparse_rows(found, group)
            total = state["sum"]._array
            total[where] += gradient * gradient
            param._array[where] -= gradient / (np.sqrt(total[where]) + group["eps"]) * rate

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, decay = on.number(group["lr"]), group["lr_decay"]
        for param, found, state, count in self.counted(updated, group):
            gradient = on.gradient(param, found, group)
            total = on.state(state, "sum")
            total += gradient * gradient
            value = on.value(param)
            value -= gradient / (on.sqrt(total) + group["eps"]) * (lr / (1 + (count - 1) * decay))
