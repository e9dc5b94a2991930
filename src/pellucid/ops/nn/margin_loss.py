"""Losses that want scores or distances apart by a margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.opmath import refuse_half, refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.memory.writing import check_result_shape
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentError, DtypeError, NoGraphError, ShapeError
from pellucid.ops.elementwise.conditional import clamp, where
from pellucid.ops.elementwise.extrema import minimum
from pellucid.ops.elementwise.powers import sqrt
from pellucid.ops.nn.activation import logsigmoid
from pellucid.ops.nn.loss import check_reduction, legacy_reduction, reduced
from pellucid.ops.reduce.statistics import pairwise_distance


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

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the target requires grad.

    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if target.requires_grad:
        raise NoGraphError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument "
            "'target'. This input cannot have requires_grad True."
        )
    losses = -logsigmoid(input * target)
    check_result_shape(tuple(losses.shape), tuple(input.shape))
    return reduced(losses, reduction)


@public("nn.functional.hinge_embedding_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the input where the target is 1, and ``max(0, margin - input)`` where it is -1.

    Args:
        input, target, size_average, reduce, reduction: As for `soft_margin_loss`.
        margin: Margin between the values of right and wrong pairs.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

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
        size_average, reduce, reduction: As for `soft_margin_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the tensors have different numbers of dimensions.

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
    return ranking_loss(input1, input2, target, margin, reduction)


def ranking_loss(input1: Any, input2: Any, target: Any, margin: float, reduction: str) -> Any:
    """Return what `margin_ranking_loss` does, of tensors that broadcast."""
    return reduced(clamp(margin - target * (input1 - input2), 0), reduction)


@public("nn.functional.cosine_embedding_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return ``1 - cos`` of two vectors where the target is 1, ``max(0, cos - margin)`` where -1.

    Args: As for `margin_ranking_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per pair with ``"none"``.

    Raises:
        RuntimeError: If the inputs do not have one dimension more than the target.

    >>> x, y = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    >>> torch.nn.functional.cosine_embedding_loss(x, y, torch.tensor(1.0))
    tensor(1.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if target.ndim > 1:
        raise ShapeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == target.ndim + 1:
        raise ShapeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found "
            f"inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
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
        weight: Weight of each class ``[C]``; ``None`` for 1.
        size_average, reduce, reduction: As for `soft_margin_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    Raises:
        ValueError: If ``p`` is neither 1 nor 2.

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
    if target._array.dtype != np.int64:
        raise DtypeError(f"expected scalar type Long but found {scalar_name(target._array.dtype)}")
    alone = input.ndim <= 1
    if target.ndim > 1 or target.numel() != (1 if alone else input.shape[0]):
        raise ShapeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{1 if alone else input.shape[0]}], but "
            f"got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if not alone:
        target = target.reshape(-1)
    scores, classes = (input.reshape(1, -1), target.reshape(1)) if alone else (input, target)
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
        weight, size_average, reduce, reduction: As for `multi_margin_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    classes = input.ndim - 1  # of the scores, whatever they broadcast to
    return reduced(losses.sum(classes) / input.shape[classes], reduction)


@public("nn.functional.triplet_margin_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return how much is missing for the positive to be nearer by ``margin`` than the negative.

    ``max(0, |anchor - positive| - |anchor - negative| + margin)`` with p-norms.

    ``swap`` takes the distance between positive and negative where that is smaller.

    Args:
        anchor: Tensor ``[N, D]`` of reference points.
        positive: Tensor ``[N, D]`` of points that belong to the anchors.
        negative: Tensor ``[N, D]`` of points that do not.
        margin: Margin between the values of right and wrong pairs.
        p: Order of the norm of the distance.
        eps: Small number that keeps a divisor from 0.
        swap: Whether the distance from positive to negative is used where it is smaller.
        size_average, reduce, reduction: As for `soft_margin_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

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
        anchor, positive, negative, margin, swap, reduction: As for `triplet_margin_loss`.
        distance_function: Function of two tensors; by default the Euclidean distance.

    Raises:
        ValueError: If ``margin`` is not positive.

    >>> a, b, c = torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, b, c)
    tensor(2.4142)
    """
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    check_reduction(reduction)
    counts = anchor.ndim, positive.ndim, negative.ndim
    if len(set(counts)) > 1:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs".format(*counts)
        )
    measure = pairwise_distance if distance_function is None else distance_function
    near, far = measure(anchor, positive), measure(anchor, negative)
    if swap:
        far = minimum(far, measure(positive, negative))
    return reduced(clamp(near - far + margin, 0), reduction)
