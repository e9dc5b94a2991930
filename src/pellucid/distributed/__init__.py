"""Training by several processes: here there is one, of rank 0, and every exchange is with itself.

A program written for a process group runs as the only member of one. A larger group raises.
"""

from __future__ import annotations

import os
from typing import Any

from pellucid.errors import ArgumentError, UnimplementedError

__all__ = [
    "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "barrier", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "get_backend", "get_rank",
    "get_world_size", "init_process_group", "is_available", "is_gloo_available", "is_initialized",
    "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "reduce", "scatter",
]  # fmt: skip

_NOT_INITIALIZED = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


class ReduceOp:
    """Name the ways to combine the tensors of all processes."""

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"


class _Group:
    """The one group there can be: this process."""

    def __init__(self) -> None:
        self.backend: str | None = None

    def check(self) -> None:
        if self.backend is None:
            raise ArgumentError(_NOT_INITIALIZED)


_group = _Group()


def is_available() -> bool:
    """Say that groups can be made, of one process.

    >>> import pellucid as torch
    >>> torch.distributed.is_available()
    True
    """
    return True


def is_initialized() -> bool:
    """Tell whether `init_process_group` has been called."""
    return _group.backend is not None


def is_nccl_available() -> bool:
    """Say that there is no NCCL."""
    return False


def is_mpi_available() -> bool:
    """Say that there is no MPI."""
    return False


def is_gloo_available() -> bool:
    """Say that there is no Gloo."""
    return False


def is_torchelastic_launched() -> bool:
    """Tell whether torchrun has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    **options: Any,
) -> None:
    """Make this process the only member of a group.

    ``world_size`` and ``rank`` are taken from the environment where they are not given, as PyTorch
    does it. Raises ValueError if they are nowhere, or there is a group, and NotImplementedError for
    a group of more than one process.

    >>> import pellucid as torch
    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> torch.distributed.get_world_size()
    1
    >>> torch.distributed.destroy_process_group()
    """
    if is_initialized():
        raise ArgumentError("trying to initialize the default process group twice!")
    world_size = _from_environment("WORLD_SIZE") if world_size < 0 else world_size
    rank = _from_environment("RANK") if rank < 0 else rank
    if world_size != 1:
        raise UnimplementedError(
            f"a process group of {world_size} processes: pellucid exchanges nothing between "
            "processes. Run the program as one process, with world_size=1 and rank=0, or share "
            "tensors by torch.multiprocessing and share_memory_()."
        )
    if rank != 0:
        raise ArgumentError(f"Invalid rank {rank}: the only process of a group of one has rank 0")
    _group.backend = backend or "gloo"


def _from_environment(name: str) -> int:
    if name not in os.environ:
        raise ArgumentError(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{name} expected, but not set"
        )
    return int(os.environ[name])


def destroy_process_group(group: Any = None) -> None:
    """Leave the group; raise AssertionError if there is none."""
    if not is_initialized():
        raise AssertionError("Process group cannot be None")
    _group.backend = None


def get_rank(group: Any = None) -> int:
    """Return 0; raise ValueError without a group."""
    _group.check()
    return 0


def get_world_size(group: Any = None) -> int:
    """Return 1; raise ValueError without a group."""
    _group.check()
    return 1


def get_backend(group: Any = None) -> str:
    """Return the name of the backend that was asked for; raise ValueError without a group."""
    _group.check()
    assert _group.backend is not None
    return _group.backend


def barrier(*args: Any, **options: Any) -> None:
    """Wait for all processes, of which there are no others."""
    _group.check()


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> None:
    """Combine the tensors of all processes: of one, its own."""
    _group.check()


def reduce(
    tensor: Any, dst: int = 0, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> None:
    """Combine the tensors of all processes at one of them: of one, its own."""
    _group.check()


def broadcast(tensor: Any, src: int = 0, group: Any = None, async_op: bool = False) -> None:
    """Send a tensor to all other processes, of which there are none."""
    _group.check()


def broadcast_object_list(object_list: list[Any], src: int = 0, **options: Any) -> None:
    """Send objects to all other processes, of which there are none."""
    _group.check()


def all_gather(
    tensor_list: list[Any], tensor: Any, group: Any = None, async_op: bool = False
) -> None:
    """Copy the tensor of each process into a list: of one, its own."""
    _group.check()
    tensor_list[0].copy_(tensor)


def gather(tensor: Any, gather_list: list[Any] | None = None, dst: int = 0, **options: Any) -> None:
    """Copy the tensor of each process into a list at one of them."""
    _group.check()
    if gather_list:
        gather_list[0].copy_(tensor)


def scatter(
    tensor: Any, scatter_list: list[Any] | None = None, src: int = 0, **options: Any
) -> None:
    """Give each process its tensor of a list: the only one the first."""
    _group.check()
    if scatter_list:
        tensor.copy_(scatter_list[0])


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the object of each process into a list: of one, its own."""
    _group.check()
    object_list[0] = obj
