"""Reading and writing elements whose places other tensors hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase
from pellucid.core.autocasting import Autocast
from pellucid.core.batching import Batch
from pellucid.core.call import new_tensor
from pellucid.core.families import nograd, op
from pellucid.core.layouts import contiguous
from pellucid.core.memory_formats import copied
from pellucid.core.public import EXACT, public
from pellucid.core.writing import shares_storage
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import (
    ArgumentTypeError,
    DimensionError,
    DtypeError,
    IndexingError,
    ShapeError,
)
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.elementwise.conditional import masked_fill
from pellucid.ops.index.indexing import gather_index, put_index
from pellucid.ops.shape.copying import to
from pellucid.ops.shape.splitting import select
from pellucid.ops.shape.views import (
    along,
    as_strided,
    basic_index,
    expand,
    reshape,
    slices_backward,
)
from pellucid.shapes import Like, broadcast_shapes, dim_from_end

# The index is an operand, as backward needs it: changing it in place before then is
# noticed as for any saved value.


def _check_index(name: str, index: Any) -> None:
    if not isinstance(index, TensorBase):
        raise ArgumentTypeError(
            f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}"
        )
    _check_index_dtype(name, index._array)


def _check_index_dtype(name: str, index: Any) -> None:
    """Raise RuntimeError for an index that does not hold integers."""
    if index.dtype not in (np.int64, np.int32):
        raise DtypeError(
            f"{name}(): Expected dtype int32/int64 for index; this one is "
            f"{from_numpy_dtype(index.dtype)}"
        )


def _check_places(index: Any, shape: tuple[int, ...], dim: int, src: Any = None) -> None:
    """Raise where an index does not lie within the other dimensions, or points outside ``dim``."""
    have = shape or (1,)
    sizes = index.shape or (1,)
    if not index.size:
        return
    if len(sizes) != len(have):
        raise ShapeError("Index tensor must have the same number of dimensions as input tensor")
    wide = [axis for axis, n in enumerate(sizes) if axis != dim and n > have[axis]]
    if src is not None:
        src_sizes = src.shape or (1,)
        if len(src_sizes) != len(sizes):
            raise ShapeError("Index tensor must have the same number of dimensions as src tensor")
        if wide or any(n > m for n, m in zip(sizes, src_sizes, strict=True)):
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
    # a negative index, taken as unsigned, is a very large one
    if index.view(f"u{index.dtype.itemsize}").max() >= have[dim]:
        low, high = int(index.min()), int(index.max())
        raise ShapeError(
            f"index {low if low < 0 else high} is out of bounds for dimension {dim} with size "
            f"{have[dim]}"
        )


# ---- gather and scatter along a dimension ----------------------------------------------------


@public("gather", method=True, out=EXACT)
@op(half="bitwise", order=("input", "dim", "index"))
def gather(be, input, index, /, dim: int, *, sparse_grad=False):
    """Read ``input[index[i][j]][j]`` (for ``dim=0``): one element along ``dim`` per index.

    ``index`` has as many dimensions as ``input`` and, but for ``dim``, is no larger. Raises
    RuntimeError for an index that is out of bounds.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        sparse_grad: Whether the gradient would be sparse; here it is dense.

    >>> import pellucid as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    _check_index_dtype("gather", index)
    place = dim_from_end(dim, input.ndim)
    _check_places(index, input.shape, place)
    if not index.size:
        return be.empty(index.shape, input.dtype)
    return be.take_along(input, index, place)


@gather.vjp("input")
def gather_input(g, input: Like, index, dim):
    return gather_backward(g, index, tuple(input.shape), dim)


@op(node_name="scatter_add")
def gather_backward(be, g, index, /, shape, dim):
    """Add elements to zeros at places along a dimension: the transpose of gathering."""
    place = dim_from_end(dim, len(shape))
    if not index.size:
        return be.zeros(shape, g.dtype)
    return be.scatter_add_along(shape, index, g, place)


@gather_backward.vjp("g")
def gather_backward_g(g, index, dim):
    return gather(g, dim, index)


