"""Losses: how far predictions are from their targets."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

from numpy import broadcast_shapes

from pellucid.autograd.sites import user_stacklevel
from pellucid.core.call.compiled import remember_nothing, replayable
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import elementwise, op
from pellucid.core.memory.writing import check_result_dtype
from pellucid.dtypes import result_dtype
from pellucid.errors import ArgumentError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.upcast import all_half, rounded_once

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


#: what PyTorch's nodes show of a way to reduce
_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def reduction_number(node: Any) -> int:
    """Return the number that PyTorch has for the way in which a node's loss is reduced."""
    names = [param.name for param in node.op.params]
    return _NUMBERS[node.params[names.index("reduction")]]


@op(
    dtypes=COMMON, unsupported="biuc", node_name="mse_loss",
    compiled_kernel=("mean_squared_error", 1),
    faces=Face("self target", reduction=reduction_number),
)  # fmt: skip
def mse(be, input, target, /, reduction):
    """Return the squared differences, averaged, summed, or one by one."""
    difference = input - target
    if reduction == "none":
        return be.multiply(difference, difference)
    flat = difference.reshape(-1)
    total = flat.dot(flat)
    if reduction == "mean":
        total = be.divide(total, flat.size)
    return total if total.dtype == input.dtype else total.astype(input.dtype)


@mse.vjp("input")
def mse_input(g, input, target, reduction):
    difference = input - target
    factor = 2 / max(prod(difference.shape), 1) if reduction == "mean" else 2.0
    return difference * (g * factor)


@mse.vjp("target")
def mse_target(g, input, target, reduction):
    return mse_input(g, target, input, reduction)


_SIZE_WARNING = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def legacy_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """Translate the two flags that `reduction` took the place of."""
    if size_average is None and reduce is None:
        return reduction
    wants_mean = True if size_average is None else bool(size_average)
    reduces = True if reduce is None else bool(reduce)
    remember_nothing()  # there is a warning each time
    chosen = ("mean" if wants_mean else "sum") if reduces else "none"
    warnings.warn(
        "size_average and reduce args will be deprecated, "
        f"please use reduction='{chosen}' instead.",
        UserWarning,
        stacklevel=user_stacklevel(),
    )
    return chosen


def warn_of_sizes(input: Any, target: Any) -> None:
    """Warn where input and target differ in shape, and so broadcast."""
    if input._array.shape != target._array.shape:
        remember_nothing()  # there is a warning each time
        text = _SIZE_WARNING.format(target.shape, input.shape)
        warnings.warn(text, UserWarning, stacklevel=user_stacklevel())


