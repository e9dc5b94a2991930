"""The processes that train together, as far as the house knows of them.

`pellucid.processes` fills in `ranks` when it is loaded; before that there is no process group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pellucid.errors import ArgumentError

NOT_INITIALIZED = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


class Group(Protocol):
    """Some of the processes."""

    def rank(self) -> int:
        """Return the rank of this process in the group."""
        ...

    def size(self) -> int:
        """Return the number of processes."""
        ...

    def summed(self, values: Any, call: str) -> Any:
        """Return the sum of the arrays of all ranks; errors name the ``call``."""
        ...

    def gathered(self, value: Any, call: str) -> list[Any]:
        """Return the objects of all ranks; errors name the ``call``."""
        ...


class Ranks:
    """How the group that a call speaks of is found."""

    __slots__ = ("is_initialized", "resolved")

    def __init__(self) -> None:
        #: whether there is a default group
        self.is_initialized: Callable[[], bool] = lambda: False
        #: returns a group, the default one for None; raises ValueError if there is none
        self.resolved: Callable[[Any], Group] = _refuse


def _refuse(group: Any) -> Group:
    raise ArgumentError(NOT_INITIALIZED)


ranks = Ranks()
