"""Losses: how far predictions are from their targets."""

from __future__ import annotations

import warnings
from math import log as log_of
from math import pi, prod
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_stacklevel
from pellucid.core.autocasting import Autocast, autocasts
from pellucid.core.dtype_rules import COMMON
from pellucid.core.families import elementwise, op
from pellucid.core.op_errors import scalar_name
from pellucid.core.opmath import refuse_half, refuse_kinds
from pellucid.core.public import public
from pellucid.core.writing import check_result_dtype
from pellucid.dtypes import result_dtype
from pellucid.errors import (
    ArgumentError,
    DtypeError,
    IndexingError,
    ShapeError,
    UnsupportedDtypeError,
)
from pellucid.ops.elementwise.arithmetic import minimum, sqrt
from pellucid.ops.elementwise.conditional import clamp, masked_fill, where
from pellucid.ops.elementwise.exponential import exp, log, log1p, xlogy
from pellucid.ops.elementwise.upcast import all_half, rounded_once
from pellucid.ops.nn.activation import logsigmoid
from pellucid.ops.nn.softmax import log_softmax, softmax
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.reduce.statistics import pairwise_distance
from pellucid.shapes import Like

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


@op(dtypes=COMMON, unsupported="biuc", node_name="mse_loss")
def squared_error(be, input, target, /, reduction):
    """Return the squared differences, averaged, summed, or one by one."""
    difference = input - target
    if reduction == "none":
        return be.multiply(difference, difference)
    flat = difference.reshape(-1)
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
    wants_mean = True if size_average is None else bool(size_average)
    reduces = True if reduce is None else bool(reduce)
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
        text = _SIZE_WARNING.format(target.shape, input.shape)
        warnings.warn(text, UserWarning, stacklevel=user_stacklevel())


@public("nn.functional.mse_loss", reads_late=True)
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
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.

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


# ---- classification ---------------------------------------------------------------------------


def _classes_last(be: Any, array: Any) -> Any:
    """Return scores ``[N, C, *S]`` or ``[C]`` as rows ``[n, C]``."""
    if array.ndim <= 2:
        return array.reshape(-1, array.shape[-1])
    moved = be.moveaxis(array, 1, -1)
    return moved.reshape(prod(moved.shape[:-1]), array.shape[1])


def _factors(be: Any, target: Any, weight: Any, ignore_index: int, dtype: Any) -> Any:
    """Return the targets as one vector of usable indices, and what each one's loss counts."""
    classes = target.reshape(-1)
    ignored = classes == ignore_index
    if not ignored.any():
        return classes, None if weight is None else weight[classes]
    classes = be.where(ignored, 0, classes)
    counted = be.logical_not(ignored).astype(dtype)
    return classes, counted if weight is None else counted * weight[classes]


@op(dtypes=COMMON.among("input", "weight"), node_name="nll_loss")
def negative_log_likelihood(be, input, target, weight=None, /, reduction="mean", ignore_index=-100):
    """Take minus the score of each target's class, weighted and reduced."""
    rows = _classes_last(be, input)
    _check_classes(target, rows.shape[1], ignore_index)
    classes, factors = _factors(be, target, weight, ignore_index, rows.dtype)
    losses = -rows[be.arange(len(rows)), classes]
    if factors is not None:
        # A class that counts nothing contributes nothing, even where its score is infinite.
        losses = be.where(factors == 0, 0, losses * factors)
    if reduction == "none":
        return losses.reshape(target.shape)
    total = be.add.reduce(losses)
    if reduction == "mean":
        count = len(rows) if factors is None else be.add.reduce(factors)
        total = be.divide(total, count)
    return total.astype(input.dtype, copy=False)


def _check_classes(target: Any, count: int, ignore_index: int) -> None:
    if not target.size:
        return
    low, high = target.min(), target.max()
    if low >= 0 and high < count:
        return
    wrong = target[((target < 0) | (target >= count)) & (target != ignore_index)]
    if wrong.size:
        raise IndexingError(
            f"Target {wrong[0]} is out of bounds.\n  There are {count} classes, from 0 on."
        )


@negative_log_likelihood.vjp("input")
def negative_log_likelihood_input(g, input: Like, target, weight, reduction, ignore_index):
    return nll_loss_backward(g, target, weight, tuple(input.shape), reduction, ignore_index)


