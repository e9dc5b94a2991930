"""What is noted of PyTorch's nodes: the lines that made them, and the passes that freed them.

Note [Numbers for nodes]: to write on a node takes a dictionary for each. PyTorch numbers the nodes
of a thread as it makes them, so a range of numbers and a line say the same of all nodes that a call
has made. Numbers are those of one thread; in the others, a node's metadata has its line.
"""

from __future__ import annotations

import bisect
import importlib
import threading
from collections import deque
from collections.abc import Container, Iterable
from types import CodeType
from typing import Any, NamedTuple

from pellucid.autograd.node import BackwardRun

torch: Any = importlib.import_module("torch")

#: code, instruction, and the name of the module
Made = tuple[CodeType, int, str | None]

SITE = "pellucid.site"
#: ranges of which lines are known, and passes that are remembered, at most
_MOST_RANGES = 400_000
_MOST_PASSES = 64

#: stands for the threads in which the nodes of devices run
_OF_A_DEVICE = 0
#: has an element once a line was noted on a node
_noted_on_nodes: deque[bool] = deque(maxlen=1)

#: the number that the next node of this thread will have
next_number: Any = torch._C._autograd._get_sequence_nr
_this_thread = threading.get_ident


class Ranges:
    """The lines of the nodes of one thread; see Note [Numbers for nodes].

    Attributes:
        thread: The thread.
    """

    def __init__(self) -> None:
        self.thread: int | None = None
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._lines: list[Made] = []

    def add(self, start: int, end: int, code: CodeType, lasti: int, scope: str | None) -> None:
        """Note that the nodes from ``start`` to before ``end`` were made by a line."""
        lines = self._lines
        if lines and self._ends[-1] == start:
            last_code, last_lasti, last_scope = lines[-1]
            if last_lasti == lasti and last_code is code and last_scope == scope:
                self._ends[-1] = end
                return
        self._starts.append(start)
        self._ends.append(end)
        lines.append((code, lasti, scope))
        if len(lines) > _MOST_RANGES:
            half = _MOST_RANGES // 2
            del self._starts[:half], self._ends[:half], lines[:half]

    def of(self, number: int) -> Made | None:
        """Return the line of a node; None if it is not known."""
        at = bisect.bisect_right(self._starts, number) - 1
        return self._lines[at] if at >= 0 and number < self._ends[at] else None


ranges = Ranges()


def note_nodes(
    start: int, end: int, code: CodeType, lasti: int, scope: str | None, results: Any
) -> None:
    """Note the line that made the nodes of this thread from ``start`` to before ``end``.

    Args:
        start: The number of the first.
        end: The number after the last.
        code: The code object of the line.
        lasti: The instruction in it.
        scope: The name of the module that was running.
        results: What the call returned, from which the nodes can be reached.
    """
    thread = _this_thread()
    if ranges.thread is None:
        ranges.thread = thread
    if ranges.thread == thread:
        ranges.add(start, end, code, lasti, scope)
    else:
        _note_on_nodes(start, end, (code, lasti, scope), results)


def _note_on_nodes(start: int, end: int, made: Made, results: Any) -> None:
    several = results if isinstance(results, tuple | list) else (results,)
    stack = [each.grad_fn for each in several if type(each) is torch.Tensor]
    while stack:
        function = stack.pop()
        if function is None or not start <= function._sequence_nr() < end:
            continue
        if SITE not in function.metadata:
            _note_on(function, made, _this_thread())
            stack += [below for below, _ in function.next_functions]


def note_elsewhere(run: BackwardRun, gradients: Iterable[Any], before: Container[Any]) -> None:
    """Note the line of a pass on the nodes that it has made in threads of devices.

    Args:
        run: The pass.
        gradients: The nodes of the gradients that it has computed.
        before: The nodes that were there before.
    """
    end, stack = next_number(), list(gradients)
    seen: set[Any] = set()
    for function in stack:  # which grows
        if function is None or function in before or function in seen:
            continue
        seen.add(function)
        stack += [below for below, _ in function.next_functions]
        if not run.seq <= function._sequence_nr() < end and SITE not in function.metadata:
            _note_on(function, (run.code, run.lasti, None), _OF_A_DEVICE)


def are_noted_on_nodes() -> bool:
    """Return whether some nodes were made elsewhere than in the thread of `ranges`."""
    return bool(_noted_on_nodes)


def _note_on(function: Any, made: Any, thread: int) -> None:
    _noted_on_nodes.append(True)
    function.metadata[SITE] = made, thread


def made_by(function: Any) -> Made | None:
    """Return the line that made a node; None if it is not known."""
    noted = function.metadata.get(SITE)
    return ranges.of(function._sequence_nr()) if noted is None else noted[0]


#: a node's number, with its thread where that is not the thread of `ranges`
Key = int | tuple[int, int]


class _Freed(NamedTuple):
    """A pass, and the nodes that it has freed."""

    run: BackwardRun
    keys: frozenset[Key]


_passes: deque[_Freed] = deque(maxlen=_MOST_PASSES)


def note_freed(run: BackwardRun, functions: Iterable[Any]) -> None:
    """Note which pass has freed nodes."""
    _passes.append(_Freed(run, frozenset(map(_key, functions))))


def _key(function: Any) -> Key:
    noted = function.metadata.get(SITE) if _noted_on_nodes else None
    number: int = function._sequence_nr()
    return number if noted is None else (number, noted[1])


def freed_by(function: Any) -> BackwardRun | None:
    """Return the pass that has freed a node, if it is remembered."""
    key = _key(function)
    return next((each.run for each in tuple(_passes) if key in each.keys), None)
