"""What ops do with sparse tensors: each gives the op's result from places and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.core.call import new_tensor
from pellucid.core.interpreter import Below, Interpreter
from pellucid.core.op import Op
from pellucid.core.op_errors import CONTEXT
from pellucid.errors import ShapeError, SparseLayoutError
from pellucid.ops.elementwise import arithmetic, powers, signs, trigonometric
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.index.indexing import getitem
from pellucid.ops.linalg import matmul as products
from pellucid.ops.nn.activation import relu
from pellucid.ops.reduce import reductions
from pellucid.ops.shape import views
from pellucid.ops.shape.copying import clone
from pellucid.ops.shape.join import cat
from pellucid.shapes import dim_from_end
from pellucid.sparse.products import matmul
from pellucid.sparse.tensor import SparseTensor, made

#: ops of one tensor that leave zero zero: they are applied to the values
_KEEP_ZERO: frozenset[Op] = frozenset(
    function.op
    for function in (
        signs.abs, signs.neg, signs.sign, powers.sqrt, powers.square,
        relu, trigonometric.sin, trigonometric.tanh,
    )
)  # fmt: skip


class SparseRules(Interpreter):
    """The interpreter of calls that have a sparse tensor among their operands."""

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        """Return what an op's rule gives; raise NotImplementedError for an op without a rule."""
        if op in _KEEP_ZERO:
            merged = operands[0].coalesce()
            return merged.with_values(op.function(merged._entries, *params))
        rule = _RULES.get(op)
        if rule is None:
            raise _no_rule(op)
        named = {param.name: v for param, v in zip(op.params, params, strict=True)}
        return rule(*operands, **named)


SparseTensor._interpreter = SparseRules()


def _no_rule(op: Op) -> SparseLayoutError:
    site = Site(*user_frame(2))
    return SparseLayoutError(
        f"Could not run 'aten::{op.name}' with arguments from the 'SparseCPU' backend. Sparse "
        "tensors are there for products of matrices; use Tensor.to_dense() first."
        f"{CONTEXT}{op.name}\n  at {site}   {site.text}"
    )


def _is_number(value: Any) -> bool:
    """Return whether a factor is the same for all elements."""
    return not isinstance(value, TensorBase) or (
        not isinstance(value, SparseTensor) and value._array.ndim == 0
    )


def _add(input: Any, other: Any, alpha: Any = 1) -> Any:
    if not isinstance(other, SparseTensor):
        raise ShapeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(input, SparseTensor):
        if _is_number(input):
            raise ShapeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return input + other.to_dense() * alpha
    _check_same_size("add", input, other)
    places = np.concatenate([input._places, other._places], 1)
    return made(places, cat([input._entries, other._entries * alpha], 0), input.shape).coalesce()


def _sub(input: Any, other: Any, alpha: Any = 1) -> Any:
    return _add(input, other, -alpha)


def _check_same_size(name: str, input: Any, other: Any) -> None:
    if input.shape != other.shape:
        raise ShapeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != "
            f"{list(other.shape)}"
        )


def _mul(input: Any, other: Any) -> Any:
    if not isinstance(input, SparseTensor):
        input, other = other, input
    if _is_number(other):
        return input.with_values(input._entries * other)
    if isinstance(other, SparseTensor):
        return _product_of_sparse(input, other)
    return input.with_values(input._entries * _elements_at(input, other))


def _product_of_sparse(input: SparseTensor, other: SparseTensor) -> SparseTensor:
    """Multiply the elements whose places both tensors have."""
    _check_same_size("mul", input, other)
    left, right = input.coalesce(), other.coalesce()
    _, mine, theirs = np.intersect1d(
        left.flat_places(), right.flat_places(), assume_unique=True, return_indices=True
    )
    entries = index_select(left._entries, 0, new_tensor(mine)) * index_select(
        right._entries, 0, new_tensor(theirs)
    )
    return made(left._places[:, mine], entries, left.shape, merged=True)


def _elements_at(input: SparseTensor, dense: Any) -> Any:
    """Return the elements of a dense tensor, broadcast to the sparse one, at its places."""
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
    last = input._places[input.ndim - len(shape) :]
    picked = (each * (size > 1) for each, size in zip(last, shape, strict=True))
    return getitem(dense, tuple(map(new_tensor, picked)))


def _div(input: Any, other: Any, rounding_mode: Any = None) -> Any:
    if not isinstance(input, SparseTensor) or not _is_number(other):
        raise ShapeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    merged = input if rounding_mode is None else input.coalesce()
    return merged.with_values(merged._entries.div(other, rounding_mode=rounding_mode))


def _sum(input: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    entries = input._entries
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {dim_from_end(each, input.ndim) for each in dims}
    if len(gone) == input.ndim or not gone:
        return reductions.sum(entries, dtype=dtype)
    if keepdim:
        raise SparseLayoutError("sum(): keepdim=True is not supported for sparse tensors")
    kept = [each for each in range(input.ndim) if each not in gone]
    summed = entries if dtype is None else entries.to(dtype)
    return made(input._places[kept], summed, [input.shape[each] for each in kept]).coalesce()


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Return the sum of the elements of a sparse tensor.

    Args:
        input: Sparse tensor.
        dim: The dim or dims to sum over; all by default.
        dtype: The dtype of the result.

    Returns:
        A dense tensor without dims for a sum over all dims, otherwise a sparse tensor.

    >>> import pellucid as torch
    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> torch.sparse.sum(s)
    tensor(7.)
    >>> torch.sparse.sum(s, 0).to_dense()
    tensor([4., 0., 3.])
    """
    return reductions.sum(input, dim, dtype=dtype)


def _transpose(input: Any, dim0: int, dim1: int) -> Any:
    order = list(range(input.ndim))
    first, second = dim_from_end(dim0, input.ndim), dim_from_end(dim1, input.ndim)
    order[first], order[second] = order[second], order[first]
    return input.permute(*order)


def _t(input: Any) -> Any:
    if input.ndim > 2:
        raise ShapeError(
            "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
            f"{input.ndim} sparse and 0 dense dimensions"
        )
    return input.T


def _permute(input: Any, dims: Any) -> Any:
    return input.permute(*dims)


def _clone(input: Any, memory_format: Any = None) -> Any:
    return input.with_values(input._entries.clone())


_RULES: dict[Op, Callable[..., Any]] = {
    function.op: rule
    for function, rule in (
        (arithmetic.add, _add), (arithmetic.div, _div), (arithmetic.mul, _mul),
        (arithmetic.sub, _sub), (clone, _clone), (products.matmul, matmul),
        (reductions.sum, _sum), (views.permute, _permute), (views.t, _t),
        (views.transpose, _transpose),
    )
}  # fmt: skip
