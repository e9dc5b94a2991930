"""Losses of several right classes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.call.opmath import refuse_half, refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.errors import ShapeError
from pellucid.ops.elementwise.conditional import clamp
from pellucid.ops.nn.loss import check_reduction, legacy_reduction, reduced


@public("nn.functional.multilabel_margin_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Sum ``max(0, 1 - (score[right] - score[wrong])) / C`` over all right and wrong classes.

    Shapes: scores ``[N, C]`` or ``[C]``, targets (int64) the same; each row of the targets lists
    the right classes, up to the first -1. Raises RuntimeError for other shapes.

    Args:
        input: Scores ``[N, C]`` or ``[C]``.
        target: Class indices (int64) ``[N, C]``, ended by -1.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.

    Returns:
        The reduced loss ``[]``, or one loss per row with ``"none"``.

    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.functional.multilabel_margin_loss(scores, torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """
    refuse_half("multilabel_margin_loss_forward_out_frame", input)
    refuse_kinds("multilabel_margin_loss_forward_out_frame", "biuc", input)
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if input.ndim > 2 or tuple(target.shape) != tuple(input.shape):
        raise ShapeError(
            f"inconsistent target size: {list(target.shape)} for input of size: "
            f"{list(input.shape)}; both are [N, C] or [C]"
        )
    alone = input.ndim <= 1
    scores = input.reshape(1, -1) if alone else input
    listed = target._array.reshape(scores.shape)
    count = scores.shape[1]
    if listed.size and (listed.min() < -1 or listed.max() >= count):
        raise ShapeError("target out of range: classes are numbered from 0, and -1 ends a list")
    valid = np.logical_and.accumulate(listed >= 0, axis=1)
    positions = np.where(valid, listed, 0)
    right = np.zeros(listed.shape, bool)
    np.logical_or.at(right, (np.arange(len(listed))[:, None], positions), valid)
    pairs = (valid[:, :, None] & ~right[:, None, :]).astype(scores._array.dtype)
    wanted = scores.gather(1, new_tensor(positions))
    gaps = wanted.unsqueeze(2) - scores.unsqueeze(1)
    losses = (clamp(1 - gaps, 0) * new_tensor(pairs)).sum((1, 2)) / count
    return reduced(losses.squeeze(0) if alone else losses, reduction)
