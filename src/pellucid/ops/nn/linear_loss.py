"""The cross entropy of a linear layer's scores, of all of them at once or some rows at a time."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

import numpy as np

from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import op
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import IndexingError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.linalg.matmul import linear, matmul
from pellucid.ops.nn.cross_entropy import cross_entropy, cross_entropy_loss_backward
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import transpose

# Note [Scores some rows at a time]
# The scores of a large vocabulary take far more memory than what they are made of. The op below
# saves its inputs only; both directions make the scores of a few rows, use them, and forget them.
# The formulas are made of ops, so that they can be differentiated again.


@op(node_name="linear_cross_entropy_batch_chunked")
def rows_cross_entropy(be, input, linear_weight, target, linear_bias=None, /, rows=1):
    """Return the cross entropy of each row of a linear layer's scores."""
    if is_complex_dtype(input.dtype):
        raise unsupported("linear_cross_entropy", input.dtype)
    losses = be.empty(len(input), input.dtype)
    for start in range(0, len(input), rows):
        part = slice(start, start + rows)
        scores = input[part] @ linear_weight.T
        scores = scores if linear_bias is None else scores + linear_bias
        own = be.take_along_axis(scores, target[part, None], 1)[:, 0]
        losses[part] = be.logsumexp(scores, (1,)) - own
    return losses


@rows_cross_entropy.vjp("input")
def rows_cross_entropy_input(g, input, linear_weight, target, linear_bias, rows):
    errors = _errors(g, input, linear_weight, target, linear_bias, rows)
    return cat([matmul(each, linear_weight) for _, each in errors], 0)


@rows_cross_entropy.vjp("linear_weight")
def rows_cross_entropy_linear_weight(g, input, linear_weight, target, linear_bias, rows):
    errors = _errors(g, input, linear_weight, target, linear_bias, rows)
    return _total(matmul(transpose(each, 0, 1), input[part]) for part, each in errors)


@rows_cross_entropy.vjp("linear_bias")
def rows_cross_entropy_linear_bias(g, input, linear_weight, target, linear_bias, rows):
    errors = _errors(g, input, linear_weight, target, linear_bias, rows)
    return _total(sum(each, 0) for _, each in errors)


def _errors(g: Any, input: Any, weight: Any, target: Any, bias: Any, rows: int) -> Any:
    """Yield the gradients of the scores, some rows at a time."""
    for start in range(0, input.shape[0], rows):
        part = slice(start, start + rows)
        scores = linear(input[part], weight, bias)
        yield part, cross_entropy_loss_backward(scores, target[part]) * g[part].reshape((-1, 1))


def _total(parts: Any) -> Any:
    total = next(parts)
    for part in parts:
        total = total + part
    return total


@public("nn.functional.linear_cross_entropy", reads_late=True)
def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None,
    reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0,
    options: Any = None,
) -> Any:  # fmt: skip
    """Return the cross entropy between a linear layer's scores and targets.

    Shapes: input ``[N, in]`` or ``[in]``, linear_weight ``[C, *S, in]``, linear_bias ``[C, *S]``,
    target class indices (int64) ``[N, *S]`` or probabilities ``[N, C, *S]``, weight ``[C]``. With
    ``options`` (`LinearCrossEntropyOptions`) only some rows' scores are in memory at any time.
    Raises RuntimeError where shapes do not match.

    Args:
        input: Features ``[N, D]``.
        linear_weight: Weight ``[C, D]`` of the linear layer.
        target: Class indices (int64) ``[N]``.
        linear_bias: Bias ``[C]`` of the linear layer, or ``None``.
        weight: Tensor of weights.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        ignore_index: Class that counts for nothing.
        label_smoothing: Share of the target spread evenly over all classes, between 0 and
            1.
        options: More options.

    >>> F = torch.nn.functional
    >>> F.linear_cross_entropy(torch.ones(1, 3), torch.ones(2, 3), torch.tensor([1]))
    tensor(0.6931)
    """
    _check(input, linear_weight, linear_bias)
    count, *positions = linear_weight.shape[:-1]
    scores_shape = (*input.shape[:-1], count, *positions)
    if tuple(target.shape) == scores_shape and ignore_index is not None:
        raise ShapeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if _goes_in_parts(target, positions, reduction, label_smoothing):
            return _in_parts(
                input, linear_weight, target, linear_bias, weight, reduction, ignored, options
            )
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in "
            "{'mean','sum','none'}, label_smoothing == 0, target.dtype == int64, out_features == "
            f"(). Got reduction={reduction!r}, label_smoothing={label_smoothing}, "
            f"target.dtype={target.dtype}, out_features={tuple(positions)}.",
            stacklevel=2,
        )
    if positions:
        linear_weight = linear_weight.reshape(count * prod(positions), linear_weight.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = linear(input, linear_weight, linear_bias).reshape(scores_shape)
    return cross_entropy(
        scores, target, weight=weight, reduction=reduction, ignore_index=ignored,
        label_smoothing=label_smoothing,
    )  # fmt: skip


def _check(input: Any, linear_weight: Any, linear_bias: Any) -> None:
    if input.ndim not in (1, 2):
        raise ShapeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise ShapeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}"
        )
    if input.shape[-1] != linear_weight.shape[-1]:
        raise ShapeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively"
        )
    expected = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != expected:
        raise ShapeError(f"expected linear_bias shape {expected}, got {tuple(linear_bias.shape)}")
    if len(expected) > 1 and input.ndim == 1:
        raise ShapeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} "
            f"requires batched input, (N, {input.shape[-1]}), got unbatched input with shape "
            f"{tuple(input.shape)}"
        )


def _goes_in_parts(target: Any, positions: Any, reduction: str, label_smoothing: float) -> bool:
    whole = target._array.dtype == np.int64 and not positions and not label_smoothing
    return whole and reduction in ("mean", "sum", "none")


def _in_parts(
    input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any, reduction: str,
    ignored: int, options: Any,
) -> Any:  # fmt: skip
    """Return the loss while no more than some rows' scores are in memory."""
    alone = input.ndim == 1
    rows, classes = (input.unsqueeze(0), target.unsqueeze(0)) if alone else (input, target)
    if tuple(classes.shape) != (rows.shape[0],):
        raise ShapeError(
            f"Expected input batch_size ({rows.shape[0]}) to match target batch_size "
            f"({classes.shape[0]})."
        )
    skipped = classes == ignored
    classes = where(skipped, 0, classes)
    count = linear_weight.shape[0]
    if classes.numel() and not bool(((classes >= 0) & (classes < count)).all()):
        raise IndexingError(f"Target is out of bounds: there are {count} classes")
    size = options.rows_at_once(rows.shape[0], rows.shape[1], count, input.dtype)
    losses = rows_cross_entropy(rows, linear_weight, classes, linear_bias, size)
    factors = (~skipped).to(input.dtype)
    if weight is not None:
        factors = factors * weight[classes]
    losses = where(skipped, 0.0, losses * factors)
    if reduction == "none":
        return losses.squeeze(0) if alone else losses
    return losses.sum() if reduction == "sum" else losses.sum() / factors.sum()
