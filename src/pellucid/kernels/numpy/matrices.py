"""Factorizations and solutions of batches of matrices, by LAPACK through NumPy and SciPy.

Where a matrix of a batch cannot be dealt with, the others still are, and a number per matrix says
what was wrong: 0 is nothing, k is where LAPACK stopped, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import silence


def _batch_indices(batch: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return iter(np.ndindex(*batch))


def _no_infos(batch: tuple[int, ...]) -> Array:
    return np.zeros(batch, np.int32)


def cholesky(a: Array, upper: bool) -> tuple[Array, Array]:
    """Return triangular factors and where each matrix stops being positive-definite."""
    infos = _no_infos(a.shape[:-2])
    try:
        return np.linalg.cholesky(a, upper=upper), infos
    except np.linalg.LinAlgError:
        from scipy.linalg import lapack

    (potrf,) = lapack.get_lapack_funcs(("potrf",), (a,))
    factors = np.empty_like(a, order="C")
    for position in _batch_indices(infos.shape):
        factors[position], infos[position] = potrf(a[position], lower=not upper, clean=True)
    return factors, infos


def lu_factor(a: Array) -> tuple[Array, Array, Array]:
    """Return both factors in one matrix, the rows exchanged at each step, and zeros met."""
    from scipy.linalg import lapack

    batch, steps = a.shape[:-2], min(a.shape[-2:])
    packed, pivots, infos = a.copy(), np.empty((*batch, steps), np.int32), _no_infos(batch)
    if a.size:
        (getrf,) = lapack.get_lapack_funcs(("getrf",), (a,))
        for position in _batch_indices(batch):
            packed[position], pivots[position], infos[position] = getrf(a[position])
    return packed, pivots + np.int32(1), infos


def inverse(a: Array) -> tuple[Array, Array]:
    """Return inverses, NaN for singular matrices, and where those have a zero pivot."""
    infos = _no_infos(a.shape[:-2])
    try:
        return _undefined_like(a, np.linalg.inv(a)), infos
    except np.linalg.LinAlgError:
        infos = lu_factor(a)[2]
    regular = np.where(infos[..., None, None] == 0, a, np.eye(a.shape[-1], dtype=a.dtype))
    inverted = np.where(infos[..., None, None] == 0, np.linalg.inv(regular), a.dtype.type(np.nan))
    return _undefined_like(a, inverted), infos


def _undefined_like(a: Array, inverted: Array) -> Array:
    """Return what matrices give, NaN throughout where they contain one, which LAPACK may skip."""
    undefined = np.isnan(a).any((-2, -1), keepdims=True)
    return np.where(undefined, _nan(a.dtype), inverted) if undefined.any() else inverted


def _nan(dtype: Any) -> Any:
    return dtype.type(complex(np.nan, np.nan) if dtype.kind == "c" else np.nan)


def solve(a: Array, b: Array) -> tuple[Array, Array]:
    """Solve ``a @ x = b``, with NaN for singular matrices; say where those have a zero pivot."""
    infos = _no_infos(a.shape[:-2])
    try:
        return np.linalg.solve(a, b), infos
    except np.linalg.LinAlgError:
        infos = lu_factor(a)[2]
    regular = np.where(infos[..., None, None] == 0, a, np.eye(a.shape[-1], dtype=a.dtype))
    found = np.linalg.solve(regular, b)
    return np.where(infos[..., None, None] == 0, found, a.dtype.type(np.nan)), infos


def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    """Solve ``a @ x = b``, or ``x @ a = b``, for matrices of which one triangle counts."""
    from scipy.linalg import blas

    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    found = np.array(b, order="C")
    if found.size:
        (trsm,) = blas.get_blas_funcs(("trsm",), (a, b))
        for position in _batch_indices(batch):
            found[position] = trsm(
                1, a[position], b[position], side=not left, lower=not upper, diag=unitriangular
            )
    return found


def householder_vectors(a: Array) -> tuple[Array, Array]:
    """Return a QR decomposition as LAPACK leaves it: R above, reflections below, their factors."""
    packed, factors = np.linalg.qr(a, mode="raw")
    return np.swapaxes(packed, -1, -2), factors


def eigenpairs(a: Array) -> tuple[Array, Array]:
    """Return complex eigenvalues and eigenvectors."""
    values, vectors = np.linalg.eig(a)
    dtype = np.result_type(a.dtype, np.complex64)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


def eigenvalues(a: Array) -> Array:
    """Return complex eigenvalues."""
    return np.linalg.eigvals(a).astype(np.result_type(a.dtype, np.complex64), copy=False)


def pseudoinverse(a: Array, least: Any, relative: Any, hermitian: bool) -> Array:
    """Invert matrices where they are not negligible.

    Singular values, or sizes of eigenvalues, no larger than ``least`` and ``relative`` times the
    largest count as zero.
    """
    if hermitian:
        values, left = np.linalg.eigh(a)
        right = np.conj(np.swapaxes(left, -1, -2))
    else:
        left, values, right = np.linalg.svd(a, full_matrices=False)
    size = np.abs(values)
    border = np.maximum(least, relative * size.max(-1, initial=0))[..., None]
    kept = size > border
    inverted = np.divide(1, values, where=kept, out=np.zeros_like(values))
    turned = np.conj(np.swapaxes(right, -1, -2)) * inverted[..., None, :]
    return turned.astype(a.dtype, copy=False) @ np.conj(np.swapaxes(left, -1, -2))


def determinant(a: Array) -> Array:
    """Return the determinants of matrices."""
    with silence():
        found = np.asarray(np.linalg.det(a))
    return _undefined_like(a, found[..., None, None])[..., 0, 0]


def _sound_inverse(a: Array) -> Array | None:
    """Return the inverses of matrices if all are far from singular: within a thousandth of eps."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    sizes = [np.abs(each).sum(-1).max(-1) for each in (a, inverse)]
    condition = np.multiply(*sizes)
    return inverse if condition.max() < 1e-3 / np.finfo(a.dtype).eps else None


def cofactors(a: Array) -> Array:
    """Return the matrices of cofactors, of singular matrices too.

    With ``a = U S Vh`` they are ``conj(det(U Vh) U C Vh)``, each element of the diagonal ``C``
    being the product of all singular values but one. Matrices that are not finite, which have no
    singular values, give NaN.
    """
    if not a.size:
        return np.zeros_like(a)
    finite = np.isfinite(a).all((-2, -1), keepdims=True)
    if not finite.all():
        identity = np.eye(a.shape[-1], dtype=a.dtype)
        return np.where(finite, cofactors(np.where(finite, a, identity)), _nan(a.dtype))
    inverse = _sound_inverse(a)
    if inverse is not None:
        return np.linalg.det(a)[..., None, None] * np.swapaxes(inverse, -1, -2)
    u, s, vh = np.linalg.svd(a)
    ones = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate((ones, s[..., :-1]), -1), -1)
    after = np.cumprod(np.concatenate((ones, s[..., :0:-1]), -1), -1)[..., ::-1]
    turn = np.conj(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return np.conj(turn * (u * (before * after)[..., None, :]) @ vh)


def matrix_exp(a: Array) -> Array:
    """Return the exponentials of matrices, computed in double precision."""
    from scipy.linalg import expm

    # Repeated squaring multiplies the rounding errors of single precision by the exponent.
    double = a.astype(np.result_type(a.dtype, np.float64), copy=False)
    return expm(double).astype(a.dtype, copy=False) if a.size else np.zeros_like(a)
