"""``record()``: the block of a program that is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pellucid.inspect.collector import collector_off
from pellucid.inspect.recording.building import fill
from pellucid.inspect.recording.recorder import Recorder
from pellucid.inspect.recording.recording import Recording


@contextmanager
def record(*, gradients: bool = True) -> Iterator[Recording]:
    """Record every op of the block, forward and backward, with its line, time and memory.

    Nothing that the program has made lives longer for it.

    Args:
        gradients: Whether the gradients and updates are measured too, which takes some time.

    Returns:
        A context manager that gives a `Recording`, which is filled when the block ends.

    >>> from pellucid.inspect import record
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with record() as recording:
    ...     (x * x).sum().backward()
    >>> [event.name for event in recording.events]
    ['mul', 'sum', 'backward', 'SumBackward0', 'MulBackward0']
    """
    recorder, recording = Recorder(gradients), Recording()
    recorder.start()
    try:
        yield recording
    finally:
        recorder.stop()
        with collector_off():
            fill(recording, recorder)
