"""The options of `fully_shard` for dtypes and memory."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.dtypes import dtype


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes in which a sharded module computes and exchanges.

    Args:
        param_dtype: The dtype of gathered parameters; that of the shards if None.
        reduce_dtype: The dtype in which gradients are reduced; that of the gathered parameters if
            None.
        output_dtype: The dtype of floating-point outputs; as they come if None.
        cast_forward_inputs: Whether floating-point inputs are cast to ``param_dtype``.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Where shards are kept: where the computation is."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Shards on the CPU, where they are anyway.

    Args:
        pin_memory: Accepted for compatibility.
    """

    pin_memory: bool = True
