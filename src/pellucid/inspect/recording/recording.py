"""A recording: what has happened in the steps it was made of, ready to be asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pellucid.inspect.recording.events import (
    Allocation,
    Event,
    LineGradient,
    ParameterGradient,
    RecordedNode,
    SourceLine,
    Step,
)

#: the version of what `Recording.to_dict` returns
FORMAT = 1


@dataclass(slots=True)
class Recording:
    """What has happened in a block of `pellucid.inspect.record`.

    It is empty until the block ends.

    Attributes:
        lines: The lines of the program that took part.
        events: What took time, sorted by beginning.
        nodes: The nodes that were made, in the order of their making.
        allocations: The memory that was made or used.
        steps: The steps of training.
        line_gradients: The gradients that arrived at the results of each line.
        parameter_gradients: The gradients and updates of each parameter.
        threads: The names of the threads.
        duration: How long the recording took, in nanoseconds.
    """

    lines: tuple[SourceLine, ...] = ()
    events: tuple[Event, ...] = ()
    nodes: tuple[RecordedNode, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    steps: tuple[Step, ...] = ()
    line_gradients: tuple[LineGradient, ...] = ()
    parameter_gradients: tuple[ParameterGradient, ...] = ()
    threads: tuple[str, ...] = ()
    duration: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text, ready for JSON."""
        return {"format": FORMAT, **asdict(self)}

    def __repr__(self) -> str:
        return f"<Recording of {len(self.events)} events in {len(self.steps)} steps>"
