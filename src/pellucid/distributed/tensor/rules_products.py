"""Products of matrices, and what goes row by row: cut rows, or summands from cut inner dims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.distributed.tensor.placement_types import Placement, Shard
from pellucid.distributed.tensor.rules import Call, P, R, Way, rule
from pellucid.ops.linalg import distances
from pellucid.ops.linalg import matmul as products
from pellucid.ops.linalg.contract import contract
from pellucid.ops.nn.conv import convolution


@rule(contract)
def _contract(call: Call) -> Iterator[Way]:
    left, right, kept = (list(call.params[name]) for name in ("left", "right", "kept"))
    yield from _named(call, left, right, kept)


def _named(call: Call, left: list[Any], right: list[Any], kept: list[Any]) -> Iterator[Way]:
    """Return the ways of a product of tensors whose dims bear names; others are summed over."""
    sizes = [dict(zip(names, call.shape(i), strict=True)) for i, names in enumerate((left, right))]
    for name in dict.fromkeys((*kept, *left)):
        placed: list[Placement] = []
        for names, own in zip((left, right), sizes, strict=True):
            cut = name in own and (name not in kept or own[name] == _size(call, kept, name))
            placed.append(Shard(names.index(name)) if cut else R)
        yield call.way(*placed, out=Shard(kept.index(name)) if name in kept else P)
    yield call.way(P, R, out=P)
    yield call.way(R, P, out=P)


def _size(call: Call, kept: list[Any], name: Any) -> int:
    return call.out_shapes[0][kept.index(name)]


@rule(products.matmul)
def _matmul(call: Call) -> Iterator[Way]:
    first, second = call.shape(0), call.shape(1)
    batch = max(len(first), len(second), 2) - 2
    left = [f"b{batch - len(first) + 2 + i}" for i in range(len(first) - 2)]
    right = [f"b{batch - len(second) + 2 + i}" for i in range(len(second) - 2)]
    left += ["row", "sum"] if len(first) > 1 else ["sum"]
    right += ["sum", "column"] if len(second) > 1 else ["sum"]
    kept = [f"b{i}" for i in range(batch)]
    kept += ["row"] * (len(first) > 1) + ["column"] * (len(second) > 1)
    yield from _named(call, left, right, kept)


@rule(products.linear)
def _linear(call: Call) -> Iterator[Way]:
    ndim = len(call.shape(0))
    last = Shard(ndim - 1)
    if len(call.shape(1)) == 2:
        for dim in range(ndim - 1):
            yield call.way(Shard(dim), R, R, out=Shard(dim))
        yield call.way(R, Shard(0), Shard(0), out=last)
        yield call.way(last, Shard(1), P, out=P)
    yield call.way(P, R, P, out=P)
    yield call.way(R, P, P, out=P)


@rule(convolution)
def _convolution(call: Call) -> Iterator[Way]:
    if call.reaches_all(call.shape(0)[0]):
        yield call.way(Shard(0), R, R, out=Shard(0))
    if call.params["groups"] == 1 and call.reaches_all(call.shape(1)[0]):
        yield call.way(R, Shard(0), Shard(0), out=Shard(1))
    yield call.way(P, R, P, out=P)


@rule(distances.distances_of_rows)
def _distances(call: Call) -> Iterator[Way]:
    first, second, ndim = call.shape(0), call.shape(1), len(call.out_shapes[0])
    if first[:-2] == second[:-2]:
        for dim in range(ndim - 2):
            yield call.same(Shard(dim))
    yield call.way(Shard(len(first) - 2), R, out=Shard(ndim - 2))
    yield call.way(R, Shard(len(second) - 2), out=Shard(ndim - 1))


@rule(distances.renormed, distances.weight_norm_interface)
def _slices_of_a_norm(call: Call) -> Iterator[Way]:
    if call.params["dim"] >= 0:
        yield call.same(Shard(call.params["dim"]))
