"""Functions of matrices: exponentials, powers, pseudoinverses, norms, products, least squares."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import nograd, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import epsilon, is_differentiable, scalar_name
from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.extrema import maximum
from pellucid.ops.elementwise.signs import abs
from pellucid.ops.linalg.decompositions import (
    linalg_eigh,
    linalg_eigvalsh,
    linalg_svd,
    linalg_svdvals,
    require_singular_values,
)
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    conjugate_transpose,
    on_diagonal,
    require_floats,
    require_matrices,
    require_square,
)
from pellucid.ops.linalg.solving import linalg_inv
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import unsqueeze


@public("matrix_exp linalg.matrix_exp", method=True)
@op(batch=Batch.LAST_DIMS)
def linalg_matrix_exp(be, A, /):
    """Return the exponentials of square matrices.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    require_square("linalg.matrix_exp", A)
    require_floats("linalg.matrix_exp", A, "baddbmm")
    return be.matrix_exp(A)


@linalg_matrix_exp.vjp("A")
def linalg_matrix_exp_input(g, A):
    return _exp_along(A.mT, g)


@linalg_matrix_exp.jvp
def linalg_matrix_exp_forward(t_A, A):
    return _exp_along(A, t_A)


def _exp_along(A: Any, direction: Any) -> Any:
    """Read the derivative of the exponential along a direction off a block of an exponential.

    Source: Mathias, "A Chain Rule for Matrix Functions and Applications", 1996.
    """
    size = A.shape[-1]
    upper = cat([A, direction], -1)
    lower = cat([direction * 0, A], -1)
    return linalg_matrix_exp(cat([upper, lower], -2))[..., :size, size:]


@public("matrix_power linalg.matrix_power", method=True, out=CASTING)
def linalg_matrix_power(A: Any, n: int) -> Any:
    """Multiply square matrices ``n`` times with themselves; a negative ``n`` inverts them first.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        n: Exponent, an integer.

    Raises:
        TypeError: If ``n`` is not an int.
        RuntimeError: If a matrix is not square, or is singular and ``n`` negative.

    >>> torch.linalg.matrix_power(torch.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])
    """
    if not hasattr(n, "__index__"):
        raise ArgumentTypeError(
            f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}"
        )
    require_square("linalg.matrix_power", A)
    if n == 0:
        identity = on_diagonal(A.new_ones(tuple(A.shape[:-1])))
        return A.clone().copy_(identity)  # as PyTorch's, with a gradient of zeros
    square = linalg_inv(A) if n < 0 else A
    left, factors = operator.index(n) if n > 0 else -operator.index(n), []
    while left:
        if left & 1:
            factors.append(square)
        left >>= 1
        if left:
            square = matmul(square, square)
    return functools.reduce(matmul, factors)


