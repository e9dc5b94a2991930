"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.errors import ArgumentError
from pellucid.nn.functional import one_hot
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.random.gamma_sampling import _sample_dirichlet
from pellucid.tensors import Tensor

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution on the simplex.

    ``batch_shape`` is the shape of ``concentration`` without its last dim, and ``event_shape`` is
    ``(K,)``.

    Args:
        concentration: Concentration parameters, a positive floating-point tensor of shape (..., K).
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If ``concentration`` is 0-d, or if arguments are validated and it is not
            positive.

    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ArgumentError(
                "`concentration` parameter must be at least one-dimensional. "
                "Its last dimension holds the shares."
            )
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above_one = (self.concentration - 1).clamp(min=0.0)
        mode = above_one / above_one.sum(-1, True)
        # If all concentrations are below 1, the density is highest at corners.
        corner = one_hot(mode.argmax(dim=-1), self.concentration.shape[-1]).to(mode.dtype)
        at_corner = (self.concentration < 1).all(dim=-1).unsqueeze(-1)
        return where(at_corner, corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return _sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return (self.concentration - 1.0).xlogy(value).sum(-1) - self._log_beta()

    def _log_beta(self) -> Tensor:
        return self._log_normalizer(self.concentration)

    def entropy(self) -> Tensor:
        count, total = self.concentration.size(-1), self.concentration.sum(-1)
        shares = ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
        return self._log_beta() - (count - total) * total.digamma() - shares

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Tensor:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
