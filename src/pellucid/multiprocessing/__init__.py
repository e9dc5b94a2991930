"""The standard library's multiprocessing, and processes that work on the same tensors.

A tensor that is given to another process, by a queue, a pool or an argument, is the same one there:
its values are moved into memory that both see, as by ``share_memory_()``.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.context as context
import multiprocessing.reduction as reduction
import sys as _sys
from multiprocessing import *  # noqa: F403 # pyright: ignore[reportWildcardImportFromLibrary]

from pellucid.multiprocessing.spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)
from pellucid.tensors.shared_memory import let_multiprocessing_share

__all__ = [
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException",
    "context", "get_all_sharing_strategies", "get_sharing_strategy", "reduction",
    "set_sharing_strategy", "spawn", "start_processes",
]  # fmt: skip
__all__ += multiprocessing.__all__

let_multiprocessing_share()

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