@public("take_along_dim", method=True, out=EXACT)
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Read places along a dimension; the other dimensions are broadcast.

    Along a dimension, negative places count from its end. Raises RuntimeError for places that are
    not there.

    Args:
        input: Tensor of any shape.
        indices: Indices (int64).
        dim: Dimension that ``index`` counts along.

    >>> import pellucid as torch
    >>> x = torch.tensor([[10, 30, 20]])
    >>> torch.take_along_dim(x, torch.tensor([[0, 2, 1]]), dim=1)
    tensor([[10, 20, 30]])
    """
    _check_index("torch.take_along_dim", indices)
    if dim is None:
        return gather(reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    ndim = input._array.ndim
    if ndim != indices._array.ndim:
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    place = dim_from_end(dim, ndim)
    sizes, places = list(input._array.shape), list(indices._array.shape)
    length, count = sizes[place], places[place]
    found = indices._array
    if isinstance(found, np.ndarray) and found.size and found.min() < 0:
        indices = new_tensor(np.where(found < 0, found + length, found))
    sizes[place] = places[place] = 1
    common = list(broadcast_shapes(sizes, places))
    whole = (*common[:place], length, *common[place + 1 :])
    wanted = (*common[:place], count, *common[place + 1 :])
    return gather(expand(input, whole), place, expand(indices, wanted))


def _corner(shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(0, size) for size in shape)


def _padded(g: Any, shape: tuple[int, ...]) -> Any:
    """Return a gradient for the whole of ``src``, of which the index used a corner."""
    if tuple(g.shape) == shape:
        return g
    return slices_backward([g], [_corner(tuple(g.shape))], shape)


@op(node_name="scatter")
def scatter_src(be, input, index, src, /, dim):
    """Return a copy with the elements of ``src`` at places along a dimension."""
    place = dim_from_end(dim, input.ndim)
    _check_places(index, input.shape, place, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return be.scatter(input, place, index, src) if index.size else be.array(input)


@scatter_src.vjp("input")
def scatter_src_input(g, index, dim):
    return scatter_fill(g, index, dim, 0)


@scatter_src.vjp("src")
def scatter_src_src(g, index, src: Like, dim):
    return _padded(gather(g, dim, index), tuple(src.shape))


@op(node_name="scatter")
def scatter_fill(be, input, index, /, dim, value):
    """Return a copy with one number at places along a dimension."""
    place = dim_from_end(dim, input.ndim)
    _check_places(index, input.shape, place)
    return be.scatter(input, place, index, value) if index.size else be.array(input)


@scatter_fill.vjp("input")
def scatter_fill_input(g, index, dim):
    return scatter_fill(g, index, dim, 0)


@public("scatter_add", method=True, inplace=True)
@op(order=("input", "dim", "index", "src"))
def scatter_add(be, input, index, src, /, dim: int):
    """Return a copy with the elements of ``src`` added at the indices along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        src: Tensor with the values to add.

    >>> import pellucid as torch
    >>> torch.scatter_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])
    """
    _check_index_dtype("scatter", index)
    place = dim_from_end(dim, input.ndim)
    _check_places(index, input.shape, place, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return be.array(input)
    return be.scatter_reduce(input, place, index, src, "sum")


@scatter_add.vjp("input")
def scatter_add_input(g):
    return g


@scatter_add.vjp("src")
def scatter_add_src(g, index, src: Like, dim):
    return _padded(gather(g, dim, index), tuple(src.shape))


_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@public("scatter_reduce", method=True, inplace=True)
@op(order=("input", "dim", "index", "src", "reduce"))
def scatter_reduce(be, input, index, src, /, dim: int, reduce, *, include_self=True):
    """Return a copy with the elements of ``src`` reduced into it at indices along a dimension.

    ``reduce`` is sum, prod, mean, amax or amin; without ``include_self`` what was there does not
    count. Raises RuntimeError for another name.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        src: Tensor with the values to reduce.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the values that are there take part.

    >>> import pellucid as torch
    >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
    >>> torch.scatter_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    _check_reduction(index, reduce)
    place = dim_from_end(dim, input.ndim)
    _check_places(index, input.shape, place, src)
    if src.dtype != input.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return be.array(input)
    return be.scatter_reduce(input, place, index, src, reduce, include_self)


