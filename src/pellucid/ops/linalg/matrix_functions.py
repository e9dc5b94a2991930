"""Functions of matrices: exponentials, powers, pseudoinverses, norms, products, least squares."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from math import inf, prod
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.autocasting import Autocast, autocasts
from pellucid.core.batching import Batch
from pellucid.core.families import nograd, op, underived
from pellucid.core.layouts import contiguous
from pellucid.core.op_errors import scalar_name
from pellucid.core.public import CASTING, EXACT, public
from pellucid.core.result_types import named
from pellucid.dtypes import epsilon, from_numpy_dtype, real_counterpart
from pellucid.errors import ArgumentTypeError, DtypeError, LinAlgError, ShapeError
from pellucid.ops.elementwise.arithmetic import abs, maximum
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.linalg.decompositions import (
    linalg_eigh,
    linalg_eigvalsh,
    linalg_svd,
    linalg_svdvals,
)
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    conjugate,
    conjugate_transpose,
    on_diagonal,
    refuse_integers,
    require_floats,
    require_matrices,
    require_same_dtype,
    require_square,
)
from pellucid.ops.linalg.solving import inverses, linalg_inv, linalg_solve, linalg_solve_triangular
from pellucid.ops.reduce.extremes import amax, amin
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.reduce.statistics import vector_norm
from pellucid.ops.shape.diagonal import diagonal, roll, triu
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import movedim, unsqueeze
from pellucid.shapes import broadcast_shapes, dim_from_end

# ---- exponentials and powers ------------------------------------------------------------------


@public("matrix_exp linalg.matrix_exp", method=True)
@op(batch=Batch.LAST_DIMS)
def linalg_matrix_exp(be, A, /):
    """Return the exponentials of square matrices.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> import pellucid as torch
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

    >>> import pellucid as torch
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
        return where(identity == identity, identity, A)  # as PyTorch's, with a gradient of zeros
    square = linalg_inv(A) if n < 0 else A
    left, factors = operator.index(n) if n > 0 else -operator.index(n), []
    while left:
        if left & 1:
            factors.append(square)
        left >>= 1
        if left:
            square = matmul(square, square)
    return functools.reduce(matmul, factors)


# ---- pseudoinverses and ranks -----------------------------------------------------------------


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
        precision = epsilon(A._array.dtype) if A._array.dtype.kind in "fcV" else 0.0
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

    >>> import pellucid as torch
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
        input: Tensor of any shape.
        rcond: Singular values below this share of the largest count as 0.

    >>> import pellucid as torch
    >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return linalg_pinv(input, rcond)


