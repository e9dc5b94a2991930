"""Causal masks, aligned at the first or at the last query and key."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pellucid.tensors.creation import ones

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Say where a causal mask that is not square starts."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def CausalBias(variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
    """Return a causal mask ``[seq_len_q, seq_len_kv]``: true where a query sees a key.

    >>> import pellucid as torch
    >>> from pellucid.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(1, 3)
    tensor([[True, True, True]])
    """
    shift = seq_len_kv - seq_len_q if variant == CausalVariant.LOWER_RIGHT else 0
    return ones(seq_len_q, seq_len_kv).tril(diagonal=shift).bool()


def causal_upper_left(*size: int) -> Any:
    """Return a causal mask in which the first query sees the first key only."""
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> Any:
    """Return a causal mask in which the last query sees all keys."""
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