@scatter_reduce.vjp("input")
def scatter_reduce_input(g, input, index, src, out, dim, reduce, include_self):
    if reduce in ("amax", "amin"):
        mine = input == out
        if not include_self:
            return scatter_fill(g * mine, index, dim, 0)
        return g * mine / _shares(input, index, src, out, dim, include_self)
    kept = g if include_self else scatter_fill(g, index, dim, 0)
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
    array = np.ones(x.shape, like._array.dtype if isinstance(like, TensorBase) else like.dtype)
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
    start = mine if include_self else scatter_fill(mine, index, dim, 0)
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
    """Return a copy with the elements of ``src``, or one number, at places along a dimension.

    Which element stays where several meet is not said. Raises RuntimeError for places that are not
    there and where sizes or dtypes do not fit.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        src: Tensor with the values to write.
        value: Number to write.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; for `scatter`
            ``"add"`` or ``"multiply"``.

    >>> import pellucid as torch
    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    return _scatter(call_op, input, dim, index, src if value is None else value, reduce)


@public(method="scatter_")
def scatter_(
    self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Any:  # fmt: skip
    """Write the elements of ``src``, or one number, at places along a dimension."""
    return _scatter(call_inplace, self, dim, index, src if value is None else value, reduce)


def call_op(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Call an op as `call_inplace` calls its twin."""
    return op.apply(operands, params)


def _scatter(call: Any, input: Any, dim: int, index: Any, src: Any, reduce: str | None) -> Any:
    _check_index("scatter", index)
    if reduce not in (None, "add", "multiply"):
        raise ShapeError("reduce argument must be either add or multiply.")
    if not isinstance(src, TensorBase):
        if reduce is None:
            return call(scatter_fill.op, (input, index), (dim, src))
        src = new_tensor(np.full(index._array.shape, src).astype(input._array.dtype))
    if reduce is None:
        return call(scatter_src.op, (input, index, src), (dim,))
    if reduce == "add":
        return call(scatter_add.op, (input, index, src), (dim,))
    return call(scatter_reduce.op, (input, index, src), (dim, "prod", True))


def _check_reduction(index: Any, reduce: str) -> None:
    _check_index_dtype("scatter", index)
    if reduce not in _REDUCTIONS:
        raise ShapeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )


# ---- whole slices by index -------------------------------------------------------------------


def _check_vector(name: str, index: Any, extent: int, message: str | None = None) -> None:
    """Raise where the index is no vector, or points outside a dimension."""
    if index.ndim > 1:
        raise DimensionError(f"{name}: Index is supposed to be a vector")
    if index.size and not (0 <= int(index.min()) and int(index.max()) < extent):
        low, high = int(index.min()), int(index.max())
        wrong = low if low < 0 else high
        if message is not None:
            raise IndexingError(f"{message}: index {wrong}, size {extent}")
        text = f"index {wrong} is out of bounds for dimension 0 with size {extent}"
        raise ShapeError(text) if name == "index_add_()" else IndexingError(f"{name}: {text}")


@public("index_select", method=True, out=EXACT)
@op(half="bitwise", layout=contiguous, order=("input", "dim", "index"))
def index_select(be, input, index, /, dim: int):
    """Take the slices at a vector of indices along a dimension.

    Raises IndexError for indices that are not there, negative ones among them.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.

    >>> import pellucid as torch
    >>> torch.index_select(torch.tensor([5, 6, 7]), 0, torch.tensor([2, 2, 0]))
    tensor([7, 7, 5])
    """
    if index.ndim > 1:
        raise DimensionError("index_select(): Index is supposed to be a vector")
    _check_index_dtype("index_select", index)
    place = dim_from_end(dim, input.ndim)
    if not input.ndim:
        _check_vector("index_select()", index, 1, "index out of range in self")
        return be.array(input)
    _check_vector("index_select()", index, input.shape[place], "index out of range in self")
    return be.take(input, index.reshape(-1), axis=place)


