"""LU decompositions, and linear equations by means of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.families import nograd, op
from pellucid.errors import DtypeError, LinAlgError, ShapeError
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    conjugate_transpose,
    first_failure,
    require_floats,
    require_kernel,
    require_matrices,
    require_same_dtype,
    require_square,
)
from pellucid.ops.linalg.solving import linalg_solve_triangular, require_matching
from pellucid.ops.shape.diagonal import diagonal, diagonal_backward, tril, triu
from pellucid.ops.shape.join import cat


@op(
    torch_kernel_name="lu_cpu",
    half="bitwise", returns=named("linalg_lu_factor_ex", "LU", "pivots", "info"),
    batch=Batch.LAST_DIMS,
)  # fmt: skip
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
        position = failure[1]
        raise LinAlgError(
            f"torch.{function}: {failure[0]}U[{position},{position}] is zero and using it on "
            "lu_solve would result in a division by zero. If you still want to perform the "
            "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
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


@nograd(half="bitwise", node_name="lu_unpack")
def row_exchanges(be, pivots, like, /, rows):
    """Return the permutation matrices ``P`` with ``A = P L U`` for LAPACK's row exchanges."""
    batch, steps = pivots.shape[:-1], pivots.shape[-1]
    order = be.broadcast_to(be.arange(rows), (*batch, rows)).copy()
    for step in range(steps):
        other = pivots[..., step, None].astype(np.int64) - 1
        chosen = be.take_along_axis(order, other, -1)
        be.put_along_axis(order, other, order[..., step, None].copy(), -1)
        order[..., step] = chosen[..., 0]
    positions = be.arange(rows)[:, None]
    return (positions == order[..., None, :]).astype(like.dtype)


@public("linalg.lu_factor_ex", out=EXACT)
def linalg_lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return what `linalg.lu_factor` does, and the first zero on each U's diagonal, or 0.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

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
        A, pivot: As for `linalg_lu_factor_ex`.

    >>> torch.linalg.lu_factor(torch.tensor([[0.0, 1.0], [2.0, 0.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    return _lu_factor(lu_factors(A, pivot, "linalg.lu_factor", True)[:2])


@public("lu functional.lu", method=True, out=CASTING, reads_late=True)
@autocasts(Autocast.AS_GIVEN)
def lu(A: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return an LU factorization in one matrix with its pivots; see `linalg.lu_factor`.

    Args:
        A, pivot: As for `linalg_lu_factor_ex`.
        get_infos: Whether to return ``info`` too.

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

    Args: As for `linalg_lu_factor`.

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
    require_matching(function, LU, B, left)
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
        LU_data, LU_pivots: As for `lu_unpack`.

    >>> torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1) * 4))
    tensor([[0.2500]])
    """
    return linalg_lu_solve(LU_data, LU_pivots, b)
