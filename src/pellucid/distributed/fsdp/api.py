"""The options of `FullyShardedDataParallel`: what is sharded, its dtypes, and what is saved."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from pellucid.dtypes import dtype


class ShardingStrategy(enum.Enum):
    """What is dealt out: parameters always, between steps only, or nothing."""

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    NO_SHARD = enum.auto()
    HYBRID_SHARD = enum.auto()
    _HYBRID_SHARD_ZERO2 = enum.auto()


class BackwardPrefetch(enum.Enum):
    """When the next parameters are gathered in backward; accepted for compatibility."""

    BACKWARD_PRE = enum.auto()
    BACKWARD_POST = enum.auto()


@dataclass
class MixedPrecision:
    """The dtypes in which a wrapped module computes and exchanges; those of parameters if None.

    Args:
        param_dtype: The dtype of gathered parameters.
        reduce_dtype: The dtype in which gradients are reduced.
        buffer_dtype: The dtype of buffers.
        keep_low_precision_grads: Accepted for compatibility.
        cast_forward_inputs: Whether inputs of every wrapped module are cast.
        cast_root_forward_inputs: Whether inputs of the outermost one are cast.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    buffer_dtype: dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Where parameters are kept: on the CPU, where they are anyway.

    Args:
        offload_params: Accepted for compatibility.
    """

    offload_params: bool = False


class StateDictType(enum.Enum):
    """What a state dict holds: whole tensors, or what each rank has."""

    FULL_STATE_DICT = enum.auto()
    LOCAL_STATE_DICT = enum.auto()
    SHARDED_STATE_DICT = enum.auto()


@dataclass
class StateDictConfig:
    """How state dicts are made.

    Args:
        offload_to_cpu: Accepted for compatibility.
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How state dicts of whole tensors are made.

    Args:
        rank0_only: Whether the other ranks get an empty one.
    """

    rank0_only: bool = False


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How state dicts of `DTensor`s are made."""


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """How state dicts of each rank's parts are made."""


@dataclass
class OptimStateDictConfig:
    """How state dicts of optimizers are made.

    Args:
        offload_to_cpu: Accepted for compatibility.
    """

    offload_to_cpu: bool = True


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How state dicts of optimizers with each rank's parts are made."""


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How whole state dicts of optimizers are made.

    Args:
        rank0_only: Whether the other ranks get an empty one.
    """

    rank0_only: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How state dicts of optimizers with `DTensor`s are made."""


@dataclass
class StateDictSettings:
    """What state dicts of a module hold.

    Args:
        state_dict_type: Whole tensors, or parts.
        state_dict_config: How those of the module are made.
        optim_state_dict_config: How those of its optimizer are made.
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig = field(default_factory=StateDictConfig)
    optim_state_dict_config: StateDictConfig = field(default_factory=StateDictConfig)