@index_select.vjp("input")
def index_select_input(g, input: Like, index, dim):
    return index_select_backward(g, index, tuple(input.shape), dim)


@op(node_name="index_add")
def index_select_backward(be, g, index, /, shape, dim):
    """Add slices to zeros at a vector of indices: the transpose of taking them."""
    return be.index_add(be.zeros(shape, g.dtype), dim_from_end(dim, len(shape)), index, g)


@index_select_backward.vjp("g")
def index_select_backward_g(g, index, dim):
    return index_select(g, dim, index)


@public("index_add", method=True, inplace=True, out=EXACT)
@op(layout=contiguous, order=("input", "dim", "index", "source"))
def index_add(be, input, index, source, /, dim: int, *, alpha=1):
    """Return a copy with ``alpha`` times the slices of ``source`` added at a vector of indices.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.
        source: Tensor with the slices to add.
        alpha: Number that multiplies ``source``.

    >>> import pellucid as torch
    >>> torch.index_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])
    """
    _check_index_dtype("index_add", index)
    flat = "index out of range in self" if input.ndim < 2 else None
    place = _checked_slices("index_add_", input, index, source, dim, flat)
    if source.dtype != input.dtype:
        raise DtypeError(
            "index_add_(): self and source expected to have the same dtype, but got (self) "
            f"{from_numpy_dtype(input.dtype)} and (source) {from_numpy_dtype(source.dtype)}"
        )
    return be.index_add(input, place, index, source if alpha == 1 else be.multiply(source, alpha))