@op(dtypes=COMMON.among("grad_output", "weight"), node_name="nll_loss_backward")
def nll_loss_backward(
    be, grad_output, target, weight=None, /, shape=(), reduction="mean", ignore_index=-100
):
    """Transpose `negative_log_likelihood`: put gradients at the targets' classes."""
    classes, factors = _factors(be, target, weight, ignore_index, grad_output.dtype)
    if reduction == "mean":
        count = classes.size if factors is None else be.add.reduce(factors)
        grad_output = be.divide(grad_output, count)
    values = -grad_output.reshape(-1)
    if factors is not None:
        values = be.where(factors == 0, 0, values * factors)
    dim = 0 if len(shape) == 1 else 1
    moved = (*shape[:dim], *shape[dim + 1 :], shape[dim])
    rows = be.zeros((classes.size, shape[dim]), grad_output.dtype)
    rows[be.arange(classes.size), classes] = values
    return be.moveaxis(rows.reshape(moved), -1, dim) if len(shape) > 2 else rows.reshape(shape)


@nll_loss_backward.vjp("grad_output")
def nll_loss_backward_grad_output(g, target, weight, reduction, ignore_index):
    return negative_log_likelihood(g, target, weight, reduction, ignore_index)


def _check_class_targets(input: Any, target: Any, weight: Any) -> None:
    scores, classes = input._array, target._array
    if not scores.ndim:
        raise ArgumentError("Expected 1 or more dimensions (got 0)")
    if scores.ndim == 1 and classes.ndim == 1 and classes.shape[0] != 1:
        raise ArgumentError(
            f"For 1D input, 1D target must have size 1, but got target size: {classes.shape[0]}"
        )
    if scores.ndim > 1:
        batch = classes.shape[0] if classes.ndim else 1
        if scores.shape[0] != batch:
            raise ArgumentError(
                f"Expected input batch_size ({scores.shape[0]}) to match target batch_size "
                f"({batch})."
            )
        if scores.ndim == 2 and classes.ndim > 1:
            raise ShapeError("0D or 1D target tensor expected, multi-target not supported")
        wanted = (scores.shape[0], *scores.shape[2:])
        if classes.ndim and classes.shape != wanted:
            raise ShapeError(f"Expected target size {list(wanted)}, got {list(classes.shape)}")
    if classes.dtype != np.int64 and classes.dtype != np.uint8:
        raise DtypeError(
            f"expected target dtype to be Long or Byte, but got {scalar_name(classes.dtype)}"
        )
    count = scores.shape[0 if scores.ndim == 1 else 1]
    if weight is not None and weight._array.shape != (count,):
        raise ShapeError(
            f"weight tensor should be defined either for all {count} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )


@public("nn.functional.nll_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return minus the log-probability of each target's class.

    Shapes: input ``[N, C, *S]`` or ``[C]``, target (int64) ``[N, *S]`` or ``[]``, weight ``[C]``.
    Targets equal to ``ignore_index`` do not count; a mean divides by the sum of the weights.

    Args:
        input: Logarithms of probabilities ``[N, C, *S]`` or ``[C]``.
        target: Class indices (int64) ``[N, *S]`` or ``[]``.
        weight: Weight of each class ``[C]``, or ``None``.
        size_average: Old form of ``reduction``; leave it out.
        ignore_index: Class that counts for nothing.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> scores = torch.log_softmax(torch.zeros(1, 2), dim=1)
    >>> torch.nn.functional.nll_loss(scores, torch.tensor([1]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    _check_class_targets(input, target, weight)
    refuse_kinds("nll_loss_out_frame", "biuc", input)
    return negative_log_likelihood(input, target, weight, reduction, ignore_index)


@public("nn.functional.cross_entropy", reads_late=True)
@autocasts(Autocast.FLOAT32)
def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """Return the cross entropy between scores (logits) and targets.

    Shapes: input ``[N, C, *S]`` or ``[C]``; target class indices (int64) ``[N, *S]`` or ``[]``, or
    probabilities in the shape of the input; weight ``[C]``.

    Args:
        input: Scores ``[N, C, *S]`` or ``[C]``.
        target: Class indices (int64) ``[N, *S]`` or ``[]``, or probabilities in the shape
            of ``input``.
        weight: Weight of each class ``[C]``, or ``None``.
        size_average: Old form of ``reduction``; leave it out.
        ignore_index: Class that counts for nothing.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        label_smoothing: Share of the target spread evenly over all classes, between 0 and
            1.

    >>> import pellucid as torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        raise ShapeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input._array.ndim == 1 else 1
    if target._array.shape == input._array.shape and target._array.dtype.kind in "fV":
        if ignore_index >= 0:
            raise ShapeError("ignore_index is not supported for floating point target")
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing, dim)
    if weight is None and not label_smoothing and _is_plain(input, target, ignore_index):
        return index_cross_entropy(input, target, reduction)
    _check_class_targets(input, target, weight)
    scores = log_softmax(input, dim)
    loss = negative_log_likelihood(scores, target, weight, reduction, ignore_index)
    if not label_smoothing:
        return loss
    smooth = _smooth_part(scores, target, weight, ignore_index, reduction, dim)
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / input.shape[dim])


def _is_plain(input: Any, target: Any, ignore_index: int) -> bool:
    """Return whether these are rows of scores and good class indices that all count."""
    scores, classes = input._array, target._array
    if not isinstance(classes, np.ndarray):  # inside vmap there are no values to look at
        return False
    if scores.ndim != 2 or scores.dtype not in _PLAIN_DTYPES or not scores.size:
        return False
    count = scores.shape[1]
    if classes.dtype != np.int64 or classes.shape != scores.shape[:1] or 0 <= ignore_index < count:
        return False
    # As unsigned integers, the negative ones are larger than any class.
    return bool(classes.view(np.uint64).max() < count)


_PLAIN_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


@op(node_name="nll_loss")
def index_cross_entropy(be, input, target, /, reduction):
    """Return the cross entropy of rows of scores and class indices, in one pass."""
    _require_real(input)
    losses = be.cross_entropy_rows(input, target)
    if reduction == "none":
        return losses
    total = be.add.reduce(losses)
    return total / len(losses) if reduction == "mean" else total


def _require_real(input: Any) -> None:
    if input.dtype.kind == "c":
        name = f"Complex{'Float' if input.dtype.itemsize == 8 else 'Double'}"
        raise UnsupportedDtypeError(
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{name}'"
        )


@index_cross_entropy.vjp("input")
def index_cross_entropy_input(g, input, target, reduction):
    if reduction == "mean":
        g = g / input.shape[0]
    return probability_errors(input, target) * (g.reshape((-1, 1)) if reduction == "none" else g)


@op(node_name="nll_loss_backward")
def probability_errors(be, input, target, /):
    """Return the softmax of rows of scores, less one at the target's class."""
    _require_real(input)
    return be.probability_errors(input, target)


@probability_errors.vjp("input")
def probability_errors_input(g, input):
    probabilities = softmax(input, 1)
    weighted = g * probabilities
    return weighted - probabilities * sum(weighted, 1, True)


def _per_class(weight: Any, ndim: int, dim: int) -> Any:
    return weight.reshape([-1 if axis == dim else 1 for axis in range(ndim)])


def _soft_cross_entropy(
    input: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int
) -> Any:
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[dim]
    terms = log_softmax(input, dim) * target
    if weight is not None:
        terms = terms * _per_class(weight, input.ndim, dim)
    losses = -terms.sum(dim)
    if reduction == "mean":
        return losses.sum() / prod(losses.shape)
    return reduced(losses, reduction)


def _smooth_part(
    scores: Any, target: Any, weight: Any, ignore_index: int, reduction: str, dim: int
) -> Any:
    """Return what targets that are spread evenly over all classes would cost."""
    weighted = scores if weight is None else scores * _per_class(weight, scores.ndim, dim)
    losses = masked_fill(-weighted.sum(dim), target == ignore_index, 0)
    if reduction != "mean":
        return reduced(losses, reduction)
    counted = target != ignore_index
    if weight is None:
        return losses.sum() / counted.sum()
    weights = weight[masked_fill(target, target == ignore_index, 0)]
    return losses.sum() / (weights * counted).sum()


@elementwise(unsupported="biuc", node_name="binary_cross_entropy", domain=(0.1, 0.9))
def binary_nll(be, input, target, /):
    """Return minus the log-probability of binary targets; logarithms stop at -100."""
    if input.size and not (input.min() >= 0 and input.max() <= 1):
        raise ShapeError("all elements of input should be between 0 and 1")
    positive = be.maximum(be.log(input), -100)
    negative = be.maximum(be.log1p(-input), -100)
    return (target - 1) * negative - target * positive


@binary_nll.partial("input")
def binary_nll_input(input, target):
    return (input - target) / clamp(input * (1 - input), 1e-12)


@binary_nll.partial("target")
def binary_nll_target(input):
    return clamp(log1p(-input), -100) - clamp(log(input), -100)


@public("nn.functional.binary_cross_entropy", reads_late=True)
@autocasts(Autocast.FLOAT32)
def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the cross entropy between probabilities and binary targets.

    Raises RuntimeError for an input outside [0, 1], ValueError where the shapes differ.

    Args:
        input: Probabilities of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if target._array.shape != input._array.shape:
        raise ArgumentError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if target._array.dtype != input._array.dtype:
        raise DtypeError(
            f"Found dtype {scalar_name(target._array.dtype)} but expected "
            f"{scalar_name(input._array.dtype)}: convert the target to the input's dtype"
        )
    losses = binary_nll(input, target)
    return reduced(losses if weight is None else losses * weight, reduction)


@public("nn.functional.binary_cross_entropy_with_logits", reads_late=True)
@autocasts(Autocast.FLOAT32)
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Any = None,
) -> Any:  # fmt: skip
    """Return the cross entropy between scores (logits) and binary targets.

    ``pos_weight`` scales the positive part, ``weight`` everything.

    Args:
        input: Scores of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        pos_weight: Weight of positive examples, one per class.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if target._array.shape != input._array.shape:
        raise ArgumentError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    return reduced(binary_losses(input, target, weight, pos_weight), reduction)


def binary_losses(input: Any, target: Any, weight: Any, pos_weight: Any) -> Any:
    """Return the cross entropy of each score with its binary target."""
    check_result_dtype(result_dtype([input._array, target._array]), target._array.dtype)
    positive = logsigmoid(input)
    if pos_weight is not None:
        positive = positive * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * input - positive
    return losses if weight is None else losses * weight


# ---- differences ------------------------------------------------------------------------------


@public("nn.functional.l1_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
    """Return the mean absolute difference of input and target.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.

    >>> import pellucid as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, -2.0]), torch.zeros(2))
    tensor(1.5000)
    """
    return _difference_loss(abs, input, target, size_average, reduce, reduction, weight)


def _difference_loss(
    measure: Any, input: Any, target: Any, size_average: Any, reduce: Any, reduction: str,
    weight: Any = None,
) -> Any:  # fmt: skip
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_sizes(input, target)
    check_reduction(reduction)
    losses = measure(input - target)
    return (
        reduced(losses, reduction) if weight is None else weighted_mean(losses, weight, reduction)
    )


@elementwise(unsupported="c")
def half_square(be, difference, /, delta):
    """Return half the square, and beyond ``delta`` the line that goes on from there.

    Huber, "Robust Estimation of a Location Parameter" (1964).
    """
    size = be.absolute(difference)
    bounded = be.clip(size, None, delta)
    return bounded * (size - bounded * 0.5)


@half_square.partial("difference")
def half_square_slope(difference, delta):
    return clamp(difference, -delta, delta)


@public("nn.functional.smooth_l1_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Any:  # fmt: skip
    """Return the absolute difference, squared where it is below ``beta``.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        beta: Error from which on the loss is linear.

    >>> import pellucid as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)
    """
    refuse_kinds("smooth_l1_cpu", "biuc", input)
    if beta < 0:
        raise ShapeError("smooth_l1_loss does not support negative values for beta.")
    if all_half(input, target):
        return rounded_once(smooth_l1_loss, input, target, size_average, reduce, reduction, beta)
    if beta == 0:
        return _difference_loss(abs, input, target, size_average, reduce, reduction)

    def measure(difference: Any) -> Any:
        return half_square(difference, beta) / beta

    return _difference_loss(measure, input, target, size_average, reduce, reduction)


@public("nn.functional.huber_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Return half the squared difference, growing linearly above ``delta``.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        delta: Error from which on the loss is linear.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.

    >>> import pellucid as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 2.0]), torch.zeros(2))
    tensor(0.8125)
    """
    refuse_kinds("huber_cpu", "biuc", input)
    if delta <= 0:
        raise ShapeError("huber_loss does not support non-positive values for delta.")
    if all_half(input, target, weight):
        return rounded_once(huber_loss, input, target, reduction, delta, weight)

    def measure(difference: Any) -> Any:
        return half_square(difference, delta)

    losses = _difference_loss(measure, input, target, None, None, "none")
    check_reduction(reduction)
    if weight is not None and weight.shape != losses.shape:
        raise ArgumentError("Weights and input must have the same size.")
    return reduced(losses if weight is None else losses * weight, reduction)


