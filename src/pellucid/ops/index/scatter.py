"""Reading and writing elements whose places other tensors hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.dtype_rules import OWN
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import EXACT, public
from pellucid.core.families import op
from pellucid.dtypes import fitted_number, from_numpy_dtype, scalar_name
from pellucid.errors import ArgumentTypeError, DtypeError, ShapeError
from pellucid.kernels.active import cpu
from pellucid.kernels.meta import as_meta, is_meta
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.views import reshape, slices_backward
from pellucid.shapes import Like, broadcast_shapes, dim_from_end

# The index is an operand, as backward needs it: changing it in place before then is
# noticed as for any saved value.


def check_index(name: str, index: Any) -> None:
    if not isinstance(index, TensorBase):
        raise ArgumentTypeError(
            f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}"
        )
    check_index_dtype(name, index._array)


def check_index_dtype(name: str, index: Any) -> None:
    """Raise RuntimeError for an index that does not hold integers."""
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise DtypeError(
            f"{name}(): Expected dtype int32/int64 for index; this one is "
            f"{from_numpy_dtype(index.dtype)}"
        )


def check_long_index(name: str, index: Any) -> None:
    """Raise RuntimeError for an index that is not of int64."""
    if index.dtype != np.int64:
        raise DtypeError(
            f"{name}(): Expected a long tensor for index, but got {scalar_name(index.dtype)}"
        )


def _check_indices(be: Any, index: Any, shape: tuple[int, ...], dim: int, src: Any = None) -> None:
    """Raise where an index does not lie within the other dimensions, or points outside ``dim``."""
    _check_sizes(index, shape, dim, src)
    if index.size and not be.all_within(index, (shape or (1,))[dim]):
        raise _outside(index, shape, dim)


def _written(be: Any, kernel: Any, input: Any, axis: int, index: Any, *how: Any) -> Any:
    """Return a copy of the input that a kernel has written to, which refuses places outside."""
    if not index.size:
        return be.array(input)
    try:
        return kernel(input, axis, index, *how)
    except RuntimeError:
        raise _outside(index, input.shape, axis) from None


def _outside(index: Any, shape: tuple[int, ...], dim: int) -> ShapeError:
    low, high = int(index.min()), int(index.max())
    return ShapeError(
        f"index {low if low < 0 else high} is out of bounds for dimension {dim} with size "
        f"{(shape or (1,))[dim]}"
    )


def _check_sizes(index: Any, shape: tuple[int, ...], dim: int, src: Any = None) -> None:
    have = shape or (1,)
    sizes = index.shape or (1,)
    if not index.size:
        return
    if len(sizes) != len(have):
        raise ShapeError("Index tensor must have the same number of dimensions as input tensor")
    wide = ()
    if sizes != have:
        wide = [axis for axis, n in enumerate(sizes) if axis != dim and n > have[axis]]
    if src is not None:
        src_sizes = src.shape or (1,)
        if len(src_sizes) != len(sizes):
            if src.ndim:
                dim_from_end(dim, src.ndim)
            raise ShapeError("Index tensor must have the same number of dimensions as src tensor")
        shorter = sizes != src_sizes and any(n > m for n, m in zip(sizes, src_sizes, strict=True))
        if wide or shorter:
            raise ShapeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(shape)} apart "
                f"from dimension {dim} and to be no larger size than src {list(src.shape)}"
            )
    elif wide:
        raise ShapeError(
            f"Size does not match at dimension {wide[0]} expected index {list(index.shape)} to "
            "be no "
            f"larger than self {list(shape)} apart from dimension {dim}"
        )


@public("gather", method=True, out=EXACT)
@op(
    torch_kernel_name="scatter_gather_tensor_cpu",
    gradient_changes=1,
    dtypes=OWN.without_numbers(),
    half="bitwise",
    order=("input", "dim", "index"),
    compiled_kernel=("take_along", 1),
    faces=Face("dim index self@ sparse_grad"),
)
def gather(be, input, index, /, dim: int, *, sparse_grad=False):
    """Read ``input[index[i][j]][j]`` (for ``dim=0``): one element along ``dim`` per index.

    ``index`` has as many dimensions as ``input`` and, but for ``dim``, is no larger. Raises
    RuntimeError for an index that is out of bounds.

    Args:
        input: Tensor with as many dimensions as ``index``.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``; the result has their shape.
        sparse_grad: Whether the gradient would be sparse; here it is dense.

    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    if index.size:
        check_index_dtype("gather", index)
    axis = dim_from_end(dim, input.ndim)
    _check_sizes(index, input.shape, axis)
    if not index.size:
        return be.empty(index.shape, input.dtype)
    try:
        return be.take_along(input, index, axis)
    except RuntimeError:
        raise _outside(index, input.shape, axis) from None


