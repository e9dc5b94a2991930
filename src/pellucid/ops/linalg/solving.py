"""Inverses and linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.arguments import require
from pellucid.core.families import op
from pellucid.errors import LinAlgError, ShapeError
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    conjugate_transpose,
    first_failure,
    on_diagonal,
    require_floats,
    require_matrices,
    require_same_dtype,
    require_square,
)
from pellucid.ops.shape.diagonal import tril, triu
from pellucid.shapes import Like, broadcast_shapes

# ---- inverses ---------------------------------------------------------------------------------


@op(half="bitwise", returns=named("linalg_inv_ex", "inverse", "info"), batch=Batch.LAST_DIMS)
def inverses(be, A, /, function="linalg.inv", check_errors=False):
    """Return inverses, and for each matrix where its pivot is zero; errors name ``function``."""
    require_square(function, A)
    require_floats(function, A, "inv_cpu")
    inverse, info = be.inverse(A)
    if isinstance(inverse, np.ndarray):  # one column after the other, as LAPACK leaves it
        inverse = np.ascontiguousarray(inverse.mT).mT
    failure = first_failure(info) if check_errors else None
    if failure:
        raise LinAlgError(
            f"{function}: {failure[0]}The diagonal element {failure[1]} is zero, the inversion "
            "could not be completed because the input matrix is singular."
        )
    return inverse, info


@inverses.vjp("A")
def inverses_input(g_inverse, inverse):
    turned = inverse.mT
    return -matmul(matmul(turned, g_inverse), turned)


@public("linalg.inv_ex", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Return inverses, and for each matrix the index of the zero on U's diagonal, or 0.

    A singular matrix has an inverse of NaN; with ``check_errors`` it raises RuntimeError.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.inv_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    return inverses(A, "linalg.inv_ex", check_errors)


@public("linalg.inv", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_inv(A: Any) -> Any:
    """Return the inverses of square matrices; raise RuntimeError where one is singular.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverses(A, "linalg.inv", True)[0]


