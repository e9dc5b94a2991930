"""Attention with several heads: queries, keys and values projected, attended to, and joined."""

from __future__ import annotations

import warnings
from math import inf, sqrt
from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.errors import GraphError, ShapeError
from pellucid.ops.linalg.matmul import linear, matmul
from pellucid.ops.nn.attention import scaled_dot_product_attention
from pellucid.ops.nn.dropout import dropout
from pellucid.ops.nn.pad import pad
from pellucid.ops.nn.softmax import softmax
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import reshape


def additive_mask(mask: Any, name: str, like: Any) -> Any:
    """Turn a boolean mask (true: hidden) into one that is added to scores: minus infinity or 0.

    Raises RuntimeError for a mask that is neither boolean nor floating point.
    """
    if mask is None:
        return None
    kind = mask._array.dtype.kind
    if kind == "b":
        return like.new_zeros(tuple(mask.shape)).masked_fill(mask, -inf)
    if kind not in "fV":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def _check_ranks(
    query: Any, key: Any, value: Any, key_padding_mask: Any, attn_mask: Any, heads: int
) -> bool:
    """Return whether inputs come in a batch; raise AssertionError where ranks do not agree."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        )
    kind = "batched" if rank == 3 else "unbatched"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"For {kind} ({rank}-D) `query`, expected `key` and `value` to be {rank}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(
            f"For {kind} ({rank}-D) `query`, expected `key_padding_mask` to be `None` or "
            f"{rank - 1}-D but found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} ({rank}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but "
            f"found {attn_mask.dim()}-D tensor instead"
        )
    if rank == 2 and attn_mask is not None and attn_mask.dim() == 3:
        expected = (heads, query.shape[0], key.shape[0])
        if tuple(attn_mask.shape) != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}"
            )
    return rank == 3


def _projected(
    query: Any, key: Any, value: Any, weight: Any, weights: tuple[Any, Any, Any], bias: Any
) -> list[Any]:
    """Project queries, keys and values; in one product where they are the same tensor."""
    biases = [None] * 3 if bias is None else bias.chunk(3)
    if weight is None:
        triples = zip((query, key, value), weights, biases, strict=True)
        return [linear(input, each, shift) for input, each, shift in triples]
    if query is key and key is value:
        together, width = linear(query, weight, bias), query.shape[-1]
        if together.shape[-1] != 3 * width:
            raise ShapeError(
                f"unflatten: Provided sizes [3, {width}] don't multiply up to the size of dim "
                f"{together.ndim - 1} ({together.shape[-1]}) in the input tensor"
            )
        return list(together.chunk(3, -1))
    triples = zip((query, key, value), weight.chunk(3), biases, strict=True)
    return [linear(input, each, shift) for input, each, shift in triples]


def _attention_mask(attn_mask: Any, batch: int, heads: int, length: int, keys: int) -> Any:
    """Return the mask as ``[1 or batch, 1 or heads, length, keys]``; check its shape."""
    shape = tuple(attn_mask.shape)
    if len(shape) == 2:
        if shape != (length, keys):
            raise ShapeError(
                f"The shape of the 2D attn_mask is {attn_mask.shape}, but should be "
                f"{(length, keys)}."
            )
        return attn_mask.reshape(1, 1, length, keys)
    if shape != (batch * heads, length, keys):
        raise ShapeError(
            f"The shape of the 3D attn_mask is {attn_mask.shape}, but should be "
            f"{(batch * heads, length, keys)}."
        )
    return attn_mask.reshape(batch, heads, length, keys)


def _check_shapes(
    query: Any, key: Any, value: Any, embed_dim: int, num_heads: int, separate: bool
) -> None:
    width = query.shape[-1]
    if width != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {width}")
    if width % num_heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if separate and tuple(key.shape[:2]) != tuple(value.shape[:2]):
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not separate and tuple(key.shape) != tuple(value.shape):
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


@public("nn.functional.multi_head_attention_forward", reads_late=True)
def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None,
    static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Attend with several heads; return the output and, if wanted, the weights.

    Shapes: query ``[L, N, E]``, key and value ``[S, N, *]``, or all without N; ``attn_mask``
    ``[L, S]`` or ``[N * heads, L, S]`` and ``key_padding_mask`` ``[N, S]``, either boolean (true:
    hidden) or added to the scores. The weights are ``[N, L, S]``, or ``[N, heads, L, S]`` unless
    averaged. Vaswani et al., "Attention is all you need" (2017).

    Args:
        query: Queries ``[L, N, E]``.
        key: Keys ``[S, N, E]``.
        value: Values ``[S, N, E]``.
        embed_dim_to_check: Number of features that ``query`` must have.
        num_heads: Number of heads.
        in_proj_weight: Weight ``[3 * E, E]`` of the input projection.
        in_proj_bias: Bias ``[3 * E]`` of the input projection.
        bias_k: Row added to the keys, or ``None``.
        bias_v: Row added to the values, or ``None``.
        add_zero_attn: Whether a row of zeros is added to keys and values.
        dropout_p: Probability with which a weight is dropped.
        out_proj_weight: Weight ``[E, E]`` of the output projection.
        out_proj_bias: Bias ``[E]`` of the output projection.
        training: Whether to draw; in evaluation the input is returned.
        key_padding_mask: Mask ``[N, S]`` of keys to leave out.
        need_weights: Whether to return the attention weights too.
        attn_mask: Boolean mask (true: take part) or numbers to add to the scores.
        use_separate_proj_weight: Whether the three projection weights are given apart.
        q_proj_weight: Weight of the projection of queries.
        k_proj_weight: Weight of the projection of keys.
        v_proj_weight: Weight of the projection of values.
        static_k: Keys to use instead of projected ones.
        static_v: Values to use instead of projected ones.
        average_attn_weights: Whether the weights are averaged over heads.
        is_causal: Whether a query sees earlier keys only.

    Raises:
        RuntimeError: If ``is_causal`` is set without ``attn_mask``.
        AssertionError: If the shapes do not fit.

    >>> x, w = torch.ones(3, 1, 4), torch.eye(4)
    >>> in_weight, bias = torch.cat([w, w, w]), torch.zeros(4)
    >>> out, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 4, 2, in_weight, torch.zeros(12), None, None, False, 0.0, w, bias
    ... )
    >>> out.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))
    """
    batched = _check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    if is_causal and attn_mask is None:
        raise ShapeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    if not batched:
        same_keys, same_values = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_keys else key.unsqueeze(1)
        value = key if same_values else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    _check_shapes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    _warn_of_different_masks(key_padding_mask, attn_mask)
    length, batch, width = query.shape
    causal = is_causal and key_padding_mask is None and not need_weights
    hidden = None if causal else additive_mask(attn_mask, "attn_mask", query)
    padding = additive_mask(key_padding_mask, "key_padding_mask", query)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    together = None if use_separate_proj_weight else in_proj_weight
    q, k, v = _projected(query, key, value, together, weights, in_proj_bias)
    if hidden is not None:
        hidden = _attention_mask(hidden, batch, num_heads, length, key.shape[0])
    extra = 0
    for bias, static, name in ((bias_k, static_k, "key"), (bias_v, static_v, "value")):
        if bias is not None and static is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    if bias_k is not None and bias_v is not None:
        k = cat([k, bias_k.expand(1, batch, -1)])
        v = cat([v, bias_v.expand(1, batch, -1)])
        extra += 1
    q, k, v = (_heads(each, num_heads) for each in (q, k, v))
    k = k if static_k is None else static_k.reshape(batch, num_heads, *static_k.shape[1:])
    v = v if static_v is None else static_v.reshape(batch, num_heads, *static_v.shape[1:])
    if padding is not None:
        _check_padding(padding, batch, k.shape[2] - extra)
    if add_zero_attn:
        k, v = pad(k, (0, 0, 0, 1)), pad(v, (0, 0, 0, 1))
        extra += 1
    mask = _combined(hidden, padding, extra)
    dropout_p = dropout_p if training else 0.0
    scores_weights = None
    if need_weights:
        scores = matmul(q * sqrt(1 / q.shape[-1]), k.mT)
        scores_weights = softmax(scores if mask is None else scores + mask, -1)
        scores_weights = dropout(scores_weights, dropout_p) if dropout_p else scores_weights
        out = matmul(scores_weights, v)
    else:
        out = scaled_dot_product_attention(q, k, v, mask, dropout_p, causal)
    joined = reshape(out.permute(2, 0, 1, 3), (length, batch, width))
    out = linear(joined, out_proj_weight, out_proj_bias)
    if scores_weights is not None and average_attn_weights:
        scores_weights = scores_weights.mean(1)
    if not batched:
        out = out.squeeze(1)
        scores_weights = None if scores_weights is None else scores_weights.squeeze(0)
    return out, scores_weights


