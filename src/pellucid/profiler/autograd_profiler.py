"""``torch.autograd.profiler``: the older names of the same."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from pellucid.blocks import Block
from pellucid.profiler.events import EventList, FunctionEvent, FunctionEventAvg
from pellucid.profiler.profiling import profile as _profile
from pellucid.profiler.ranges import record_function

__all__ = [
    "EventList", "FunctionEvent", "FunctionEventAvg", "emit_itt", "emit_nvtx", "profile",
    "record_function",
]  # fmt: skip


class profile(Block):  # noqa: N801 - PyTorch's name
    """A context manager that measures ops, nodes, optimizer steps and named ranges.

    Args:
        enabled: Whether anything is measured; if not, the block is entered with None.
        record_shapes: Whether tables may show shapes.
        profile_memory: Whether tables show memory.
        with_stack: Whether the lines of all callers are recorded.
        options: Others of PyTorch's, which are accepted and have no effect.

    Raises:
        RuntimeError: If it is entered twice.

    >>> with torch.autograd.profiler.profile() as profiler:
    ...     x = torch.ones(2).exp()
    >>> [event.name for event in profiler.function_events]
    ['aten::ones', 'aten::exp']
    """

    def __init__(
        self, enabled: bool = True, *, record_shapes: bool = False, profile_memory: bool = False,
        with_stack: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        self.enabled = enabled
        self.entered = False
        self._profiler = _profile(
            record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack
        )

    def _begin(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._at_end(self._profiler.stop)
        self._profiler.start()
        return self

    @property
    def function_events(self) -> EventList:
        """All events, in the order of their beginnings."""
        return self._profiler.events()

    @property
    def self_cpu_time_total(self) -> float:
        """The own times of all events together, in microseconds."""
        return self.function_events.self_cpu_time_total

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:  # fmt: skip
        """Return the averages of the events of one name.

        Args:
            group_by_input_shape: Whether events of other shapes are counted apart.
            group_by_stack_n: By how many of the innermost lines events are told apart.
            group_by_overload_name: Accepted for compatibility; there are no overloads.
        """
        return self._profiler.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """Return all events together."""
        return self.function_events.total_average()

    def table(self, *args: Any, **options: Any) -> str:
        """Return the events as a table; see `pellucid.profiler.events.EventList.table`."""
        return self.function_events.table(*args, **options)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for Perfetto or chrome://tracing.

        Args:
            path: The file.
        """
        self._profiler.export_chrome_trace(path)

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write stacks with their times, as flame graph tools read them.

        Args:
            path: The file.
            metric: ``"self_cpu_time_total"``.
        """
        self._profiler.export_stacks(path, metric)

    def __repr__(self) -> str:
        if self._profiler.recording is None:
            return "<unfinished torch.autograd.profile>"
        return str(self.function_events)


class _Absent:
    """A context manager for another vendor's profiler, which is not available here."""

    message: str

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> NoReturn:
        raise AssertionError(self.message)

    def __exit__(self, *_: object) -> None:
        return None


class emit_nvtx(_Absent):  # noqa: N801 - PyTorch's name
    """A context manager that raises AssertionError: there is no CUDA."""

    message = "Torch not compiled with CUDA enabled"


class emit_itt(_Absent):  # noqa: N801 - PyTorch's name
    """A context manager that raises AssertionError: Intel's tracing library is not used."""

    message = "Torch not compiled with ITT enabled"
