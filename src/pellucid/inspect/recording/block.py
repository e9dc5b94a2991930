"""``record()``: the block of a program that is recorded."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from pellucid.autograd.reading import others
from pellucid.autograd.sites import user_stacklevel
from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError
from pellucid.inspect.collector import collector_off
from pellucid.inspect.recording.building import fill
from pellucid.inspect.recording.recorder import Recorder
from pellucid.inspect.recording.recording import Recording


@temporary
def record(block: Block, *, gradients: bool = True, values: bool | str = False) -> Recording:
    """Record every op of the block, forward and backward, with its line, time and memory.

    Nothing that the program has made lives longer for it. In a program that uses an installed
    PyTorch, what PyTorch does is recorded, of the thread that begins the block.

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
    recorders: list[Any] = [Recorder(gradients, values=values)]
    recorders += [each.recorder(gradients, values) for each in others()]
    recording = Recording()
    block._at_end(functools.partial(_finish, recorders, recording))
    for each in recorders:
        each.start()
    return recording


def _finish(recorders: list[Any], recording: Recording) -> None:
    """Fill the recording with what the recorder of the library in use has written down."""
    with collector_off():
        for each in reversed(recorders):
            each.stop()
        heard = max(recorders, key=lambda each: len(each.spans))
        fill(recording, heard)
    if not heard.spans and recorders[-1].missed:
        warnings.warn(recorders[-1].missed, stacklevel=user_stacklevel())
