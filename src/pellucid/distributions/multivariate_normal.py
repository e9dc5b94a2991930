"""The multivariate normal distribution with a full covariance matrix."""

from __future__ import annotations

import math
from typing import Any

from pellucid import linalg
from pellucid.distributions import constraints
from pellucid.distributions._covariance import Covariance, one_matrix, scale_tril_of
from pellucid.distributions._vector_normal import VectorNormal
from pellucid.distributions.utils import standard_normal
from pellucid.shapes import broadcast_shapes
from pellucid.tensors import Tensor

__all__ = ["MultivariateNormal"]


def matrix_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply a batch of matrices by a batch of vectors."""
    return matrix.matmul(vector.unsqueeze(-1)).squeeze(-1)


def squared_mahalanobis(factor: Tensor, offset: Tensor) -> Tensor:
    """Return ``offset' (factor factor')**-1 offset`` for a batch of lower triangular factors."""
    solved = linalg.solve_triangular(
        _for_batch(factor, offset), offset.unsqueeze(-1), upper=False
    ).squeeze(-1)
    return solved.pow(2).sum(-1)


def _for_batch(matrix: Tensor, vector: Tensor) -> Tensor:
    shape = broadcast_shapes(matrix.shape[:-2], vector.shape[:-1])
    return matrix.expand(shape + matrix.shape[-2:])


class MultivariateNormal(Covariance, VectorNormal):
    """The multivariate normal distribution with a full covariance matrix.

    Exactly one of the three matrices is given, of shape (..., D, D); ``scale_tril`` is the
    cheapest. ``batch_shape`` is the broadcast shape of the leading dims, and ``event_shape`` is
    ``(D,)``.

    Args:
        loc: Mean, a floating-point tensor of shape (..., D).
        covariance_matrix: Positive-definite covariance matrix.
        precision_matrix: Inverse of the covariance matrix.
        scale_tril: Lower Cholesky factor of the covariance matrix, with a positive diagonal.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If ``loc`` is 0-d, if not exactly one matrix is given or it has fewer than two
            dims, or if arguments are validated and a parameter violates its constraint.

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

    def __init__(
        self, loc: Tensor, covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None, scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._check_loc(loc)
        name, matrix = one_matrix(covariance_matrix, precision_matrix, scale_tril)
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)

    @property
    def variance(self) -> Tensor:
        variance = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return variance.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        normals = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + matrix_vector(self._unbroadcasted_scale_tril, normals)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        distance = squared_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + self._half_log_det()).expand(self._batch_shape)
