"""The Muon optimizer: momentum with orthogonalized steps."""

from __future__ import annotations

import math
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.precision import as_working
from pellucid.optim.operands import Array, Group, Updated, as_number, zeros_for
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_rate, check_real, options_of, require
from pellucid.tensors import Tensor

#: coefficients of x, x**3 and x**5 in one step of the iteration, from Jordan's post
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_MOST_STEPS = 100


class Muon(Optimizer):
    """The Muon optimizer for matrices: momentum with orthogonalized steps.

    A few steps of a Newton-Schulz iteration bring the singular values of the momentum close to 1.
    Source: Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024.

    Args:
        params: Real 2-d tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups
            with their own options.
        lr: Learning rate, a number or a tensor with one element.
        weight_decay: Coefficient of the decoupled weight decay.
        momentum: Decay rate of the running mean of the gradient.
        nesterov: Whether to use Nesterov momentum.
        ns_coefficients: Coefficients of x, x**3 and x**5 in one step of the iteration.
        eps: Lower bound of the norm that the matrix is divided by.
        ns_steps: Number of steps of the iteration, below 100.
        adjust_lr_fn: How the learning rate depends on the shape: ``"original"`` (the default)
            multiplies by the root of rows over columns if that exceeds 1, ``"match_rms_adamw"``
            makes steps as large as those of ``AdamW``.

    Raises:
        ValueError: If a parameter is not 2-d or an option is out of range.
        RuntimeError: If a parameter is complex.

    >>> w = torch.tensor([[2.0, 0.0], [0.0, 1.0]], requires_grad=True)
    >>> optimizer = torch.optim.Muon([w], lr=0.1, weight_decay=0.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool(w[0, 0] < 2.0)
    True
    """

    elementwise = False

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3, weight_decay: float = 0.1,
        momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = _COEFFICIENTS, eps: float = 1e-7,
        ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        require(momentum >= 0.0, f"momentum should be >= 0 but is: {momentum}")
        require(weight_decay >= 0.0, f"weight decay should be >= 0 but is: {weight_decay}")
        require(
            adjust_lr_fn in (None, "original", "match_rms_adamw"),
            f"Adjust learning rate function {adjust_lr_fn} is not supported",
        )
        super().__init__(params, options_of(locals()))
        for group in self.param_groups:
            for param in group["params"]:
                require(
                    param.ndim == 2,
                    "Muon only supports 2D parameters whereas we found a parameter with size: "
                    f"{param.shape}; give the others to an optimizer such as AdamW",
                )

    def writes(self, group: Group) -> int:
        return 2

    def update(self, group: Group, updated: list[Updated]) -> None:
        check_real(updated, "Muon")
        lr, momentum = as_number(group["lr"]), group["momentum"]
        for param, found in updated:
            state = self.state[param]
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = zeros_for(param)
            array, gradient = param._array, found._array
            mean = state["momentum_buffer"]._array
            mean += (gradient - mean) * (1 - momentum)
            direction = gradient + (mean - gradient) * momentum if group["nesterov"] else mean
            step = _orthogonalized(direction, group)
            array *= 1 - lr * group["weight_decay"]
            array -= step * (lr * _shape_factor(group["adjust_lr_fn"], array.shape))


def _shape_factor(adjustment: str | None, shape: tuple[int, ...]) -> float:
    rows, columns = shape
    if adjustment == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1.0, rows / columns))


def _orthogonalized(matrix: Array, group: Group) -> Array:
    """Return the matrix with its singular values close to 1.

    An odd polynomial of the matrix is applied repeatedly; no decomposition is needed.
    """
    if group["ns_steps"] >= _MOST_STEPS:
        raise ArgumentError("Number of steps must be less than 100 for computational efficiency")
    if len(group["ns_coefficients"]) != 3:
        raise ArgumentError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = group["ns_coefficients"]
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    work = as_working(x)
    length = math.sqrt(cpu.total(work * work, None, False))
    x = x / max(length, group["eps"])
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = x * a + (gram * b + gram @ gram * c) @ x
    return x.T if tall else x
