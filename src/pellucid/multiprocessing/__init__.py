"""The standard library's multiprocessing, and processes that work on the same tensors.

A tensor in shared memory, by ``share_memory_()``, is the same one in all processes it is given to;
any other is copied.
"""

from __future__ import annotations

import multiprocessing.context as context
import multiprocessing.reduction as reduction
import sys as _sys
from multiprocessing import (
    Array,
    AuthenticationError,
    Barrier,
    BoundedSemaphore,
    BufferTooShort,
    Condition,
    Event,
    JoinableQueue,
    Lock,
    Manager,
    Pipe,
    Pool,
    Process,
    ProcessError,
    Queue,
    RawArray,
    RawValue,
    RLock,
    Semaphore,
    SimpleQueue,
    TimeoutError,
    Value,
    active_children,
    allow_connection_pickling,
    cpu_count,
    current_process,
    freeze_support,
    get_all_start_methods,
    get_context,
    get_logger,
    get_start_method,
    log_to_stderr,
    parent_process,
    set_executable,
    set_forkserver_preload,
    set_start_method,
)

from pellucid.multiprocessing.spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)

__all__ = [
    "Array", "AuthenticationError", "Barrier", "BoundedSemaphore", "BufferTooShort", "Condition",
    "Event", "JoinableQueue", "Lock", "Manager", "Pipe", "Pool", "Process", "ProcessContext",
    "ProcessError", "ProcessException", "ProcessExitedException", "ProcessRaisedException",
    "Queue", "RLock", "RawArray", "RawValue", "Semaphore", "SimpleQueue", "TimeoutError", "Value",
    "active_children", "allow_connection_pickling", "context", "cpu_count", "current_process",
    "freeze_support", "get_all_sharing_strategies", "get_all_start_methods", "get_context",
    "get_logger", "get_sharing_strategy", "get_start_method", "log_to_stderr", "parent_process",
    "reduction", "set_executable", "set_forkserver_preload", "set_sharing_strategy",
    "set_start_method", "spawn", "start_processes",
]  # fmt: skip

_STRATEGY = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """Return how memory can be shared: by the descriptors of anonymous files."""
    return {_STRATEGY}


def get_sharing_strategy() -> str:
    """Return how memory is shared: by the descriptors of anonymous files."""
    return _STRATEGY


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose how memory is shared; descriptors serve for every strategy of PyTorch's."""
    if new_strategy not in (_STRATEGY, "file_system"):
        raise AssertionError(f"invalid sharing strategy {new_strategy!r} on {_sys.platform}")
