"""The Adafactor optimizer, which stores a factored mean square of the gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid.dtypes import epsilon
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.precision import as_working
from pellucid.optim.operands import Array, Group, State, Updated, as_number, new_tensor
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_rate, check_real, options_of, require
from pellucid.tensors import Tensor


class Adafactor(Optimizer):
    """The Adafactor optimizer, which stores a factored mean square of the gradient.

    For a matrix, only the mean squares of rows and of columns are stored; their outer product,
    divided by the mean of the row values, estimates the full mean square. The step size is
    ``min(lr, 1 / sqrt(step))`` times the root mean square of the parameter, which counts as at
    least ``eps[1]``. Source: Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear
    memory cost", 2018.

    Args:
        params: Real tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups
            with their own options.
        lr: Learning rate, a number or a tensor with one element.
        beta2_decay: Exponent of the decay rate ``step**beta2_decay`` of the mean square, at most 0.
        eps: Lower bounds of the root mean squares of the gradient (``None``: the eps of the dtype)
            and of the parameter.
        d: Steps are scaled down if their root mean square exceeds this; at least 1.
        weight_decay: Coefficient of the decoupled weight decay.
        foreach: Accepted for compatibility; changes nothing.
        maximize: Whether to maximize the objective instead of minimizing it.

    Raises:
        ValueError: If an option is out of range.
        RuntimeError: If a parameter is complex.

    >>> w = torch.tensor([[1.0, 2.0]], requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([[0.8419, 1.8419]], requires_grad=True)
    """

    elementwise = False

    older_defaults = {"foreach": None}

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0,
        *, foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        require(beta2_decay <= 0.0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        require(eps[0] is None or eps[0] >= 0.0, f"epsilon1 should be >= 0 but is: {eps[0]}")
        require(eps[1] >= 0.0, f"epsilon2 should be >= 0 but is: {eps[1]}")
        require(d >= 1.0, f"Clipping threshold d should be >= 1 but is: {d}")
        require(weight_decay >= 0.0, f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, options_of(locals()))

    def update(self, group: Group, updated: list[Updated]) -> None:
        check_real(updated, "Adafactor")
        lr = as_number(group["lr"])
        for param, found, state, count in self.counted(updated, group):
            array, gradient = param._array, found._array
            if group["maximize"]:
                gradient = -gradient
            size = max(group["eps"][1], _root_mean_square(array)) * min(lr, count**-0.5)
            if group["weight_decay"]:
                array *= 1 - lr * group["weight_decay"]
            least = group["eps"][0]
            if least is None:
                least = epsilon(array.dtype)
            square = _mean_square(state, gradient, count ** group["beta2_decay"], least)
            step = gradient / np.sqrt(np.maximum(square, least * least))
            array -= step * (size / max(1.0, _root_mean_square(step) / group["d"]))

    def writes(self, group: Group) -> int:
        return 2 if group["weight_decay"] else 1

    def _start(self, state: State, param: Any, group: Group) -> None:
        """Initialize the mean squares: of rows and columns, or of each element of a vector."""
        super()._start(state, param, group)
        array = param._array
        if array.ndim > 1:
            state["row_var"] = new_tensor(np.zeros_like(array[..., :1]))
            state["col_var"] = new_tensor(np.zeros_like(array[..., :1, :]))
        else:
            state["variance"] = new_tensor(np.zeros_like(array))


def _mean_square(state: State, gradient: Array, share: float, least: float) -> Array:
    """Update the mean squares with the gradient; return the mean square of each element."""
    square = np.square(gradient)
    if gradient.ndim < 2:
        return _averaged(state["variance"], square, share)
    rows = _averaged(state["row_var"], _mean(square, -1), share)
    columns = _averaged(state["col_var"], _mean(square, -2), share)
    return rows * columns / np.maximum(_mean(rows, -2), least)


def _mean(x: Array, axis: int) -> Array:
    """Return the mean over an axis counted from the end, kept with size 1."""
    sums = cpu.total(as_working(x), (x.ndim + axis,), True)
    return (sums / x.shape[axis]).astype(x.dtype, copy=False)


def _averaged(average: Any, value: Array, share: float) -> Array:
    array = average._array
    array += (value - array) * share
    return array


def _root_mean_square(array: Array) -> float:
    return math.sqrt(float(np.vdot(array, array)) / array.size)
