"""Adam for tables of which each step changes a few rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError, GraphError
from pellucid.optim.operands import Arrays, Group, Updated, sparse_rows, zeros_for
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_betas, check_not_negative, check_rate, options_of, require
from pellucid.tensors import Tensor


class SparseAdam(Optimizer):
    """The Adam optimizer for sparse gradients: only what has a gradient is changed.

    The running means of the other rows stay as they are, so this is not Adam with gradients that
    are zero there.

    Source: Kingma and Ba, "Adam: a method for stochastic optimization", 2015.

    Args:
        params: Dense tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups
            with their own options.
        lr: Learning rate, a number or a tensor with one element.
        betas: Decay rates, in [0, 1), of the running means of the gradient and of its square.
        eps: Number added to the denominator for numerical stability.
        maximize: Whether to maximize the objective instead of minimizing it.

    Raises:
        ValueError: If an option is out of range, or a parameter is sparse itself.

    >>> table = torch.nn.Embedding(3, 1, sparse=True, _weight=torch.ones(3, 1))
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> table.weight.detach()
    tensor([[1.0000],
            [0.9000],
            [1.0000]])
    """

    scalars = ()
    older_defaults = {"maximize": False}

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        require(lr > 0.0, f"Invalid learning rate: {lr}")
        check_not_negative(epsilon=eps)
        require(eps > 0.0, f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, options_of(locals(), "lr", "betas", "eps", "maximize"))
        sparse = [
            [number, position]
            for number, group in enumerate(self.param_groups)
            for position, param in enumerate(group["params"])
            if param._interpreter is not None
        ]
        if sparse:
            raise ArgumentError(
                f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors"
            )

    def update(self, group: Group, updated: list[Updated]) -> None:
        if updated:
            raise GraphError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )

    def update_sparse(self, group: Group, updated: list[Updated]) -> None:
        lr, (beta1, beta2) = Arrays.number(group["lr"]), group["betas"]
        for param, _ in updated:
            state = self.state[param]
            if not state:
                state |= {"step": 0, "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}
            state["step"] += 1
        for param, found in updated:
            state = self.state[param]
            where, gradient = sparse_rows(found, group)
            mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
            mean[where] += (gradient - mean[where]) * (1 - beta1)
            square[where] += (gradient * gradient - square[where]) * (1 - beta2)
            correction = math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
            direction = mean[where] / (np.sqrt(square[where]) + group["eps"])
            param._array[where] -= direction * (lr * correction)