@public("nn.functional.soft_margin_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Return ``log(1 + exp(-target * input))`` for targets of 1 and -1.

    Args:
        input: Floating point tensor of any shape.
        target: 1 or -1 for each element.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    return reduced(-logsigmoid(target * input), reduction)


# ---- distributions ----------------------------------------------------------------------------

_KL_WARNING = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size."
    "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
    "'mean' will be changed to behave the same as 'batchmean' in the next major release."
)


@public("nn.functional.kl_div", reads_late=True)
@autocasts(Autocast.FLOAT32)
def kl_div(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", log_target: bool = False,
) -> Any:  # fmt: skip
    """Return the Kullback-Leibler divergence of log-probabilities from target probabilities.

    ``reduction`` may also be "batchmean", the divergence per row.

    Args:
        input: Logarithms of probabilities.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        log_target: Whether ``target`` holds logarithms of probabilities.

    >>> import pellucid as torch
    >>> half = torch.tensor([[0.5, 0.5]])
    >>> torch.nn.functional.kl_div(half.log(), half, reduction="batchmean")
    tensor(0.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn(_KL_WARNING, UserWarning, stacklevel=user_stacklevel())
    if reduction != "batchmean":
        check_reduction(reduction)
    if any(each._array.dtype.kind not in "fcV" for each in (input, target)):
        raise DtypeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = exp(target) * (target - input)
    else:
        losses = xlogy(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0] if input.ndim else losses.sum()
    return reduced(losses, reduction)


@public("nn.functional.poisson_nll_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None,
    eps: float = 1e-8, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return minus the log-likelihood of counts under Poisson distributions.

    ``input`` is the rate or, by default, its logarithm; ``full`` adds Stirling's approximation of
    the logarithm of the factorial.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        log_input: Whether ``input`` is the logarithm of the rate.
        full: Whether the constant terms of the likelihood are added.
        size_average: Old form of ``reduction``; leave it out.
        eps: Small number that keeps a divisor from 0.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0.0]), torch.tensor([2.0]))
    tensor(1.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    losses = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = xlogy(target, target) - target + log(target * (2 * pi)) * 0.5
        losses = losses + where(target > 1, stirling, 0)
    return reduced(losses, reduction)


@public("nn.functional.gaussian_nll_loss", reads_late=True)
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return minus the log-likelihood of targets under normal distributions.

    ``var`` has the input's shape, or size 1 in the last dimension, or lacks it.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        var: Variance: a tensor that broadcasts with ``input``, or a number.
        full: Whether the constant terms of the likelihood are added.
        eps: Small number that keeps a divisor from 0.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> mean, var = torch.zeros(2), torch.ones(2)
    >>> torch.nn.functional.gaussian_nll_loss(mean, torch.ones(2), var)
    tensor(0.5000)
    """
    if not hasattr(var, "shape"):
        if var < 0:
            raise ArgumentError("var has negative entry/entries")
        var = input * 0 + var
    elif (var < 0).any():
        raise ArgumentError("var has negative entry/entries")
    shape = tuple(input.shape)
    if tuple(var.shape) == shape[:-1] and tuple(var.shape) != shape:
        var = var.unsqueeze(-1)
    elif tuple(var.shape) != shape and tuple(var.shape) != (*shape[:-1], 1):
        raise ArgumentError("var is of incorrect size")
    check_reduction(reduction)
    # The bound against tiny variances takes part in no gradient.
    var = var + (clamp(var.detach(), eps) - var.detach())
    losses = (log(var) + (input - target) ** 2 / var) * 0.5
    return reduced(losses + 0.5 * log_of(2 * pi) if full else losses, reduction)


