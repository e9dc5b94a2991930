"""Causal masks aligned at the upper left or lower right corner."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pellucid.tensors.creation import ones

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Alignment of a causal mask that is not square."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def CausalBias(variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
    """Return a causal mask of shape ``[seq_len_q, seq_len_kv]``, true where a query sees a key.

    Args:
        variant: The corner at which the diagonal is aligned.
        seq_len_q: Number of queries.
        seq_len_kv: Number of keys.

    >>> from pellucid.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(1, 3)
    tensor([[True, True, True]])
    """
    shift = seq_len_kv - seq_len_q if variant == CausalVariant.LOWER_RIGHT else 0
    return ones(seq_len_q, seq_len_kv).tril(diagonal=shift).bool()


def causal_upper_left(*size: int) -> Any:
    """Return a causal mask in which the first query sees only the first key.

    Args:
        size: Number of queries and number of keys.

    >>> torch.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> Any:
    """Return a causal mask in which the last query sees all keys.

    Args:
        size: Number of queries and number of keys.

    >>> torch.nn.attention.bias.causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
