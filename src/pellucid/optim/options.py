"""Checks of options that several optimizers share."""

from __future__ import annotations

from typing import Any

from pellucid.dtypes import is_complex_dtype
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor


class _Required:
    """Marker for an option without a default, which every parameter group has to set."""

    def __repr__(self) -> str:
        return "<required parameter>"


#: default of an option that every parameter group has to set
required = _Required()


#: defaults of options about how a step is computed, which older checkpoints may lack
IMPLEMENTATION: dict[str, Any] = {
    "foreach": None, "maximize": False, "differentiable": False, "capturable": False,
}  # fmt: skip


def options_of(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the options among the arguments of a constructor.

    The names give the order in PyTorch's checkpoints where it is not that of the arguments.
    """
    given = names or [name for name in arguments if name not in ("self", "params", "__class__")]
    return {name: arguments[name] for name in given}


def require(valid: Any, message: str) -> None:
    """Raise ValueError with the message unless an option is valid."""
    if not valid:
        raise ArgumentError(message)


def check_rate(lr: Any, message: str = "Invalid learning rate: {}") -> None:
    """Raise ValueError for a negative learning rate or a tensor with several elements."""
    require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
    require(lr >= 0.0, message.format(lr))


def check_betas(betas: Any) -> None:
    """Raise ValueError if a decay rate of a running mean is outside [0, 1)."""
    for index, beta in enumerate(betas):
        require(0.0 <= beta < 1.0, f"Invalid beta parameter at index {index}: {beta}")


def check_not_negative(**options: float) -> None:
    """Raise ValueError, naming the option, if one is negative."""
    for name, value in options.items():
        require(value >= 0.0, f"Invalid {name} value: {value}")


def check_moments(lr: Any, betas: Any, eps: float, weight_decay: float) -> None:
    """Raise ValueError if an option of Adam or one of its variants is out of range."""
    check_rate(lr)
    check_not_negative(epsilon=eps)
    check_betas(betas)
    check_not_negative(weight_decay=weight_decay)


def check_real(updated: list[tuple[Any, Any]], optimizer: str) -> None:
    """Raise RuntimeError for complex parameters, which the optimizer does not support."""
    if any(is_complex_dtype(param._array.dtype) for param, _ in updated):
        raise RuntimeError(
            f"{optimizer} does not support complex parameters: optimize real and imaginary parts "
            "as two parameters"
        )


def check_fused(fused: Any, foreach: Any, differentiable: bool) -> None:
    """Raise RuntimeError for combinations of options that PyTorch does not accept."""
    if fused and differentiable:
        raise RuntimeError(
            "`fused` does not support `differentiable`: a fused step is not recorded; leave out "
            "one of the two"
        )
    if fused and foreach:
        raise RuntimeError(
            "`fused` and `foreach` cannot be `True` together: both say how to compute; leave out "
            "one of the two"
        )
