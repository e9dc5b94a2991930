"""Stochastic gradient descent, optionally with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.docstrings import sections_of
from pellucid.errors import ShapeError
from pellucid.kernels.active import cpu
from pellucid.optim.adam import Adam
from pellucid.optim.operands import Arrays, Group, Updated, operands, zeros_for
from pellucid.optim.optimizer import Optimizer, take_steps
from pellucid.optim.options import check_fused, check_not_negative, check_rate, options_of, require
from pellucid.tensors import Tensor


@sections_of(Adam)
class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

    With gradient g, momentum m and dampening d, the buffer becomes b = m b + (1 - d) g, and the
    parameters become w - lr b. Nesterov's variant steps along g + m b instead of b.

    Args:
        params, lr, weight_decay, maximize, foreach, differentiable, fused: As for `Adam`.
        momentum: Factor of the momentum; 0 means none.
        dampening: Dampening of the momentum.
        nesterov: Whether to use Nesterov momentum; needs a momentum and no dampening.

    Raises: As for `Adam`.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    older_defaults = {
        "nesterov": False, "maximize": False, "foreach": None, "differentiable": False,
        "fused": None,
    }  # fmt: skip

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check_not_negative(momentum=momentum, weight_decay=weight_decay)
        require(
            not nesterov or (momentum > 0 and dampening == 0),
            "Nesterov momentum requires a momentum and zero dampening",
        )
        check_fused(fused, foreach, differentiable)
        super().__init__(params, options_of(locals()))

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr = on.number(group["lr"])
        rate, dtype = lr, None
        momentum = group["momentum"]
        if on is Arrays and not (momentum or group["weight_decay"] or group["maximize"]):
            self._descend(updated, lr)
            return
        for param, gradient in updated:
            if on is Arrays and self._step_compiled(param, gradient, lr, group):
                continue
            direction = on.gradient(param, gradient, group)
            if momentum:
                direction = self._averaged(param, direction, momentum, group)
            value = on.value(param)
            if value.dtype is not dtype:
                dtype = value.dtype
                rate = on.factor(lr, dtype)
            value -= direction * rate

    def update_sparse(self, group: Group, updated: list[Updated]) -> None:
        sparse = [each for each in updated if each[0].is_sparse]
        if sparse:  # whose gradients have the same indices
            self._update_parts(group, sparse)
        dense = [each for each in updated if not each[0].is_sparse]
        if dense:
            self._update_rows(group, dense)

    def _update_rows(self, group: Group, updated: list[Updated]) -> None:
        if group["weight_decay"]:
            raise ShapeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead: weight decay "
                "would change all rows, and a sparse gradient has but a few"
            )
        lr, momentum = Arrays.number(group["lr"]), group["momentum"]
        for param, gradient in updated:
            direction = gradient.detach().coalesce()
            direction = -direction if group["maximize"] else direction
            if momentum:
                state = self.state[param]
                average = state.get("momentum_buffer")
                average = direction if average is None else (
                    average * momentum + direction * (1 - group["dampening"])
                )  # fmt: skip
                state["momentum_buffer"] = average
                direction = direction + average * momentum if group["nesterov"] else average
            (direction * -lr).as_array().added_to(param._array)

    def _descend(self, updated: list[Updated], lr: float) -> None:
        """Step along the gradient, without momentum, weight decay or maximization."""
        for param, gradient in updated:
            array, descent = param._array, gradient._array
            done = cpu.sgd_step(array, descent, None, lr, 0.0, 0.0, 0.0, 1.0, False)
            if done is NotImplemented:
                array -= descent * np.asarray(lr, array.dtype)

    def _step_compiled(self, param: Tensor, gradient: Tensor, lr: float, group: Group) -> bool:
        """Step in one pass over the parameter, unless the kernel declines its arrays."""
        average = self.state[param].get("momentum_buffer") if group["momentum"] else None
        if group["momentum"] and average is None:
            return False  # the first gradient is not dampened
        done = cpu.sgd_step(
            param._array, gradient._array, None if average is None else average._array,
            lr, group["momentum"], group["dampening"], group["weight_decay"],
            -1.0 if group["maximize"] else 1.0, bool(group["nesterov"]),
        )  # fmt: skip
        return done is not NotImplemented

    def _averaged(self, param: Tensor, gradient: Any, momentum: float, group: Group) -> Any:
        """Update the momentum buffer of a parameter and return the direction of the step."""
        on = operands(group)
        state = self.state[param]
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = zeros_for(param)
            average = on.state(state, "momentum_buffer")
            average += gradient
        else:
            average = on.state(state, "momentum_buffer")
            average *= momentum
            dampening = group["dampening"]
            average += gradient * (1 - dampening) if dampening else gradient
        return gradient + average * momentum if group["nesterov"] else average


take_steps(SGD, "sgd")
