"""The largest singular values of a matrix, from its products with a few random vectors."""

from __future__ import annotations

from typing import Any

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.dtypes import default
from pellucid.errors import ArgumentError, ShapeError
from pellucid.ops.linalg.decompositions import linalg_qr, linalg_svd
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import conjugate_transpose
from pellucid.ops.random.sampling import stream_of
from pellucid.ops.reduce.reductions import mean


@public("svd_lowrank functional.svd_lowrank")
def svd_lowrank(
    A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None
) -> tuple[Any, Any, Any]:
    """Return about the ``q`` largest singular values of ``A - M``: ``U``, ``S`` and ``V``.

    Shapes: ``A`` is ``[*, m, n]`` and ``M`` broadcasts to it; ``U`` is ``[*, m, q]``, ``S``
    ``[*, q]`` and ``V`` ``[*, n, q]``. The subspace is found by ``niter`` steps of iteration from
    random vectors: seed the generator to get the same again. Halko, Martinsson and Tropp, "Finding
    structure with randomness", SIAM Review 53, 2011, algorithms 4.4 and 5.1.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``.
        q: Number of singular values to find.
        niter: Largest number of iterations.
        M: Matrix subtracted from ``A``, or ``None``.

    >>> U, S, V = torch.svd_lowrank(torch.ones(3, 4), q=1)
    >>> S
    tensor([3.4641])
    """
    matrix = A if M is None else A - M
    rows, columns = matrix.shape[-2:]
    wide = rows < columns
    if wide:
        matrix = conjugate_transpose(matrix)
    basis = _range_basis(matrix, 6 if q is None else q, 2 if niter is None else niter)
    U, S, Vh = linalg_svd(matmul(conjugate_transpose(basis), matrix), False)
    left, right = matmul(basis, U), conjugate_transpose(Vh)
    return (right, S, left) if wide else (left, S, right)


def _range_basis(matrix: Any, count: int, steps: int) -> Any:
    """Return orthonormal columns that nearly span what the matrix makes of most vectors."""
    shape = (matrix.shape[-1], count)
    if count < 0:
        raise ShapeError(f"Trying to create tensor with negative dimension {count}: {list(shape)}")
    dtype = matrix._array.dtype if matrix._array.dtype.kind in "fc" else default()
    start = new_tensor(stream_of(None).normal(shape, dtype))
    basis = linalg_qr(matmul(matrix, start)).Q
    for _ in range(steps):
        basis = linalg_qr(matmul(conjugate_transpose(matrix), basis)).Q
        basis = linalg_qr(matmul(matrix, basis)).Q
    return basis


@public("pca_lowrank functional.pca_lowrank")
def pca_lowrank(
    A: Any, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Any, Any, Any]:
    """Return about the ``q`` first principal components of rows of samples: ``U``, ``S``, ``V``.

    The columns of ``V`` are the directions, and ``S ** 2 / (m - 1)`` the variances along them;
    ``center`` takes the mean of the samples off. By default ``q`` is ``min(6, m, n)``. Raises
    ValueError for a ``q`` or ``niter`` out of range.

    Args:
        A, q: As for `svd_lowrank`.
        center: Whether the columns are centred first.
        niter: Largest number of iterations.

    >>> samples = torch.tensor([[0.0, 1.0], [2.0, 1.0]])
    >>> torch.pca_lowrank(samples, q=1)[2].abs()
    tensor([[1.],
            [0.]])
    """
    least = min(A.shape[-2:])
    wanted = min(6, least) if q is None else q
    if not 0 <= wanted <= least:
        raise ArgumentError(
            f"q(={wanted}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ArgumentError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - mean(A, -2, True) if center else A, wanted, niter)
