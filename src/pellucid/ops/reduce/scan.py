"""Products and running reductions: each element from all before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.autocasting import Autocast
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import linear, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import to_numpy_dtype
from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.index.scatter import gather_backward
from pellucid.ops.reduce.reductions import axes_of, overload, restored, sum
from pellucid.ops.shape.diagonal import flip_dims
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import along, basic_index
from pellucid.shapes import Like, dim_from_end

_INT64 = np.dtype(np.int64)


def _target_dtype(input: Any, dtype: Any) -> Any:
    """Return the dtype of a product or running sum: int64 for integers, unless one is given."""
    if dtype is not None:
        return to_numpy_dtype(dtype)
    return input.dtype if input.dtype.kind in "fc" else _INT64


def _accumulated(name: str, kernel: Any, input: Any, dim: int, dtype: Any) -> Any:
    target = _target_dtype(input, dtype)
    if target.kind == "b":
        raise unsupported(f"{name}_out_cpu", target)
    if not input.ndim:
        return input.astype(target)
    return kernel(input.astype(target, copy=False), dim)


@public("prod", method=True, out=CASTING)
@op(
    torch_kernel_name="prod_out_cpu",
    named=overload,
    layout=contiguous,
    batch=Batch.OVER_ONE_DIM,
    autocast=Autocast.FLOAT32,
    faces={"ProdBackward0": Face("result self"), "ProdBackward1": Face("dim keepdim result self")},
)
def prod(be, input, /, dim=None, keepdim=False, *, dtype=None):
    """Multiply the elements, along one dimension or all.

    Booleans and integers give int64 unless ``dtype`` is given.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        TypeError: If ``dim`` is not an int.

    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).prod(dim=1)
    tensor([ 2., 12.])
    """
    target = _target_dtype(input, dtype)
    dims = axes_of(dim, input.ndim)
    if isinstance(dim, tuple | list):
        raise ArgumentTypeError(f"prod(): argument 'dim' must be int, not {type(dim).__name__}")
    return be.product(input, dims, target, keepdim)


@prod.vjp("input")
def prod_input(g, input, out, dim, keepdim):
    g = restored(g, input, dim, keepdim)
    if (input != 0).all():
        return g * restored(out, input, dim, keepdim) / input
    dims = axes_of(dim, input.ndim)
    if dims is None:
        return g * others_product(input.reshape((-1,)), 0).reshape(input.shape)
    return g * others_product(input, dims[0]) if dims else g


def others_product(x: Any, dim: int) -> Any:
    """Return for each element the product of all others along a dimension, without dividing."""
    before, after = _shifted(x, dim, False), _shifted(x, dim, True)
    return cumprod(before, dim) * flip_dims(cumprod(flip_dims(after, (dim,)), dim), (dim,))


def _shifted(x: Any, dim: int, forward: bool) -> Any:
    """Move the elements one place along a dimension, and put a one where a place becomes free."""
    last = x.shape[dim] - 1
    one = basic_index(x, along(dim, slice(0, 1))) * 0 + 1
    if forward:
        return cat([basic_index(x, along(dim, slice(1, None))), one], dim)
    return cat([one, basic_index(x, along(dim, slice(0, last)))], dim)


@public("cumsum", method=True, inplace=True, out=CASTING)
@linear(
    torch_kernel_name="cumsum_out_cpu", layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("cumsum", 1),
)  # fmt: skip
def cumsum(be, input, /, dim, *, dtype=None):
    """Return running sums along a dimension.

    Args:
        input, dim, dtype: As for `prod`.

    >>> torch.cumsum(torch.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])
    """
    return _accumulated("cumsum", be.cumsum, input, dim_from_end(dim, input.ndim), dtype)


@cumsum.vjp("input")
def cumsum_input(g, dim):
    return reversed_cumsum(g, dim)


def reversed_cumsum(x: Any, dim: int) -> Any:
    """Return running sums from the end."""
    if not x.ndim:
        return x
    return flip_dims(cumsum(flip_dims(x, (dim,)), dim), (dim,))


@public("cumprod", method=True, inplace=True, out=CASTING)
@op(
    torch_kernel_name="cumprod_out_cpu", layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("cumprod", 1),
)  # fmt: skip
def cumprod(be, input, /, dim, *, dtype=None):
    """Return running products along a dimension.

    Args: As for `cumsum`.

    >>> torch.cumprod(torch.tensor([1, 2, 3]), dim=0)
    tensor([1, 2, 6])
    """
    return _accumulated("cumprod", be.cumprod, input, dim_from_end(dim, input.ndim), dtype)


@cumprod.vjp("input")
def cumprod_input(g, input, out, dim):
    if not input.ndim:
        return g
    if (input != 0).all():
        return reversed_cumsum(g * out, dim) / input
    return _cumprod_gradient_with_zeros(g, input, dim_from_end(dim, input.ndim))


def _cumprod_gradient_with_zeros(g: Any, input: Any, dim: int) -> Any:
    """Multiply for each element all others up to each place: quadratic, but without dividing."""
    size, later = input.shape[dim], (1,) * (input.ndim - dim - 1)
    own = np.eye(size, dtype=bool).reshape(size, size, *later)
    rows = input.reshape((*input.shape[:dim], 1, *input.shape[dim:]))
    products = cumprod(where(_beside(input, own), 1, rows), dim + 1)
    reached = np.tri(size, dtype=bool).T.reshape(size, size, *later)
    spread = g.reshape((*g.shape[:dim], 1, *g.shape[dim:]))
    return sum(where(_beside(input, reached), products * spread, 0), dim + 1)


def _beside(x: Any, mask: Any) -> Any:
    """Return a mask as what ``x`` is, an array or a tensor."""
    return new_tensor(mask) if isinstance(x, TensorBase) else mask


@public("logcumsumexp", method=True, out=EXACT)
@op(
    torch_kernel_name="logcumsumexp_out_cpu", layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("logcumsumexp", 1),
)  # fmt: skip
def logcumsumexp(be, input, /, dim):
    """Return the logarithms of the running sums of exponentials, without overflow.

    Args:
        input: Floating-point or complex tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.logcumsumexp(torch.zeros(2), dim=0)
    tensor([0.0000, 0.6931])
    """
    _refuse("logcumsumexp_out_cpu", "biu", input)
    axis = dim_from_end(dim, input.ndim)
    return be.logcumsumexp(input, axis) if input.ndim else input.copy()


@logcumsumexp.vjp("input")
def logcumsumexp_input(g, input, out, dim):
    return weighted_from_end(g, input, out, dim)


@op(node_name="logcumsumexp_backward")
def weighted_from_end(be, grad, input, total, /, dim):
    """Add up ``grad[j] * exp(input[i] - total[j])`` over all ``j >= i``."""
    return be.exponential_cumsum(grad, -total, input, dim_from_end(dim, input.ndim), True)


@weighted_from_end.vjp("grad")
def weighted_from_end_grad(g, input, total, dim):
    return weighted_from_start(g, input, total, dim)


@weighted_from_end.vjp("input")
def weighted_from_end_input(g, grad, input, total, dim):
    return g * weighted_from_end(grad, input, total, dim)


@weighted_from_end.vjp("total")
def weighted_from_end_total(g, grad, input, total, dim):
    return -grad * weighted_from_start(g, input, total, dim)


@op(node_name="logcumsumexp_backward")
def weighted_from_start(be, grad, input, total, /, dim):
    """Add up ``grad[i] * exp(input[i] - total[j])`` over all ``i <= j``."""
    return be.exponential_cumsum(grad, input, -total, dim_from_end(dim, input.ndim), False)


@weighted_from_start.vjp("grad")
def weighted_from_start_grad(g, input, total, dim):
    return weighted_from_end(g, input, total, dim)


@weighted_from_start.vjp("input")
def weighted_from_start_input(g, grad, input, total, dim):
    return grad * weighted_from_end(g, input, total, dim)


@weighted_from_start.vjp("total")
def weighted_from_start_total(g, grad, input, total, dim):
    return -g * weighted_from_start(grad, input, total, dim)


def _refuse(name: str, kinds: str, array: Any) -> None:
    if array.dtype.kind in kinds:
        raise unsupported(name, array.dtype)


@public("cummax", method=True, out=EXACT)
@op(
    gradient_changes=2,
    returns=named("cummax", "values", "indices"),
    layout=contiguous,
    batch=Batch.ALONG_DIMS,
    compiled_kernel=("cummax", 1),
    faces=Face("dim indices self@"),
)
def cummax(be, input, /, dim):
    """Return running maxima along a dimension, and the indices (int64) where they occur.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.cummax(torch.tensor([1, 3, 2]), dim=0).values
    tensor([1, 3, 3])
    """
    _refuse("cummax_cpu", "c", input)
    return be.cummax(input, dim_from_end(dim, input.ndim))


@cummax.vjp("input")
def cummax_input(g_values, input: Like, indices, dim):
    return gather_backward(g_values, indices, tuple(input.shape), dim)


@public("cummin", method=True, out=EXACT)
@op(
    gradient_changes=2,
    returns=named("cummin", "values", "indices"),
    layout=contiguous,
    batch=Batch.ALONG_DIMS,
    compiled_kernel=("cummin", 1),
    faces=Face("dim indices self@"),
)
def cummin(be, input, /, dim):
    """Return running minima along a dimension, and the indices (int64) where they occur.

    Args: As for `cummax`.

    >>> torch.cummin(torch.tensor([3, 1, 2]), dim=0).values
    tensor([3, 1, 1])
    """
    _refuse("cummin_cpu", "c", input)
    return be.cummin(input, dim_from_end(dim, input.ndim))


@cummin.vjp("input")
def cummin_input(g_values, input: Like, indices, dim):
    return gather_backward(g_values, indices, tuple(input.shape), dim)


def _check_ends(input: Any, axis: int, *ends: Any) -> None:
    """Raise RuntimeError for an end that is not as large as the input across the axis."""
    for end in ends:
        if end is None:
            continue
        for dim, (have, wanted) in enumerate(zip(end.shape, input.shape, strict=True)):
            if dim != axis and have != wanted:
                raise ShapeError(
                    "diff expects the shape of tensor to prepend or append to match that of input "
                    f"except along the differencing dimension; input.size({dim}) = {wanted}, but "
                    f"got tensor.size({dim}) = {have}"
                )


@public("diff", method=True, out=CASTING)
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours along a dimension, taken ``n`` times.

    ``prepend`` and ``append`` are joined to the input first; ``n`` = 0 copies the input alone.
    Raises RuntimeError for a negative ``n``, and where what is joined has other dimensions.

    Args:
        input: Tensor of at least one dimension.
        n: How often to take differences.
        dim: Dimension to work along; a negative one counts from the end.
        prepend: Tensor put before ``input`` along ``dim``.
        append: Tensor put after ``input`` along ``dim``.

    >>> torch.diff(torch.tensor([1, 3, 6]))
    tensor([2, 3])
    """
    if not input.ndim:
        raise ShapeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise ShapeError(f"order must be non-negative but got {n}")
    axis = dim_from_end(dim, input.ndim)
    parts = [part for part in (prepend, input, append) if part is not None]
    if any(part.ndim != input.ndim for part in parts):
        raise ShapeError("diff expects prepend or append to be the same dimension as input")
    _check_ends(input, axis, prepend, append)
    if n == 0:
        return input.clone()
    if len(parts) > 1:
        input = cat(parts, axis)
    later, earlier = along(axis, slice(1, None)), along(axis, slice(0, -1))
    for _ in range(min(n, input._array.shape[axis])):  # then there is nothing left
        ends = basic_index(input, later), basic_index(input, earlier)
        input = ends[0] ^ ends[1] if input._array.dtype.kind == "b" else ends[0] - ends[1]
    return input
