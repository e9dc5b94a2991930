"""Norms and condition numbers of vectors and matrices."""

from __future__ import annotations

from math import inf
from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.errors import ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.linalg.decompositions import linalg_svdvals
from pellucid.ops.linalg.matrices import refuse_integers, require_matrices, require_square
from pellucid.ops.linalg.solving import inverses
from pellucid.ops.reduce.extremes import amax, amin
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.reduce.statistics import vector_norm
from pellucid.ops.shape.views import movedim
from pellucid.shapes import dim_from_end, several


@public("linalg.vector_norm", out=EXACT, foreach="_foreach_norm")
def linalg_vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return the norm of vectors along dimensions, of order ``ord``; of all elements by default.

    Args:
        x: Floating-point or complex tensor of any shape.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    return vector_norm(x, ord, dim, keepdim, dtype=dtype)


def _two_dims(dim: Any, ndim: int) -> tuple[int, int]:
    dims = several(dim)
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
        ord, dim, keepdim, dtype: As for `linalg_vector_norm`.

    Raises:
        RuntimeError: If the order is unknown, or the dtype neither floating point nor complex.

    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)
    tensor(6.)
    """
    require_matrices("linalg.matrix_norm", A)
    first, second = _two_dims(dim, A.ndim)
    refuse_integers("linalg.matrix_norm", A)
    if ord not in _MATRIX_ORDERS:
        raise ShapeError(f"linalg.matrix_norm: Order {ord} not supported.")
    A = A if dtype is None else A.to(dtype)
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim)
    if ord in ("nuc", 2, -2):
        values = linalg_svdvals(movedim(A, (first, second), (-2, -1)))
        found = sum(values, -1) if ord == "nuc" else _extreme(values, -1, ord)
        if not keepdim:
            return found
        for position in sorted((first, second)):
            found = found.unsqueeze(position)
        return found
    if ord in (inf, -inf):
        first, second = second, first
    sums = vector_norm(A, 1, first, True)
    found = _extreme(sums, second, ord, True)
    return found if keepdim else found.squeeze((first, second))


def _extreme(values: Any, dim: int, ord: float, keepdim: bool = False) -> Any:
    """Return the largest values, 0 of none, or for a negative order the smallest."""
    if ord > 0 and not values.shape[dim]:
        return values.detach().sum(dim, keepdim)
    return (amax if ord > 0 else amin)(values, dim, keepdim)


@public("linalg.norm", out=EXACT, reads_late=True)
def linalg_norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return a norm of vectors or matrices, depending on ``ord`` and ``dim``.

    One ``dim`` means vectors and two mean matrices; without ``dim`` the tensor itself is one or the
    other. With neither, it is the norm of all elements as one vector.

    Args: As for `linalg_matrix_norm`.

    Raises:
        RuntimeError: If ``dim`` has neither one nor two dimensions, or there is none and ``A`` has
            more.

    >>> torch.linalg.norm(torch.ones(2, 2))
    tensor(2.)
    """
    dims = None if dim is None else list(several(dim))
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

    Raises:
        RuntimeError: If the input is not a matrix, or the norm is unknown.

    >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    if A.ndim < 2:
        raise ShapeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if not A._array.size and not isinstance(p, str):
        return A.detach().abs().sum((-2, -1))  # 0, in the shape of the batch
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


@public("nuclear_norm")
def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """Return the sums of the singular values of matrices.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        dim, keepdim: As for `linalg_vector_norm`.

    >>> torch.nuclear_norm(torch.eye(3))
    tensor(3.)
    """
    return linalg_matrix_norm(input, "nuc", dim, keepdim)


@public("frobenius_norm")
def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return the root of the sum of the squared absolute values over dimensions.

    Args:
        input: Tensor of any shape.
        dim, keepdim: As for `linalg_vector_norm`.

    >>> torch.frobenius_norm(torch.eye(4), (0, 1))
    tensor(2.)
    """
    return vector_norm(input, 2, several(dim), keepdim)
