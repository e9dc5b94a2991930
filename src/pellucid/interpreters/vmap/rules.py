"""What ops do with samples along the first dimension: elements, shapes, reductions, products.

Dimensions are counted from the end, where a sample and all samples have the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.batching import Batch
from pellucid.core.memory.memory_formats import contiguous_format, preserve_format
from pellucid.errors import UnimplementedError
from pellucid.interpreters.vmap.dispatch import (
    Call,
    aligned,
    composed,
    dynamic,
    elementwise,
    of_kind,
    rule,
    sample,
    with_ndim,
)
from pellucid.ops.aliasing.region import Geometry, region
from pellucid.ops.elementwise import conditional
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.index import indexing, slice_scatter
from pellucid.ops.index import take as take_ops
from pellucid.ops.linalg import addmm, distances, ldl, lu, solving
from pellucid.ops.linalg.contract import contract
from pellucid.ops.linalg.matmul import linear, matmul
from pellucid.ops.reduce import extremes, scan, sort, statistics
from pellucid.ops.reduce.extremes import amax, amin, median_dim, nanmedian_dim
from pellucid.ops.shape import copying, join, splitting, strided, views
from pellucid.ops.shape import diagonal as diagonal_ops
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.diagonal import diagonal
from pellucid.ops.signal import fourier
from pellucid.shapes import dim_from_end, infer_size

# ---- element by element ---------------------------------------------------------------------

of_kind(Batch.ELEMENTWISE)(elementwise)


@of_kind(Batch.REGION)
def _region(call: Call) -> Any:
    values = [call.expanded(position) for position in range(len(call.values))]
    geometry: Geometry = call.params["geometry"]
    array = values[0]._array if call.op is region.op else None
    return call.run(*values, geometry=geometry.of_samples(call.size, array))


@rule(conditional.masked_fill)
def _masked_fill(call: Call) -> Any:
    if not call.batched[2]:
        input, mask, value = call.values
        return call.run(*aligned(call, [input, mask, value]))
    input, mask, value = aligned(call, call.values)
    return where(mask, value.to(input.dtype), input)


@rule(copying.clone)
def _clone(call: Call) -> Any:
    wanted = call.params["memory_format"]
    if wanted not in (None, preserve_format, contiguous_format):
        raise UnimplementedError(
            "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format "
            f"torch.preserve_format or torch.contiguous_format (got {wanted}). Clone the tensor "
            "outside vmap, where all samples are there."
        )
    return call.run(*call.values, memory_format=wanted)


@rule(copying.copy)
def _copy(call: Call) -> Any:
    call.values[0] = call.expanded(0)
    call.batched[0] = True
    return call.run(*aligned(call, call.values))


@of_kind(Batch.LAST_DIMS)
def _of_last_dims(call: Call) -> Any:
    """Do what looks at the last dimensions alone, such as what is done to each matrix."""
    if call.ndim(0) < 2 and call.size:  # samples that are not matrices must not be rows of one
        call.run(*sample(call, 0))
    return call.run(*call.values)


@rule(ldl.linalg_ldl_solve)
def _ldl_solve(call: Call) -> Any:
    LD, pivots, B = (call.expanded(position) for position in range(3))
    batch_ndim = max(call.ndim(0), call.ndim(2)) - 2
    return call.run(
        with_ndim(LD, batch_ndim + 2), with_ndim(pivots, batch_ndim + 1),
        with_ndim(B, batch_ndim + 2),
    )  # fmt: skip


@rule(addmm.unaffected)
def _unaffected(call: Call) -> Any:
    call.values[0] = call.expanded(0)
    call.batched[0] = True
    return call.run(*aligned(call, call.values))


@rule(views.view_dtype)
def _view_dtype(call: Call) -> Any:
    if call.ndim(0):
        return call.run(*call.values)
    return call.run(call.values[0].unsqueeze(-1)).squeeze(-1)


# ---- along a dimension ----------------------------------------------------------------------


def from_end(dim: Any, ndim: int) -> Any:
    """Return a dimension, or several, counted from the end; refuse what is not there."""
    if isinstance(dim, tuple | list):
        return tuple(from_end(each, ndim) for each in dim)
    return dim_from_end(dim, ndim) - max(ndim, 1) if isinstance(dim, int) else dim


_DIMS = ("dim", "dims", "axis", "dim0", "dim1", "dim2", "dimension")


def _shifted(call: Call, ndim: int) -> dict[str, Any]:
    return {
        name: from_end(value, ndim)
        for name, value in call.params.items()
        if name in _DIMS and value is not None
    }


def _from_start(dims: dict[str, Any], ndim: int) -> dict[str, Any]:
    """Return dimensions that are counted from the end as PyTorch's nodes show them."""
    return {
        name: tuple([ndim + each for each in dim]) if isinstance(dim, tuple) else ndim + dim
        for name, dim in dims.items()
    }