@op(half="bitwise", holomorphic=False, node_name="linalg_pinv", batch=Batch.LAST_DIMS)
def pseudoinverse(be, A, /, atol, rtol, hermitian):
    """Invert matrices where they are not negligible; bounds are numbers or arrays."""
    if A.ndim < 2 or A.dtype.kind not in "fc" or A.dtype.itemsize == 2:
        raise ShapeError(
            f"linalg.pinv({scalar_name(A.dtype)}{{{list(A.shape)}}}): expected a tensor with 2 or "
            "more dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian:
        require_square("linalg.eigh", A)
    else:
        require_singular_values(be, A)
    return be.pseudoinverse(A, atol, rtol, hermitian) if A.size else be.zeros_like(A.mT)


@pseudoinverse.vjp("A")
def pseudoinverse_input(g, A, out):
    """Source: Golub and Pereyra, "The Differentiation of Pseudo-inverses", 1973."""
    out_h, g_h = conjugate_transpose(out), conjugate_transpose(g)
    if A.shape[-2] <= A.shape[-1]:
        inner = matmul(g_h, out)
        turned = matmul(inner, out_h)
        outside = turned - matmul(matmul(A, out), turned)
        rest = matmul(matmul(out_h, out), g_h - matmul(inner, A))
        return outside + rest - conjugate_transpose(matmul(out, inner))
    inner = matmul(out, g_h)
    turned = matmul(out_h, inner)
    outside = turned - matmul(matmul(turned, out), A)
    rest = matmul(matmul(g_h - matmul(A, inner), out), out_h)
    return outside + rest - conjugate_transpose(matmul(inner, out))


def _bounds(A: Any, atol: Any, rtol: Any, rcond: Any = None) -> tuple[Any, Any]:
    """Return what is negligible, absolutely and relative to the largest singular value."""
    rtol = rcond if rtol is None else rtol
    least, relative = (
        each._array if isinstance(each, TensorBase) else each for each in (atol, rtol)
    )
    if relative is None:
        precision = epsilon(A._array.dtype) if is_differentiable(A._array.dtype) else 0.0
        ordinary = float(precision) * max(A.shape[-2:], default=0)
        relative = ordinary if least is None else np.where(np.asarray(least) > 0, 0.0, ordinary)
    return 0.0 if least is None else least, relative


def _any_batched(*bounds: Any) -> bool:
    """Return whether a bound is one for each sample of a `vmap`."""
    return any(
        isinstance(each, TensorBase) and hasattr(each._array, "__batched_tensor__")
        for each in bounds
    )


def _border(sizes: Any, shape: Any, atol: Any, rtol: Any) -> Any:
    """Return below what sizes are negligible, where bounds may be tensors of any kind."""
    if rtol is None:
        ordinary = float(epsilon(sizes._array.dtype)) * max(shape[-2:], default=0)
        rtol = ordinary if atol is None else ordinary * (atol <= 0)
    largest = sizes.amax(-1, True)
    relative = (unsqueeze(rtol, -1) if isinstance(rtol, TensorBase) else rtol) * largest
    if atol is None:
        return relative
    least = unsqueeze(atol, -1) if isinstance(atol, TensorBase) else largest * 0 + atol
    return maximum(least, relative)


def _pinv_of_samples(A: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """Compose the pseudoinverse of ops, which take bounds that differ from sample to sample."""
    if hermitian:
        values, left = linalg_eigh(A)
        right = conjugate_transpose(left)
    else:
        left, values, right = linalg_svd(A, False)
    kept = abs(values) > _border(abs(values), A.shape, atol, rtol)
    inverted = where(kept, 1 / where(kept, values, 1.0), 0.0)
    return matmul(conjugate_transpose(right) * inverted.unsqueeze(-2), conjugate_transpose(left))


@public("linalg.pinv", out=CASTING)
@autocasts(Autocast.LOWER_RESULT)
def linalg_pinv(
    A: Any, rcond: float | TensorBase | None = None, hermitian: bool = False, *,
    atol: float | TensorBase | None = None, rtol: float | TensorBase | None = None,
) -> Any:  # fmt: skip
    """Return the pseudoinverses (Moore-Penrose) of matrices: ``[*, m, n]`` to ``[*, n, m]``.

    Singular values no larger than ``max(atol, rtol * largest)`` count as zero.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        rcond: Singular values below this share of the largest count as 0.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        atol: Absolute tolerance.
        rtol: Relative tolerance.

    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    if A.ndim < 2:
        return pseudoinverse(A, 0.0, 0.0, hermitian)
    if _any_batched(atol, rtol, rcond):
        return _pinv_of_samples(A, atol, rcond if rtol is None else rtol, hermitian)
    return pseudoinverse(A, *_bounds(A, atol, rtol, rcond), hermitian)


@public("pinverse", method=True)
@autocasts(Autocast.FLOAT32)
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudoinverses of matrices; see `linalg.pinv`.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        rcond: Singular values below this share of the largest count as 0.

    >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return linalg_pinv(input, rcond)


@public("linalg.matrix_rank", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_matrix_rank(
    A: Any, tol: float | TensorBase | None = None, hermitian: bool = False, *,
    atol: float | TensorBase | None = None, rtol: float | TensorBase | None = None,
) -> Any:  # fmt: skip
    """Count the singular values above ``max(atol, rtol * largest)``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tol: Tolerance below which values count as 0.
        hermitian, atol, rtol: As for `linalg_pinv`.

    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    require_matrices("torch.linalg.matrix_rank", A, "input")
    held = A.detach()
    if _any_batched(tol, atol, rtol):
        sizes = abs(linalg_eigvalsh(held)) if hermitian else linalg_svdvals(held)
        given = tol if atol is None else atol
        return (sizes > _border(sizes, A.shape, given, rtol)).sum(-1)
    least, relative = _bounds(A, tol if atol is None else atol, rtol)
    if tol is not None and rtol is None:
        relative = 0.0
    sizes = abs(linalg_eigvalsh(held)) if hermitian else linalg_svdvals(held)
    return count_above(sizes, least, relative)


@nograd(layout=contiguous, batch=Batch.LAST_DIMS)
def count_above(be, input, /, least, relative):
    """Count the numbers of each row above a bound and above a share of the largest."""
    border = be.maximum(least, relative * input.max(-1, initial=0))
    return be.asarray((input > border[..., None]).sum(-1, dtype=np.int64))
