"""The multivariate normal distribution with a low-rank plus diagonal covariance matrix."""

from __future__ import annotations

import math
from typing import Any

from pellucid import linalg
from pellucid.distributions import constraints
from pellucid.distributions._vector_normal import VectorNormal
from pellucid.distributions.multivariate_normal import matrix_vector, squared_mahalanobis
from pellucid.distributions.utils import lazy_property, standard_normal
from pellucid.errors import ArgumentError
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensors import Tensor, creation

__all__ = ["LowRankMultivariateNormal"]


def capacitance_tril(factor: Tensor, diagonal: Tensor) -> Tensor:
    """Return the Cholesky factor of ``I + factor' diag(diagonal)**-1 factor``."""
    weighted = factor.mT / diagonal.unsqueeze(-2)
    identity = creation.eye(factor.shape[-1], dtype=factor.dtype)
    return linalg.cholesky(weighted @ factor + identity)


def lowrank_log_det(factor: Tensor, diagonal: Tensor, capacitance: Tensor) -> Tensor:
    """Return ``log det(factor factor' + diag(diagonal))``, by the matrix determinant lemma."""
    inner = capacitance.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return 2 * inner + diagonal.log().sum(-1)


def lowrank_mahalanobis(
    factor: Tensor, diagonal: Tensor, offset: Tensor, capacitance: Tensor
) -> Tensor:
    """Return ``offset' (factor factor' + diag(diagonal))**-1 offset``, by Woodbury's identity."""
    weighted = factor.mT / diagonal.unsqueeze(-2)
    along = matrix_vector(weighted, offset)
    apart = (offset.pow(2) / diagonal).sum(-1)
    return apart - squared_mahalanobis(capacitance, along)


class LowRankMultivariateNormal(VectorNormal):
    """The multivariate normal distribution with a low-rank plus diagonal covariance matrix.

    The covariance is ``cov_factor cov_factor' + diag(cov_diag)``; only R x R matrices are
    decomposed. ``batch_shape`` is the broadcast shape of the leading dims, and ``event_shape`` is
    ``(D,)``.

    Args:
        loc: Mean, a floating-point tensor of shape (..., D).
        cov_factor: Factor of the low-rank part, of shape (..., D, R).
        cov_diag: Diagonal part, of shape (..., D), positive.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If the shapes do not fit, or if arguments are validated and a parameter violates
            its constraint.

    >>> normal = torch.distributions.LowRankMultivariateNormal(
    ...     torch.zeros(2), torch.ones(2, 1), torch.ones(2)
    ... )
    >>> normal.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    _kept_event_dims = {"scale_tril": 2, "covariance_matrix": 2, "precision_matrix": 2}

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        self._check_loc(loc)
        size = loc.shape[-1]
        if cov_factor.dim() < 2:
            raise ArgumentError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                f"dimensions. It has shape {tuple(cov_factor.shape)}."
            )
        if cov_factor.shape[-2] != size:
            raise ArgumentError(
                f"cov_factor must be a batch of matrices with shape {size} x m. "
                f"It has shape {tuple(cov_factor.shape)}."
            )
        if cov_diag.shape[-1] != size:
            raise ArgumentError(
                f"cov_diag must be a batch of vectors with shape {(size,)}. "
                f"It has shape {tuple(cov_diag.shape)}."
            )
        batch_shape = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand((*batch_shape, size))
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        self.cov_diag = cov_diag.expand((*batch_shape, size))
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch_shape, Size((size,)), validate_args=validate_args)

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each component, of shape ``batch_shape + (D,)``."""
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance, of shape ``batch_shape + (D, D)``."""
        factor, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        # W W' + D = D^1/2 (I + D^-1/2 W W' D^-1/2) D^1/2; the inner matrix is well conditioned.
        root = diagonal.sqrt().unsqueeze(-1)
        weighted = factor / root
        inner = weighted @ weighted.mT + creation.eye(factor.shape[-2], dtype=factor.dtype)
        return self._matrices(root * linalg.cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix, of shape ``batch_shape + (D, D)``."""
        factor = self._unbroadcasted_cov_factor
        return self._matrices(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix, by Woodbury's identity."""
        inverse = self._unbroadcasted_cov_diag.reciprocal()
        weighted = self._unbroadcasted_cov_factor.mT * inverse.unsqueeze(-2)
        solved = linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return self._matrices(inverse.diag_embed() - solved.mT @ solved)

    def _matrices(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        common = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        own = standard_normal(shape, self.loc.dtype)
        along = matrix_vector(self._unbroadcasted_cov_factor, common)
        return self.loc + along + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        distance = lowrank_mahalanobis(
            self._unbroadcasted_cov_factor,
            self._unbroadcasted_cov_diag,
            value - self.loc,
            self._capacitance_tril,
        )
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + distance)

    def _log_det(self) -> Tensor:
        return lowrank_log_det(
            self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        )

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)
