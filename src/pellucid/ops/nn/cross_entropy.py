"""Losses of classification: cross entropy, of classes by number, by probabilities, and of two."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.core.backward.steps import Step
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import remember_nothing, replayable
from pellucid.core.call.opmath import refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.faces import Face, unsigned
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import check_same_dtype, unsupported
from pellucid.core.families import elementwise, op
from pellucid.core.memory.writing import check_result_dtype
from pellucid.dtypes import is_complex_dtype, result_dtype, scalar_name
from pellucid.errors import (
    ArgumentError,
    DtypeError,
    IndexingError,
    ShapeError,
)
from pellucid.kernels.active import cpu
from pellucid.ops.elementwise.conditional import clamp, masked_fill
from pellucid.ops.elementwise.exponential import log, log1p
from pellucid.ops.nn.activation import logsigmoid, sigmoid
from pellucid.ops.nn.loss import (
    check_reduction,
    legacy_reduction,
    of_each_loss,
    reduced,
    reduced_arrays,
    reduction_number,
)
from pellucid.ops.nn.softmax import log_softmax, log_softmax_backward_data, softmax
from pellucid.ops.reduce.reductions import sum
from pellucid.shapes import Like, dim_from_end, real_dim


def _classes_last(be: Any, array: Any) -> Any:
    """Return scores ``[N, C, *S]`` or ``[C]`` as rows ``[n, C]``."""
    if array.ndim <= 2:
        return array.reshape(prod(array.shape[:-1]), array.shape[-1])
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


def _total_weight(node: Any) -> Any:
    """Return the number, or the weight, of all targets that count; 0 where nothing is averaged."""
    target, weight = node.saved_by_name("target"), node.saved_by_name("weight")
    reduction, ignored = node.params
    if reduction == "none":
        return new_tensor(np.zeros((), node.dtype))
    classes = target._array.reshape(-1)
    classes = classes[classes != ignored]
    total = len(classes) if weight is None else weight._array[classes].sum()
    return new_tensor(np.asarray(total, node.dtype))


@op(
    torch_kernel_name="nll_loss_out_frame",
    dtypes=COMMON.among("input", "weight"), flat=("input",), node_name="nll_loss",
    compiled_kernel=("class_losses", 2),
    faces=Face(
        "ignore_index self@ target weight", reduction=reduction_number, total_weight=_total_weight
    ),
)  # fmt: skip
def nll_loss_forward(be, input, target, weight=None, /, reduction="mean", ignore_index=-100):
    """Take minus the score of each target's class, weighted and reduced."""
    rows = _classes_last(be, input)
    _check_classes(be, target, rows.shape[1], ignore_index)
    classes, factors = _factors(be, target, weight, ignore_index, rows.dtype)
    losses = -rows[be.arange(len(rows)), classes]
    if factors is not None:
        # A class that counts nothing contributes nothing, even where its score is infinite.
        losses = be.where(factors == 0, 0, losses * factors)
    if reduction == "none":
        return losses.reshape(target.shape)
    total = be.add.reduce(losses, None, np.result_type(losses, np.float64))
    if reduction == "mean":
        count = len(rows) if factors is None else be.add.reduce(factors)
        total = be.divide(total, count)
    return total.astype(input.dtype)


def _check_classes(be: Any, target: Any, count: int, ignore_index: int) -> None:
    if not target.size or be.all_within(target, count):
        return
    outside = ((target < 0) | (target >= count)) & (target != ignore_index)
    if outside.any():
        raise IndexingError(
            f"Target {target[outside][0]} is out of bounds.\n  There are {count} classes, from 0 "
            "on."
        )


@nll_loss_forward.vjp("input")
def nll_loss_forward_input(g, input: Like, target, weight, reduction, ignore_index):
    return nll_loss_backward(g, target, weight, tuple(input.shape), reduction, ignore_index)


@op(
    dtypes=COMMON.among("grad_output", "weight"), node_name="nll_loss_backward",
    compiled_kernel=("class_gradients", 3),
)  # fmt: skip
def nll_loss_backward(
    be, grad_output, target, weight=None, /, shape=(), reduction="mean", ignore_index=-100
):
    """Transpose `nll_loss_forward`: put gradients at the targets' classes."""
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
    if rows.shape == shape:  # a view of them would be copied
        return rows
    return be.moveaxis(rows.reshape(moved), -1, dim) if len(shape) > 2 else rows.reshape(shape)


@nll_loss_backward.vjp("grad_output")
def nll_loss_backward_grad_output(g, target, weight, reduction, ignore_index):
    return nll_loss_forward(g, target, weight, reduction, ignore_index)


def _check_class_targets(input: Any, target: Any, weight: Any) -> None:
    scores, classes = input._array, target._array
    if not scores.ndim:
        raise ArgumentError("Expected 1 or more dimensions (got 0)")
    if scores.ndim == 1 and classes.ndim == 1 and classes.shape[0] != 1:
        raise ArgumentError(
            f"For 1D input, 1D target must have size 1, but got target size: {classes.shape[0]}"
        )
    if scores.ndim > 1:
        batch = classes.shape[0] if classes.ndim else 0
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
    if weight is not None:
        check_same_dtype(input, weight)


