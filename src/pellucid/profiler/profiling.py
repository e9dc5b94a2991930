"""Profiling a program, all of it or some of its steps."""

from __future__ import annotations

import enum
import gzip
import itertools
import json
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pellucid.blocks import Block
from pellucid.inspect.recording import Recording
from pellucid.inspect.recording.building import fill
from pellucid.inspect.recording.chrome_trace import chrome_trace
from pellucid.inspect.recording.recorder import Recorder
from pellucid.optim import Optimizer
from pellucid.profiler.events import EventList, events_of
from pellucid.profiler.ranges import record_function


class ProfilerActivity(enum.Enum):
    """What a profiler can measure; here, only the CPU."""

    CPU = 0
    XPU = 1
    CUDA = 2
    MTIA = 4
    HPU = 3
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profiler does in one step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set[ProfilerActivity]:
    """Return what can be measured.

    >>> torch.profiler.supported_activities()
    {<ProfilerActivity.CPU: 0>}
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Return True: profiles can be written as traces."""
    return True


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:  # fmt: skip
    """Return a function from the number of a step to what a profiler does in it.

    Args:
        wait: For how many steps it waits at the beginning of each cycle.
        warmup: How many steps then go by, unrecorded.
        active: How many steps are recorded.
        repeat: How many cycles there are; 0 for as many as it takes.
        skip_first: How many steps go by before the first cycle.
        skip_first_wait: Whether the first cycle does not wait; 0 or 1.

    Raises:
        AssertionError: For a number below zero, or no active step.

    >>> plan = torch.profiler.schedule(wait=1, warmup=0, active=2)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    valid = min(wait, warmup, repeat, skip_first) >= 0 and active > 0
    assert valid, (
        f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} "
        f"(need >= 0), active={active} (need > 0), repeat={repeat} (need >= 0), "
        f"skip_first={skip_first} (need >= 0)."
    )

    def action(step: int) -> ProfilerAction:
        assert step >= 0, f"Step must be non-negative. Got {step}."
        place = step - skip_first
        if place < 0:
            return ProfilerAction.NONE
        place += wait if skip_first_wait else 0
        cycle, place = divmod(place, wait + warmup + active)
        if (repeat and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        last = place == wait + warmup + active - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str | os.PathLike[str], worker_name: str | None = None, use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[Any], None]:  # fmt: skip
    """Return a function for ``on_trace_ready`` that writes each trace to a file of its own.

    Args:
        dir_name: The folder.
        worker_name: What the names of the files begin with; by default host and process.
        use_gzip: Whether the files are compressed.
        use_python_export: Accepted for compatibility.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     handler = torch.profiler.tensorboard_trace_handler(folder, "worker")
    ...     with torch.profiler.profile(on_trace_ready=handler):
    ...         x = torch.ones(2).exp()
    ...     len(os.listdir(folder))
    1
    """
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def handle(profiler: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        profiler.export_chrome_trace(Path(dir_name) / f"{worker}.{time.time_ns()}{ending}")

    return handle


class _WithBatches(Recorder):
    """A recorder of batches and of `zero_grad` too, as ranges under PyTorch's names."""

    def _watch(self, event: str, subject: Any) -> None:
        kind = type(subject).__name__
        if event == "zero_grad" and isinstance(subject, Optimizer):
            name = sys.intern(f"Optimizer.zero_grad#{kind}.zero_grad")
            super()._watch("range began", name)
            super()._watch("range ended", name)
        elif event.startswith("batch "):
            name = sys.intern(f"enumerate(DataLoader)#{kind}.__next__")
            super()._watch(event.replace("batch", "range"), name)
        else:
            super()._watch(event, subject)


def _borders(recording: Recording) -> Iterator[dict[str, Any]]:
    """Mark the whole of a trace, its beginning and its end, by what viewers look for."""
    whole = {"pid": "Traces", "tid": "PyTorch Profiler"}
    end = recording.duration / 1000
    yield {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "ts": 0, "dur": end, **whole}
    yield {"ph": "M", "name": "process_sort_index", "args": {"sort_index": 0}, **whole}
    yield {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "ts": 0, **whole}
    yield {"ph": "i", "s": "g", "name": "Record Window End", "ts": end, **whole}


def _always(_: int) -> ProfilerAction:
    return ProfilerAction.RECORD


