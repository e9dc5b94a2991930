"""Covariances that are given by one of three matrices, from which the others follow."""

from __future__ import annotations

from pellucid import linalg
from pellucid.distributions.utils import lazy_property
from pellucid.errors import ArgumentError
from pellucid.ops.linalg.solving import cholesky_inverse
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation


class Covariance:
    """Have a covariance, its inverse and its Cholesky factor, each computed when asked for."""

    _batch_shape: Size
    #: the Cholesky factor, without the dimensions of a batch that it does not vary over
    _unbroadcasted_scale_tril: Tensor

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        factor = self._unbroadcasted_scale_tril
        return self._matrices(factor @ factor.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
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
    """Return the one matrix that is given, and its name; raise for none or several."""
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
    """Return the Cholesky factor of the covariance that a matrix, named so, stands for."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return linalg.cholesky(matrix)
    return precision_to_scale_tril(matrix)


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """Return the Cholesky factor of the inverse of positive-definite matrices.

    The Cholesky factor of the precision, read backwards in both dimensions, is an upper factor,
    whose inverse, transposed, is the lower factor sought: no matrix is inverted twice.
    """
    upper = linalg.cholesky(precision.flip((-2, -1))).flip((-2, -1))
    identity = creation.eye(precision.shape[-1], dtype=precision.dtype)
    return linalg.solve_triangular(upper.mT, identity, upper=False)
