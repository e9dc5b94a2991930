"""Losses: how far predictions are from their targets."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.ops.families import op

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str) -> None:
    """Raise ValueError for a reduction that there is not."""
    if reduction not in REDUCTIONS:
        raise ArgumentError(
            f"{reduction} is not a valid value for reduction; it is one of 'none', 'mean', 'sum'"
        )


def reduced(values: Any, reduction: str) -> Any:
    """Reduce the losses of all elements as asked."""
    if reduction == "mean":
        return values.mean()
    return values.sum() if reduction == "sum" else values


@op(promotes=True, refuses="biuc", node_name="mse_loss")
def squared_error(be, input, target, /, reduction):
    """Return the squared differences, averaged, summed, or one by one."""
    difference = input - target
    if reduction == "none":
        return be.multiply(difference, difference)
    flat = difference.reshape(-1)
    if flat.dtype == np.float16:
        flat = flat.astype(np.float32)
    total = flat.dot(flat)
    if reduction == "mean":
        total = be.divide(total, flat.size)
    return total if total.dtype == input.dtype else total.astype(input.dtype)


@squared_error.vjp("input")
def squared_error_input(g, input, target, reduction):
    difference = input - target
    factor = 2 / max(prod(difference.shape), 1) if reduction == "mean" else 2.0
    return difference * (g * factor)


@squared_error.vjp("target")
def squared_error_target(g, input, target, reduction):
    return squared_error_input(g, target, input, reduction)


_SIZE_WARNING = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def legacy_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """Translate the two flags that `reduction` took the place of."""
    if size_average is None and reduce is None:
        return reduction
    wants_mean, reduces = size_average is not False, reduce is not False
    chosen = ("mean" if wants_mean else "sum") if reduces else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        UserWarning,
        stacklevel=3,
    )
    return chosen


def warn_of_sizes(input: Any, target: Any) -> None:
    """Warn where input and target differ in shape, and so broadcast."""
    if input._array.shape != target._array.shape:
        text = _SIZE_WARNING.format(target.shape, input.shape)
        warnings.warn(text, UserWarning, stacklevel=3)


def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean squared difference of input and target.

    ``reduction`` is one of "mean", "sum", "none"; ``weight`` scales the squares. Warns where the
    shapes differ.

    >>> import pellucid as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.zeros(2))
    tensor(2.5000)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    if input._array.shape != target._array.shape:
        warn_of_sizes(input, target)
    if reduction not in REDUCTIONS:
        check_reduction(reduction)
    if weight is None:
        return squared_error(input, target, reduction)
    return weighted_mean(squared_error(input, target, "none"), weight, reduction)


def weighted_mean(values: Any, weight: Any, reduction: str) -> Any:
    """Reduce losses that are weighted one by one; a mean divides by the sum of the weights."""
    if weight.shape != values.shape:
        raise ArgumentError("Weights and input must have the same size.")
    weighted = values * weight
    return weighted.sum() / weight.sum() if reduction == "mean" else reduced(weighted, reduction)