@public("inverse", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def inverse(input: Any) -> Any:
    """Return the inverses of square matrices; see `linalg.inv`.

    Args:
        input: Square matrices ``[*, n, n]``, floating point or complex.

    >>> torch.inverse(torch.eye(1) * 2)
    tensor([[0.5000]])
    """
    return linalg_inv(input)


# ---- linear equations -------------------------------------------------------------------------


def require_matching(function: str, A: Any, B: Any, left: bool) -> None:
    """Raise RuntimeError unless the sizes of ``A X = B``, or of ``X A = B``, agree."""
    if A.shape[-1] != B.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        sizes = f"{A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]}"
        raise ShapeError(
            f"{function}: Incompatible shapes of A and B for the equation {equation} ({sizes})"
        )


def holds_vectors(A: Any, B: Any) -> bool:
    """Return whether the right-hand side is one vector per matrix, not a matrix."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))


@op(torch_kernel_name="lu_cpu", half="bitwise", returns=named("linalg_solve_ex", "result", "info"))
def solutions(be, A, B, /, left=True, function="linalg.solve", check_errors=False):
    """Return solutions, and for each matrix where its pivot is zero; errors name ``function``."""
    require_floats(function, A, "linalg_solve_ex_cpu")
    require_square(function, A)
    require_same_dtype(function, A, B)
    vectors = holds_vectors(A, B)
    columns = B[..., None] if vectors else B
    if columns.ndim < 2 or (vectors and not left):
        raise ShapeError(
            f"{function}: Vector broadcasting of the left hand side is not supported for "
            "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    require_matching(function, A, columns, left)
    if columns.shape[:-2] != A.shape[:-2]:
        broadcast_shapes(columns.shape[:-2], A.shape[:-2])
    if left:
        found, info = be.solve(A, columns)
    else:
        found, info = be.solve(A.mT, columns.mT)
        found = found.mT
    failure = first_failure(info) if check_errors else None
    if failure:
        raise LinAlgError(
            f"torch.{function}: {failure[0]}The solver failed because the input matrix is singular."
        )
    return found[..., 0] if vectors else found, info


@solutions.vjp("A")
def solutions_A(g_result, A, B: Like, result, left):
    found = _solved_transposed(A, g_result, left, _is_vectors(A, B))
    if _is_vectors(A, B):
        return -(found[..., None] * result[..., None, :])
    return -matmul(found, result.mT) if left else -matmul(result.mT, found)


@solutions.vjp("B")
def solutions_B(g_result, A, B: Like, left):
    return _solved_transposed(A, g_result, left, _is_vectors(A, B))


def _is_vectors(A: Any, B: Like) -> bool:
    ndim = len(B.shape)
    return ndim == 1 or (A.ndim - 1 == ndim and tuple(B.shape) == tuple(A.shape[:-1]))


def _solved_transposed(A: Any, g: Any, left: bool, vectors: bool) -> Any:
    if vectors:
        return solutions(A.mT, g[..., None], True)[0][..., 0]
    return solutions(A.mT, g, left)[0]


@public("linalg.solve_ex", out=EXACT)
def linalg_solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Solve ``A X = B``, and say for each matrix where it is singular; see `linalg.solve`.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        check_errors: As for `linalg_inv_ex`.

    >>> torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2)).info
    tensor(1, dtype=torch.int32)
    """
    return solutions(A, B, left, "linalg.solve_ex", check_errors)


@public("linalg.solve", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """Solve ``A X = B``, or ``X A = B`` with ``left=False``.

    Shapes: ``A`` is ``[*, n, n]``, ``B`` is ``[*, n, k]``, or one vector ``[n]`` or ``[*, n]``.
    Raises RuntimeError where a matrix is singular.

    Args:
        A, B, left: As for `linalg_solve_ex`.

    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2))
    tensor([0.5000, 0.2500])
    """
    return solutions(A, B, left, "linalg.solve", True)[0]


@public("linalg.solve_triangular", out=EXACT)
@op(torch_kernel_name="triangular_solve_cpu", half="bitwise")
def linalg_solve_triangular(be, A, B, /, *, upper, left=True, unitriangular=False):
    """Solve ``A X = B``, or ``X A = B`` with ``left=False``, reading one triangle of ``A``.

    With ``unitriangular`` the diagonal counts as 1. Zeros on it give infinities, and no error.

    Args:
        A, B: As for `linalg_solve_ex`.
        upper: Whether the upper triangle is meant rather than the lower.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> torch.linalg.solve_triangular(torch.eye(2) * 4, torch.ones(2, 1), upper=True)
    tensor([[0.2500],
            [0.2500]])
    """
    function = "linalg.solve_triangular"
    require("linalg_solve_triangular", "bool", upper=upper)
    require_same_dtype(function, A, B)
    require_square(function, A)
    require_matrices(function, B, "B")
    require_floats(function, A, "triangular_solve_cpu")
    require_matching(function, A, B, left)
    broadcast_shapes(B.shape[:-2], A.shape[:-2])
    return be.solve_triangular(A, B, upper, left, unitriangular)


def _triangle(matrix: Any, upper: bool, unitriangular: bool) -> Any:
    if upper:
        return triu(matrix, int(unitriangular))
    return tril(matrix, -int(unitriangular))


@linalg_solve_triangular.vjp("A")
def linalg_solve_triangular_A(g, A, out, upper, left, unitriangular):
    found = linalg_solve_triangular(
        A.mT, g, upper=not upper, left=left, unitriangular=unitriangular
    )
    product = matmul(found, out.mT) if left else matmul(out.mT, found)
    return -_triangle(product, upper, unitriangular)


@linalg_solve_triangular.vjp("B")
def linalg_solve_triangular_B(g, A, upper, left, unitriangular):
    return linalg_solve_triangular(A.mT, g, upper=not upper, left=left, unitriangular=unitriangular)


_triangular_solution = named("triangular_solve", "solution", "cloned_coefficient")


@public("triangular_solve", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def triangular_solve(
    input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Solve ``A X = input`` reading one triangle of ``A``; return the solution and a copy of ``A``.

    Args:
        input: Right-hand sides ``[*, n, k]``, of the dtype of ``A``.
        A, upper: As for `linalg_solve_triangular`.
        transpose: Whether the transposed matrix is used.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> torch.triangular_solve(torch.ones(1, 1), torch.eye(1) * 4).solution
    tensor([[0.2500]])
    """
    _require_legacy_sizes("triangular_solve", input, A)
    copied = A.clone()
    matrix, upper = (A.mT, not upper) if transpose else (A, upper)
    found = linalg_solve_triangular(matrix, input, upper=upper, unitriangular=unitriangular)
    return _triangular_solution((found, copied))


def _require_legacy_sizes(function: str, b: Any, A: Any) -> None:
    for name, matrix in (("b", b), ("A" if function == "triangular_solve" else "u", A)):
        if matrix.ndim < 2:
            raise ShapeError(
                f"{name} should have at least 2 dimensions, but has {matrix.ndim} dimensions "
                "instead"
            )
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise ShapeError(
            f"{function}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )
    if rows != b.shape[-2]:
        raise ShapeError(
            f"Incompatible matrix sizes for {function}: each A matrix is {rows} by {rows} but each "
            f"b matrix is {b.shape[-2]} by {b.shape[-1]}"
        )


@public("cholesky_solve", method=True, out=CASTING)
@autocasts(Autocast.FLOAT32)
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """Solve ``A X = B`` with the Cholesky factor ``L`` of ``A``.

    Args:
        B: Right-hand side: vectors or matrices that fit ``A``.
        L: Cholesky factor ``[*, N, N]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.cholesky_solve(torch.ones(1, 1), torch.eye(1) * 2)
    tensor([[0.2500]])
    """
    _require_legacy_sizes("cholesky_solve", B, L)
    lower = conjugate_transpose(L) if upper else L
    half = linalg_solve_triangular(lower, B, upper=False)
    return linalg_solve_triangular(conjugate_transpose(lower), half, upper=True)


@public("cholesky_inverse", method=True, out=CASTING)
@autocasts(Autocast.FLOAT32)
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """Return the inverse of ``A`` from its Cholesky factor.

    Args:
        L, upper: As for `cholesky_solve`.

    >>> torch.cholesky_inverse(torch.eye(1) * 2)
    tensor([[0.2500]])
    """
    require_square("cholesky_inverse", L)
    return cholesky_solve(on_diagonal(L.new_ones(tuple(L.shape[:-1]))), L, upper)
