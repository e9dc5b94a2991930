"""Images: samples or channels are cut, and each rank computes its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.distributed.tensor.placement_types import Shard
from pellucid.distributed.tensor.rules import Call, R, Way, localizes, rule
from pellucid.ops.nn import conv, fractional_pool, grid, norm, pool, resize


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
