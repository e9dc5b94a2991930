"""Symmetric indefinite matrices: ``L D L^T`` with blocks of one or two rows in ``D``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import public
from pellucid.core.definition.result_types import named
from pellucid.core.families import underived
from pellucid.dtypes import is_complex_dtype, scalar_name
from pellucid.errors import DimensionError, DtypeError, LinAlgError, ShapeError
from pellucid.ops.linalg.matrices import (
    first_failure,
    require_floats,
    require_kernel,
    require_square,
)

_FACTOR_EX = "torch.linalg.ldl_factor_ex"
_SOLVE = "torch.linalg.ldl_solve"


@underived(
    half="bitwise", returns=named("linalg_ldl_factor_ex", "LD", "pivots", "info"),
    batch=Batch.LAST_DIMS,
)  # fmt: skip
def ldl_factors(be, A, /, hermitian=False, check_errors=False):
    """Return ``L`` and ``D`` in one triangle, the exchanges of rows, and zero blocks of ``D``."""
    require_square(_FACTOR_EX, A)
    require_floats(_FACTOR_EX, A, "ldl_factor_kernel_cpu")
    batch, size = A.shape[:-2], A.shape[-1]
    packed = np.zeros_like(A)
    pivots, info = np.zeros((*batch, size), np.int32), np.zeros(batch, np.int32)
    if size:
        for position in np.ndindex(batch):
            packed[position], pivots[position], info[position] = _factored(A[position], hermitian)
    failure = first_failure(info) if check_errors else None
    if failure:
        raise LinAlgError(
            f"{_FACTOR_EX}: {failure[0]}D[{failure[1]},{failure[1]}] is zero and using it on "
            "ldl_solve would result in a division by zero. If that is all right, call "
            "linalg.ldl_factor_ex with check_errors=False."
        )
    return packed, pivots, info


def _factored(matrix: Any, hermitian: bool) -> tuple[Any, Any, int]:
    """Decompose one matrix by LAPACK, which reads the lower triangle."""
    from scipy.linalg import get_lapack_funcs

    kind = "he" if hermitian and is_complex_dtype(matrix.dtype) else "sy"
    factor, best = get_lapack_funcs((f"{kind}trf", f"{kind}trf_lwork"), (matrix,))
    length = int(best(len(matrix), lower=1)[0].real)
    packed, pivots, info = factor(matrix, lower=1, lwork=length)
    return np.tril(packed), pivots, info


@public("linalg.ldl_factor_ex")
def linalg_ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """Return what `linalg.ldl_factor` does, and the first block of each ``D`` that is zero, or 0.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    return ldl_factors(A, hermitian, check_errors)


_ldl_factor = named("linalg_ldl_factor", "LD", "pivots")


@public("linalg.ldl_factor")
def linalg_ldl_factor(A: Any, *, hermitian: bool = False) -> Any:
    """Return ``L`` and ``D`` with ``A = P L D L^T P^T`` in one triangle, and the pivots.

    ``A``, of shape ``[*, n, n]``, is symmetric, or with ``hermitian`` equal to its conjugate
    transpose; its lower triangle counts. Pivots are as LAPACK's ``sytrf`` leaves them: a positive
    one is the row exchanged with, from 1; two equal negative ones make a block of two rows. Raises
    RuntimeError for singular matrices. As in PyTorch there is no derivative.

    Args:
        A, hermitian: As for `linalg_ldl_factor_ex`.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
    >>> LD
    tensor([[2.0000, 0.0000],
            [0.5000, 2.5000]])
    """
    return _ldl_factor(ldl_factors(A, hermitian, True)[:2])


