"""Inverses, linear equations, LU decompositions and determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.arguments import require
from pellucid.core.autocasting import Autocast, autocasts
from pellucid.core.batching import Batch
from pellucid.core.families import nograd, op
from pellucid.core.public import CASTING, EXACT, public
from pellucid.core.result_types import named
from pellucid.errors import DtypeError, LinAlgError, ShapeError
from pellucid.ops.elementwise.complexes import imag
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import log
from pellucid.ops.elementwise.signs import is_complex
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    added,
    conjugate,
    conjugate_transpose,
    first_failure,
    on_diagonal,
    require_floats,
    require_kernel,
    require_matrices,
    require_same_dtype,
    require_square,
)
from pellucid.ops.shape.diagonal import diagonal, diagonal_backward, tril, triu
from pellucid.ops.shape.join import cat
from pellucid.shapes import Like, broadcast_shapes

# ---- inverses ---------------------------------------------------------------------------------


@op(
    half="bitwise",
    outputs=("inverse", "info"),
    returns=named("linalg_inv_ex", "inverse", "info"),
    batch=Batch.LAST_DIMS,
)
def inverses(be, A, /, function="linalg.inv", check_errors=False):
    """Return inverses, and for each matrix where its pivot is zero; errors name ``function``."""
    require_square(function, A)
    require_floats(function, A, "inv_cpu")
    inverse, info = be.inverse(A)
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

    >>> import pellucid as torch
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

    >>> import pellucid as torch
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

    >>> import pellucid as torch
    >>> torch.inverse(torch.eye(1) * 2)
    tensor([[0.5000]])
    """
    return linalg_inv(input)


# ---- linear equations -------------------------------------------------------------------------


def _require_matching(function: str, A: Any, B: Any, left: bool) -> None:
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


@op(
    half="bitwise",
    outputs=("result", "info"),
    returns=named("linalg_solve_ex", "result", "info"),
)
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
    _require_matching(function, A, columns, left)
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
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> import pellucid as torch
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
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.

    >>> import pellucid as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2))
    tensor([0.5000, 0.2500])
    """
    return solutions(A, B, left, "linalg.solve", True)[0]


@public("linalg.solve_triangular", out=EXACT)
@op(half="bitwise")
def linalg_solve_triangular(be, A, B, /, *, upper, left=True, unitriangular=False):
    """Solve ``A X = B``, or ``X A = B`` with ``left=False``, reading one triangle of ``A``.

    With ``unitriangular`` the diagonal counts as 1. Zeros on it give infinities, and no error.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        upper: Whether the upper triangle is meant rather than the lower.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> import pellucid as torch
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
    _require_matching(function, A, B, left)
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
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        upper: Whether the upper triangle is meant rather than the lower.
        transpose: Whether the transposed matrix is used.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> import pellucid as torch
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

    >>> import pellucid as torch
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
        L: Cholesky factor ``[*, N, N]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> import pellucid as torch
    >>> torch.cholesky_inverse(torch.eye(1) * 2)
    tensor([[0.2500]])
    """
    require_square("cholesky_inverse", L)
    return cholesky_solve(on_diagonal(L.new_ones(tuple(L.shape[:-1]))), L, upper)


# ---- LU ---------------------------------------------------------------------------------------


@op(
    half="bitwise",
    outputs=("LU", "pivots", "info"),
    returns=named("linalg_lu_factor_ex", "LU", "pivots", "info"),
    batch=Batch.LAST_DIMS,
)
def lu_factors(be, A, /, pivot=True, function="linalg.lu_factor_ex", check_errors=False):
    """Return ``L`` and ``U`` in one matrix, the exchanges of rows, and zeros on the diagonal."""
    if A.ndim < 2:
        raise ShapeError(
            f"{function}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} "
            "instead"
        )
    require_kernel("lu_cpu", A)
    if not pivot:
        raise ShapeError(f"{function}: LU without pivoting is not implemented on the CPU")
    packed, pivots, info = be.lu_factor(A)
    failure = first_failure(info) if check_errors else None
    if failure:
        place = failure[1]
        raise LinAlgError(
            f"torch.{function}: {failure[0]}U[{place},{place}] is zero and using it on lu_solve "
            "would result in a division by zero. If you still want to perform the factorization, "
            "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    return packed, pivots, info


@lu_factors.vjp("A")
def lu_factors_input(g_LU, LU, pivots):
    """Take both factors' gradients through the square block that determines them."""
    rows, columns = LU.shape[-2:]
    count = min(rows, columns)
    L, U = _unit_lower(LU), LU[..., :count, :]
    corner_L, corner_U = L[..., :count, :], triu(U[..., :count])
    g_corner = g_LU[..., :count, :count]
    below = matmul(corner_L.mT, tril(g_corner, -1))
    above = matmul(triu(g_corner), corner_U.mT)
    if columns > count:
        below = below - matmul(g_LU[..., count:], U[..., count:].mT)
    if rows > count:
        above = above - matmul(L[..., count:, :].mT, g_LU[..., count:, :])
    inner = tril(below, -1) + triu(above)
    if columns > count:
        scaled = linalg_solve_triangular(corner_U.mT, inner, upper=False, left=False)
        whole = cat([scaled, g_LU[..., count:]], -1)
        found = linalg_solve_triangular(corner_L.mT, whole, upper=True, unitriangular=True)
    else:
        scaled = linalg_solve_triangular(corner_L.mT, inner, upper=True, unitriangular=True)
        whole = cat([scaled, g_LU[..., count:, :]], -2) if rows > count else scaled
        found = linalg_solve_triangular(corner_U.mT, whole, upper=False, left=False)
    return matmul(row_exchanges(pivots, found, rows), found)


