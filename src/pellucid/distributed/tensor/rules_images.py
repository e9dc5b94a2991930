"""Images and sequences of samples, systems of equations, and places that tensors name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.distributed.tensor.placement_types import Shard
from pellucid.distributed.tensor.rules import Call, R, Way, localizes, rule
from pellucid.ops.index import index_misc, indexing, scatter
from pellucid.ops.linalg import ldl, lu, solving
from pellucid.ops.nn import conv, fractional_pool, grid, norm, pool, recurrent, resize
from pellucid.ops.reduce import sort

# ---- images one by one ------------------------------------------------------------------------


@rule(
    pool.max_pool, pool.adaptive_max_pool, pool.avg_pool, pool.adaptive_avg_pool,
    pool.scatter_spatial, pool.write_spatial, fractional_pool.fractional_max_pool,
    resize.interpolated,
)  # fmt: skip
def _planes(call: Call) -> Iterator[Way]:
    """Cut samples or channels: each plane is computed by itself."""
    for dim in range(min(2, len(call.shape()) - 2)):
        if call.reaches_all(call.shape()[dim]):
            yield call.same(Shard(dim))


@localizes(pool.scatter_spatial, pool.write_spatial)
def _planes_of_parts(call: Call, results: list[Any]) -> tuple[Any, ...]:
    return results[0].local_shape, call.params["ndim"]


@rule(grid.grid_sampler)
def _sampled(call: Call) -> Iterator[Way]:
    if call.reaches_all(call.shape()[0]):
        yield call.same(Shard(0))
    if call.reaches_all(call.shape()[1]):
        yield call.way(Shard(1), R, out=Shard(1))


@rule(grid.affine_grid_generator)
def _grids(call: Call) -> Iterator[Way]:
    if call.reaches_all(call.shape()[0]):
        yield call.same(Shard(0))


@localizes(grid.affine_grid_generator)
def _grids_of_parts(call: Call, results: list[Any]) -> tuple[Any, ...]:
    size = (results[0].local_shape[0], *call.params["size"][1:])
    return size, call.params["align_corners"]


@rule(conv.transposed_convolution)
def _transposed(call: Call) -> Iterator[Way]:
    if call.reaches_all(call.shape()[0]):
        yield call.way(Shard(0), R, R, out=Shard(0))


@rule(norm.batch_norm_training, norm.batch_norm_inference)
def _channels(call: Call) -> Iterator[Way]:
    """Cut channels: the statistics of each are those of all samples."""
    if not call.reaches_all(call.shape()[1]):
        return
    placed = tuple(None if shape is None else Shard(0) for shape in call.shapes[1:])
    yield Way((Shard(1), *placed), (Shard(1), *[Shard(0)] * (len(call.out_arrays) - 1)))
    if len(call.out_arrays) == 1 and call.reaches_all(call.shape()[0]):
        yield call.way(Shard(0), *[R] * (len(call.given) - 1), out=Shard(0))


# ---- systems of equations ---------------------------------------------------------------------


@rule(solving.solutions, solving.linalg_solve_triangular)
def _systems(call: Call) -> Iterator[Way]:
    """Cut the batch, or the right-hand sides."""
    a, b = call.shape(0), call.shape(1)
    if len(a) != len(b):
        return
    for dim in range(len(a) - 2):
        if a[dim] == b[dim]:
            yield call.same(Shard(dim))
    side = Shard(len(b) - 1 if call.params["left"] else len(b) - 2)
    yield Way((R, side), (side, *[R] * (len(call.out_arrays) - 1)))


# ---- places that tensors name -----------------------------------------------------------------


@rule(index_misc.isin_values)
def _isin(call: Call) -> Iterator[Way]:
    for dim in range(len(call.out_shapes[0])):
        yield call.way(Shard(dim), R, out=Shard(dim))


@rule(
    indexing.gather_index, indexing.put_index, indexing.clear_index, scatter.scatter_reduce,
    sort.search_rows, lu.row_exchanges, ldl.linalg_ldl_solve, recurrent.lstm,
    recurrent.fused_lstm_cell, recurrent.fused_gru_cell,
)  # fmt: skip
def _whole(call: Call) -> Iterator[Way]:
    """Cut nothing."""
    return iter(())