@public("linalg.matrix_rank", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_matrix_rank(
    A: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Any:
    """Count the singular values above ``max(atol, rtol * largest)``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tol: Tolerance below which values count as 0.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        atol: Absolute tolerance.
        rtol: Relative tolerance.

    >>> import pellucid as torch
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


# ---- norms ------------------------------------------------------------------------------------


@public("linalg.vector_norm", out=EXACT, foreach="_foreach_norm")
def linalg_vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return the norm of vectors along dimensions, of order ``ord``; of all elements by default.

    Args:
        x: Tensor of any shape.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> import pellucid as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    return vector_norm(x, ord, dim, keepdim, dtype=dtype)


def _two_dims(dim: Any, ndim: int) -> tuple[int, int]:
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if len(dims) != 2:
        raise ShapeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}"
        )
    first, second = (dim_from_end(each, ndim) for each in dims)
    if first == second:
        raise ShapeError(f"linalg.matrix_norm: dims must be different. Got {dims}")
    return first, second


_MATRIX_ORDERS = ("fro", "nuc", inf, -inf, 1, -1, 2, -2)


@public("linalg.matrix_norm", out=EXACT)
def linalg_matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return a norm of matrices: "fro", "nuc", or of order 1, 2 or inf, also negative.

    Orders 1 and inf are the largest sum of a column and of a row; 2 is the largest singular value;
    negative orders take the smallest.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> import pellucid as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)
    tensor(6.)
    """
    require_matrices("linalg.matrix_norm", A)
    first, second = _two_dims(dim, A.ndim)
    if A._array.dtype.kind not in "fcV":
        raise DtypeError(
            "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got "
            f"{scalar_name(A._array.dtype)}"
        )
    if ord not in _MATRIX_ORDERS:
        raise ShapeError(f"linalg.matrix_norm: Order {ord} not supported.")
    A = A if dtype is None else A.to(dtype)
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim)
    if ord in ("nuc", 2, -2):
        values = linalg_svdvals(movedim(A, (first, second), (-2, -1)))
        found = sum(values, -1) if ord == "nuc" else (amax if ord == 2 else amin)(values, -1)
        if not keepdim:
            return found
        for place in sorted((first, second)):
            found = found.unsqueeze(place)
        return found
    if ord in (inf, -inf):
        first, second = second, first
    sums = vector_norm(A, 1, first, True)
    found = (amax if ord > 0 else amin)(sums, second, True)
    return found if keepdim else found.squeeze((first, second))


@public("linalg.norm", out=EXACT, reads_late=True)
def linalg_norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return a norm of vectors or matrices, depending on ``ord`` and ``dim``.

    One ``dim`` means vectors and two mean matrices; without ``dim`` the tensor itself is one or the
    other. With neither, it is the norm of all elements as one vector.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> import pellucid as torch
    >>> torch.linalg.norm(torch.ones(2, 2))
    tensor(2.)
    """
    dims = None if dim is None else list(dim) if isinstance(dim, tuple | list) else [dim]
    if dims is not None and len(dims) not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
        )
    if dims is None and ord is not None and A.ndim not in (1, 2):
        raise ShapeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A.ndim}D."
        )
    matrix = ord is not None and (A.ndim if dims is None else len(dims)) == 2
    if isinstance(ord, str) or matrix:
        return linalg_matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@public("linalg.cond", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_cond(A: Any, p: Any = None) -> Any:
    """Return the condition numbers of matrices: the norm times that of the inverse.

    By default the largest singular value over the smallest. Infinite for a singular matrix.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        p: Order of the norm.

    >>> import pellucid as torch
    >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    if A.ndim < 2:
        raise ShapeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p in (None, 2, -2):
        values = linalg_svdvals(A)
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    if p not in _MATRIX_ORDERS:
        raise ShapeError(f"linalg.cond got an invalid norm type: {p}")
    require_square(f"linalg.cond(ord={p})", A)
    inverse, info = inverses(A)
    sizes = (
        linalg_matrix_norm(A, p),
        linalg_matrix_norm(
            where((info == 0)[..., None, None], inverse, 0) if p == "nuc" else inverse, p
        ),
    )
    return where(info == 0, sizes[0] * sizes[1], inf)


# ---- products ---------------------------------------------------------------------------------


@public("linalg.multi_dot", out=EXACT)
def linalg_multi_dot(tensors: Sequence[Any]) -> Any:
    """Multiply matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors. Raises RuntimeError for sizes that do not go together.

    Args:
        tensors: Tensors to combine.

    >>> import pellucid as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])
    """
    factors = list(tensors)
    _check_chain(factors)
    first, last = factors[0], factors[-1]
    if first.ndim == 1:
        factors[0] = first.unsqueeze(0)
    if last.ndim == 1:
        factors[-1] = last.unsqueeze(-1)
    sizes = [factors[0].shape[0], *(each.shape[1] for each in factors)]
    product = _product(factors, _best_splits(sizes), 0, len(factors) - 1)
    if last.ndim == 1:
        product = product.squeeze(-1)
    return product.squeeze(0) if first.ndim == 1 else product


def _check_chain(factors: list[Any]) -> None:
    count = len(factors)
    if count < 2:
        raise ShapeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    for position, each in enumerate(factors):
        outer = position in (0, count - 1)
        if each.ndim != 2 and not (outer and each.ndim == 1):
            name = "the first tensor" if position == 0 else "the last tensor"
            what = f"{name} must be 1D or 2D" if outer else f"tensor {position} must be 2D"
            raise ShapeError(f"multi_dot(): {what} but got {each.ndim}D")
    for position, each in enumerate(factors):
        if each._array.dtype != factors[0]._array.dtype:
            names = [scalar_name(f._array.dtype).lower() for f in (factors[0], each)]
            raise DtypeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{names[0]} and tensor {position} {names[1]}"
            )
    for position, (one, other) in enumerate(itertools.pairwise(factors)):
        if one.shape[-1] != other.shape[0]:
            raise ShapeError(
                f"multi_dot(): tensors {position} and {position + 1} with shapes "
                f"{list(one.shape)} and {list(other.shape)} cannot be multiplied"
            )


