"""The extension of the standard for linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pellucid as torch
from pellucid.array_api.data_types import promoted
from pellucid.array_api.reductions import sum as sum_along
from pellucid.dtypes import dtype as Dtype
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor


class EigResult(NamedTuple):
    """Eigenvalues and right eigenvectors of general matrices."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of symmetric matrices."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """Factors of matrices: orthonormal columns, and an upper triangle."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """Signs of determinants, and logarithms of their absolute values."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """Left singular vectors, singular values, and right singular vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


# ---- products -----------------------------------------------------------------------------------


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the matrix product.

    Args:
        x1: Matrices, in the last two axes, or a vector.
        x2: Matrices, in the last two axes, or a vector.
    """
    return torch.matmul(*promoted(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Return matrices with rows and columns exchanged.

    Args:
        x: Matrices, in the last two axes.
    """
    return x.mT


def tensordot(
    x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Tensor:
    """Return the product of two arrays, summed over axes of both.

    Args:
        x1: First array.
        x2: Second array.
        axes: Number of axes that are summed over, or those of each array.
    """
    dims: Any = axes
    return torch.tensordot(*promoted(x1, x2), dims=dims)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the products of vectors along an axis, the first of them conjugated.

    Args:
        x1: First array.
        x2: Second array.
        axis: Axis of the vectors.

    Raises:
        ArgumentError: If the vectors have different lengths (a ``ValueError``).
    """
    if x1.shape[axis] != x2.shape[axis]:
        raise ArgumentError(
            f"vecdot(): the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements"
        )
    first, second = torch.broadcast_tensors(*promoted(x1, x2))
    rows, columns = first.movedim(axis, -1).unsqueeze(-2), second.movedim(axis, -1).unsqueeze(-1)
    return torch.matmul(rows.conj(), columns).squeeze((-2, -1))


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the products of each element of a vector with each of another.

    Args:
        x1: Vector.
        x2: Vector.
    """
    return torch.outer(*promoted(x1, x2))


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the vectors orthogonal to pairs of vectors of three elements.

    Args:
        x1: First array.
        x2: Second array.
        axis: Axis of the vectors, of size 3.

    Raises:
        ArgumentError: If the axis is not of size 3 in both (a ``ValueError``).
    """
    if not x1.shape[axis] == x2.shape[axis] == 3:
        raise ArgumentError(
            f"cross(): the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements, not 3"
        )
    return torch.linalg.cross(*torch.broadcast_tensors(*promoted(x1, x2)), dim=axis)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Return square matrices multiplied ``n`` times with themselves.

    Args:
        x: Square matrices, in the last two axes.
        n: How often; the inverse is multiplied if negative.
    """
    return torch.linalg.matrix_power(x, n)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return a diagonal of matrices.

    Args:
        x: Matrices, in the last two axes.
        offset: Which diagonal: above the main one if positive, below it if negative.
    """
    return torch.diagonal(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Dtype | None = None) -> Tensor:
    """Return the sum of a diagonal of matrices.

    Args:
        x: Matrices, in the last two axes.
        offset: Which diagonal: above the main one if positive, below it if negative.
        dtype: Dtype of the result; decided by the arguments if None.
    """
    return sum_along(diagonal(x, offset=offset), axis=-1, dtype=dtype)


# ---- factors and equations ----------------------------------------------------------------------


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Return the triangle whose product with its own transpose is the matrix.

    Args:
        x: Symmetric matrices, or Hermitian ones, in the last two axes.
        upper: Whether the triangle above the diagonal is returned.
    """
    return torch.linalg.cholesky(x, upper=upper)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Return the factors of matrices into orthonormal columns and an upper triangle.

    Args:
        x: Matrices, in the last two axes.
        mode: ``"reduced"``, or ``"complete"`` for a square first factor.
    """
    return QRResult(*torch.linalg.qr(x, mode))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular values and vectors of matrices.

    Args:
        x: Matrices, in the last two axes.
        full_matrices: Whether the matrices of singular vectors are square.
    """
    return SVDResult(*torch.linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Return the singular values of matrices.

    Args:
        x: Matrices, in the last two axes.
    """
    return torch.linalg.svdvals(x)


def eig(x: Tensor, /) -> EigResult:
    """Return the eigenvalues and eigenvectors of matrices, as complex numbers.

    Args:
        x: Square matrices, in the last two axes.
    """
    return EigResult(*torch.linalg.eig(x))


def eigvals(x: Tensor, /) -> Tensor:
    """Return the eigenvalues of matrices, as complex numbers.

    Args:
        x: Square matrices, in the last two axes.
    """
    return torch.linalg.eigvals(x)


def eigh(x: Tensor, /) -> EighResult:
    """Return the eigenvalues and eigenvectors of symmetric matrices.

    Args:
        x: Symmetric matrices, or Hermitian ones, in the last two axes.
    """
    return EighResult(*torch.linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Return the eigenvalues of symmetric matrices.

    Args:
        x: Symmetric matrices, or Hermitian ones, in the last two axes.
    """
    return torch.linalg.eigvalsh(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the solutions of linear equations; a right-hand side of one axis is one vector.

    Args:
        x1: Square matrices, in the last two axes.
        x2: Right-hand sides.
    """
    first, second = promoted(x1, x2)
    if second.ndim == 1:
        return torch.linalg.solve(first, second.unsqueeze(-1)).squeeze(-1)
    shape = torch.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    return torch.linalg.solve(
        first.expand(*shape, *first.shape[-2:]), second.expand(*shape, *second.shape[-2:])
    )


def inv(x: Tensor, /) -> Tensor:
    """Return the inverse matrices.

    Args:
        x: Square matrices, in the last two axes.
    """
    return torch.linalg.inv(x)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return the pseudoinverses of matrices, without singular values below ``rtol``.

    Args:
        x: Matrices, in the last two axes.
        rtol: Tolerance, relative to the largest singular value.
    """
    return torch.linalg.pinv(x, rtol=rtol)


def det(x: Tensor, /) -> Tensor:
    """Return the determinants of matrices.

    Args:
        x: Square matrices, in the last two axes.
    """
    return torch.linalg.det(x)


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Return the signs and the logarithms of the determinants of matrices.

    Args:
        x: Square matrices, in the last two axes.
    """
    return SlogdetResult(*torch.linalg.slogdet(x))


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return how many singular values of matrices are above ``rtol`` times the largest.

    Args: As for `pinv`.
    """
    return torch.linalg.matrix_rank(x, rtol=rtol)


# ---- norms --------------------------------------------------------------------------------------


def matrix_norm(
    x: Tensor, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> Tensor:
    """Return the norms of matrices.

    Args:
        x: Matrices, in the last two axes.
        keepdims: Whether axes that are reduced stay, with size 1.
        ord: Which norm: 1, 2, infinity, ``"fro"`` or ``"nuc"``.
    """
    return torch.linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def vector_norm(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False,
    ord: float = 2,
) -> Tensor:  # fmt: skip
    """Return the norms of vectors along axes; without them, of all elements.

    Args:
        x: Array.
        axis: Axis, or several; all if None.
        keepdims: Whether axes that are reduced stay, with size 1.
        ord: Order of the norm.
    """
    if axis == ():
        return torch.linalg.vector_norm(x.unsqueeze(0), ord, 0)
    return torch.linalg.vector_norm(x, ord, axis, keepdims)
