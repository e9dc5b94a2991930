"""What ops do with sparse tensors: each rule gives the op's result from coordinates and values.

The rules are written for coordinates. A matrix in a compressed layout is turned into these and,
where PyTorch keeps the layout, back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.interpreter import Below, Interpreter
from pellucid.core.definition.op import Op
from pellucid.core.errors.op_errors import CONTEXT
from pellucid.dtypes import bool_, int64
from pellucid.errors import DomainError, ShapeError, SparseLayoutError
from pellucid.ops.elementwise import (
    arithmetic,
    compare,
    complexes,
    conditional,
    exponential,
    powers,
    rounding,
    signs,
    trigonometric,
)
from pellucid.ops.index import index_slices
from pellucid.ops.index.indexing import getitem as dense_getitem
from pellucid.ops.linalg import matmul as products
from pellucid.ops.nn.activation import relu
from pellucid.ops.reduce import reductions, statistics
from pellucid.ops.shape import join, splitting, views
from pellucid.ops.shape.copying import clone
from pellucid.shapes import dim_from_end
from pellucid.sparse import indexing
from pellucid.sparse.compressed import CompressedTensor
from pellucid.sparse.coordinate import CoordinateTensor, made
from pellucid.sparse.products import linear, matmul
from pellucid.sparse.tensor import SparseTensor

#: ops that leave zero zero: they are applied to the values, of which there is one for each index
_KEEP_ZERO: frozenset[Op] = frozenset(
    function.op
    for function in (
        signs.abs, complexes.angle, signs.sign, signs.sgn, powers.sqrt, powers.square, relu,
        trigonometric.sin, trigonometric.sinh, trigonometric.tan, trigonometric.tanh,
        trigonometric.asin, trigonometric.asinh, trigonometric.atan, trigonometric.atanh,
        trigonometric.deg2rad, trigonometric.rad2deg, exponential.expm1, exponential.log1p,
        exponential.erf, exponential.erfinv, rounding.floor, rounding.ceil, rounding.trunc,
        rounding.round, rounding.frac, compare.isnan, compare.isinf, compare.isposinf,
        compare.isneginf, compare.signbit, conditional.nan_to_num, complexes.conj_physical,
        complexes.conjugate,
    )
)  # fmt: skip

#: ops of the values as they are, however many there are for an index
_LINEAR: frozenset[Op] = frozenset({signs.neg.op, clone.op})

#: ops whose result of compressed matrices is in the layout of the first one
_KEEP_LAYOUT: frozenset[Op] = frozenset(
    function.op
    for function in (
        arithmetic.add, arithmetic.sub, arithmetic.mul, arithmetic.div, powers.pow,
        products.matmul, reductions.sum,
    )
)  # fmt: skip


class SparseRules(Interpreter):
    """The interpreter of calls that have a sparse tensor among their operands."""

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        """Return what an op's rule gives; raise NotImplementedError for an op without a rule."""
        first = operands[0]
        named = {param.name: v for param, v in zip(op.params, params, strict=True)}
        if op in _KEEP_ZERO and isinstance(first, CoordinateTensor):
            first = first.coalesce()
        if op in _LINEAR or op in _KEEP_ZERO:
            return first.with_values(op.function(first._entries, **named))
        if isinstance(first, CompressedTensor):
            if _turns(op, first, params):
                return first.transposed().seen_as_view_of(first)
            if op is views.transpose.op and dim_from_end(params[0], first.ndim) == dim_from_end(
                params[1], first.ndim
            ):
                same = first.with_values(views.basic_index(first._entries, ...))
                return same.seen_as_view_of(first)
            if op is splitting.select.op:
                return indexing.select(first, *params)
            if op is views.basic_index.op:
                return indexing.getitem(first, *params)
        rule = _RULES.get(op)
        if rule is None:
            raise _no_rule(op)
        if op is arithmetic.add.op and isinstance(first, CompressedTensor):
            if not isinstance(operands[1], SparseTensor | int | float | complex):
                return arithmetic.add(first.to_dense(), operands[1], alpha=named["alpha"])
        if op is products.matmul.op:
            _check_inner_sizes(*operands)
        given = tuple(
            each.coordinate() if isinstance(each, CompressedTensor) else each for each in operands
        )
        result = rule(given, **named) if op.variadic else rule(*given, **named)
        return _in_layout_of(operands, result) if op in _KEEP_LAYOUT else result

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        """Write an op's result into its first operand, dense or sparse."""
        first = operands[0]
        result = self.call(op, operands, params, below)
        if not isinstance(first, SparseTensor):
            if isinstance(result, SparseTensor):
                result = result.to_dense()
            return first.copy_(result)
        first._check_leaf()
        return first.become(first.adapted(result))


SparseTensor._interpreter = SparseRules()


