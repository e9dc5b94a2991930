"""Modules trained by several processes, or on several devices, of which there is one here.

What is for several processes is loaded when it is first asked for, not with `nn`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pellucid.nn.parallel.data_parallel import DataParallel, data_parallel

if TYPE_CHECKING:
    from pellucid.nn.parallel.distributed import DistributedDataParallel, DistributedDataParallelCPU
    from pellucid.nn.parallel.scatter_gather import gather, parallel_apply, replicate, scatter

__all__ = [
    "DataParallel", "DistributedDataParallel", "DistributedDataParallelCPU", "data_parallel",
    "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip

if not TYPE_CHECKING:
    _LATER = ("distributed", "scatter_gather")

    def __getattr__(name: str) -> Any:
        if name not in __all__ and name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        for each in _LATER:
            names = vars(importlib.import_module(f"{__name__}.{each}"))
            if name in names:
                return names[name]
        return globals()[name]  # one of these modules

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