def _checked_slices(
    name: str, input: Any, index: Any, source: Any, dim: int, message: str | None
) -> int:
    """Check slices against where they are to go; return the dimension from the front."""
    place = dim_from_end(dim, input.ndim)
    count = source.shape[place] if source.ndim else 1
    if index.size != count:
        text = f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim)"
        if name == "index_copy_":
            raise IndexingError(f"{text} ({count})")
        raise ShapeError(f"{text}: ({count}), for dim: {place}")
    rest = [s for a, s in enumerate(input.shape) if a != place]
    if input.ndim and [s for a, s in enumerate(source.shape) if a != place] != rest:
        raise ShapeError(
            f"{name}(): source tensor shape must match self tensor shape, excluding the specified "
            f"dimension. Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    extent = input.shape[place] if input.ndim else 1
    _check_vector(f"{name}()", index, extent, message)
    return place


@index_add.vjp("input")
def index_add_input(g):
    return g


@index_add.vjp("source")
def index_add_source(g, index, dim, alpha):
    taken = index_select(g, dim, index)
    return taken if alpha == 1 else taken * alpha


@public("index_copy", method=True, inplace=True, out=EXACT)
@op(autocast=Autocast.WIDEST, order=("input", "dim", "index", "source"))
def index_copy(be, input, index, source, /, dim: int):
    """Return a copy with the slices of ``source`` at a vector of indices.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.
        source: Tensor with the slices to write.

    >>> import pellucid as torch
    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([1]), torch.ones(1))
    tensor([0., 1., 0.])
    """
    _check_index_dtype("index_copy", index)
    place = _checked_slices("index_copy_", input, index, source, dim, None)
    out = be.array(input, order="C")
    if input.ndim:
        out[_slices_at(place, index)] = source
    else:
        out[...] = source.reshape(())
    return out


def _slices_at(place: int, index: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * place, index.reshape(-1))


@index_copy.vjp("input")
def index_copy_input(g, index, dim):
    return index_fill_number(g, index, dim, 0)


@index_copy.vjp("source")
def index_copy_source(g, index, dim):
    return index_select(g, dim, index)


@op(node_name="index_fill")
def index_fill_number(be, input, index, /, dim, value):
    """Return a copy with one number in the slices at a vector of indices."""
    place = dim_from_end(dim, input.ndim)
    out = copied(input)
    if not input.ndim:
        out[...] = value
        return out
    extent = input.shape[place]
    wrong = index[(index < -extent) | (index >= extent)]
    if wrong.size:
        raise IndexingError(
            f"index {int(wrong.flat[0])} is out of bounds for dimension {place} with size {extent}"
        )
    out[_slices_at(place, index)] = value
    return out


@index_fill_number.vjp("input")
def index_fill_number_input(g, index, dim):
    return index_fill_number(g, index, dim, 0)


@public("index_fill", method=True)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return a copy with one number in the slices at a vector of indices.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        value: Number to write.

    >>> import pellucid as torch
    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 7)
    tensor([7., 0., 7.])
    """
    return _filled(call_op, input, dim, index, value)


@public(method="index_fill_")
def index_fill_(self: Any, dim: int, index: Any, value: Any) -> Any:
    """Write one number into the slices at a vector of indices."""
    return _filled(call_inplace, self, dim, index, value)


def _filled(call: Any, input: Any, dim: int, index: Any, value: Any) -> Any:
    """Fill slices with a number, or with a tensor of one element, which may want a gradient."""
    _check_index("index_fill", index)
    if not isinstance(value, TensorBase):
        return call(index_fill_number.op, (input, index), (dim, value))
    if value._array.ndim:
        raise ShapeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if isinstance(index._array, np.ndarray):  # the value counts once for each place it is written
        index = new_tensor(np.unique(index._array))
    shape = list(input._array.shape)
    if shape:
        shape[dim_from_end(dim, len(shape))] = index._array.size
    values = expand(to(value, dtypes.from_numpy_dtype(input._array.dtype)), tuple(shape))
    return call(index_copy.op, (input, index, values), (dim,))


@public(method="masked_fill_")
def masked_fill_(self: Any, mask: Any, value: Any) -> Any:
    """Write a number, or the value of a 0-d tensor, where the mask holds."""
    if shares_storage(self, value):
        value = value.clone()  # read before it is written over
    return call_inplace(masked_fill.op, (self, mask, value), ())


# ---- one part replaced -----------------------------------------------------------------------


def _with_part(input: Any, src: Any, part_of: Any) -> Any:
    """Return a copy of ``input`` in which the part that a function looks at is ``src``."""
    result = input.clone()
    part = part_of(result)
    if part._array.shape != src._array.shape:
        raise ShapeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )
    part.copy_(src)
    return result


@public("slice_scatter", method=True)
def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Any:  # fmt: skip
    """Return a copy with other values in a slice along a dimension.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        dim: Dimension that ``index`` counts along.
        start: Index of the first slice.
        end: Index after the last slice.
        step: Distance from one element to the next.

    >>> import pellucid as torch
    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1)
    tensor([0., 1., 1.])
    """
    place = dim_from_end(dim, input._array.ndim)
    index = along(place, slice(start, end, step))
    return _with_part(input, src, lambda x: basic_index(x, index))


@public("select_scatter", method=True)
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return a copy with other values at one place along a dimension.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.

    >>> import pellucid as torch
    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _with_part(input, src, lambda x: select(x, dim, index))


@public("as_strided_scatter", method=True)
def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """Return a copy with other values in a strided part of the memory.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        size: Shape of the result.
        stride: Step between windows, as a number or one per spatial dimension.
        storage_offset: Index in the storage of the first element.

    >>> import pellucid as torch
    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _with_part(input, src, lambda x: as_strided(x, size, stride, storage_offset))


# ---- by flat index and by mask ---------------------------------------------------------------


def _flat_index(name: str, input: Any, index: Any) -> tuple[Any, ...]:
    _check_index(name, index)
    size = input._array.size
    array = index._array
    if not isinstance(array, np.ndarray):  # inside vmap there are no values to look at
        return (array.copy(),)
    wrong = array[(array < -size) | (array >= size)]
    if wrong.size:
        raise IndexingError(
            f"out of range: tried to access index {int(wrong.flat[0])} on a tensor of {size} "
            "elements."
        )
    return (array.copy(),)


