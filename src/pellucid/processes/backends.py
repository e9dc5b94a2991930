"""What programs ask about backends before they make a group, and how much is checked."""

from __future__ import annotations

import enum
import os
from typing import Any

from pellucid.device import device as as_device
from pellucid.errors import ArgumentError
from pellucid.processes.groups import resolved
from pellucid.processes.reductions import FOR_COMPLEX
from pellucid.processes.world import can_have_many


def is_backend_available(backend: str) -> bool:
    """Return whether a backend connects processes here: "gloo" always, "mpi" under MPI.

    Args:
        backend: Its name, or one for each kind of device, as ``"cpu:gloo,cuda:nccl"``.

    >>> torch.distributed.is_backend_available("gloo")
    True
    """
    names = [part.rpartition(":")[2].strip().lower() for part in backend.split(",")]
    return all(name == "gloo" or (name == "mpi" and can_have_many()) for name in names)


def get_default_backend_for_device(device: Any) -> str:
    """Return the backend for tensors of a device.

    Args:
        device: A device, or its name.

    Returns:
        ``"gloo"``.

    Raises:
        ValueError: For a device that no backend is for.

    >>> torch.distributed.get_default_backend_for_device("cpu")
    'gloo'
    """
    kind = as_device(device).type
    if kind != "cpu":
        raise ArgumentError(f"Default backend not registered for device : {device}")
    return "gloo"


def get_backend_config(group: Any = None) -> str:
    """Return the backend of each kind of device, as ``"cpu:gloo"``.

    Args:
        group: The group; the default one if None.
    """
    return f"cpu:{resolved(group).backend}"


def supports_complex(reduceOp: Any) -> bool:
    """Return whether complex numbers can be reduced like this.

    Args:
        reduceOp: One of `ReduceOp`.

    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
    False
    """
    return reduceOp in FOR_COMPLEX


class DebugLevel(enum.Enum):
    """How much is checked and reported; all ranks compare what they enter at each level."""

    OFF = 0
    INFO = 1
    DETAIL = 2


class _Debugging:
    level = DebugLevel.OFF


def set_debug_level_from_env() -> None:
    """Take the level over from TORCH_DISTRIBUTED_DEBUG; raise RuntimeError for another word."""
    word = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if word not in DebugLevel.__members__:
        raise RuntimeError(
            f"The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL, not {word}"
        )
    _Debugging.level = DebugLevel[word]


def set_debug_level(level: DebugLevel) -> None:
    """Set what `get_debug_level` returns.

    Args:
        level: The level.
    """
    _Debugging.level = level


def get_debug_level() -> DebugLevel:
    """Return the level; TORCH_DISTRIBUTED_DEBUG sets it at first.

    >>> torch.distributed.get_debug_level()
    <DebugLevel.OFF: 0>
    """
    return _Debugging.level


set_debug_level_from_env()
