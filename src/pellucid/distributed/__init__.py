"""Training by several processes, as ``torch.distributed`` has it; MPI or sockets connect them."""

from __future__ import annotations

import importlib
import os
from importlib.util import find_spec
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.processes.backends import (
    DebugLevel,
    get_backend_config,
    get_debug_level,
    get_default_backend_for_device,
    is_backend_available,
    set_debug_level,
    set_debug_level_from_env,
    supports_complex,
)
from pellucid.processes.collectives import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from pellucid.processes.collectives import all_gather_into_tensor as all_gather_single
from pellucid.processes.collectives import reduce_scatter_tensor as reduce_scatter_single
from pellucid.processes.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from pellucid.processes.groups import (
    DEFAULT_TIMEOUT as default_pg_timeout,  # noqa: N811 - PyTorch's name
)
from pellucid.processes.groups import (
    GroupMember,
    ProcessGroup,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_initialized,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
)
from pellucid.processes.mesh import DeviceMesh, init_device_mesh
from pellucid.processes.methods import (
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)
from pellucid.processes.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from pellucid.processes.point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from pellucid.processes.reductions import ReduceOp, reduce_op
from pellucid.processes.sockets.tcp_store import TCPStore
from pellucid.processes.stores import FileStore, HashStore, PrefixStore, Store
from pellucid.processes.work import Work
from pellucid.processes.world import can_have_many

__all__ = [
    "AllToAllOptions", "AllreduceCoalescedOptions", "AllreduceOptions", "Backend", "BarrierOptions",
    "BroadcastOptions", "DebugLevel", "DeviceMesh", "DistBackendError", "DistError",
    "DistNetworkError", "DistStoreError", "FileStore", "GatherOptions", "GroupMember", "HashStore",
    "P2POp", "PrefixStore", "ProcessGroup", "QueueEmptyError", "ReduceOp", "ReduceOptions",
    "ReduceScatterOptions", "ScatterOptions", "Store", "TCPStore", "Work", "all_gather",
    "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_gather_single",
    "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier",
    "batch_isend_irecv", "broadcast", "broadcast_object_list", "default_pg_timeout",
    "destroy_process_group", "gather", "gather_object", "get_backend", "get_backend_config",
    "get_debug_level", "get_default_backend_for_device", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_process_group_ranks", "get_rank", "get_world_size", "group",
    "init_device_mesh", "init_process_group", "irecv", "is_available", "is_backend_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend",
    "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv",
    "recv_object_list", "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_single",
    "reduce_scatter_tensor", "scatter", "scatter_object_list", "send", "send_object_list",
    "set_debug_level", "set_debug_level_from_env", "supports_complex",
]  # fmt: skip


class Backend(str):
    """The name of a backend in lower case: ``Backend("GLOO")`` is ``"gloo"``.

    Args:
        name: The name, in any case.

    Raises:
        ValueError: For what is not a string.

    >>> torch.distributed.Backend("GLOO") == torch.distributed.Backend.GLOO
    True
    """

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ArgumentError(f"Backend constructor parameter must be string-ish, not {name!r}")
        return super().__new__(cls, name.lower())


def __getattr__(name: str) -> Any:
    # Programs reach these by attribute: in PyTorch other imports have loaded them.
    if name == "GradBucket":  # of a module above this one
        return importlib.import_module("pellucid.nn.parallel.reducer").GradBucket
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module 'pellucid.distributed' has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def is_nccl_available() -> bool:
    """Return False: tensors are on the CPU."""
    return False


def is_ucc_available() -> bool:
    """Return False: tensors are on the CPU, and MPI or sockets connect the processes."""
    return False


def is_xccl_available() -> bool:
    """Return False: tensors are on the CPU."""
    return False


def is_mpi_available() -> bool:
    """Return whether this process was started by MPI, and mpi4py is there."""
    return can_have_many()


def is_gloo_available() -> bool:
    """Return True: programs that ask for Gloo get MPI or sockets."""
    return True


def is_torchelastic_launched() -> bool:
    """Return whether torchrun has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None
