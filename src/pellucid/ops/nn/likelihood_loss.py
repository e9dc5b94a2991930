"""Losses that are negative log-likelihoods or divergences of distributions."""

from __future__ import annotations

import warnings
from math import log as log_of
from math import pi
from typing import Any

from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.dtypes import is_complex_dtype, is_differentiable
from pellucid.errors import ArgumentError, DtypeError
from pellucid.ops.elementwise.conditional import clamp, where
from pellucid.ops.elementwise.exponential import exp, log, xlogy
from pellucid.ops.nn.loss import check_reduction, legacy_reduction, reduced

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

    ``target * (log(target) - input)``.

    ``reduction`` may also be "batchmean", the divergence per row.

    Args:
        input: Logarithms of probabilities.
        target: Tensor in the shape of ``input``.
        size_average: Old form of ``reduction``; leave it out.
        reduce: Old form of ``reduction``; leave it out.
        reduction: ``"none"`` (a loss per element), ``"mean"`` or ``"sum"``.
        log_target: Whether ``target`` holds logarithms of probabilities.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        RuntimeError: If the input is of integers.

    >>> half = torch.tensor([[0.5, 0.5]])
    >>> torch.nn.functional.kl_div(half.log(), half, reduction="batchmean")
    tensor(0.)
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn(_KL_WARNING, UserWarning, stacklevel=user_stacklevel())
    if reduction != "batchmean":
        check_reduction(reduction)
    if any(not is_differentiable(each._array.dtype) for each in (input, target)):
        raise DtypeError("kl_div: Integral inputs not supported.")
    if any(is_complex_dtype(each._array.dtype) for each in (input, target)):
        raise DtypeError("kl_div: Complex inputs not supported.")
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

    ``exp(input) - target * input``, or ``input - target * log(input + eps)`` of a rate.

    ``input`` is the rate or, by default, its logarithm; ``full`` adds Stirling's approximation of
    the logarithm of the factorial.

    Args:
        input: Floating point tensor of any shape.
        target: Tensor in the shape of ``input``.
        log_input: Whether ``input`` is the logarithm of the rate.
        full: Whether the constant terms of the likelihood are added.
        size_average: Old form of ``reduction``; leave it out.
        eps: Small number that keeps a divisor from 0.
        reduce, reduction: As for `kl_div`.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

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


def _is_one_for_several(variances: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return whether there is a variance for each element, or along one dimension one for all."""
    if len(variances) != len(shape):
        return False
    others = [mine for mine, whole in zip(variances, shape, strict=True) if mine != whole]
    return others in ([], [1])


@public("nn.functional.gaussian_nll_loss", reads_late=True)
def gaussian_nll_loss(
    input: Any, target: Any, var: TensorBase | complex, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return minus the log-likelihood of targets under normal distributions.

    ``(log(var) + (input - target) ** 2 / var) / 2``, var no less than ``eps``.

    ``var`` has the input's shape, or size 1 in the last dimension, or lacks it.

    Args:
        input, target: As for `poisson_nll_loss`.
        var: Variance: a tensor that broadcasts with ``input``, or a number.
        full, eps, reduction: As for `poisson_nll_loss`.

    Returns:
        The reduced loss ``[]``, or one loss per element with ``"none"``.

    Raises:
        ValueError: If a variance is negative, or the shape of ``var`` does not fit.

    >>> mean, var = torch.zeros(2), torch.ones(2)
    >>> torch.nn.functional.gaussian_nll_loss(mean, torch.ones(2), var)
    tensor(0.5000)
    """
    variance: Any = var
    if not hasattr(variance, "shape"):
        if variance < 0:
            raise ArgumentError("var has negative entry/entries")
        variance = input * 0 + variance
    elif (variance < 0).any():
        raise ArgumentError("var has negative entry/entries")
    shape = tuple(input.shape)
    if tuple(variance.shape) == shape[:-1] and tuple(variance.shape) != shape:
        variance = variance.unsqueeze(-1)
    elif not _is_one_for_several(tuple(variance.shape), shape):
        raise ArgumentError("var is of incorrect size")
    check_reduction(reduction)
    # The bound against tiny variances takes part in no gradient.
    variance = variance + (clamp(variance.detach(), eps) - variance.detach())
    losses = (log(variance) + (input - target) ** 2 / variance) * 0.5
    return reduced(losses + 0.5 * log_of(2 * pi) if full else losses, reduction)
