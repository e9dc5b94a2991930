"""Connectionist temporal classification: sequences scored without knowing where symbols lie.

Graves et al., "Connectionist temporal classification: labelling unsegmented sequence data with
recurrent neural networks" (2006).
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.opmath import refuse_half
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.errors import ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.nn.loss import check_reduction
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.reduce.reductions import logsumexp
from pellucid.ops.shape.join import stack

# Stands for the logarithm of zero: finite, so that gradients of what cannot happen are zero, not
# NaN.
_IMPOSSIBLE = -1e30


def _lengths(name: str, lengths: Any, count: int, most: int) -> Any:
    values = lengths._array if isinstance(lengths, TensorBase) else np.asarray(lengths)
    values = values.reshape(-1).astype(np.int64)
    if len(values) != count:
        raise ShapeError(f"{name}_lengths must be of size batch_size")
    if count and (values.max() > most or values.min() < 0):
        raise ShapeError(
            f"Expected {name}_lengths to have value at most {most}, but got value {values.max()}"
        )
    return values


def _rows(targets: Any, lengths: Any, count: int) -> Any:
    """Return the targets as one row for each sequence, whatever stands behind their ends."""
    array = targets._array
    if array.ndim == 2:
        return array
    longest = int(lengths.max()) if count else 0
    starts = np.cumsum(lengths) - lengths
    positions = np.minimum(starts[:, None] + np.arange(longest), max(len(array) - 1, 0))
    return array[positions] if len(array) else np.zeros((count, 0), np.int64)


def _with_blanks(rows: Any, lengths: Any, blank: int) -> Any:
    """Put a blank before, between and after the symbols of each row."""
    within = np.arange(rows.shape[1]) < lengths[:, None]
    symbols = np.full((len(rows), 2 * rows.shape[1] + 1), blank, np.int64)
    symbols[:, 1::2] = np.where(within, rows, blank)
    return symbols


def _log_likelihoods(emissions: Any, symbols: Any, blank: int, steps: Any, lengths: Any) -> Any:
    """Add up the probabilities of all alignments, by the forward recursion; return logarithms."""
    longest, count, width = emissions.shape
    position = np.arange(width)
    # A symbol may follow another without a blank between them, unless it is the same.
    skips = np.zeros((count, width), bool)
    skips[:, 2:] = (symbols[:, 2:] != blank) & (symbols[:, 2:] != symbols[:, :-2])
    may_skip, beginning = new_tensor(skips), new_tensor(position < 2)
    alpha = where(beginning, emissions[0], _IMPOSSIBLE)
    for time in range(1, longest):
        after_one = pad_constant(alpha, (1, -1), _IMPOSSIBLE)
        after_two = where(may_skip, _two_before(alpha, width), _IMPOSSIBLE)
        step = logsumexp(stack([alpha, after_one, after_two]), 0) + emissions[time]
        alpha = where(new_tensor((time < steps)[:, None]), step, alpha)
    ends = (position == 2 * lengths[:, None]) | (position == 2 * lengths[:, None] - 1)
    return logsumexp(where(new_tensor(ends), alpha, _IMPOSSIBLE), 1)


def _two_before(alpha: Any, width: int) -> Any:
    return pad_constant(alpha, (2, -2), _IMPOSSIBLE) if width > 1 else alpha


@public("nn.functional.ctc_loss", reads_late=True)
@autocasts(Autocast.FLOAT32)
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return minus the log-probability of target sequences, over all their alignments.

    Shapes: log-probabilities ``[T, N, C]`` or ``[T, C]``, targets (integers) ``[N, S]`` or all in
    one row. "mean" divides each loss by its target's length first. A target that no alignment gives
    has an infinite loss, or none with ``zero_infinity``; it has no gradient. Raises RuntimeError
    for a blank or lengths out of range.

    Args:
        log_probs: Logarithms of probabilities ``[T, N, C]``.
        targets: Class indices ``[N, S]``, or all targets in a row.
        input_lengths: Length of each input.
        target_lengths: Length of each target.
        blank: Class that stands for no symbol.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        zero_infinity: Whether infinite losses and their gradients become 0.

    >>> log_probs = torch.log(torch.full((2, 1, 2), 0.5))
    >>> targets, steps, sizes = torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1])
    >>> torch.nn.functional.ctc_loss(log_probs, targets, steps, sizes)
    tensor(0.2877)
    """
    refuse_half("ctc_loss_cpu", log_probs)
    check_reduction(reduction)
    alone = log_probs.ndim == 2
    scores = log_probs.unsqueeze(1) if alone else log_probs
    if not scores._array.size:
        raise ShapeError("log_probs tensor must not be empty")
    longest, count, classes = scores.shape
    if not 0 <= blank < classes:
        raise ShapeError("blank must be in label range")
    steps = _lengths("input", input_lengths, count, longest)
    row = targets.shape[0] if targets.ndim == 1 else targets.shape[1]
    lengths = _lengths("target", target_lengths, count, row)
    symbols = _with_blanks(
        _rows(targets.unsqueeze(0) if alone else targets, lengths, count), lengths, blank
    )
    positions = new_tensor(np.broadcast_to(symbols, (longest, *symbols.shape)).copy())
    likelihoods = _log_likelihoods(scores.gather(2, positions), symbols, blank, steps, lengths)
    unread = new_tensor(np.where(lengths == 0, 0.0, _IMPOSSIBLE).astype(scores._array.dtype))
    likelihoods = where(new_tensor(np.asarray(steps) == 0), unread, likelihoods)
    losses = where(likelihoods < _IMPOSSIBLE / 2, 0.0 if zero_infinity else inf, -likelihoods)
    if reduction == "mean":
        sizes = new_tensor(np.maximum(lengths, 1).astype(losses._array.dtype))
        return (losses / sizes).mean()
    losses = losses.squeeze(0) if alone else losses
    return losses.sum() if reduction == "sum" else losses