@gather.vjp("input")
def gather_input(g, input: Like, index, dim):
    return gather_backward(g, index, tuple(input.shape), dim)


@op(node_name="scatter_add")
def gather_backward(be, g, index, /, shape, dim):
    """Add elements to zeros at indices along a dimension: the transpose of gathering."""
    axis = dim_from_end(dim, len(shape))
    if not index.size:
        return be.zeros(shape, g.dtype)
    return be.scatter_add_along(shape, index, g, axis)


@gather_backward.vjp("g")
def gather_backward_g(g, index, dim):
    return gather(g, dim, index)


@public("take_along_dim", method=True, out=EXACT)
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Read elements at indices along a dimension; the other dimensions broadcast.

    Along a dimension, indices beyond its size, or negative, begin again at its other end. Without
    one, they raise RuntimeError.

    Args:
        input: Tensor of any shape.
        indices: Indices (int64; without ``dim`` int32 too).
        dim: Dimension that ``index`` counts along; all of the elements in a row if None.

    >>> x = torch.tensor([[10, 30, 20]])
    >>> torch.take_along_dim(x, torch.tensor([[0, 2, 1]]), dim=1)
    tensor([[10, 20, 30]])
    """
    if dim is None:
        return gather(reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    if indices._array.dtype != np.int64:
        raise DtypeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{scalar_name(indices._array.dtype)}"
        )
    ndim = input._array.ndim
    if ndim != indices._array.ndim:
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    axis = dim_from_end(dim, ndim)
    sizes, positions = list(input._array.shape), list(indices._array.shape)
    length, count = sizes[axis], positions[axis]
    found = indices._array
    if isinstance(found, np.ndarray) and length and not cpu.all_within(found, length):
        indices = new_tensor(found % length)
    sizes[axis] = positions[axis] = 1
    common = list(broadcast_shapes(sizes, positions))
    whole = (*common[:axis], length, *common[axis + 1 :])
    wanted = (*common[:axis], count, *common[axis + 1 :])
    return gather(expand(input, whole), axis, expand(indices, wanted))


def _corner(shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(0, size) for size in shape)


def _padded(g: Any, shape: tuple[int, ...]) -> Any:
    """Return a gradient for the whole of ``src``, of which the index used a corner."""
    if tuple(g.shape) == shape:
        return g
    return slices_backward([g], [_corner(tuple(g.shape))], shape)


@op(
    torch_kernel_name="scatter_gather_tensor_cpu", node_name="scatter", apart=True,
    compiled_kernel=("scattered", 1), faces=Face("dim index"),
)  # fmt: skip
def scatter_src(be, input, index, src, /, dim):
    """Return a copy with the elements of ``src`` at indices along a dimension."""
    check_index_dtype("scatter", index)
    axis = dim_from_end(dim, input.ndim)
    _check_sizes(index, input.shape, axis, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return _written(be, be.scatter, input, axis, index, src)


@scatter_src.vjp("input")
def scatter_src_input(g, index, dim):
    return scatter_value(g, index, dim, 0)


@scatter_src.vjp("src")
def scatter_src_src(g, index, src: Like, dim):
    return _padded(gather(g, dim, index), tuple(src.shape))


@op(
    torch_kernel_name="scatter_gather_scalar_cpu",
    node_name="scatter", overload=1, apart=True, compiled_kernel=("scattered_number", 2),
    faces=Face("dim index"),
)  # fmt: skip
def scatter_value(be, input, index, /, dim, value):
    """Return a copy with one number at indices along a dimension."""
    axis = dim_from_end(dim, input.ndim)
    _check_sizes(index, input.shape, axis)
    return _written(be, be.scatter, input, axis, index, value)


@scatter_value.vjp("input")
def scatter_value_input(g, index, dim):
    return scatter_value(g, index, dim, 0)


@public("scatter_add", method=True, inplace=True)
@op(
    torch_kernel_name="scatter_gather_tensor_cpu",
    dtypes=OWN.without_numbers(),
    apart=True,
    order=("input", "dim", "index", "src"),
    compiled_kernel=("scattered_sum", 1),
    faces=Face("dim index"),
)
def scatter_add(be, input, index, src, /, dim: int):
    """Return a copy with the elements of ``src`` added at the indices along a dimension.

    Args:
        input, dim: As for `gather`.
        index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
        src: Values to add, with as many dimensions as ``index``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``src`` differ.

    >>> torch.scatter_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])
    """
    check_index_dtype("scatter", index)
    axis = dim_from_end(dim, input.ndim)
    _check_sizes(index, input.shape, axis, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return _written(be, be.scatter_reduce, input, axis, index, src, "sum")


@scatter_add.vjp("input")
def scatter_add_input(g):
    return g


@scatter_add.vjp("src")
def scatter_add_src(g, index, src: Like, dim):
    return _padded(gather(g, dim, index), tuple(src.shape))


_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@public("scatter_reduce", method=True, inplace=True)
@op(
    torch_kernel_name="scatter_gather_tensor_cpu", dtypes=OWN.without_numbers(), apart=True,
    order=("input", "dim", "index", "src", "reduce"),
)  # fmt: skip
def scatter_reduce(be, input, index, src, /, dim: int, reduce, *, include_self=True):
    """Return a copy with the elements of ``src`` reduced into it at indices along a dimension.

    ``reduce`` is sum, prod, mean, amax or amin; without ``include_self`` what was there does not
    count. Raises RuntimeError for another name.

    Args:
        input, dim, index: As for `scatter_add`.
        src: Values to reduce, with as many dimensions as ``index``.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the values that are there take part.

    >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
    >>> torch.scatter_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    _check_reduction(index, reduce)
    axis = dim_from_end(dim, input.ndim)
    _check_indices(be, index, input.shape, axis, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return be.array(input)
    return be.scatter_reduce(input, axis, index, src, reduce, include_self)


@scatter_reduce.vjp("input")
def scatter_reduce_input(g, input, index, src, out, dim, reduce, include_self):
    if reduce in ("amax", "amin"):
        mine = input == out
        if not include_self:
            return scatter_value(g * mine, index, dim, 0)
        return g * mine / _shares(input, index, src, out, dim, include_self)
    kept = g if include_self else scatter_value(g, index, dim, 0)
    if reduce == "sum":
        return kept
    if reduce == "mean":
        return kept / _counts(input, index, g, dim, include_self)
    return kept * _others(input, index, src, dim, include_self)[0]


@scatter_reduce.vjp("src")
def scatter_reduce_src(g, input, index, src, out, dim, reduce, include_self):
    shape = tuple(src.shape)
    if reduce == "sum":
        return _padded(gather(g, dim, index), shape)
    if reduce == "mean":
        shared = g / _counts(input, index, g, dim, include_self)
        return _padded(gather(shared, dim, index), shape)
    used = _used(src, index)
    if reduce in ("amax", "amin"):
        shares = _shares(input, index, src, out, dim, include_self)
        hit = used == gather(out, dim, index)
        return _padded(gather(g / shares, dim, index) * hit, shape)
    others = _others(input, index, src, dim, include_self)[1]
    return _padded(gather(g, dim, index) * others, shape)


def _used(src: Any, index: Any) -> Any:
    """Return the corner of ``src`` that the index speaks of."""
    return src[_corner(tuple(index.shape))] if index.shape else src


def _ones(x: Any, like: Any) -> Any:
    """Return ones in the shape of ``x`` and of the kind (array or tensor) of ``like``."""
    given = like._array if isinstance(like, TensorBase) else like
    array = np.ones(x.shape, given.dtype)
    array = as_meta(array) if is_meta(given) else array
    return new_tensor(array) if isinstance(like, TensorBase) else array


def _counts(input: Any, index: Any, g: Any, dim: int, include_self: bool) -> Any:
    """Return how many elements each mean is over; 1 where there are none."""
    start = _ones(g, g) if include_self else _ones(g, g) * 0
    counts = scatter_add(start, dim, index, _ones(index, g))
    return counts + (counts == 0) * 1.0


def _shares(input: Any, index: Any, src: Any, out: Any, dim: int, include_self: bool) -> Any:
    """Return how many elements share the extreme at each place; 1 where none does."""
    used = _used(src, index)
    hit = (used == gather(out, dim, index)) * _ones(index, input)
    mine = (input == out) * _ones(input, input)
    counts = scatter_add(mine if include_self else mine * 0, dim, index, hit)
    return counts + (counts == 0) * _ones(input, input)


def _factors(input: Any, index: Any, src: Any, dim: int, include_self: bool) -> tuple[Any, Any]:
    """Return the product of the factors that are not zero, and how many are zero."""
    product = scatter_reduce(
        input + (input == 0), dim, index, src + (src == 0), "prod", include_self=include_self
    )
    mine = (input == 0) * _ones(input, input)
    start = mine if include_self else scatter_value(mine, index, dim, 0)
    zeros = scatter_add(start, dim, index, (src == 0) * _ones(src, src))
    return product, zeros


def _others(input: Any, index: Any, src: Any, dim: int, include_self: bool) -> tuple[Any, Any]:
    """Return the product of the other factors, for what was there and for what was brought."""
    used = _used(src, index)
    product, zeros = _factors(input, index, src, dim, include_self)
    theirs = gather(product, dim, index), gather(zeros, dim, index)
    if not isinstance(input, TensorBase) or not zeros._array.any():
        return _divided(input, product, zeros), _divided(used, *theirs)
    from pellucid.ops.index.scatter_prod import products_of_others  # it is built on scatter

    first = input if include_self else _ones(input, input)
    mine, brought = products_of_others(first, index, used, dim)
    return (
        _divided(input, product, zeros) * (zeros == 0) + mine,
        _divided(used, *theirs) * (theirs[1] == 0) + brought,
    )


def _divided(factor: Any, product: Any, zeros: Any) -> Any:
    """Return the product of the other factors, given that of those that are not zero."""
    without_zeros = product / (factor + (factor == 0))
    return without_zeros * ((factor != 0) * (zeros == 0) + (factor == 0) * (zeros == 1))


@public("scatter", method=True)
def scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Any:  # fmt: skip
    """Return a copy with the elements of ``src``, or one number, written at indices along ``dim``.

    Which element stays where several meet is not said. Raises RuntimeError for indices that are not
    there and where sizes or dtypes do not fit.

    Args:
        input, dim: As for `take_along_dim`.
        index: Indices (int64) along ``dim``.
        src: Tensor with the values to write.
        value: Number to write.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; for `scatter`
            ``"add"`` or ``"multiply"``.

    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    if isinstance(src, TensorBase) and isinstance(index, TensorBase) and value is reduce is None:
        return scatter_src(input, index, src, dim)
    return _scatter(call_op, input, dim, index, src if value is None else value, reduce)


@public(method="scatter_")
def scatter_(
    self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Any:  # fmt: skip
    """Write the elements of ``src``, or one number, at indices along a dimension."""
    return _scatter(call_inplace, self, dim, index, src if value is None else value, reduce)


def call_op(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Call an op as `call_inplace` calls its in-place variant."""
    return op.apply(operands, params)


def _scatter(call: Any, input: Any, dim: int, index: Any, src: Any, reduce: str | None) -> Any:
    check_index("scatter", index)
    if reduce not in (None, "add", "multiply"):
        raise ShapeError("reduce argument must be either add or multiply.")
    if not isinstance(src, TensorBase):
        src = fitted_number(src, input._array.dtype)
        if reduce is None:
            return call(scatter_value.op, (input, index), (dim, src))
        src = new_tensor(np.full(index._array.shape, src).astype(input._array.dtype))
    if reduce is None:
        return call(scatter_src.op, (input, index, src), (dim,))
    if reduce == "add":
        return call(scatter_add.op, (input, index, src), (dim,))
    return call(scatter_reduce.op, (input, index, src), (dim, "prod", True))


def _check_reduction(index: Any, reduce: str) -> None:
    check_index_dtype("scatter", index)
    if reduce not in _REDUCTIONS:
        raise ShapeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