# ---- margins ----------------------------------------------------------------------------------


@public("nn.functional.hinge_embedding_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the input where the target is 1, and ``max(0, margin - input)`` where it is -1.

    Args:
        input: Floating point tensor of any shape.
        target: 1 or -1 for each element.
        margin: Margin between the values of right and wrong pairs.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> F.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1.0, -1.0]))
    tensor(0.6500)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    zero = input * 0
    near = where(target != 1, clamp(margin - input, 0), zero)
    far = where(target != -1, input, zero)
    return reduced(near + far, reduction)


@public("nn.functional.margin_ranking_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return ``max(0, margin - target * (input1 - input2))``; a target of 1 wants the first larger.

    Args:
        input1: First tensor.
        input2: Second tensor.
        target: 1 or -1 for each pair.
        margin: Margin between the values of right and wrong pairs.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> one, two = torch.tensor([1.0]), torch.tensor([2.0])
    >>> torch.nn.functional.margin_ranking_loss(one, two, torch.tensor([1.0]))
    tensor(1.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape}"
        )
    return reduced(clamp(margin - target * (input1 - input2), 0), reduction)


@public("nn.functional.cosine_embedding_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return ``1 - cos`` of two vectors where the target is 1, ``max(0, cos - margin)`` where -1.

    Args:
        input1: First tensor.
        input2: Second tensor.
        target: 1 or -1 for each pair.
        margin: Margin between the values of right and wrong pairs.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> x, y = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    >>> torch.nn.functional.cosine_embedding_loss(x, y, torch.tensor(1.0))
    tensor(1.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    products = (input1 * input2).sum(-1)
    lengths = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = products / sqrt(lengths)
    zero = cosine * 0
    alike = where(target == 1, 1 - cosine, zero)
    unlike = where(target == -1, clamp(cosine - margin, 0), zero)
    return reduced(alike + unlike, reduction)


@public("nn.functional.multi_margin_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the mean over classes of ``max(0, margin - score[target] + score) ** p``.

    Args:
        input: Scores ``[N, C]`` or ``[C]``.
        target: Class indices (int64) ``[N]``.
        p: Power of the violation: 1 or 2.
        margin: Margin between the values of right and wrong pairs.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.functional.multi_margin_loss(scores, torch.tensor([3]))
    tensor(0.3250)
    """
    refuse_half("multi_margin_loss_cpu_kernel", input)
    refuse_kinds("multi_margin_loss_cpu_kernel", "biuc", input)
    if p not in (1, 2):
        raise ArgumentError("only p == 1 and p == 2 supported")
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    alone = input.ndim == 1
    scores, classes = (input.unsqueeze(0), target.reshape(1)) if alone else (input, target)
    chosen = classes.unsqueeze(1)
    excess = clamp(margin - scores.gather(1, chosen) + scores, 0)
    if p == 2:
        excess = excess * excess
    if weight is not None:
        excess = excess * weight[classes].unsqueeze(1)
    losses = excess.scatter(1, chosen, 0.0).sum(1) / scores.shape[1]
    return reduced(losses.squeeze(0) if alone else losses, reduction)


@public("nn.functional.multilabel_soft_margin_loss", reads_late=True)
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the mean over classes of the binary cross entropy of scores (logits).

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each class ``[C]``, or of each element; ``None`` for 1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return reduced(losses.mean(-1), reduction)


@public("nn.functional.triplet_margin_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return how much is missing for the positive to be nearer by ``margin`` than the negative.

    ``swap`` takes the distance between positive and negative where that is smaller.

    Args:
        anchor: Tensor ``[N, D]`` of reference points.
        positive: Tensor ``[N, D]`` of points that belong to the anchors.
        negative: Tensor ``[N, D]`` of points that do not.
        margin: Margin between the values of right and wrong pairs.
        p: Order of the norm of the distance.
        eps: Small number that keeps a divisor from 0.
        swap: Whether the distance from positive to negative is used where it is smaller.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> a, b, c = torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_loss(a, b, c)
    tensor(2.4142)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)

    def distance(x: Any, y: Any) -> Any:
        return pairwise_distance(x, y, p, eps)

    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap,
        reduction=reduction,
    )  # fmt: skip


@public("nn.functional.triplet_margin_with_distance_loss", reads_late=True)
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the loss of `triplet_margin_loss` for any function that measures distances.

    Args:
        anchor: Tensor ``[N, D]`` of reference points.
        positive: Tensor ``[N, D]`` of points that belong to the anchors.
        negative: Tensor ``[N, D]`` of points that do not.
        distance_function: Function of two tensors; by default the Euclidean distance.
        margin: Margin between the values of right and wrong pairs.
        swap: Whether the distance from positive to negative is used where it is smaller.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    >>> import pellucid as torch
    >>> a, b, c = torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, b, c)
    tensor(2.4142)
    """
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    check_reduction(reduction)
    measure = pairwise_distance if distance_function is None else distance_function
    near, far = measure(anchor, positive), measure(anchor, negative)
    if swap:
        far = minimum(far, measure(positive, negative))
    return reduced(clamp(near - far + margin, 0), reduction)
