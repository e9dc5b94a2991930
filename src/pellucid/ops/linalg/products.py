"""Products of vectors and of chains of matrices, and matrices made of powers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod
from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.dtypes import is_half, scalar_name
from pellucid.errors import DimensionError, DtypeError, ShapeError
from pellucid.ops.elementwise.complexes import conj
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import refuse_integers, require_same_dtype
from pellucid.ops.linalg.solving import inverses, linalg_solve
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.shape.diagonal import diagonal, roll
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import movedim
from pellucid.shapes import broadcast_shapes, dim_from_end, items_of


@public("linalg.multi_dot", out=EXACT)
def linalg_multi_dot(tensors: Sequence[Any]) -> Any:
    """Multiply matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors. Raises RuntimeError for sizes that do not match.

    Args:
        tensors: Matrices to multiply; the first and the last may be vectors.

    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])
    """
    factors = list(items_of(tensors))
    _check_chain(factors)
    first, last = factors[0], factors[-1]
    if first.ndim == 1:
        factors[0] = first.unsqueeze(0)
    if last.ndim == 1:
        factors[-1] = last.unsqueeze(-1)
    sizes = [factors[0].shape[0], *(each.shape[1] for each in factors)]
    product = _product(factors, _best_splits(sizes), 0, len(factors) - 1)
    return product.view((*first.shape[:-1], *last.shape[1:]))


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

    >>> torch.linalg.vecdot(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    refuse_integers("linalg.vecdot", x)
    require_same_dtype("linalg.vecdot", x._array, y._array, "xy")
    return sum(conj(x) * y, dim)


@public("linalg.cross", out=EXACT)
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """Return the cross product of vectors of 3 elements along a dimension; the others broadcast.

    Args:
        input: Tensor with size 3 along ``dim``.
        other: Tensor of vectors of three elements, which broadcasts with ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If the dtypes differ, or the dimension does not have size 3.

    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise ShapeError("linalg.cross: inputs must have the same number of dimensions.")
    check_same_dtype(input, other)
    axis = dim_from_end(dim, input.ndim)
    if not input.ndim:
        raise DimensionError(f"Dimension specified as {dim} but tensor has no dimensions")
    if input.shape[axis] != 3 or other.shape[axis] != 3:
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[axis]} "
            f"and {other.shape[axis]}"
        )
    broadcast_shapes(input.shape, other.shape)
    return roll(input, -1, axis) * roll(other, -2, axis) - roll(input, -2, axis) * roll(
        other, -1, axis
    )


@public("cross", method=True, out=EXACT)
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the cross product along a dimension, by default the first of size 3.

    Args:
        input: Tensor with a dimension of size 3.
        other: Tensor of vectors of three elements, of the shape of ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If no dimension has size 3.

    >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if dim is None:
        found = [axis for axis, size in enumerate(input.shape) if size == 3]
        if not found:
            raise ShapeError("no dimension of size 3 in input")
        dim = found[0]
    return linalg_cross(input, other, dim=dim)


@public("linalg.diagonal")
def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return a view of a diagonal of matrices, by default in the last two dimensions.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return diagonal(A, offset, dim1, dim2)


@public("linalg.vander")
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """Return the powers 0 to ``N - 1`` of the elements: ``[*, n]`` to ``[*, n, N]``.

    Args:
        x: Vectors ``[*, n]``, not of booleans.
        N: Number of columns; by default that of the rows.

    Raises:
        RuntimeError: If ``N`` is not greater than 1, or ``x`` is boolean.

    >>> torch.linalg.vander(torch.tensor([2, 3]))
    tensor([[1, 2],
            [1, 3]])
    """
    count = (x.shape[-1] if x.ndim else 0) if N is None else N
    if count <= 1:
        raise ShapeError("N must be greater than 1.")
    if x._array.dtype.kind == "b" or is_half(x._array.dtype):
        raise DtypeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got "
            f"{scalar_name(x._array.dtype)}"
        )
    x = x if x.ndim else x.unsqueeze(0)
    factors = x.unsqueeze(-1).expand(*x.shape, count - 1)
    first = x.new_ones((*x.shape, 1))
    return cat([first, factors.cumprod(-1)], -1)


@public("vander")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of the elements of a vector, by default from the highest: ``[n, N]``.

    Integers and booleans give int64. Raises RuntimeError for more dimensions and a negative ``N``.

    Args:
        x: Vector ``[n]``.
        N: Number of columns; by default that of the rows.
        increasing: Whether powers grow from left to right.

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

    Raises:
        RuntimeError: If ``ind`` is not positive, or the tensor is not square over its dimensions.

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

    Raises:
        RuntimeError: If the tensor is not square over its dimensions.

    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(-len(dims), 0)))
    shape = tuple(A.shape)
    rows, columns = prod(B.shape), prod(shape[B.ndim :])
    if rows != columns:
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != {rows}"
        )
    found = linalg_solve(A.reshape(rows, columns), B.reshape(rows))
    return found.reshape(shape[B.ndim :])
