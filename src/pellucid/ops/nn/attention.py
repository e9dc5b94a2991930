"""Attention: averages of values, weighted by how well queries fit keys."""

from __future__ import annotations

from math import inf, prod, sqrt
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.node_backward import show_result_as
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import op
from pellucid.core.memory.layouts import of_queries
from pellucid.errors import DtypeError, ShapeError
from pellucid.kernels.active import kernels_for
from pellucid.ops.elementwise.arithmetic import mul
from pellucid.ops.elementwise.conditional import masked_fill
from pellucid.ops.elementwise.flat import zeros_of
from pellucid.ops.elementwise.upcast import all_half, rounded_once
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.nn.dropout import dropout
from pellucid.ops.nn.softmax import safe_softmax, softmax
from pellucid.ops.reduce.reductions import sum


@public("nn.functional.scaled_dot_product_attention")
@replayable
@autocasts(Autocast.LOWER)
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Return ``softmax(query @ key.mT * scale) @ value``.

    Shapes: query ``[*, L, E]``, key ``[*, S, E]``, value ``[*, S, Ev]``. A boolean mask says which
    keys take part, any other is added to the scores; ``is_causal`` lets query i see keys up to i.
    ``enable_gqa`` repeats the heads (third dimension from the end) of key and value as needed. A
    query that sees no key gets zeros. Vaswani et al., "Attention is all you need" (2017).

    Args:
        query: Queries ``[*, L, E]``.
        key: Keys ``[*, S, E]``.
        value: Values ``[*, S, F]``.
        attn_mask: Boolean mask (true: take part) or numbers to add to the scores.
        dropout_p: Probability with which a weight is dropped.
        is_causal: Whether a query sees earlier keys only.
        scale: Factor of the scores; by default one over the square root of ``E``.
        enable_gqa: Whether fewer heads of keys and values are shared by groups of query
            heads.

    Raises:
        RuntimeError: If there are both ``attn_mask`` and ``is_causal``.

    >>> q, k, v = torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 5)
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, v).shape
    torch.Size([1, 2, 5])
    """
    if is_causal and attn_mask is not None:
        raise ShapeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    _check_arguments(query, key, value, attn_mask)
    if all_half(query) and not dropout_p:
        return rounded_once(
            scaled_dot_product_attention, query, key, value, attn_mask, 0.0, is_causal, scale,
            enable_gqa,
        )  # fmt: skip
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    if scale is None:
        scale = 1 / sqrt(query.shape[-1]) if query.shape[-1] else inf
    if attn_mask is None and not dropout_p and _is_usual(query, key, value):
        return flash_attention(query, key, value, scale, is_causal)
    root = sqrt(abs(scale))
    scores = matmul(_scaled(query, root if scale >= 0 else -root), _scaled(key.mT, root))
    if is_causal:
        attn_mask = _earlier_keys(query, key)
    if attn_mask is not None:
        scores = scores + _added(attn_mask, query)
    return matmul(dropout(safe_softmax(scores, -1), dropout_p), value)


def _scaled(input: Any, factor: float) -> Any:
    scaled = input * factor
    show_result_as(mul, scaled, "MulBackward1")  # a number of C++
    return scaled


def _earlier_keys(query: Any, key: Any) -> Any:
    """Return the mask of the keys that each query sees where it sees earlier ones only."""
    mask: Any = new_tensor(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
    return mask.to(query.device)


def _added(mask: Any, query: Any) -> Any:
    """Return a mask as what is added to scores: minus infinity where a key takes no part."""
    if mask._array.dtype.kind != "b":
        return mask
    return masked_fill(zeros_of(mask).to(query.dtype), ~mask, -inf)


# Note [Attention in blocks]  # noqa: ERA001
# Weights for every pair of a query and a key would fill the memory for long sequences. Each block
# of queries therefore has its weights computed, used and dropped, and backward computes them again;
# what is saved are the three operands. With `is_causal` a block leaves out the keys that none of
# its queries sees. Rabe and Staats, "Self-attention does not need O(n²) memory" (2021).


#: how many weights PyTorch's steps are computed with: as many as are worth no blocks
_FEW = 2**16


def _is_usual(query: Any, key: Any, value: Any) -> bool:
    few = query.ndim < 4 and prod(query.shape[:-1]) * key.shape[-2] <= _FEW
    return (
        not few
        and query.shape[:-2] == key.shape[:-2] == value.shape[:-2]
        and key.shape[-2] == value.shape[-2] > 0
        and query.shape[-1] == key.shape[-1]
        and query._array.dtype.char in "fd"
    )


@op(batch=Batch.LAST_DIMS, node_name="scaled_dot_product_attention", layout=of_queries)
def flash_attention(be, query, key, value, /, scale, is_causal):
    """Average values by the softmax of scaled scores; see Note [Attention in blocks]."""
    if query.dtype.kind in "biuc":
        raise unsupported("scaled_dot_product_attention", query.dtype)
    return be.attention(query, key, value, scale, is_causal)


@flash_attention.vjp("query key value")
def flash_attention_gradients(g, query, key, value, scale, is_causal):
    if not isinstance(g, TensorBase):
        kernels = kernels_for((g,))
        return kernels.attention_to_inputs(g, query, key, value, scale, is_causal)
    by_scores = _by_scores(g, query, key, value, scale, is_causal)
    by_value = matmul(_all_weights(query, key, scale, is_causal).mT, g)
    return matmul(by_scores, key), matmul(by_scores.mT, query), by_value


def _all_weights(query: Any, key: Any, scale: float, is_causal: bool) -> Any:
    """Return all weights at once, of tensors: how a gradient that is recorded is computed."""
    scores = matmul(query, key.mT) * scale
    if is_causal:
        scores = masked_fill(scores, ~_earlier_keys(query, key), -inf)
    return softmax(scores, -1)


def _by_scores(g: Any, query: Any, key: Any, value: Any, scale: float, is_causal: bool) -> Any:
    """Return the gradient of the products of queries and keys, of tensors."""
    weights = _all_weights(query, key, scale, is_causal)
    by_weights = matmul(g, value.mT)
    return (by_weights - sum(by_weights * weights, -1, True)) * weights * scale


def _check_arguments(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ShapeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise DtypeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
        )
    if attn_mask is not None and attn_mask._array.dtype.kind in "iu":
        raise DtypeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {attn_mask.dtype} and  query.dtype: {query.dtype} instead."
        )