class profile(Block):  # noqa: N801 - PyTorch's name
    """A context manager that measures ops, nodes, optimizer steps and named ranges.

    Args:
        activities: What is measured; there is only ``ProfilerActivity.CPU``.
        schedule: A function from the number of a step to what is done in it, as `schedule` makes
            it; by default, all of the block is recorded.
        on_trace_ready: Called with the profiler whenever there is something to look at.
        record_shapes: Whether tables may show shapes.
        profile_memory: Whether tables show memory.
        with_stack: Whether the lines of all callers are recorded.
        with_flops: Accepted for compatibility; operations are not counted.
        with_modules: Accepted for compatibility; see ``recording.by_module()``.
        experimental_config: Accepted for compatibility.
        execution_trace_observer: Accepted for compatibility.
        acc_events: Whether `events` are those of all cycles of the schedule, and not of the last.
        use_cuda: Accepted for compatibility.
        custom_trace_id_callback: Accepted for compatibility.
        post_processing_timeout_s: Accepted for compatibility.

    Attributes:
        recording: The recording that all else is made of: see `pellucid.inspect.record`.

    Raises:
        AssertionError: If no activity is asked for.

    >>> x = torch.ones(2, 3, requires_grad=True)
    >>> with torch.profiler.profile() as profiler:
    ...     (x * x).sum().backward()
    >>> sorted(average.key for average in profiler.key_averages())
    ['MulBackward0', 'SumBackward0', 'aten::mul', 'aten::sum']
    """

    def __init__(
        self, *, activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None, record_shapes: bool = False,
        profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, experimental_config: Any = None,
        execution_trace_observer: Any = None, acc_events: bool = False,
        use_cuda: bool | None = None, custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:  # fmt: skip
        self.activities = supported_activities() if activities is None else set(activities)
        known = any(isinstance(each, ProfilerActivity) for each in self.activities)
        assert known, "No valid profiler activities found"
        self.schedule = schedule or _always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.recording: Recording | None = None
        #: the recordings of the cycles whose events are listed
        self._cycles: list[Recording] = []
        self._metadata: dict[str, Any] = {}
        self._recorder: Recorder | None = None
        self._step: record_function | None = None

    # ---- from start to stop ----------------------------------------------------------------------

    def _begin(self) -> profile:
        self._at_end(self.stop)
        self.start()
        return self

    def start(self) -> None:
        """Begin, with the first step."""
        self._enter_action()

    def stop(self) -> None:
        """End, and hand over what has been recorded."""
        if self._recorder is not None:
            self._save()

    def step(self) -> None:
        """End a step, and begin the next with what the schedule says."""
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._end_step()
        if self._recorder is not None:
            self._recorder.mark_step()
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._save()
        elif before is ProfilerAction.RECORD and self.current_action not in _RECORDING:
            warnings.warn(
                f"Incorrect schedule: RECORD followed by {self.current_action.name}", stacklevel=2
            )
            self._stop_recorder()
        self._enter_action()

    def _enter_action(self) -> None:
        """Do what the present step asks for."""
        if self.current_action not in _RECORDING:
            return
        if self._recorder is None:
            self._recorder = _WithBatches(gradients=False, stacks=self.with_stack)
            self._recorder.start()
        if self.record_steps:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    def _stop_recorder(self) -> None:
        recorder = self._recorder
        assert recorder is not None
        recorder.stop()
        recording = Recording()
        fill(recording, recorder)
        self.recording, self._recorder = recording, None
        self._cycles = [*(self._cycles if self.acc_events else ()), recording]

    def _save(self) -> None:
        self._end_step()
        self._stop_recorder()
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    # ---- what has been recorded ------------------------------------------------------------------

    def _finished(self, purpose: str) -> Recording:
        assert self.recording is not None, f"Profiler must be initialized before {purpose}"
        return self.recording

    def events(self) -> EventList:
        """Return all events, in the order of their beginnings."""
        recording = self._finished("accessing events")
        found = (
            events_of(each, self.record_shapes, self.profile_memory, self.with_stack)
            for each in self._cycles
        )
        every = itertools.chain.from_iterable(found)
        return EventList(every, recording, self.profile_memory, self.with_stack)

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
        self._finished("getting key averages")
        return self.events().key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for Perfetto or chrome://tracing, compressed if the name ends in ``.gz``.

        Args:
            path: The file.
        """
        recording = self._finished("exporting chrome trace")
        trace = {**chrome_trace(recording), **self._metadata}
        trace["traceEvents"] += _borders(recording)
        opened = gzip.open if os.fspath(path).endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8") as file:
            json.dump(trace, file)

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write stacks with their times, as flame graph tools read them.

        Args:
            path: The file.
            metric: ``"self_cpu_time_total"``.

        Raises:
            AssertionError: If stacks have not been recorded.
        """
        self.events().export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the traces that are written.

        Args:
            key: Under what name.
            value: The text.
        """
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add something that is written as JSON to the traces.

        Args:
            key: Under what name.
            value: The JSON.
        """
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json