@public("linalg.ldl_solve")
@underived(torch_kernel_name="ldl_solve_kernel_cpu", half="bitwise")
def linalg_ldl_solve(be, LD, pivots, B, /, *, hermitian=False):
    """Solve ``A X = B`` with what `linalg.ldl_factor` made of ``A``.

    Shapes: ``[*, n, n]``, ``[*, n]``, ``[*, n, k]``, with the batches broadcast. Raises
    RuntimeError for shapes and dtypes that do not fit.

    Args:
        LD: Packed factors, as `linalg.ldl_factor` returns them.
        pivots: Row exchanges as the factorization returns them.
        B: Right-hand side: vectors or matrices that fit ``A``.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]]))
    tensor([[2.],
            [1.]])
    """
    _check_system(LD, pivots, B)
    batch = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    factors = np.broadcast_to(LD, (*batch, *LD.shape[-2:]))
    exchanges = np.broadcast_to(pivots, (*batch, pivots.shape[-1]))
    right = np.broadcast_to(B, (*batch, *B.shape[-2:]))
    solved = np.empty_like(right, order="C")
    for position in np.ndindex(batch):
        solved[position] = _solved(
            factors[position], exchanges[position], right[position], hermitian
        )
    return solved


def _check_system(LD: Any, pivots: Any, B: Any) -> None:
    require_square(_SOLVE, LD, "LD")
    if B.ndim < 2:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [-1, 0], but got -2): B has "
            f"{B.ndim} dimensions where {_SOLVE} wants at least 2"
        )
    if LD.shape[-1] != B.shape[-2]:
        raise ShapeError(
            f"Incompatible matrix sizes for {_SOLVE}: each A matrix is {LD.shape[-1]} by "
            f"{LD.shape[-1]} but each b matrix is {B.shape[-2]} by {B.shape[-1]}"
        )
    if LD.shape[:-1] != pivots.shape:
        raise ShapeError(
            f"{_SOLVE}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots "
            f"with shape {list(pivots.shape)} instead"
        )
    if pivots.dtype.kind not in "iu":
        raise DtypeError(
            f"{_SOLVE}: Expected pivots to be integers. Got {scalar_name(pivots.dtype)}"
        )
    if LD.dtype != B.dtype:
        raise DtypeError(
            f"Expected b and A to have the same dtype, but found b of type {scalar_name(B.dtype)} "
            f"and A of type {scalar_name(LD.dtype)} instead."
        )
    require_kernel("ldl_solve_kernel_cpu", LD)


def _solved(packed: Any, pivots: Any, right: Any, hermitian: bool) -> Any:
    """Solve one system by forward substitution, the blocks of ``D``, and back substitution."""
    if not right.size:
        return right
    from scipy.linalg import solve_triangular

    lower, order, double = _unpacked(packed, pivots)
    beside = packed[double + 1, double]
    above = beside.conj() if hermitian else beside
    options: Any = {"lower": True, "unit_diagonal": True, "check_finite": False}
    found = solve_triangular(lower, right[order], **options)
    found = _block_solved(packed.diagonal(), above, beside, double, found)
    options["trans"] = 2 if hermitian else 1
    found = solve_triangular(lower, found, **options)
    result = np.empty_like(found)
    result[order] = found
    return result


def _unpacked(packed: Any, pivots: Any) -> tuple[Any, Any, Any]:
    """Return ``L`` with its rows in their last order, that order, and where blocks of two begin.

    LAPACK leaves each column of ``L`` as it was before later exchanges (compare its ``syconv``).
    """
    size = len(pivots)
    paired = np.flatnonzero(pivots < 0)
    double = paired[::2]
    lower, order = np.tril(packed, -1), np.arange(size)
    lower[double + 1, double] = 0
    for step in range(size):
        exchanged = abs(int(pivots[step])) - 1
        first_of_two = step in double
        if first_of_two or exchanged == step:
            continue
        column = step - 1 if pivots[step] < 0 else step
        rows = [step, exchanged]
        lower[rows, :column] = lower[rows[::-1], :column]
        order[rows] = order[rows[::-1]]
    return lower, order, double


def _block_solved(diagonal: Any, above: Any, beside: Any, double: Any, right: Any) -> Any:
    """Divide by blocks: numbers on the diagonal, and pairs of rows by Cramer's rule."""
    divisors = diagonal.copy()
    divisors[double] = divisors[double + 1] = 1
    result = right / divisors[:, None]
    first, second = diagonal[double][:, None], diagonal[double + 1][:, None]
    above, beside = above[:, None], beside[:, None]
    upper, lower = right[double], right[double + 1]
    determinant = first * second - above * beside
    result[double] = (second * upper - above * lower) / determinant
    result[double + 1] = (first * lower - beside * upper) / determinant
    return result