@of_kind(Batch.ALONG_DIMS)
def along(call: Call) -> Any:
    """Do what goes along dimensions that are named, or all samples' last."""
    if call.ndim(0):
        value = call.values[0]
        return call.run(value, **_from_start(_shifted(call, call.ndim(0)), value.ndim))
    found = call.run(call.values[0].unsqueeze(-1), **_shifted(call, 1))
    return _each(found, lambda out: out if out.ndim == 1 else out.squeeze(-1))


@rule(scan.weighted_from_start, scan.weighted_from_end)
def _weighted(call: Call) -> Any:
    values = [call.expanded(position) for position in range(3)]
    if call.ndim(1):
        return call.run(*values, **_shifted(call, call.ndim(1)))
    found = call.run(*(value.unsqueeze(-1) for value in values), **_shifted(call, 1))
    return found.squeeze(-1)


def _each(found: Any, function: Callable[[Any], Any]) -> Any:
    return function(found) if isinstance(found, TensorBase) else [function(out) for out in found]


@of_kind(Batch.OVER_DIMS)
def over_dims(call: Call) -> Any:
    """Reduce over named dimensions, or over all that a sample has."""
    dim = call.params.get("axis")
    dim = call.params["dim"] if dim is None else dim
    if dim is not None and dim != () and dim != []:
        return along(call)
    ndim, value = call.ndim(0), call.values[0]
    changed = _without_axis(call)
    if not ndim:
        return call.run(value.unsqueeze(-1), **changed, dim=(value.ndim,), **_drops(call))
    return call.run(value, **changed, dim=tuple(range(value.ndim - ndim, value.ndim)))


def _without_axis(call: Call) -> dict[str, Any]:
    return {"axis": None} if "axis" in call.params else {}


def _drops(call: Call) -> dict[str, Any]:
    return {name: False for name in ("keepdim", "keepdims") if call.params.get(name)}


@of_kind(Batch.OVER_ONE_DIM)
def _over_one(call: Call) -> Any:
    dim = call.params.get("axis")
    dim = call.params["dim"] if dim is None else dim
    if dim is not None:
        return along(call)
    found = call.run(_flat(call.values[0]), **_without_axis(call), dim=-1, **_drops(call))
    kept = call.params.get("keepdim") or call.params.get("keepdims")
    return found.reshape(call.size, *(1,) * call.ndim(0)) if kept else found


def _flat(value: Any) -> Any:
    """Return a value whose samples have one dimension."""
    return value.reshape(value.shape[0], math.prod(value.shape[1:]))


@rule(extremes.max_all)
def _largest(call: Call) -> Any:
    return amax(_flat(call.values[0]), -1)


@rule(extremes.min_all)
def _smallest(call: Call) -> Any:
    return amin(_flat(call.values[0]), -1)


@rule(extremes.median_all)
def _middle(call: Call) -> Any:
    return median_dim(_flat(call.values[0]), -1)[0]


@rule(extremes.nanmedian_all)
def _nanmiddle(call: Call) -> Any:
    return nanmedian_dim(_flat(call.values[0]), -1)[0]


@rule(diagonal_ops.trace)
def _trace(call: Call) -> Any:
    return diagonal(call.values[0], 0, -2, -1).sum(-1)


@rule(diagonal_ops.roll)
def _roll(call: Call) -> Any:
    dims = call.params["dims"]
    if dims is not None and dims != ():
        return along(call)
    value = call.values[0]
    return call.run(_flat(value), dims=(-1,)).reshape(value.shape)


@rule(diagonal)
def _diagonal(call: Call) -> Any:
    return call.run(call.values[0], **_shifted(call, call.ndim(0)))


@of_kind(Batch.DYNAMIC_SHAPE)
def _dynamic(call: Call) -> Any:
    name = call.op.torch_name
    raise dynamic({"argwhere": "nonzero", "unique2": "_unique2"}.get(name, name))


# ---- shapes ---------------------------------------------------------------------------------