@public("take", method=True, out=EXACT)
def take(input: Any, index: Any) -> Any:
    """Read the elements at places counted through the whole tensor.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> import pellucid as torch
    >>> torch.take(torch.tensor([[4, 5], [6, 7]]), torch.tensor([3, 0]))
    tensor([7, 4])
    """
    places = _flat_index("take", input, index)
    return gather_index(reshape(input, (input._array.size,)), places)


@public("put", method=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return a copy with other elements at places counted through the whole tensor.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.
        source: Tensor with the values to read.
        accumulate: Whether values are added to what is there rather than written over it.

    >>> import pellucid as torch
    >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.ones(1))
    tensor([[0., 0.],
            [0., 1.]])
    """
    places = _flat_index("put", input, index)
    if source._array.size != index._array.size:
        raise ShapeError(
            "put_(): Expected source and index to have the same number of elements, but got source."
            f"numel() = {source._array.size}, index.numel() = {index._array.size}"
        )
    values = reshape(source, tuple(index._array.shape))
    flat = put_index(reshape(input, (input._array.size,)), values, places, accumulate)
    return reshape(flat, tuple(input._array.shape))


@public(method="put_")
def put_(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Write other elements at places counted through the whole tensor."""
    return self.copy_(put(self, index, source, accumulate))


def _checked_mask(name: str, mask: Any) -> Any:
    if not isinstance(mask, TensorBase):
        raise ArgumentTypeError(
            f"{name}(): argument 'mask' must be Tensor, not {type(mask).__name__}"
        )
    if mask._array.dtype != np.bool_:
        raise DtypeError(
            f"{name}: expected BoolTensor for mask; this one is "
            f"{from_numpy_dtype(mask._array.dtype)}"
        )
    return mask._array


@public("masked_select", method=True, out=EXACT)
def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where the mask is true, as a vector.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
    """
    array = _checked_mask("masked_select", mask)
    shape = tuple(broadcast_shapes(input._array.shape, array.shape))
    return gather_index(_one_dim(expand(input, shape)), (_mask_copy(array, shape),))


def _one_dim(input: Any) -> Any:
    """Return a tensor that a mask can select from: 0-d ones get a dimension."""
    return input if input._array.ndim else reshape(input, (1,))


def _mask_copy(array: Any, shape: tuple[int, ...]) -> Any:
    return np.array(np.broadcast_to(array, shape), ndmin=1)


@public("masked_scatter", method=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return a copy with the elements of ``source``, one after the other, where the mask is true.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.
        source: Tensor with the values to read.

    >>> import pellucid as torch
    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    array = _checked_mask("masked_scatter", mask)
    shape = tuple(broadcast_shapes(input._array.shape, array.shape))
    chosen = _mask_copy(array, shape)
    count = int(np.count_nonzero(chosen))
    if source._array.size < count:
        raise ShapeError(
            "Number of elements of source < number of ones in mask: "
            f"{source._array.size} for {count}"
        )
    values = reshape(source, (source._array.size,))[:count]
    written = put_index(_one_dim(expand(input, shape)), values, (chosen,), False)
    return reshape(written, shape)


@public(method="masked_scatter_")
def masked_scatter_(self: Any, mask: Any, source: Any) -> Any:
    """Write the elements of ``source``, one after the other, where the mask is true."""
    return self.copy_(masked_scatter(self, mask, source))


@public("argwhere", method=True)
@nograd(batch=Batch.DYNAMIC_SHAPE)
def argwhere(be, input, /):
    """Return the places of the elements that are not zero, one row for each.

    Args:
        input: Tensor of any shape.

    >>> import pellucid as torch
    >>> torch.argwhere(torch.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    if input.ndim:
        return be.argwhere(input)
    return be.empty((int(be.count_nonzero(input)), 0), np.int64)


@public("nonzero", method=True, out=EXACT)
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the places of the elements that are not zero: rows of a matrix, or one vector per dim.

    Args:
        input: Tensor of any shape.
        as_tuple: Whether to return one tensor of indices per dimension.

    >>> import pellucid as torch
    >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
    (tensor([1, 2]),)
    """
    if not as_tuple:
        return argwhere(input)
    places = argwhere(_one_dim(input))
    return tuple(places.unbind(1))
