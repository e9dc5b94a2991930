"""A few extreme eigenpairs of a large symmetric matrix, by SciPy's LOBPCG."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.core.backward.history import edge_of
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentError, DtypeError, ShapeError, UnimplementedError
from pellucid.ops.elementwise.powers import sqrt
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.random.sampling import stream_of
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.shape.views import transpose


class UnfitMatrixError(ShapeError, AssertionError):
    """A matrix is not square, or not of the shape of the other."""


@public("lobpcg", reads_late=True)
def lobpcg(
    A: Any, k: int | None = None, B: Any = None, X: Any = None, n: int | None = None,
    iK: Any = None, niter: int | None = None, tol: float | None = None,
    largest: bool | None = None, method: str | None = None, tracker: Any = None,
    ortho_iparams: Any = None, ortho_fparams: Any = None, ortho_bparams: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the ``k`` largest (or smallest) eigenvalues of ``A x = e B x`` and their vectors.

    ``A`` is symmetric, ``[*, m, m]``, and ``B`` positive definite; the results are ``[*, k]`` and
    ``[*, m, k]``. ``X`` is where to start, by default ``n`` random vectors; ``iK`` approximates the
    inverse of ``A``; the search ends after ``niter`` steps or with residuals below ``tol`` times
    the norm of ``A``. Every ``method`` is SciPy's, which has no need of the ``ortho_`` parameters.

    There is a derivative by ``A``, of first and second order, where ``B`` is not given; as in
    PyTorch it takes the matrix for symmetric. It needs the whole spectrum. Raises RuntimeError for
    matrices that do not fit, ValueError where m is less than 3 n, and NotImplementedError for a
    ``tracker``.

    Knyazev, "Toward the Optimal Preconditioned Eigensolver", SIAM J. Sci. Comput. 23, 2001.

    Args:
        A: Symmetric matrix ``[*, M, M]``.
        k: Number of eigenpairs.
        B: Positive definite matrix of the generalized problem, or ``None``.
        X: First guess of the eigenvectors ``[M, K]``.
        n: Number of eigenpairs, by default the columns of ``X``.
        iK: Preconditioner.
        niter: Largest number of iterations.
        tol: Tolerance below which values count as 0.
        largest: Whether the largest are looked for rather than the smallest.
        method: Name of the variant; there is one.
        tracker: Function called after each iteration.
        ortho_iparams: Accepted as PyTorch does; not used.
        ortho_fparams: Accepted as PyTorch does; not used.
        ortho_bparams: Accepted as PyTorch does; not used.

    >>> values, vectors = torch.lobpcg(torch.diag(torch.arange(1.0, 10.0)), k=2)
    >>> values
    tensor([9., 8.])
    """
    if tracker is not None:
        raise UnimplementedError("lobpcg(): steps of SciPy's search cannot be tracked")
    matrices, size = A._array, A._array.shape[-1]
    _check_matrices(matrices, None if B is None else B._array)
    wanted = k if k is not None else 1 if X is None else X._array.shape[-1]
    columns = X._array.shape[-1] if X is not None else wanted if n is None else n
    if size < 3 * columns:
        raise ArgumentError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={size}) is smaller "
            f"than 3 x the number of requested eigenpairs (={columns})"
        )
    batch = matrices.shape[:-2]
    if X is not None:
        _check_guess(X._array, matrices)
    start = _start((*batch, size, columns), matrices.dtype) if X is None else X._array
    others = [None if each is None else each._array for each in (B, iK)]
    options = {
        "tol": np.sqrt(np.finfo(matrices.dtype).eps) if tol is None else tol,
        "maxiter": 1000 if niter is None or niter < 0 else niter,
        "largest": largest is not False,
    }
    values = np.empty((*batch, columns), matrices.dtype)
    vectors = np.empty((*batch, size, columns), matrices.dtype)
    for position in np.ndindex(batch):
        b, preconditioner = (None if each is None else each[position] for each in others)
        values[position], vectors[position] = _eigenpairs(
            matrices[position], b, start[position], preconditioner, **options
        )
    count = min(wanted, columns)
    found = new_tensor(values[..., :count].copy()), new_tensor(vectors[..., :count].copy())
    if modes.grad_enabled and any(
        each is not None and edge_of(each) is not None for each in (A, B)
    ):
        if B is not None:
            raise ArgumentError("lobpcg.backward does not support backward with B != I yet.")
        return _with_history(A, *found)
    return found


def _check_matrices(a: Any, b: Any) -> None:
    if a.dtype not in (np.float32, np.float64):
        raise DtypeError(f"lobpcg(): expected float32 or float64, got {scalar_name(a.dtype)}")
    if a.ndim < 2 or a.shape[-2] != a.shape[-1]:
        raise UnfitMatrixError(f"A must be square, got shape {list(a.shape)}")
    if b is not None and a.shape != b.shape:
        raise UnfitMatrixError(
            f"A and B must have same shape, got {list(a.shape)} vs {list(b.shape)}"
        )


def _check_guess(guess: Any, a: Any) -> None:
    """Raise for first vectors that SciPy would refuse in words of its own."""
    check_same_dtype(a, guess, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    if guess.shape[:-1] != a.shape[:-1] or not guess.shape[-1]:
        raise UnfitMatrixError(
            f"X must be [*, m, n] for A of shape {list(a.shape)}, got shape {list(guess.shape)}"
        )


def _start(shape: tuple[int, ...], dtype: Any) -> Any:
    return stream_of(None).normal(shape, dtype, 0.0, 1.0, contiguous=True)


def _eigenpairs(
    a: Any, b: Any, start: Any, preconditioner: Any, tol: float, maxiter: int, largest: bool
) -> Any:
    from scipy.sparse.linalg import lobpcg as search

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns where the search ends before it converges
        return search(
            a, start, b, preconditioner, tol=tol * float(np.linalg.norm(a, 2)), maxiter=maxiter,
            largest=largest,
        )  # fmt: skip


def _with_history(a: Any, values: Any, vectors: Any) -> tuple[Any, Any]:
    """Return the eigenpairs as functions of the matrix, which have derivatives up to second order.

    Each step of perturbation theory leaves the vectors where they are, as they solve the equation,
    but moves with the matrix as they would, with one more order: the first step with the first. The
    values are the Rayleigh quotients of the result.
    """
    symmetric = (a + transpose(a, -2, -1)) / 2
    spectrum, basis = np.linalg.eigh(symmetric._array)
    gaps = spectrum[..., :, None] - values._array[..., None, :]
    near = np.abs(gaps) <= 1e3 * np.finfo(gaps.dtype).eps * np.abs(spectrum).max(initial=0.0)
    inverse_gaps = new_tensor(np.where(near, 0, 1 / np.where(near, 1, gaps)))
    basis, adjoint = new_tensor(basis), new_tensor(basis.swapaxes(-2, -1))
    for _ in range(2):
        images = matmul(symmetric, vectors)
        quotients = sum(vectors * images, -2, True)
        moved = vectors - matmul(
            basis, inverse_gaps * matmul(adjoint, images - vectors * quotients)
        )
        vectors = moved / sqrt(sum(moved * moved, -2, True))
    return sum(vectors * matmul(symmetric, vectors), -2), vectors