@public("nn.functional.mse_loss", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean squared difference of input and target.

    ``reduction`` is one of "mean", "sum", "none"; ``weight`` scales the squares. Warns where the
    shapes differ.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        weight: Weight of each element, in the shape of ``input``; ``None`` for 1.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

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
        return mse(input, target, reduction)
    return weighted_mean(mse(input, target, "none"), weight, reduction)


def weighted_mean(values: Any, weight: Any, reduction: str) -> Any:
    """Reduce losses that are weighted one by one; a mean divides by the sum of the weights."""
    if weight.shape != values.shape:
        raise ArgumentError("Weights and input must have the same size.")
    weighted = values * weight
    return weighted.sum() / weight.sum() if reduction == "mean" else reduced(weighted, reduction)


@public("nn.functional.l1_loss", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean absolute difference of input and target.

    Args: As for `mse_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, -2.0]), torch.zeros(2))
    tensor(1.5000)
    """
    return _elementwise_loss(_distance, input, target, size_average, reduce, reduction, weight)


def _distance(input: Any, target: Any) -> Any:
    return abs(input - target)


def _elementwise_loss(
    measure: Any, input: Any, target: Any, size_average: Any, reduce: Any, reduction: str,
    weight: Any = None,
) -> Any:  # fmt: skip
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    check_reduction(reduction)
    losses = measure(input, target)
    return (
        reduced(losses, reduction) if weight is None else weighted_mean(losses, weight, reduction)
    )


def _huber_name(node: Any) -> str:
    return f"{'SmoothL1' if node.params[1] else 'Huber'}LossBackward0"


@op(
    torch_kernel_name="huber_cpu",
    dtypes=COMMON, unsupported="c", named=_huber_name,
    faces={
        "HuberLossBackward0": Face("delta self target", reduction=reduction_number),
        "SmoothL1LossBackward0": Face("beta=delta self target", reduction=reduction_number),
    },
)  # fmt: skip
def huber(be, input, target, /, delta, smooth, reduction):
    """Return half the squared difference, and beyond ``delta`` the line that goes on from there.

    Divided by ``delta`` where it is ``smooth``; averaged, summed, or one by one. Huber, "Robust
    Estimation of a Location Parameter" (1964).
    """
    return reduced_arrays(be, be.huber(input, target, delta, delta if smooth else 1.0), reduction)


def reduced_arrays(be: Any, losses: Any, reduction: str) -> Any:
    """Reduce the losses of all elements as asked, in the body of an op."""
    if reduction == "none":
        return losses
    total = be.total(losses, None, False)
    return be.divide(total, losses.size) if reduction == "mean" else total


def of_each_loss(g: Any, losses: Any, reduction: str) -> Any:
    """Return the gradient of each of the losses that were reduced, in whose shape ``losses`` is."""
    return g / max(prod(losses.shape), 1) if reduction == "mean" else g


@huber.vjp("input")
def huber_input(g, input, target, delta, smooth, reduction):
    if reduction == "mean":
        g = g / max(prod(broadcast_shapes(tuple(input.shape), tuple(target.shape))), 1)
    return huber_backward(g, input, target, delta, delta if smooth else 1.0)


@huber.vjp("target")
def huber_target(g, input, target, delta, smooth, reduction):
    return huber_input(g, target, input, delta, smooth, reduction)


@elementwise(unsupported="c")
def huber_backward(be, grad, input, target, /, delta, divisor):
    """Return ``grad`` times the slope of `huber`."""
    return be.huber_backward(grad, input, target, delta, divisor)


@huber_backward.vjp("grad")
def huber_backward_grad(g, input, target, delta, divisor):
    return huber_backward(g, input, target, delta, divisor)


@huber_backward.vjp("input")
def huber_backward_input(g, grad, input, target, delta, divisor):
    distance = abs(input - target)
    return where(distance <= delta, g * grad / divisor, 0)


@huber_backward.vjp("target")
def huber_backward_target(g, grad, input, target, delta, divisor):
    return -huber_backward_input(g, grad, input, target, delta, divisor)


def _refuse_result(kernel: str, dtype: Any) -> None:
    """Raise NotImplementedError where losses would be of a dtype that is not of real floats."""
    if dtype.kind in "biuc":
        raise unsupported(kernel, dtype)


@public("nn.functional.smooth_l1_loss", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Any:  # fmt: skip
    """Return the absolute difference, squared where it is below ``beta``.

    ``d ** 2 / (2 * beta)`` for a difference ``|d| < beta``, otherwise ``|d| - beta / 2``. Source:
    Girshick, "Fast R-CNN", 2015.

    Args:
        input, target, size_average, reduce, reduction: As for `mse_loss`.
        beta: Error from which on the loss is linear.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If ``beta`` is negative.

    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)
    """
    if beta < 0:
        raise ShapeError("smooth_l1_loss does not support negative values for beta.")
    if all_half(input, target):
        return rounded_once(smooth_l1_loss, input, target, size_average, reduce, reduction, beta)
    if beta == 0:
        return _elementwise_loss(_distance, input, target, size_average, reduce, reduction)
    _refuse_result("smooth_l1_cpu", result_dtype([input._array, target._array]))
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    check_reduction(reduction)
    return huber(input, target, beta, True, reduction)


@public("nn.functional.huber_loss", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Return half the squared difference, growing linearly above ``delta``.

    ``d ** 2 / 2`` for a difference ``|d| <= delta``, otherwise ``delta * (|d| - delta / 2)``.

    Args:
        input, target, reduction: As for `mse_loss`.
        delta: Error from which on the loss is linear.
        weight: Weight of each element, in the shape of ``input``; ``None`` for 1.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If ``delta`` is not positive.
        ValueError: If ``weight`` does not have the shape of the input.

    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)
    """
    wanted = input._array.dtype
    common = result_dtype([input._array, target._array])
    check_result_dtype(common, wanted)
    _refuse_result("huber_cpu", common)
    if delta <= 0:
        raise ShapeError("huber_loss does not support non-positive values for delta.")
    if all_half(input, target, weight):
        return rounded_once(huber_loss, input, target, reduction, delta, weight)
    warn_of_sizes(input, target)
    check_reduction(reduction)
    if common != wanted:
        return huber_loss(input, target.to(input.dtype), reduction, delta, weight)
    if weight is None:
        return huber(input, target, delta, False, reduction)
    losses = huber(input, target, delta, False, "none")
    if weight.shape != losses.shape:
        raise ArgumentError("Weights and input must have the same size.")
    return reduced(losses * weight, reduction)