def _best_splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return where each part of a chain of matrices is best split.

    Source: Cormen et al., "Introduction to Algorithms", matrix-chain multiplication.
    """
    count = len(sizes) - 1
    costs: dict[tuple[int, int], int] = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            costs[start, end], splits[start, end] = min(
                (
                    costs[start, at] + costs[at + 1, end]
                    + sizes[start] * sizes[at + 1] * sizes[end + 1],
                    at,
                )
                for at in range(start, end)
            )  # fmt: skip
    return splits


def _product(factors: list[Any], splits: dict[tuple[int, int], int], start: int, end: int) -> Any:
    if start == end:
        return factors[start]
    at = splits[start, end]
    return matmul(_product(factors, splits, start, at), _product(factors, splits, at + 1, end))


@public("linalg.vecdot", out=EXACT)
@autocasts(Autocast.LOWER)
def linalg_vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """Sum ``conj(x) * y`` along a dimension; the others broadcast.

    Args:
        x: Tensor of any shape.
        y: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> import pellucid as torch
    >>> torch.linalg.vecdot(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    refuse_integers("linalg.vecdot", x)
    require_same_dtype("linalg.vecdot", x._array, y._array, "xy")
    return sum(conjugate(x) * y, dim)


@public("linalg.cross", out=EXACT)
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """Return the cross product of vectors of 3 elements along a dimension; the others broadcast.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    >>> import pellucid as torch
    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise ShapeError("linalg.cross: inputs must have the same number of dimensions.")
    names = [scalar_name(each._array.dtype) for each in (input, other)]
    if names[0] != names[1]:
        raise DtypeError(f"expected scalar type {names[0]} but found {names[1]}")
    place = dim_from_end(dim, input.ndim)
    if input.shape[place] != 3 or other.shape[place] != 3:
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[place]} "
            f"and {other.shape[place]}"
        )
    broadcast_shapes(input.shape, other.shape)
    return roll(input, -1, place) * roll(other, -2, place) - roll(input, -2, place) * roll(
        other, -1, place
    )


@public("cross", method=True, out=EXACT)
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the cross product along a dimension, by default the first of size 3.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    >>> import pellucid as torch
    >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if dim is None:
        found = [place for place, size in enumerate(input.shape) if size == 3]
        if not found:
            raise ShapeError("no dimension of size 3 in input")
        dim = found[0]
    return linalg_cross(input, other, dim=dim)


@public("linalg.diagonal")
def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Look at a diagonal of matrices, by default in the last two dimensions.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    >>> import pellucid as torch
    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return diagonal(A, offset, dim1, dim2)


@public("linalg.vander")
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """Return the powers 0 to ``N - 1`` of the elements: ``[*, n]`` to ``[*, n, N]``.

    Args:
        x: Tensor of any shape.
        N: Number of columns; by default that of the rows.

    >>> import pellucid as torch
    >>> torch.linalg.vander(torch.tensor([2, 3]))
    tensor([[1, 2],
            [1, 3]])
    """
    count = (x.shape[-1] if x.ndim else 0) if N is None else N
    if count <= 1:
        raise ShapeError("N must be greater than 1.")
    if x._array.dtype.kind == "b":
        raise DtypeError("linalg.vander: bool is not supported")
    x = x if x.ndim else x.unsqueeze(0)
    factors = x.unsqueeze(-1).expand(*x.shape, count - 1)
    first = x.new_ones((*x.shape, 1))
    return cat([first, factors.cumprod(-1)], -1)


@public("vander")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of the elements of a vector, by default from the highest: ``[n, N]``.

    Integers and booleans give int64. Raises RuntimeError for more dimensions and a negative ``N``.

    Args:
        x: Tensor of any shape.
        N: Number of columns; by default that of the rows.
        increasing: Whether powers grow from left to right.

    >>> import pellucid as torch
    >>> torch.vander(torch.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if x.ndim != 1:
        raise ShapeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise ShapeError("N must be non-negative.")
    powers = x.unsqueeze(-1).expand(x.shape[0], max(count - 1, 0)).cumprod(-1)
    first = powers.new_ones((x.shape[0], min(count, 1)))
    rising = cat([first, powers], -1)
    return rising if increasing else rising.flip(-1)


@public("linalg.tensorinv", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_tensorinv(A: Any, ind: int = 2) -> Any:
    """Return the inverse of ``tensordot(A, ., dims=ndim - ind)`` as a tensor.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ind: Number of leading dimensions that make up a row.

    >>> import pellucid as torch
    >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4)).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise ShapeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = tuple(A.shape)
    rows, columns = prod(shape[:ind]), prod(shape[ind:])
    if rows != columns:
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows}"
        )
    found = inverses(A.reshape(rows, columns), "inv", True)[0]
    return found.reshape(*shape[ind:], *shape[:ind])