def _check_padding(padding: Any, batch: int, keys: int) -> None:
    """Raise AssertionError unless the mask of keys to leave out has one entry for each key."""
    for dim, size in enumerate((batch, keys)):
        if padding.shape[dim] != size:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {size}, but got {padding.shape[dim]}"
            )


def _heads(x: Any, num_heads: int) -> Any:
    """Turn ``[L, N, E]`` into ``[N, heads, L, E / heads]``."""
    length, batch, width = x.shape
    return x.reshape(length, batch, num_heads, width // num_heads).permute(1, 2, 0, 3)


def _combined(hidden: Any, padding: Any, extra: int) -> Any:
    """Return one mask of both, open for the keys that were added."""
    mask = hidden
    if padding is not None:
        keys = padding.reshape(padding.shape[0], 1, 1, padding.shape[1])
        mask = keys if hidden is None else hidden + keys
    return pad(mask, (0, extra)) if mask is not None and extra else mask


def _warn_of_different_masks(key_padding_mask: Any, attn_mask: Any) -> None:
    if key_padding_mask is None or attn_mask is None:
        return
    if key_padding_mask.dtype != attn_mask.dtype:
        warnings.warn(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type "
            "for both instead.",
            stacklevel=4,
        )


@public("_native_multi_head_attention")
@autocasts(Autocast.LOWER)
def _native_multi_head_attention(
    query: Any, key: Any, value: Any, embed_dim: int, num_head: int, qkv_weight: Any,
    qkv_bias: Any, proj_weight: Any, proj_bias: Any, mask: Any = None, need_weights: bool = True,
    average_attn_weights: bool = True, mask_type: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Attend with several heads, with the batch first; return the output and the weights.

    Args:
        query, key, value: Tensors ``[N, L, E]``.
        embed_dim: The width E.
        num_head: How many heads there are.
        qkv_weight, qkv_bias: The three projections in, one after the other.
        proj_weight, proj_bias: The projection out.
        mask: What is left out: ``[L, L]`` for ``mask_type`` 0, ``[N, L]`` for 1,
            ``[N, num_head, L, L]`` for 2.
        need_weights: Whether the weights are returned.
        average_attn_weights: Whether they are the mean over the heads.
        mask_type: What the mask is of.

    Raises:
        RuntimeError: For a mask of no such type.

    >>> x, w, b = torch.zeros(1, 3, 2), torch.ones(6, 2), torch.zeros(6)
    >>> torch._native_multi_head_attention(x, x, x, 2, 1, w, b, torch.eye(2), torch.ones(2))[0]
    tensor([[[1., 1.],
             [1., 1.],
             [1., 1.]]])
    """
    if mask is not None and mask_type not in (0, 1, 2):
        kinds = "0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)"
        raise GraphError(f"Mask Type should be {'defined' if mask_type is None else kinds}")
    padding, hidden = (mask, None) if mask_type == 1 else (None, mask)
    if hidden is not None and mask_type == 2:
        hidden = hidden.flatten(0, 1)
    out, weights = multi_head_attention_forward(
        query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), embed_dim, num_head,
        qkv_weight, qkv_bias, None, None, False, 0.0, proj_weight, proj_bias, False,
        padding, need_weights, hidden, average_attn_weights=average_attn_weights,
    )  # fmt: skip
    return out.transpose(0, 1), weights