@rule(expand)
def _expand(call: Call) -> Any:
    size = tuple(call.params["size"])
    return expand(with_ndim(call.values[0], len(size)), (call.size, *size))


@rule(views.view, views.unsafe_view)
def _view(call: Call) -> Any:
    size = infer_size(tuple(call.params["size"]), math.prod(call.shape(0)))
    return call.run(call.values[0], size=(call.size, *size))


@rule(views.transpose)
def _transpose(call: Call) -> Any:
    if not call.ndim(0):
        return call.values[0].view_as(call.values[0])
    return call.run(call.values[0], **_shifted(call, call.ndim(0)))


@rule(views.t)
def _t(call: Call) -> Any:
    value = call.values[0]
    return value.transpose(-2, -1) if call.ndim(0) > 1 else value.view_as(value)


@rule(views.permute)
def _permute(call: Call) -> Any:
    return call.run(call.values[0], dims=(0, *from_end(tuple(call.params["dims"]), call.ndim(0))))


@rule(views.squeeze)
def _squeeze(call: Call) -> Any:
    dim, ndim = call.params["dim"], call.ndim(0)
    dims = range(ndim) if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
    counted = from_end(tuple(dims), ndim)
    return call.run(call.values[0], dim=counted if ndim else ())


@rule(views.unsqueeze, join.stack)
def _new_dim(call: Call) -> Any:
    ndim = call.ndim(0) + 1
    values = [call.expanded(position) for position in range(len(call.values))]
    return call.run(*values, dim=from_end(call.params["dim"], ndim))


@rule(join.cat)
def _cat(call: Call) -> Any:
    ndim = max(call.ndim(position) for position in range(len(call.values)))
    kept = [
        call.expanded(position)
        for position in range(len(call.values))
        if call.ndim(position) == ndim or call.shape(position) != (0,)
    ]
    return call.run(*kept, dim=from_end(call.params["dim"], ndim))


@rule(splitting.split_at, splitting.unsafe_split_at, fourier.scale_repeated)
def _counted_from_the_start(call: Call) -> Any:
    dim, ndim = call.params["dim"], call.ndim(0)
    return call.run(call.values[0], dim=dim + 1 if dim >= 0 else dim + ndim + 1)


@rule(splitting.select, splitting.unbind, strided.unfold)
def _parts(call: Call) -> Any:
    if not call.ndim(0):
        if call.op.name == "unfold":
            return call.run(call.values[0].unsqueeze(-1), dimension=-1).squeeze(-2)
        return call.op.function(call.values[0][0], **call.params)  # says what is wrong
    return call.run(call.values[0], **_shifted(call, call.ndim(0)))


@rule(views.basic_index, indexing.indexed_position)
def _basic_index(call: Call) -> Any:
    index = call.params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    return call.run(call.values[0], index=(slice(None), *parts))


@rule(diagonal_ops.repeat_tiles)
def _tiled(call: Call) -> Any:
    repeats = tuple(call.params["repeats"])
    return call.run(with_ndim(call.values[0], len(repeats)), repeats=(1, *repeats))


@rule(strided.unfold_backward)
def _fold_windows(call: Call) -> Any:
    shape = tuple(call.params["shape"])
    if not shape:
        return call.values[0].reshape(call.size)
    dim = from_end(call.params["dimension"], len(shape))
    return call.run(call.values[0], shape=(call.size, *shape), dimension=dim)


@rule(diagonal_ops.diagonal_backward)
def _spread_diagonal(call: Call) -> Any:
    shape = tuple(call.params["shape"])
    return call.run(call.values[0], shape=(call.size, *shape), **_shifted(call, len(shape)))


@rule(views.slices_backward)
def _spread_parts(call: Call) -> Any:
    values = [call.expanded(position) for position in range(len(call.values))]
    indices = [
        (slice(None), *(index if isinstance(index, tuple) else (index,)))
        for index in call.params["indices"]
    ]
    return call.run(*values, indices=indices, shape=(call.size, *call.params["shape"]))


@rule(slice_scatter.put_part, slice_scatter.clear_part)
def _put_part(call: Call) -> Any:
    view, place = call.params["view"], call.params["place"]
    if view is diagonal:
        offset, *dims = place
        place = (offset, *(from_end(dim, call.ndim(0)) for dim in dims))
    else:
        place = ((slice(None), *place[0]),)
    values = [call.expanded(position) for position in range(len(call.values))]
    return call.run(*values, view=view, place=place)


