"""Pipelines: each rank has some layers, and the parts of a batch pass through the ranks."""

from __future__ import annotations

from pellucid.distributed.pipelining.cutting import SplitPoint, pipeline
from pellucid.distributed.pipelining.microbatch import TensorChunkSpec
from pellucid.distributed.pipelining.schedules import (
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleLoopedBFS,
)
from pellucid.distributed.pipelining.stage import PipelineStage

__all__ = [
    "PipelineStage", "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B",
    "ScheduleLoopedBFS", "SplitPoint", "TensorChunkSpec", "pipeline",
]  # fmt: skip
