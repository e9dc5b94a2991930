"""Reductions over dims that are cut: each rank reduces its part, and the parts' results meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.distributed.tensor.dtensor import DTensor, wrapped
from pellucid.distributed.tensor.placement_types import Replicate, Shard
from pellucid.distributed.tensor.rules import Call, P, Way, composed, over_dims, rule, runs
from pellucid.distributed.tensor.spec import Spec
from pellucid.dtypes import is_differentiable
from pellucid.kernels.meta import empty
from pellucid.ops.reduce import extremes, reductions, scan, statistics


def _adding(call: Call) -> Iterator[Way]:
    yield from over_dims(call)
    for dim in call.dims():
        if len(call.shape()):
            yield call.same(Shard(dim), P)
    if is_differentiable(call.given[0]._array.dtype):
        yield call.same(P)


rule(reductions.sum, reductions.mean)(_adding)


@rule(reductions.nansum, reductions.count_nonzero)
def _counting(call: Call) -> Iterator[Way]:
    yield from over_dims(call)
    for dim in call.dims():
        if len(call.shape()):
            yield call.same(Shard(dim), P)


@runs(reductions.mean)
def _mean(call: Call, parts: list[Any], results: list[Any], below: Any) -> Any:
    """Divide the sum of a part by the number of elements of the whole."""
    shape, dims = call.shape(), call.dims()
    count = 1
    for dim in dims:
        count *= shape[dim] if shape else 1
    keepdim, dtype = call.params["keepdim"], call.params["dtype"]
    total = below(reductions.sum.op, (parts[0],), (call.params["dim"], keepdim, dtype))
    return total / count if count else below(call.op, tuple(parts), tuple(call.params.values()))


@rule(extremes.max_all, extremes.min_all, extremes.median_all, extremes.nanmedian_all)
def _over_all(call: Call) -> Iterator[Way]:
    yield from ()


@composed(extremes.max_all, extremes.min_all)
def _extreme(call: Call, below: Any) -> Any:
    if call.given[0].requires_grad:
        return None
    same = extremes.amax if call.op is extremes.max_all.op else extremes.amin
    return same(call.given[0])


@composed(
    scan.prod, reductions.all, reductions.any, extremes.amax, extremes.amin,
    statistics.vector_norm,
)  # fmt: skip
def _in_two_steps(call: Call, below: Any) -> Any:
    """Reduce the parts, then the few results of all ranks; None where the parts alone do."""
    source: DTensor = call.given[0]
    spec: Spec = source._spec
    dims = [dim for dim in call.dims() if spec.order(dim)]
    if not dims or not _may_meet(call, source, dims):
        return None
    whole = source._moved(spec.of_gradient.placements)
    spec = whole._spec
    named = {**call.params}
    if "keepdim" in named:
        named["keepdim"] = True
    every = call.dims()
    if call.params.get("dim") is None:
        named["dim"] = None if call.op is scan.prod.op else tuple(every)
    if call.op is scan.prod.op and named["dim"] is None:
        part = below(call.op, (whole._local,), (None, False, named["dtype"]))
        part = part.reshape((1,) * len(spec.shape))
    else:
        part = below(call.op, (whole._local,), tuple(named.values()))
    sizes = list(spec.shape)
    for dim in every:
        sizes[dim] = 1
        for number in spec.order(dim):
            sizes[dim] *= spec.mesh.shape[number]
    few = wrapped(part, spec_of(spec, tuple(sizes)), empty(tuple(sizes), part._array.dtype))
    gathered = tuple(
        Replicate() if isinstance(each, Shard) and each.dim in every else each
        for each in spec.placements
    )
    again = {**call.params}
    if call.op is statistics.vector_norm.op and again["ord"] == 0:
        return reductions.sum(few._moved(gathered), call.params["dim"], call.params["keepdim"])
    if "dtype" in again:
        again["dtype"] = None
    return call.op.apply((few._moved(gathered),), again)


def spec_of(spec: Spec, shape: tuple[int, ...]) -> Spec:
    """Return the same layout of a tensor of another shape."""
    return Spec(spec.mesh, spec.placements, shape)


def _may_meet(call: Call, source: DTensor, dims: list[int]) -> bool:
    """Return whether reducing parts first gives the same, in value and derivative."""
    spec = source._spec
    if any(_has_empty_parts(spec, dim) for dim in dims):
        return False
    if call.op in (extremes.amax.op, extremes.amin.op):
        return not source.requires_grad  # equal elements on two ranks share the gradient
    if call.op is statistics.vector_norm.op:
        return call.params["ord"] >= 0
    return True


def _has_empty_parts(spec: Spec, dim: int) -> bool:
    """Return whether some rank may have nothing of a dim."""
    size = spec.shape[dim]
    for number in spec.order(dim):
        count = spec.mesh.shape[number]
        step = -(-size // count)
        if step * (count - 1) >= size:
            return True
        size -= step * (count - 1)  # of the last rank, which has least
    return False
