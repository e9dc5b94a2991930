"""The processes that train together, as far as the house knows of them.

`pellucid.processes` fills in `ranks` when it is loaded; before that there is no process group.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
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


class Exchange:
    """An exchange that this rank has begun, as it is announced to the watchers.

    Args:
        call: What is called, with dtypes and shapes.
        key: What it has in common with the parts of the other ranks, and with nothing else; None
            where that is not known.
        members: Global ranks that take part.
    """

    __slots__ = ("begun", "call", "key", "members")

    def __init__(self, call: str, key: tuple[Any, ...] | None, members: tuple[int, ...]) -> None:
        self.call = call
        self.key = key
        self.members = members
        #: when, in nanoseconds of `time.perf_counter_ns`
        self.begun = perf_counter_ns()

    @property
    def name(self) -> str:
        """The call without its arguments."""
        return self.call.partition("(")[0]


class Ranks:
    """How the group that a call speaks of is found."""

    __slots__ = ("exchanges", "is_first", "is_initialized", "notes", "resolved", "streams")

    def __init__(self) -> None:
        #: whether there is a default group
        self.is_initialized: Callable[[], bool] = lambda: False
        #: returns a group, the default one for None; raises ValueError if there is none
        self.resolved: Callable[[Any], Group] = _refuse
        #: shows the others a note, or leaves the last one for None; returns what each shows now
        self.notes: Callable[[bytes | None], list[bytes]] = lambda note: []
        #: how many exchanges there were, where they are counted and not announced
        self.exchanges: Callable[[], int] = int
        #: a number for the state of the streams of random numbers, if not of this library's
        self.streams: Callable[[], int] | None = None
        #: whether no other rank has said before what this one is about to say
        self.is_first: Callable[[str], bool] = bool


def _refuse(group: Any) -> Group:
    raise ArgumentError(NOT_INITIALIZED)


ranks = Ranks()
