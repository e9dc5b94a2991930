"""Exponential families: densities ``exp(<t(x), natural parameters> - F(natural parameters))``."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.backward import grad
from pellucid.distributions.distribution import Distribution
from pellucid.tensors import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Base class of exponential families, whose entropy follows from the log-normalizer.

    A subclass defines ``_natural_params`` and ``_log_normalizer``; the entropy is computed from
    these by automatic differentiation.

    Args:
        batch_shape: Shape of the batch of distributions.
        event_shape: Shape of a single sample of one distribution.
        validate_args: As for `Distribution`.

    >>> isinstance(torch.distributions.Gamma(1.0, 1.0), torch.distributions.ExponentialFamily)
    True
    """

    #: the expected logarithm of the carrier measure; None if unknown to entropy()
    _mean_carrier_measure: float | None = None

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise self._missing("_natural_params")

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        raise self._missing("_log_normalizer")

    def entropy(self) -> Tensor:
        """Return the entropy as the Bregman divergence of the log-normalizer.

        Source: F. Nielsen and R. Nock, "Entropies and cross-entropies of exponential families",
        2010.

        Returns:
            A tensor of shape ``batch_shape``, in nats.
        """
        if self._mean_carrier_measure is None:
            raise self._missing("entropy")
        leaves = [each.detach().requires_grad_() for each in self._natural_params]
        log_normalizer = self._log_normalizer(*leaves)
        slopes = grad(log_normalizer.sum(), leaves, create_graph=True)
        entropy = log_normalizer - self._mean_carrier_measure
        for leaf, slope in zip(leaves, slopes, strict=True):
            product = leaf * slope
            entropy = entropy - product.reshape(*self._batch_shape, -1).sum(-1)
        return entropy
