"""``record()``: the block of a program that is recorded."""

from __future__ import annotations

import functools

from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError
from pellucid.inspect.collector import collector_off
from pellucid.inspect.recording.building import fill
from pellucid.inspect.recording.recorder import Recorder
from pellucid.inspect.recording.recording import Recording


@temporary
def record(block: Block, *, gradients: bool = True, values: bool | str = False) -> Recording:
    """Record every op of the block, forward and backward, with its line, time and memory.

    Nothing that the program has made lives longer for it.

    Args:
        gradients: Whether the gradients and updates are measured too, which takes some time.
        values: Whether each result and each gradient is summed up: mean, deviation, range, zeros,
            NaN, a histogram and a small picture, which takes more time; see `Recording.values`.
            ``"whole"``: copies of all elements are kept, too.

    Returns:
        A context manager that gives a `Recording`, which is filled when the block ends.

    Raises:
        ValueError: If ``values`` is another word.

    >>> from pellucid.inspect import record
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with record() as recording:
    ...     (x * x).sum().backward()
    >>> [event.name for event in recording.events]
    ['mul', 'sum', 'backward', 'SumBackward0', 'MulBackward0']
    """
    if isinstance(values, str) and values != "whole":
        raise ArgumentError(f'record() takes values=True, False or "whole", not {values!r}')
    recorder, recording = Recorder(gradients, values=values), Recording()
    block._at_end(functools.partial(_finish, recorder, recording))
    recorder.start()
    return recording


def _finish(recorder: Recorder, recording: Recording) -> None:
    recorder.stop()
    with collector_off():
        fill(recording, recorder)
