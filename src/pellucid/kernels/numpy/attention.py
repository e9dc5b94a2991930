"""Attention in blocks of queries, whose weights are computed, used and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.activations import softmax
from pellucid.kernels.numpy.reduction import total

#: scores that are in memory at a time
_BLOCK = 1 << 22


def attention(query: Array, key: Array, value: Array, scale: float, is_causal: bool) -> Array:
    """Return ``softmax(query @ key.mT * scale) @ value``, ``[*, L, F]``.

    `query` is ``[*, L, E]``, `key` ``[*, S, E]``, `value` ``[*, S, F]``; with `is_causal` query i
    sees keys up to i.
    """
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    out = np.empty((*batch, query.shape[-2], value.shape[-1]), query.dtype)
    for rows, seen, weights in _weights(query, key, scale, is_causal):
        out[..., rows, :] = np.matmul(weights, value[..., seen, :])
    return out


def attention_to_inputs(
    grad: Array, query: Array, key: Array, value: Array, scale: float, is_causal: bool
) -> tuple[Array, Array, Array]:
    """Return the gradients of query, key and value; they have a common batch."""
    batch = grad.shape[:-2]
    by_query = np.empty((*batch, *query.shape[-2:]), query.dtype)
    by_key = np.zeros((*batch, *key.shape[-2:]), key.dtype)
    by_value = np.zeros((*batch, *value.shape[-2:]), value.dtype)
    for rows, seen, weights in _weights(query, key, scale, is_causal):
        g = grad[..., rows, :]
        by_scores = np.matmul(g, value[..., seen, :].mT)
        by_scores -= total(by_scores * weights, (weights.ndim - 1,), True)
        by_scores *= weights
        by_scores *= scale
        by_query[..., rows, :] = np.matmul(by_scores, key[..., seen, :])
        by_key[..., seen, :] += np.matmul(by_scores.mT, query[..., rows, :])
        by_value[..., seen, :] += np.matmul(weights.mT, g)
    return by_query, by_key, by_value


def _weights(
    query: Array, key: Array, scale: float, is_causal: bool
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield blocks of queries, the keys that each sees, and their weights."""
    batch, queries, keys = prod(query.shape[:-2]), query.shape[-2], key.shape[-2]
    size = max(1, _BLOCK // max(1, batch * keys))
    for start in range(0, queries, size):
        rows = slice(start, min(start + size, queries))
        seen = slice(min(keys, rows.stop) if is_causal else keys)
        scores = np.matmul(query[..., rows, :], key[..., seen, :].mT)
        scores *= scale
        if is_causal:
            hidden = ~np.tri(rows.stop - start, seen.stop, start, dtype=bool)
            np.copyto(scores, -inf, where=hidden)
        yield rows, seen, softmax(scores, -1)
