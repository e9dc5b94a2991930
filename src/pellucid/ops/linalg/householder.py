"""Householder reflections: their products, and the decomposition that gives them."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.families import underived
from pellucid.errors import ShapeError
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    conjugate_transpose,
    on_diagonal,
    require_floats,
    require_matrices,
    require_same_dtype,
)
from pellucid.ops.linalg.solving import linalg_solve_triangular
from pellucid.ops.shape.diagonal import triu


def _reflections(A: Any, tau: Any) -> tuple[Any, Any]:
    """Return ``V`` and ``T`` so that the product of the reflections is ``1 - V T V^H``.

    Source: Schreiber and Van Loan, "A Storage-Efficient WY Representation", 1989.
    """
    count = tau.shape[-1]
    strict = A[..., :count].tril(-1)
    vectors = strict + _identity(strict)
    overlap = triu(matmul(conjugate_transpose(vectors), vectors), 1)
    scaled = overlap * tau.unsqueeze(-1)
    T = linalg_solve_triangular(scaled, on_diagonal(tau), upper=True, unitriangular=True)
    return vectors, T


@public("orgqr", method=True)
@public("linalg.householder_product", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_householder_product(A: Any, tau: Any) -> Any:
    """Return the first columns of a product of Householder reflections, as `geqrf` leaves them.

    Shapes: ``A`` is ``[*, m, n]`` with ``m >= n``, ``tau`` is ``[*, k]`` with ``k <= n``; the
    result is ``[*, m, n]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tau: Scale factors of the reflections, as `geqrf` returns them.

    Raises:
        RuntimeError: If the shapes of ``A`` and ``tau`` do not fit.

    >>> torch.linalg.householder_product(torch.zeros(2, 1), torch.zeros(1))
    tensor([[1.],
            [0.]])
    """
    function = "torch.linalg.householder_product"
    if A.ndim < 2:
        raise ShapeError(f"{function}: input must have at least 2 dimensions.")
    rows, columns = A.shape[-2:]
    if rows < columns:
        raise ShapeError(
            f"{function}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if columns < tau.shape[-1]:
        raise ShapeError(
            f"{function}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    require_same_dtype(function, A._array, tau._array)
    require_floats(function, A._array, "orgqr_cpu")
    vectors, T = _reflections(A, tau)
    product = matmul(matmul(vectors, T), conjugate_transpose(vectors[..., :columns, :]))
    return _identity(A) - product


def _identity(matrices: Any) -> Any:
    return matrices.new_ones(tuple(matrices.shape)).tril().triu()


@public("ormqr", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Multiply ``other`` by the whole product of the reflections that `geqrf` returned.

    Args:
        input: Reflections ``[*, m, k]``, as `geqrf` returns them.
        tau: Scale factors of the reflections, as `geqrf` returns them.
        other: Matrix, or batch of matrices, to multiply.
        left: Whether Q is multiplied from the left.
        transpose: Whether the transposed matrix is used.

    Raises:
        RuntimeError: If the shapes do not fit.

    >>> torch.ormqr(torch.zeros(2, 1), torch.zeros(1), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    for name, tensor in (("input", input), ("other", other)):
        if tensor.ndim < 2:
            raise ShapeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    axis = -2 if left else -1
    if other.shape[axis] != input.shape[-2]:
        raise ShapeError(f"torch.ormqr: other.shape[{axis}] must be equal to input.shape[-2]")
    vectors, T = _reflections(input, tau)
    T = conjugate_transpose(T) if transpose else T
    turned = conjugate_transpose(vectors)
    if left:
        return other - matmul(vectors, matmul(T, matmul(turned, other)))
    return other - matmul(matmul(matmul(other, vectors), T), turned)


@public("geqrf", method=True, out=CASTING)
@underived(
    half="bitwise", returns=named("geqrf", "a", "tau"), declared="geqrf", batch=Batch.LAST_DIMS,
    autocast=Autocast.FLOAT32,
)  # fmt: skip
def geqrf(be, input, /):
    """Return a QR decomposition as LAPACK leaves it: ``R`` above, reflections below, their factors.

    Args:
        input: Matrices ``[*, m, n]``, float32, float64 or complex.

    >>> torch.geqrf(torch.eye(2)).tau
    tensor([0., 0.])
    """
    require_matrices("torch.geqrf", input, "input")
    require_floats("torch.geqrf", input, "geqrf_cpu")
    return be.householder_vectors(input)