@public("linalg.tensorsolve", out=CASTING)
@autocasts(Autocast.FLOAT32)
def linalg_tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """Solve ``tensordot(A, X, dims=X.ndim) = B``; ``dims`` of ``A`` are moved to its end first.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        dims: Dimensions; negative ones count from the end.

    >>> import pellucid as torch
    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(-len(dims), 0)))
    shape = tuple(A.shape)
    rows, columns = prod(shape[: B.ndim]), prod(shape[B.ndim :])
    if rows != columns:
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != {rows}"
        )
    found = linalg_solve(A.reshape(rows, columns), B.reshape(rows))
    return found.reshape(shape[B.ndim :])


# ---- Householder reflections ------------------------------------------------------------------


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

    >>> import pellucid as torch
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
        input: Tensor of any shape.
        tau: Scale factors of the reflections, as `geqrf` returns them.
        other: Tensor or number that broadcasts with ``input``.
        left: Whether Q is multiplied from the left.
        transpose: Whether the transposed matrix is used.

    >>> import pellucid as torch
    >>> torch.ormqr(torch.zeros(2, 1), torch.zeros(1), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    for name, tensor in (("input", input), ("other", other)):
        if tensor.ndim < 2:
            raise ShapeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    place = -2 if left else -1
    if other.shape[place] != input.shape[-2]:
        raise ShapeError(f"torch.ormqr: other.shape[{place}] must be equal to input.shape[-2]")
    vectors, T = _reflections(input, tau)
    T = conjugate_transpose(T) if transpose else T
    turned = conjugate_transpose(vectors)
    if left:
        return other - matmul(vectors, matmul(T, matmul(turned, other)))
    return other - matmul(matmul(matmul(other, vectors), T), turned)


@public("geqrf", method=True, out=CASTING)
@underived(
    half="bitwise",
    outputs=("a", "tau"),
    returns=named("geqrf", "a", "tau"),
    declared="geqrf",
    batch=Batch.LAST_DIMS,
    autocast=Autocast.FLOAT32,
)
def geqrf(be, input, /):
    """Return a QR decomposition as LAPACK leaves it: ``R`` above, reflections below, their factors.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.geqrf(torch.eye(2)).tau
    tensor([0., 0.])
    """
    require_matrices("torch.geqrf", input, "input")
    require_floats("torch.geqrf", input, "geqrf_cpu")
    return be.householder_vectors(input)


# ---- least squares ----------------------------------------------------------------------------

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

    >>> import pellucid as torch
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
    residuals = A.new_empty(0, dtype=from_numpy_dtype(real_counterpart(A._array.dtype)))
    empty = residuals.detach()
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
    place = -1 if vectors else -2
    if (B.ndim < 2 and not vectors) or A.shape[-2] != B.shape[place]:
        raise ShapeError(f"{function}: input.size(-2) should match other.size({place})")
    return vectors


@public("nuclear_norm")
def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """Return the sums of the singular values of matrices.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> import pellucid as torch
    >>> torch.nuclear_norm(torch.eye(3))
    tensor(3.)
    """
    return linalg_matrix_norm(input, "nuc", dim, keepdim)


@public("frobenius_norm")
def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return the root of the sum of the squares over dimensions.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> import pellucid as torch
    >>> torch.frobenius_norm(torch.eye(4), (0, 1))
    tensor(2.)
    """
    return vector_norm(input, 2, tuple(dim) if isinstance(dim, tuple | list) else (dim,), keepdim)
