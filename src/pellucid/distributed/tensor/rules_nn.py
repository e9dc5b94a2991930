"""Layers: normalization, embeddings and losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.distributed.tensor.placement_types import Shard
from pellucid.distributed.tensor.rules import Call, P, R, Way, composed, rule, runs
from pellucid.ops.elementwise.conditional import masked_fill
from pellucid.ops.nn import cross_entropy as losses
from pellucid.ops.nn import embedding, loss, norm
from pellucid.ops.reduce import reductions


@rule(norm.native_layer_norm)
def _layer_norm(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape()) - call.params["ndim"]):
        yield call.way(Shard(dim), R, R, out=Shard(dim))


@rule(embedding.embedding_lookup)
def _embedding(call: Call) -> Iterator[Way]:
    indices = len(call.shape(1))
    if not call.params["scale_grad_by_freq"] and not call.params["sparse"]:
        for dim in range(indices):
            yield call.way(R, Shard(dim), out=Shard(dim))
        yield call.way(Shard(0), R, out=P)
    yield call.way(Shard(1), R, out=Shard(indices))


@runs(embedding.embedding_lookup)
def _lookup(call: Call, parts: list[Any], results: list[Any], below: Any) -> Any:
    """Look up the rows that this rank has; those of other ranks add nothing."""
    weight, indices = parts
    spec = call.in_specs[0]
    if not spec.order(0):
        return below(call.op, (weight, indices), tuple(call.params.values()))
    start, stop = spec.bounds(0)
    places = indices._array - start
    elsewhere = (places < 0) | (places >= stop - start)
    padding = call.params["padding_idx"]
    padding = padding - start if start <= padding < stop else -1  # which is none
    if stop == start:
        zeros = results[0].local_shape
        return weight.sum() * new_tensor(np.zeros(zeros, weight._array.dtype))
    places[elsewhere] = 0
    rows = below(call.op, (weight, new_tensor(places)), (padding, False, False))
    return masked_fill(rows, new_tensor(elsewhere[..., None]), 0)


@rule(embedding.one_hot_rows)
def _one_hot(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape())):
        yield call.same(Shard(dim))


# ---- losses: one by one, and then reduced -----------------------------------------------------


@rule(losses.cross_entropy_loss)
def _cross_entropy(call: Call) -> Iterator[Way]:
    if call.params["reduction"] == "none":
        yield call.same(Shard(0))


@rule(losses.nll_loss_forward)
def _likelihood(call: Call) -> Iterator[Way]:
    if call.params["reduction"] != "none":
        return
    yield call.way(Shard(0), Shard(0), R, out=Shard(0))


@rule(loss.mse, losses.binary_cross_entropy_loss, losses.logits_cross_entropy_loss)
def _one_by_one(call: Call) -> Iterator[Way]:
    if call.params["reduction"] == "none":
        for dim in range(len(call.shape())):
            yield call.same(Shard(dim))


@composed(
    losses.cross_entropy_loss, loss.mse, losses.binary_cross_entropy_loss,
    losses.logits_cross_entropy_loss,
)  # fmt: skip
def _reduced(call: Call, below: Any) -> Any:
    reduction = call.params["reduction"]
    if reduction == "none":
        return None
    one_by_one = call.op.apply(tuple(call.given), {**call.params, "reduction": "none"})
    return (reductions.mean if reduction == "mean" else reductions.sum)(one_by_one)


@composed(losses.nll_loss_forward)
def _reduced_likelihood(call: Call, below: Any) -> Any:
    reduction = call.params["reduction"]
    target, weight = call.given[1], call.given[2]
    if reduction == "none" or (reduction == "mean" and weight is not None):
        return None
    one_by_one = call.op.apply(tuple(call.given), {**call.params, "reduction": "none"})
    total = reductions.sum(one_by_one)
    if reduction == "sum":
        return total
    counted = reductions.sum(target != call.params["ignore_index"])
    return total / counted.to(total.dtype)