def _unit_lower(LU: Any) -> Any:
    """Return the lower factor, with ones on its diagonal."""
    count = min(LU.shape[-2:])
    strict = tril(LU[..., :count], -1)
    ones = diagonal(strict, 0, -2, -1) + 1
    return strict + diagonal_backward(ones, tuple(strict.shape), 0, -2, -1)


@nograd(half="bitwise")
def row_exchanges(be, pivots, like, /, rows):
    """Return the permutation matrices ``P`` with ``A = P L U`` for LAPACK's row exchanges."""
    batch, steps = pivots.shape[:-1], pivots.shape[-1]
    order = be.broadcast_to(be.arange(rows), (*batch, rows)).copy()
    for step in range(steps):
        other = pivots[..., step, None].astype(np.int64) - 1
        chosen = be.take_along_axis(order, other, -1)
        be.put_along_axis(order, other, order[..., step, None].copy(), -1)
        order[..., step] = chosen[..., 0]
    places = be.arange(rows)[:, None]
    return (places == order[..., None, :]).astype(like.dtype)


@public("linalg.lu_factor_ex", out=EXACT)
def linalg_lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return what `linalg.lu_factor` does, and the first zero on each U's diagonal, or 0.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> import pellucid as torch
    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    return lu_factors(A, pivot, "linalg.lu_factor_ex", check_errors)


_lu_factor = named("linalg_lu_factor", "LU", "pivots")
_legacy_lu = named("_lu", "LU", "pivots")
_legacy_lu_with_info = named("_lu_with_info", "LU", "pivots", "info")
_linalg_lu = named("linalg_lu", "P", "L", "U")
_lu_unpack = named("lu_unpack", "P", "L", "U")


