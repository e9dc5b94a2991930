"""Systems of equations: the batch is cut, or the right-hand sides."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.distributed.tensor.placement_types import Shard
from pellucid.distributed.tensor.rules import Call, R, Way, rule
from pellucid.ops.linalg import solving


@rule(solving.solutions, solving.linalg_solve_triangular)
def _systems(call: Call) -> Iterator[Way]:
    a, b = call.shape(0), call.shape(1)
    if len(a) != len(b):
        return
    for dim in range(len(a) - 2):
        if a[dim] == b[dim]:
            yield call.same(Shard(dim))
    side = Shard(len(b) - 1 if call.params["left"] else len(b) - 2)
    yield Way((R, side), (side, *[R] * (len(call.out_arrays) - 1)))
