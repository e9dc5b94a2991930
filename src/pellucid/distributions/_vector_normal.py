"""Base class of the multivariate normal distributions."""

from __future__ import annotations

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor


class VectorNormal(Distribution):
    """Base class of normal distributions of vectors, with mean ``loc``."""

    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    @staticmethod
    def _check_loc(loc: Tensor) -> None:
        """Raise ValueError if the mean has no dim for the vectors."""
        if loc.dim() < 1:
            raise ArgumentError(
                "loc must be at least one-dimensional. Its last dimension is that of the vectors."
            )

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc
