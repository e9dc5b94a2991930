"""Least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.definition.result_types import named
from pellucid.dtypes import from_numpy_dtype, real_counterpart, scalar_name
from pellucid.errors import DtypeError, LinAlgError, ShapeError
from pellucid.ops.elementwise.signs import abs
from pellucid.ops.linalg.decompositions import linalg_svdvals
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import require_floats
from pellucid.ops.linalg.matrix_functions import count_above, linalg_pinv
from pellucid.ops.reduce.reductions import sum

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")
_lstsq = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


@public("linalg.lstsq")
@autocasts(Autocast.FLOAT32)
def linalg_lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Find the ``X`` of least norm that makes ``A @ X - B`` least, by the pseudoinverse of ``A``.

    Shapes: ``[*, m, n]``, ``[*, m, k]`` (or one vector ``[m]``), and ``[*, n, k]``. Singular values
    up to ``rcond`` times the largest count as zero. What the LAPACK routine named by ``driver``
    leaves out is left out here: residuals, rank or singular values are then empty.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        rcond: Singular values below this share of the largest count as 0.
        driver: Name of the LAPACK routine: ``"gelsy"``, ``"gels"``, ``"gelsd"`` or
            ``"gelss"``.

    Raises:
        RuntimeError: If a matrix does not have full rank and ``driver`` is ``"gels"``.

    >>> torch.linalg.lstsq(torch.ones(2, 1), torch.tensor([[1.0], [4.0]])).solution
    tensor([[2.5000]])
    """
    driver = driver or "gelsy"
    vectors = _check_least_squares(A, B, driver)
    right = B.unsqueeze(-1) if vectors else B
    rows, columns = A.shape[-2:]
    if rcond is None:
        rcond = float(np.finfo(A._array.dtype).eps) * max(rows, columns)
    solution = matmul(linalg_pinv(A, rcond), right)
    values = linalg_svdvals(A.detach())
    rank = count_above(values, 0.0, rcond)
    ranks = rank._array
    # inside vmap there are no values to look at
    full = not isinstance(ranks, np.ndarray) or bool((ranks == min(rows, columns)).all())
    if driver == "gels" and not full:
        raise LinAlgError(
            "torch.linalg.lstsq: The least squares solution could not be computed because the "
            f"input matrix does not have full rank (error code: {int(rank._array.min()) + 1})."
        )
    empty = A.new_empty(0, dtype=from_numpy_dtype(real_counterpart(A._array.dtype)))
    residuals = abs(solution).reshape((-1,))[:0]  # none, but with PyTorch's history
    if rows > columns and full and driver != "gelsy":
        size = abs(matmul(A, solution) - right)
        residuals = sum(size * size, -2)
    return _lstsq((
        solution.squeeze(-1) if vectors else solution,
        residuals,
        A.new_empty(0, dtype=from_numpy_dtype(np.dtype(np.int64))) if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else empty,
    ))  # fmt: skip


def _check_least_squares(A: Any, B: Any, driver: str) -> bool:
    function = "torch.linalg.lstsq"
    if A.ndim < 2:
        raise ShapeError(f"{function}: input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise ShapeError(f"{function}: other must have at least 1 dimension.")
    if driver not in _DRIVERS:
        raise ShapeError(
            f"{function}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if A._array.dtype != B._array.dtype:
        raise DtypeError(
            f"{function}: Expected input and other to have the same dtype, but got input's dtype "
            f"{scalar_name(A._array.dtype)} and other's dtype {scalar_name(B._array.dtype)}"
        )
    require_floats(function, A._array, "linalg_lstsq_cpu")
    vectors = A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1])
    axis = -1 if vectors else -2
    if (B.ndim < 2 and not vectors) or A.shape[-2] != B.shape[axis]:
        raise ShapeError(f"{function}: input.size(-2) should match other.size({axis})")
    return vectors