# ---- products -------------------------------------------------------------------------------


@rule(matmul)
def _matmul(call: Call) -> Any:
    (a, b), (first, second) = call.values, call.batched
    rows, columns = call.ndim(0), call.ndim(1)
    if first and not second and columns <= 2 and rows:
        return matmul(a, b)
    if second and not first and rows == 2 and columns == 1:
        return matmul(b, a.transpose(0, 1))
    if rows == 1:
        a = a.unsqueeze(-2)
    if columns == 1:
        b = b.unsqueeze(-1)
    ndim = max(rows, columns, 2)
    product = matmul(with_ndim(a, ndim) if first else a, with_ndim(b, ndim) if second else b)
    if columns == 1:
        product = product.squeeze(-1)
    return product.squeeze(-1 if columns == 1 else -2) if rows == 1 else product


@composed(addmm.sum_with_product)
def _sum_with_product(input: Any, left: Any, right: Any, *, beta: Any, alpha: Any) -> Any:
    return addmm.scaled_sum(input, matmul(left, right), beta, alpha)


@composed(addmm.sum_with_products)
def _sum_with_products(
    input: Any, left: Any, right: Any, *, beta: Any, alpha: Any, length: int
) -> Any:
    return addmm.scaled_sum(input, matmul(left, right).sum(0), beta, alpha)


@composed(addmm.sum_with_outer)
def _sum_with_outer(input: Any, left: Any, right: Any, *, beta: Any, alpha: Any) -> Any:
    return addmm.scaled_sum(input, left.reshape(-1, 1) * right, beta, alpha)


@composed(take_ops.taken)
def _taken(input: Any, *, index: Any) -> Any:
    return indexing.gather_index(input.reshape(-1), (index,))


@composed(statistics.norm_of_difference)
def _norm_of_difference(input: Any, other: Any, *, p: Any) -> Any:
    return statistics.vector_norm(input - other, p)


@composed(distances.distances_of_rows)
def _distances_of_rows(x1: Any, x2: Any, *, p: Any) -> Any:
    return statistics.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


@composed(distances.renormed)
def _renormed(input: Any, *, p: Any, dim: Any, maxnorm: Any) -> Any:
    dims = tuple(each for each in range(input.ndim) if each != dim % input.ndim)
    norm = statistics.vector_norm(input, p, dims, True)
    return input * where(norm > maxnorm, maxnorm / (norm + distances.MARGIN), 1.0)


@composed(distances.weight_norm_interface)
def _weight_norm_interface(v: Any, magnitude: Any, *, dim: Any) -> Any:
    return v * (magnitude / distances.norm_except_dim(v, 2, dim))


@composed(linear)
def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if weight._array.ndim == 2:
        product = matmul(input, weight.transpose(0, 1))
    else:
        product = matmul(input, weight)
    return product if bias is None else product + bias


_SAMPLES = "samples"  # names of dimensions are letters, or numbers


@rule(contract)
def _contract(call: Call) -> Any:
    names = call.params
    left, right = (
        (_SAMPLES, *names[side]) if flag else tuple(names[side])
        for side, flag in zip(("left", "right"), call.batched, strict=True)
    )
    return contract(*call.values, left, right, (_SAMPLES, *names["kept"]))


@rule(solving.solutions)
def _solutions(call: Call) -> Any:
    A, B = (call.expanded(position) for position in (0, 1))
    left = call.params["left"]
    shape, of_matrix = call.shape(1), call.shape(0)
    vector = left and (len(shape) == 1 or shape == of_matrix[:-1])
    if vector:
        B = B.unsqueeze(-1)
    ndim = max(A.ndim, B.ndim) - 1
    result, info = call.run(with_ndim(A, ndim), with_ndim(B, ndim))
    return [result.squeeze(-1) if vector else result, info]


@rule(solving.linalg_solve_triangular)
def _solve_triangular(call: Call) -> Any:
    return call.run(*aligned(call, call.values))


@rule(lu.row_exchanges)
def _row_exchanges(call: Call) -> Any:
    return call.run(*(call.expanded(position) for position in range(len(call.values))))


@rule(sort.search_rows)
def _places_among(call: Call) -> Any:
    rows, wanted = call.expanded(0), call.expanded(1)
    if call.ndim(0) == 1:
        found = call.run(rows, _flat(wanted))
        return found.reshape(wanted.shape)
    return call.run(rows, wanted)
