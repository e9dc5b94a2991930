"""What torch has under a name that torch.nn.functional has too, with other arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.errors import ArgumentTypeError, DomainError, ShapeError
from pellucid.ops import loss
from pellucid.ops.activation import leaky_relu
from pellucid.ops.arithmetic import mul
from pellucid.ops.call import wrapped
from pellucid.ops.inplace import inplace
from pellucid.ops.sampling import stream_of
from pellucid.shapes import broadcast_shapes

_multiply_in_place, _leak_in_place = inplace(mul), inplace(leaky_relu)
_REDUCTIONS = {1: "mean", 2: "sum"}


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Any:
    """Return the cross entropy between scores (logits) and binary targets.

    ``reduction`` is 0 for none, as PyTorch has it where nothing is said, 1 for the mean, 2 for the
    sum.

    >>> import pellucid as torch
    >>> torch.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor([0.6931])
    """
    if not hasattr(reduction, "__index__"):
        raise ArgumentTypeError(
            "binary_cross_entropy_with_logits(): argument 'reduction' must be int, "
            f"not {type(reduction).__name__}"
        )
    _check_target(input._array.shape, target._array.shape)
    losses = loss.binary_losses(input, target, weight, pos_weight)
    return loss.reduced(losses, _REDUCTIONS.get(int(reduction), "none"))


def _check_target(input: tuple[int, ...], target: tuple[int, ...]) -> None:
    shape = list(broadcast_shapes(target, input))
    if shape != list(target):
        raise ShapeError(
            f"output with shape {list(target)} doesn't match the broadcast shape {shape}"
        )


def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Multiply negative elements by slopes drawn at random while training, else by their mean.

    Raises RuntimeError where ``lower`` is greater than ``upper``.

    >>> import pellucid as torch
    >>> torch.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    _check_bounds(lower, upper)
    if not training:
        return leaky_relu(input, (lower + upper) / 2)
    return mul(input, _slopes(input, lower, upper, generator))


def rrelu_(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Do as `rrelu` does, in place."""
    _check_bounds(lower, upper)
    if not training:
        return _leak_in_place(input, (lower + upper) / 2)
    return _multiply_in_place(input, _slopes(input, lower, upper, generator))


def _check_bounds(lower: float, upper: float) -> None:
    if lower > upper:
        raise DomainError("Lower bound should be less than or equal to the upper bound")


def _slopes(input: Any, lower: float, upper: float, generator: Any) -> Any:
    """Return 1 for positive elements and a slope drawn between the bounds for the others."""
    array = input._array
    slopes = np.ones(array.shape, array.dtype)
    negative = array <= 0
    count = int(np.count_nonzero(negative))
    slopes[negative] = stream_of(generator).uniform(count, np.float64, lower, upper)
    return wrapped(slopes)
