"""What losses do with samples: they are computed for all elements, and averaged for each sample."""

from __future__ import annotations

import math
from typing import Any

from pellucid.interpreters.vmap.dispatch import Call, aligned, composed, rule, sample_by_sample
from pellucid.ops.linalg.matmul import linear
from pellucid.ops.nn import cross_entropy, linear_loss, loss
from pellucid.ops.nn.cross_entropy import (
    cross_entropy_loss,
    nll_loss_backward,
    nll_loss_forward,
)


def _reduced(losses: Any, reduction: str, count: Any = None) -> Any:
    """Add up, or average, the losses of each sample."""
    if reduction == "none":
        return losses
    total = losses.reshape(losses.shape[0], math.prod(losses.shape[1:])).sum(-1)
    if reduction == "sum":
        return total
    return total / (math.prod(losses.shape[1:]) if count is None else count)


def _rows(value: Any, ndim: int) -> Any:
    """Return scores, or classes, of all samples as those of one larger batch."""
    if not ndim:
        return value
    return value.reshape(value.shape[0] * value.shape[1], *value.shape[2:])


@rule(loss.mse, loss.huber)
def _loss_of_pairs(call: Call) -> Any:
    losses = call.run(*aligned(call, call.values), reduction="none")
    return _reduced(losses, call.params["reduction"])


@rule(cross_entropy_loss)
def _cross_entropy_loss(call: Call) -> Any:
    scores, classes = call.expanded(0), call.expanded(1)
    losses = call.run(_rows(scores, 2), _rows(classes, 1), reduction="none")
    return _reduced(losses.reshape(classes.shape), call.params["reduction"])


@composed(linear_loss.rows_cross_entropy)
def _rows_cross_entropy(
    input: Any, weight: Any, target: Any, bias: Any = None, *, rows: int = 1
) -> Any:
    return cross_entropy_loss(linear(input, weight, bias), target, "none")


@rule(cross_entropy.cross_entropy_loss_backward)
def _cross_entropy_loss_backward(call: Call) -> Any:
    scores, classes = call.expanded(0), call.expanded(1)
    return call.run(_rows(scores, 2), _rows(classes, 1)).reshape(scores.shape)


def _counts(call: Call, classes: Any, weight: Any, dtype: Any) -> Any:
    """Return what the mean of each sample's losses divides by."""
    counted = classes != call.params["ignore_index"]
    shares = counted.to(dtype)
    if weight is not None:
        shares = shares * weight[classes * counted.to(classes.dtype)].to(dtype)
    return shares.reshape(shares.shape[0], math.prod(shares.shape[1:])).sum(-1)


@rule(nll_loss_forward)
def _nll_loss_forward(call: Call) -> Any:
    weight = call.values[2] if len(call.values) > 2 else None
    if weight is not None and call.batched[2]:
        return sample_by_sample(call)
    scores, classes = call.expanded(0), call.expanded(1)
    reduction = call.params["reduction"]
    rows = _rows(scores, call.ndim(0) - 1)
    flat = _rows(classes, call.ndim(1))
    losses = nll_loss_forward(rows, flat, weight, "none", call.params["ignore_index"])
    losses = losses.reshape(classes.shape)
    count = _counts(call, classes, weight, scores.dtype) if reduction == "mean" else None
    return _reduced(losses, reduction, count)


@rule(nll_loss_backward)
def _spread_over_classes(call: Call) -> Any:
    weight = call.values[2] if len(call.values) > 2 else None
    if weight is not None and call.batched[2]:
        return sample_by_sample(call)
    grad, classes = call.expanded(0), call.expanded(1)
    shape = tuple(call.params["shape"])
    reduction, ignored = call.params["reduction"], call.params["ignore_index"]
    if reduction == "mean":
        grad = grad / _counts(call, classes, weight, grad.dtype)
    if reduction != "none":
        grad = grad.reshape(call.size, *(1,) * call.ndim(1)).expand(classes.shape)
    rows = (call.size * shape[0], *shape[1:]) if len(shape) > 1 else (call.size, *shape)
    out = nll_loss_backward(
        _rows(grad, call.ndim(1)), _rows(classes, call.ndim(1)), weight, rows, "none", ignored
    )
    return out.reshape(call.size, *shape)


@composed(cross_entropy.binary_cross_entropy_loss)
def _binary_cross_entropy_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    return loss.reduced(cross_entropy.binary_nll(input, target), reduction)


@composed(cross_entropy.logits_cross_entropy_loss)
def _logits_cross_entropy_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    return loss.reduced(cross_entropy.binary_losses(input, target, None, None), reduction)
