"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid import linalg
from pellucid.distributions import constraints
from pellucid.distributions._covariance import Covariance, one_matrix, scale_tril_of
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import standard_normal
from pellucid.errors import ArgumentError
from pellucid.shapes import broadcast_shapes
from pellucid.tensors import Tensor

__all__ = ["MultivariateNormal"]


def matrix_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply batches of matrices by batches of vectors."""
    return matrix.matmul(vector.unsqueeze(-1)).squeeze(-1)


def squared_mahalanobis(factor: Tensor, offset: Tensor) -> Tensor:
    """Return ``offset' (factor factor')**-1 offset`` for a lower triangular factor, in batches."""
    solved = linalg.solve_triangular(
        _for_batch(factor, offset), offset.unsqueeze(-1), upper=False
    ).squeeze(-1)
    return solved.pow(2).sum(-1)


def _for_batch(matrix: Tensor, vector: Tensor) -> Tensor:
    shape = broadcast_shapes(matrix.shape[:-2], vector.shape[:-1])
    return matrix.expand(shape + matrix.shape[-2:])


class MultivariateNormal(Covariance, Distribution):
    """Be normal vectors of mean ``loc``.

    Give one of ``covariance_matrix``, ``precision_matrix`` (its inverse) and ``scale_tril`` (its
    Cholesky factor), of shape (..., D, D); the last is the cheapest.

    >>> import pellucid as torch
    >>> normal = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> normal.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ArgumentError(
                "loc must be at least one-dimensional. Its last dimension is that of the vectors."
            )
        name, matrix = one_matrix(covariance_matrix, precision_matrix, scale_tril)
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        variance = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return variance.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        normals = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + matrix_vector(self._unbroadcasted_scale_tril, normals)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = squared_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + self._half_log_det()).expand(self._batch_shape)
