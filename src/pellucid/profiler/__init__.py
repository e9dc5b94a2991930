"""``torch.profiler``: PyTorch's view of a recording of `pellucid.inspect.record`.

It knows ops, nodes, optimizer steps and named ranges. For lines, modules, forward and backward side
by side, memory and gradients, ask the recording itself: ``profile.recording``.
"""

from pellucid.profiler.profiling import (
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from pellucid.profiler.ranges import record_function

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function",
    "schedule", "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip
