"""Parameterization by a covariance matrix, its inverse or its Cholesky factor."""

from __future__ import annotations

from pellucid import linalg
from pellucid.distributions.utils import lazy_property
from pellucid.errors import ArgumentError
from pellucid.ops.linalg.solving import cholesky_inverse
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation


class Covariance:
    """Base class that computes the covariance, its inverse and its Cholesky factor on demand."""

    _batch_shape: Size
    #: the Cholesky factor before it is expanded to the batch shape
    _unbroadcasted_scale_tril: Tensor

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance, of shape ``batch_shape + (D, D)``."""
        return self._matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix, of shape ``batch_shape + (D, D)``."""
        factor = self._unbroadcasted_scale_tril
        return self._matrices(factor @ factor.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix, of shape ``batch_shape + (D, D)``."""
        return self._matrices(cholesky_inverse(self._unbroadcasted_scale_tril))

    def _matrices(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + matrix.shape[-2:])

    def _half_log_det(self) -> Tensor:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def one_matrix(
    covariance_matrix: Tensor | None,
    precision_matrix: Tensor | None,
    scale_tril: Tensor | None,
    none_or_several: type[Exception] = ArgumentError,
) -> tuple[str, Tensor]:
    """Return the name and value of the one matrix that is given.

    Raises ``none_or_several`` unless exactly one is, and ValueError if it has fewer than two dims.
    """
    matrices = {
        "covariance_matrix": covariance_matrix,
        "precision_matrix": precision_matrix,
        "scale_tril": scale_tril,
    }
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    if len(given) != 1:
        raise none_or_several(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified. "
            f"Here {len(given)} are."
        )
    name, matrix = given[0]
    if matrix.dim() < 2:
        raise ArgumentError(
            f"{name} must be at least two-dimensional, with optional leading batch dimensions. "
            f"It has shape {tuple(matrix.shape)}."
        )
    return name, matrix


def scale_tril_of(name: str, matrix: Tensor) -> Tensor:
    """Return the Cholesky factor of the covariance for a matrix of the given kind."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return linalg.cholesky(matrix)
    return precision_to_scale_tril(matrix)


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """Return the Cholesky factor of the inverse of positive-definite matrices.

    With both dims reversed, the Cholesky factor of the precision is an upper triangular factor; the
    transpose of its inverse is the lower factor wanted. No matrix is inverted twice.
    """
    upper = linalg.cholesky(precision.flip((-2, -1))).flip((-2, -1))
    identity = creation.eye(precision.shape[-1], dtype=precision.dtype)
    return linalg.solve_triangular(upper.mT, identity, upper=False)