@public("nn.functional.nll_loss", reads_late=True)
@replayable
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

    Returns:
        The reduced loss ``[]``, or one loss per target with ``"none"``: ``[N, *S]`` or ``[]``.

    >>> scores = torch.log_softmax(torch.zeros(1, 2), dim=1)
    >>> torch.nn.functional.nll_loss(scores, torch.tensor([1]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    _check_class_targets(input, target, weight)
    refuse_kinds("nll_loss_out_frame", "biuc", input)
    return nll_loss_forward(input, target, weight, reduction, ignore_index)


@public("nn.functional.cross_entropy", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """Return the cross entropy between scores (logits) and targets.

    ``-weight[y] * log_softmax(x)[y]`` of class y.

    Shapes: input ``[N, C, *S]`` or ``[C]``; target class indices (int64) ``[N, *S]`` or ``[]``, or
    probabilities in the shape of the input; weight ``[C]``.

    Args:
        input: Scores ``[N, C, *S]`` or ``[C]``.
        target: Class indices (int64) ``[N, *S]`` or ``[]``, or probabilities in the shape
            of ``input``.
        weight, size_average, ignore_index, reduce, reduction: As for `nll_loss`.
        label_smoothing: Share of the target spread evenly over all classes, between 0 and
            1.

    Returns:
        The reduced loss ``[]``, or one loss per target with ``"none"``: ``[N, *S]`` or ``[]``.

    Raises:
        RuntimeError: If ``label_smoothing`` is not between 0 and 1, or shapes do not fit.

    >>> torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        raise ShapeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input._array.ndim == 1 else 1
    if target._array.shape == input._array.shape:
        if target._array.dtype.kind not in "fV":
            raise DtypeError(
                "Expected floating point type for target with class probabilities, got "
                f"{scalar_name(target._array.dtype)}"
            )
        real_dim(dim, input._array.ndim)
        if ignore_index >= 0:
            raise ShapeError("ignore_index is not supported for floating point target")
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing, dim)
    if weight is None and not label_smoothing and _is_plain(input, target, ignore_index):
        return cross_entropy_loss(input, target, reduction)
    dim_from_end(dim, input._array.ndim)
    _check_class_targets(input, target, weight)
    scores = log_softmax(input, dim)
    loss = nll_loss_forward(scores, target, weight, reduction, ignore_index)
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
    if cpu.all_within(classes, count):
        return True
    remember_nothing()
    return False


#: the index of targets that do not count, if the program names none
_IGNORED = -100
_PLAIN_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def _steps_of_cross_entropy(node: Any) -> Step:
    """Return PyTorch's two nodes: the loss of logarithms, and those of the scores."""
    shape = tuple(node.edges[0][0].output_meta(node.edges[0][1]).shape)

    def of_logarithms(g: Any) -> Any:
        target = node.saved_by_name("target")
        return nll_loss_backward(g, target, None, shape, node.params[0])

    def of_scores(g: Any) -> Any:
        return log_softmax_backward_data(g, _logarithms(node), 1)

    saved = (("dim", lambda node: 1), ("result", _logarithms))
    before = Step(
        "LogSoftmaxBackward0", shape, (0,), saved=saved, through=(of_logarithms, of_scores)
    )
    return Step("NllLossBackward0", node.shape, (before,), after=True)


def _logarithms(node: Any) -> Any:
    """Return the logarithms of probabilities that a node has not saved, with their history."""
    made = log_softmax(node.saved_by_name("input").detach(), 1)
    made._edge = node.next_functions[0]
    return made


def _count_of_targets(node: Any) -> Any:
    """Return what a mean or a sum counts as the weight of all targets."""
    count = 0 if node.params[0] == "none" else len(node.saved_by_name("target"))
    return new_tensor(np.asarray(count, node.dtype))


@op(
    node_name="nll_loss", compiled_kernel=("class_cross_entropy", 1),
    steps=_steps_of_cross_entropy,
    faces=Face(
        "target", reduction=reduction_number, self=_logarithms, total_weight=_count_of_targets,
        ignore_index=lambda node: unsigned(_IGNORED), weight=lambda node: None,
    ),
)  # fmt: skip
def cross_entropy_loss(be, input, target, /, reduction):
    """Return the cross entropy of rows of scores and class indices, in one pass."""
    _require_real(input)
    if target.size and not be.all_within(target, input.shape[1]):
        raise IndexingError("a target is none of the classes")
    losses = be.cross_entropy_rows(input, target)
    if reduction == "none":
        return losses
    total = be.add.reduce(losses, None, np.float64)
    return (total / len(losses) if reduction == "mean" else total).astype(input.dtype)


def _require_real(input: Any) -> None:
    if is_complex_dtype(input.dtype):
        raise unsupported("log_softmax_lastdim_kernel_impl", input.dtype)


@cross_entropy_loss.vjp("input")
def cross_entropy_loss_input(g, input, target, reduction):
    if reduction == "mean":
        g = g / input.shape[0]
    of_each = g.reshape((-1, 1)) if reduction == "none" else g
    return cross_entropy_loss_backward(input, target) * of_each


@op(node_name="nll_loss_backward")
def cross_entropy_loss_backward(be, input, target, /):
    """Return the softmax of rows of scores, less one at the target's class."""
    _require_real(input)
    return be.cross_entropy_loss_backward(input, target)


@cross_entropy_loss_backward.vjp("input")
def cross_entropy_loss_backward_input(g, input):
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


@elementwise(
    unsupported="biuc",
    node_name="binary_cross_entropy",
    domain=(0.1, 0.9),
    compiled_kernel=("binary_losses", 0),
)
def binary_nll(be, input, target, /):
    """Return minus the log-probability of binary targets; logarithms stop at -100."""
    if input.size and (input.min() < 0 or input.max() > 1 or be.isnan(input.min())):
        raise ShapeError("all elements of input should be between 0 and 1")
    return be.binary_nll(input, target)


@binary_nll.partial("input")
def binary_nll_input(input, target):
    return (input - target) / clamp(input * (1 - input), 1e-12)


@binary_nll.partial("target")
def binary_nll_target(input):
    return clamp(log1p(-input), -100) - clamp(log(input), -100)


@op(
    dtypes=COMMON, unsupported="biuc", node_name="binary_cross_entropy", domain=(0.1, 0.9),
    torch_kernel_name="binary_cross_entropy",
    faces=Face("self target", reduction=reduction_number, weight=lambda node: None),
)  # fmt: skip
def binary_cross_entropy_loss(be, input, target, /, reduction="mean"):
    """Return minus the log-probability of binary targets, reduced."""
    return reduced_arrays(be, binary_nll(input, target), reduction)


@binary_cross_entropy_loss.vjp("input")
def binary_cross_entropy_loss_input(g, input, target, reduction):
    return of_each_loss(g, input, reduction) * binary_nll_input(input, target)


@binary_cross_entropy_loss.vjp("target")
def binary_cross_entropy_loss_target(g, input, reduction):
    return of_each_loss(g, input, reduction) * binary_nll_target(input)


@public("nn.functional.binary_cross_entropy", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the cross entropy between probabilities and binary targets.

    ``-weight * (y * log(x) + (1 - y) * log(1 - x))``, the logarithms no less than -100.

    Raises RuntimeError for an input outside [0, 1], ValueError where the shapes differ.

    Args:
        input: Probabilities of any shape.
        target: Tensor in the shape of ``input``.
        weight: Weight of each element, which broadcasts with ``input``; ``None`` for 1.
        size_average, reduce, reduction: As for `nll_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

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
    if weight is None:
        return binary_cross_entropy_loss(input, target, reduction)
    return reduced(binary_nll(input, target) * weight, reduction)


@op(
    dtypes=COMMON, unsupported="biuc", node_name="binary_cross_entropy_with_logits",
    torch_kernel_name="log_sigmoid_cpu",
    gradient_changes=lambda node: 3 if node.params[0] == "mean" else 2,
    faces=Face(
        "self target", reduction=reduction_number, weight=lambda node: None,
        pos_weight=lambda node: None,
    ),
)  # fmt: skip
def logits_cross_entropy_loss(be, input, target, /, reduction="mean"):
    """Return the cross entropy between scores and binary targets, reduced."""
    return reduced_arrays(be, (1 - target) * input - be.log_sigmoid(input), reduction)


@logits_cross_entropy_loss.vjp("input")
def logits_cross_entropy_loss_input(g, input, target, reduction):
    return of_each_loss(g, input, reduction) * (sigmoid(input) - target)


@logits_cross_entropy_loss.vjp("target")
def logits_cross_entropy_loss_target(g, input, reduction):
    return of_each_loss(g, input, reduction) * -input


@public("nn.functional.binary_cross_entropy_with_logits", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Any = None,
) -> Any:  # fmt: skip
    """Return the cross entropy between scores (logits) and binary targets.

    ``-weight * (pos_weight * y * log(s) + (1 - y) * log(1 - s))`` with ``s = sigmoid(x)``.

    ``pos_weight`` scales the positive part, ``weight`` everything.

    Args:
        input: Scores of any shape.
        target, weight, size_average, reduce, reduction: As for `binary_cross_entropy`.
        pos_weight: Weight of positive examples, one per class.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        ValueError: If the shapes of input and target differ.

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
    if weight is None and pos_weight is None:
        refuse_kinds("log_sigmoid_cpu", "biu", input)  # also where the target is not of these
        _check_target_dtype(input, target)
        return logits_cross_entropy_loss(input, target, reduction)
    return reduced(binary_losses(input, target, weight, pos_weight), reduction)


def _check_target_dtype(input: Any, target: Any) -> None:
    check_result_dtype(result_dtype([input._array, target._array]), target._array.dtype)


def binary_losses(input: Any, target: Any, weight: Any, pos_weight: Any) -> Any:
    """Return the cross entropy of each score with its binary target."""
    _check_target_dtype(input, target)
    positive = logsigmoid(input)
    if pos_weight is not None:
        positive = positive * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * input - positive
    return losses if weight is None else losses * weight