@public("linalg.lu_factor", out=EXACT)
@autocasts(Autocast.AS_GIVEN)
def linalg_lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return ``L`` and ``U`` in one matrix, and the row exchanged with at each step, from 1.

    Raises RuntimeError where ``U`` has a zero on its diagonal.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.

    >>> import pellucid as torch
    >>> torch.linalg.lu_factor(torch.tensor([[0.0, 1.0], [2.0, 0.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    return _lu_factor(lu_factors(A, pivot, "linalg.lu_factor", True)[:2])


@public("lu functional.lu", method=True, out=CASTING, reads_late=True)
@autocasts(Autocast.AS_GIVEN)
def lu(A: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return an LU factorization in one matrix with its pivots; see `linalg.lu_factor`.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        get_infos: Whether to return ``info`` too.

    >>> import pellucid as torch
    >>> torch.lu(torch.eye(1) * 2).LU
    tensor([[2.]])
    """
    packed, pivots, info = lu_factors(A, pivot, "linalg.lu_factor_ex", not get_infos)
    if get_infos:
        return _legacy_lu_with_info((packed, pivots, info))
    return _legacy_lu((packed, pivots))


@public("linalg.lu", out=EXACT, reads_late=True)
@autocasts(Autocast.AS_GIVEN)
def linalg_lu(A: Any, *, pivot: bool = True) -> Any:
    """Return ``P``, ``L`` and ``U`` with ``A = P @ L @ U``: a permutation and triangular factors.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.

    >>> import pellucid as torch
    >>> torch.linalg.lu(torch.tensor([[0.0, 1.0], [2.0, 0.0]])).U
    tensor([[2., 0.],
            [0., 1.]])
    """
    packed, pivots, _ = lu_factors(A, pivot, "linalg.lu", False)
    return _linalg_lu(_unpacked(packed, pivots))


def _unpacked(packed: Any, pivots: Any) -> tuple[Any, Any, Any]:
    rows, columns = packed.shape[-2:]
    upper = triu(packed[..., : min(rows, columns), :])
    return row_exchanges(pivots, packed, rows), _unit_lower(packed), upper


@public("lu_unpack", out=EXACT)
def lu_unpack(
    LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """Return ``P``, ``L`` and ``U`` of a factorization; empty tensors for what is not unpacked.

    Args:
        LU_data: Packed factors ``[*, M, N]``, as `lu_factor` returns them.
        LU_pivots: Row exchanges (int32), as `lu_factor` returns them.
        unpack_data: Whether to unpack ``L`` and ``U``.
        unpack_pivots: Whether to unpack the permutation.

    Raises:
        RuntimeError: If the pivots are not int32, or out of range.

    >>> import pellucid as torch
    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.eye(1) * 2)).U
    tensor([[2.]])
    """
    if unpack_pivots and LU_pivots._array.dtype != np.int32:
        raise DtypeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype."
            "\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    pivots = LU_pivots._array
    rows = LU_data.shape[-2]
    if unpack_pivots and pivots.size and (pivots.min() < 1 or pivots.max() > rows):
        raise ShapeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    empty = LU_data.new_empty(0)
    P = row_exchanges(LU_pivots, LU_data, rows) if unpack_pivots else empty
    if not unpack_data:
        return _lu_unpack((P, empty, empty))
    upper = triu(LU_data[..., : min(LU_data.shape[-2:]), :])
    return _lu_unpack((P, _unit_lower(LU_data), upper))


@public("linalg.lu_solve", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_lu_solve(
    LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False
) -> Any:
    """Solve ``A X = B`` (``A.mH`` with ``adjoint``) with the LU factorization of ``A``.

    Args:
        LU: Packed factors ``[*, N, N]``, as `linalg.lu_factor` returns them.
        pivots: Row exchanges as the factorization returns them.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        adjoint: Whether the conjugate transpose of the matrix is used.

    Raises:
        RuntimeError: If the pivots are not int32, or shapes or dtypes do not fit.

    >>> import pellucid as torch
    >>> factors = torch.linalg.lu_factor(torch.eye(1) * 4)
    >>> torch.linalg.lu_solve(*factors, torch.ones(1, 1))
    tensor([[0.2500]])
    """
    function = "linalg.lu_solve"
    require_floats(function, LU, "lu_solve_cpu")
    require_same_dtype(function, LU, B)
    if pivots._array.dtype != np.int32:
        raise DtypeError(f"{function}: pivots should be a Tensor of scalar type torch.int32")
    require_square(function, LU, "LU")
    require_matrices(function, B, "B")
    _require_matching(function, LU, B, left)
    if left is False:
        turned = linalg_lu_solve(LU, pivots, conjugate_transpose(B), adjoint=not adjoint)
        return conjugate_transpose(turned)
    P = row_exchanges(pivots, LU, LU.shape[-1])
    if adjoint:
        lower, upper = conjugate_transpose(LU), conjugate_transpose(LU)
        half = linalg_solve_triangular(lower, B, upper=False)
        whole = linalg_solve_triangular(upper, half, upper=True, unitriangular=True)
        return matmul(P, whole)
    half = linalg_solve_triangular(LU, matmul(P.mT, B), upper=False, unitriangular=True)
    return linalg_solve_triangular(LU, half, upper=True)


@public("lu_solve", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Solve ``A X = b`` with the LU factorization of ``A``; see `linalg.lu_solve`.

    Args:
        b: Right-hand sides ``[*, N, K]``.
        LU_data: Packed factors ``[*, M, N]``, as `lu_factor` returns them.
        LU_pivots: Row exchanges (int32), as `lu_factor` returns them.

    >>> import pellucid as torch
    >>> torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1) * 4))
    tensor([[0.2500]])
    """
    return linalg_lu_solve(LU_data, LU_pivots, b)


# ---- determinants -----------------------------------------------------------------------------


@public("det", method=True)
@public("linalg.det", out=EXACT)
@op(half="bitwise", batch=Batch.LAST_DIMS)
def linalg_det(be, A, /):
    """Return the determinants of square matrices: ``[*, n, n]`` to ``[*]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> import pellucid as torch
    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    require_square("linalg.det", A)
    require_floats("linalg.det", A, "lu_factor_cpu")
    return be.linalg.det(A)


@linalg_det.vjp("A")
def linalg_det_input(g, A):
    return g[..., None, None] * cofactors(A)


@op(kernel="cofactors", batch=Batch.LAST_DIMS)
def cofactors(be, A, /):
    """Return the matrices of cofactors, the derivative of the determinant."""


@cofactors.vjp("A")
def cofactors_input(g, A):
    turned = inverses(A)[0].mT
    along = (g * turned).sum((-2, -1))[..., None, None]
    return linalg_det(A)[..., None, None] * (along * turned - matmul(matmul(turned, g.mT), turned))


@public("slogdet", method=True)
@public("linalg.slogdet", out=EXACT)
@op(
    half="bitwise",
    outputs=("sign", "logabsdet"),
    returns=named("linalg_slogdet", "sign", "logabsdet"),
    holomorphic=False,
    batch=Batch.LAST_DIMS,
)
def linalg_slogdet(be, A, /):
    """Return the signs (for complex numbers: units) of determinants, and the logarithms of sizes.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> import pellucid as torch
    >>> torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sign
    tensor(-1.)
    """
    return _slogdet(be, "linalg.slogdet", A)


def _slogdet(be: Any, function: str, A: Any) -> Any:
    require_square(function, A)
    require_floats(function, A, "lu_factor_cpu")
    return tuple(be.linalg.slogdet(A))


@linalg_slogdet.vjp("A")
def linalg_slogdet_input(g_sign, g_logabsdet, A, sign):
    turn = imag(conjugate(g_sign) * sign) * -1j if is_complex(sign) and g_sign is not None else None
    along = added(g_logabsdet, turn)
    if along is None:  # the sign of a real determinant does not move
        return A * 0
    return along[..., None, None] * conjugate_transpose(inverses(A)[0])


@public("logdet", method=True)
@autocasts(Autocast.AS_GIVEN)
def logdet(input: Any) -> Any:
    """Return the logarithms of determinants, NaN where they are negative.

    Args:
        input: Square matrices ``[*, n, n]``, floating point or complex.

    >>> import pellucid as torch
    >>> torch.logdet(torch.eye(2))
    tensor(0.)
    """
    require_square("logdet", input)
    require_floats("logdet", input, "lu_factor_cpu")
    sign, size = linalg_slogdet(input)
    if is_complex(input):
        return log(sign) + size
    return where(sign == -1, float("nan"), size)
