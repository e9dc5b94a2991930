"""The errors of the graph, which explain with the user's lines what happened.

PyTorch's sentence comes first. Then one row for each line of the user's that has a part in it, and
last what to do. The exceptions hold text only: no node, tensor or frame.

A module of this package is loaded when something has to be explained.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid.autograd.explanations import (
        changed_value,
        freed_graph,
        running_pass,
        source,
        start_of_pass,
    )

__all__ = ["changed_value", "freed_graph", "running_pass", "source", "start_of_pass"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
