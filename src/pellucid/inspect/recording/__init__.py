"""Recordings: what happened in a step, by line, module and op, with its memory and gradients."""

from pellucid.inspect.recording.block import record
from pellucid.inspect.recording.events import (
    Allocation,
    Event,
    Hold,
    LineGradient,
    ParameterGradient,
    RecordedNode,
    SourceLine,
    Step,
)
from pellucid.inspect.recording.recording import Recording

__all__ = [
    "Allocation", "Event", "Hold", "LineGradient", "ParameterGradient", "RecordedNode",
    "Recording", "SourceLine", "Step", "record",
]  # fmt: skip