def _check_inner_sizes(left: Any, right: Any) -> None:
    """Raise RuntimeError where matrices do not fit; that of COO and dense ones comes later."""
    later = isinstance(left, CoordinateTensor) and not isinstance(right, SparseTensor)
    if later or left.ndim != 2 or right.ndim != 2 or left.shape[1] == right.shape[0]:
        return
    raise ShapeError(
        f"mat1 and mat2 shapes cannot be multiplied ({left.shape[0]}x{left.shape[1]} and "
        f"{right.shape[0]}x{right.shape[1]})"
    )


def _no_rule(op: Op) -> SparseLayoutError:
    site = Site(*user_frame(2))
    return SparseLayoutError(
        f"Could not run 'aten::{op.torch_name}' with arguments from the 'SparseCPU' backend. "
        "Sparse tensors are there for products of matrices; use Tensor.to_dense() first."
        f"{CONTEXT}{op.torch_name}\n  at {site}   {site.text}"
    )


def _in_layout_of(operands: tuple[Any, ...], result: Any) -> Any:
    """Return a matrix in the layout of the first sparse operand, if that has room for it."""
    first = next((each for each in operands if isinstance(each, SparseTensor)), None)
    if not isinstance(first, CompressedTensor) or not isinstance(result, CoordinateTensor):
        return result
    batch = first.batch_dim
    sizes = zip(result.shape[batch:], first.blocksize, strict=False)
    fits = result.sparse_dim() == 2 + batch and all(size % step == 0 for size, step in sizes)
    return first.like(result) if fits else result


def _turns(op: Op, matrix: CompressedTensor, params: tuple[Any, ...]) -> bool:
    """Return whether an op exchanges the rows and columns of a matrix and does nothing else."""
    if op is views.t.op:
        return matrix.ndim == 2
    dims: Any = params if op is views.transpose.op else ()
    if op is views.permute.op:
        moved = [dim_from_end(dim, matrix.ndim) for dim in params[0]]
        return matrix.ndim == 2 and moved == [1, 0]
    lines = {matrix.batch_dim, matrix.batch_dim + 1}
    return len(dims) == 2 and {dim_from_end(dim, matrix.ndim) for dim in dims} == lines


def _is_number(value: Any) -> bool:
    """Return whether a factor is the same for all elements."""
    return not isinstance(value, TensorBase) or (
        not isinstance(value, CoordinateTensor) and value._array.ndim == 0
    )


def _add(input: Any, other: Any, alpha: Any = 1) -> Any:
    if not isinstance(other, CoordinateTensor):
        raise ShapeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(input, CoordinateTensor):
        if _is_number(input):
            raise ShapeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return arithmetic.add(input, other.to_dense(), alpha=alpha)
    _check_same_size("add", input, other)
    if input.sparse_dim() != other.sparse_dim():
        raise ShapeError(
            "add: expected 'self' and 'other' to have same number of sparse dimensions, but "
            f"{input.sparse_dim()} != {other.sparse_dim()}"
        )
    added = other._entries if alpha == 1 else other._entries * alpha
    if np.array_equal(input._coordinates, other._coordinates):
        return input.with_values(input._entries + added)
    coordinates = np.concatenate([input._coordinates, other._coordinates], 1)
    joined = made(coordinates, join.cat([input._entries, added], 0), input.shape)
    return joined.coalesce() if input._merged and other._merged else joined


def _check_same_size(name: str, input: Any, other: Any) -> None:
    if input.shape != other.shape:
        raise ShapeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != "
            f"{list(other.shape)}"
        )


def _mul(input: Any, other: Any) -> Any:
    if not isinstance(input, CoordinateTensor):
        input, other = other, input
    if isinstance(other, CoordinateTensor) and input.ndim and not other.ndim:
        other = other.to_dense()
    if _is_number(other):
        return input.with_values(input._entries * other)
    if isinstance(other, CoordinateTensor):
        return _product_of_sparse(input, other)
    return input.with_values(input._entries * _elements_at(input, other))


def _product_of_sparse(input: CoordinateTensor, other: CoordinateTensor) -> CoordinateTensor:
    """Multiply the elements whose coordinates both tensors have."""
    _check_same_size("mul", input, other)
    left, right = input.coalesce(), other.coalesce()
    _, mine, theirs = np.intersect1d(
        left.flat_coordinates(), right.flat_coordinates(), assume_unique=True, return_indices=True
    )
    entries = index_slices.index_select(left._entries, 0, new_tensor(mine)) * (
        index_slices.index_select(right._entries, 0, new_tensor(theirs))
    )
    return made(left._coordinates[:, mine], entries, left.shape, merged=True)


def _elements_at(input: CoordinateTensor, dense: Any) -> Any:
    """Return the elements of a dense tensor, broadcast to the sparse one, at its coordinates."""
    shape = tuple(dense.shape)
    own = tuple(input.shape)[input.ndim - len(shape) :]
    fits = len(shape) <= input.ndim and all(
        size in (1, wanted) for size, wanted in zip(shape, own, strict=True)
    )
    if not fits:
        raise ShapeError(
            f"mul: a dense tensor of size {list(shape)} does not broadcast to a sparse one of size "
            f"{list(input.shape)}"
        )
    sparse = max(len(shape) - input.dense_dim(), 0)
    last = input._coordinates[input.sparse_dim() - sparse :]
    picked = [each * (size > 1) for each, size in zip(last, shape, strict=False)]
    return dense_getitem(dense, tuple(map(new_tensor, picked))) if picked else dense


def _div(input: Any, other: Any, rounding_mode: Any = None) -> Any:
    if not isinstance(input, CoordinateTensor) or not _is_number(other):
        raise ShapeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    merged: CoordinateTensor = input if rounding_mode is None else input.coalesce()
    return merged.with_values(merged._entries.div(other, rounding_mode=rounding_mode))


def _pow(input: Any, exponent: Any) -> Any:
    if not isinstance(input, CoordinateTensor) or isinstance(exponent, TensorBase):
        raise SparseLayoutError(
            "pow() of a sparse tensor takes a number as exponent; use Tensor.to_dense() first"
        )
    if not isinstance(exponent, complex) and exponent <= 0:
        raise DomainError(
            "pow() of a sparse tensor takes exponents above 0: a power of its zeros would be no "
            "zero; use Tensor.to_dense() first"
        )
    merged = input.coalesce()
    return merged.with_values(powers.pow(merged._entries, exponent))


def _sum(input: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if input.dtype is bool_:
        input = input.coalesce()  # of which two at one place count once
    entries = input._entries
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {dim_from_end(each, input.ndim) for each in dims} or set(range(input.ndim))
    if len(gone) == input.ndim and not keepdim:
        return reductions.sum(entries, dtype=dtype)
    if dtype is None and not entries.is_floating_point() and not entries.is_complex():
        dtype = int64  # as the sum of a dense tensor
    count = input.sparse_dim()
    inner = [each - count + 1 for each in sorted(gone) if each >= count]
    summed = reductions.sum(entries, inner, keepdim, dtype=dtype) if inner else entries
    if dtype is not None:
        summed = summed.to(dtype)
    kept = [each for each in range(count) if each not in gone]
    if keepdim:
        coordinates = input._coordinates.copy()
        coordinates[[each for each in range(count) if each in gone]] = 0
        sizes = [1 if each in gone else size for each, size in enumerate(input.shape)]
    elif kept:
        coordinates = input._coordinates[kept]
        sizes = [size for each, size in enumerate(input.shape) if each not in gone]
    else:
        return reductions.sum(summed, 0)
    merged = input._merged and len(kept) == count
    return made(coordinates, summed, sizes, merged).coalesce()


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Return the sum of the elements of a sparse tensor.

    Args:
        input: Sparse tensor.
        dim: The dim or dims to sum over; all by default.
        dtype: The dtype of the result; that of the tensor where dims are given.

    Returns:
        A dense tensor for a sum over all sparse dims, otherwise a sparse tensor.

    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> torch.sparse.sum(s)
    tensor(7.)
    >>> torch.sparse.sum(s, 0).to_dense()
    tensor([4., 0., 3.])
    """
    if dtype is None and dim is not None:
        dtype = input.dtype
    return reductions.sum(input, dim, dtype=dtype)


def _any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise SparseLayoutError("any() of a sparse tensor takes no dim; use Tensor.to_dense()")
    return reductions.any(input.coalesce()._entries)


def _vector_norm(input: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dim is not None and set(dim if isinstance(dim, tuple | list) else (dim,)):
        raise SparseLayoutError("norm() of a sparse tensor takes no dim; use Tensor.to_dense()")
    return statistics.vector_norm(input.coalesce()._entries, ord, dtype=dtype)


def _transpose(input: Any, dim0: int, dim1: int) -> Any:
    order = list(range(input.ndim))
    first, second = dim_from_end(dim0, input.ndim), dim_from_end(dim1, input.ndim)
    if input.dense_dim() and max(first, second) >= input.sparse_dim():
        raise ShapeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{input.sparse_dim()}, d0: {first}, d1: {second}"
        )
    order[first], order[second] = order[second], order[first]
    return input.permute(*order)


def _t(input: Any) -> Any:
    if input.ndim > 2:
        raise ShapeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
            f"{input.sparse_dim()} sparse and {input.dense_dim()} dense dimensions"
        )
    return input.T


_RULES: dict[Op, Callable[..., Any]] = {
    function.op: rule
    for function, rule in (
        (arithmetic.add, _add), (arithmetic.div, _div), (arithmetic.mul, _mul),
        (arithmetic.sub, lambda input, other, alpha=1: _add(input, other, -alpha)),
        (powers.pow, _pow), (products.matmul, matmul), (views.t, _t),
        (products.linear, linear), (reductions.sum, _sum), (reductions.any, _any),
        (statistics.vector_norm, _vector_norm),
        (views.permute, lambda input, dims: input.permute(*dims)),
        (views.transpose, _transpose), (views.unsqueeze, indexing.unsqueeze),
        (views.basic_index, lambda input, index: indexing.getitem(input, index)),
        (splitting.select, indexing.select), (index_slices.index_select, indexing.index_select),
        (join.cat, indexing.cat), (join.stack, indexing.stack),
    )
}  # fmt: skip
