"""What compiling a watched program's step would give, and which lines of it can be compiled."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from pellucid._native import compiled
from pellucid.autograd.sites import place_text
from pellucid.compat.compiling import kinds, settings
from pellucid.compat.compiling.compiled import wrapped
from pellucid.compat.compiling.measuring import times_in_turns
from pellucid.inspect.recording import Recording
from pellucid.inspect.tables import count_text, time_text
from pellucid.nn.functional import linear
from pellucid.ops.elementwise.trigonometric import tanh
from pellucid.parsing import parse
from pellucid.tensors.creation import full, ones

#: ops of the small step by which it is measured what a call of an op saves, and how often it runs
_OPS, _CALLS = 6, 30
#: the share of a step from which on it is worth while to say so
_WORTH = 0.05

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def advice(recording: Recording, step: int, saving: Callable[[], float] | None = None) -> str:
    """Return which lines of a step `torch.compile` could run at once, and how much time that saves.

    Args:
        recording: One step of the program.
        step: The nanoseconds that a step takes.
        saving: Gives the nanoseconds that an op with its backward takes less compiled; measured
            here if None.

    Returns:
        One paragraph; empty where it would save too little, or something is compiled already.
    """
    passes = [each.line for each in recording.events if each.kind == "backward"]
    calls = sum(map(_is_call, recording.events))
    if compiled is None or not passes or passes[0] is None or len(settings.everything):
        return ""
    saved = calls * (saving or _saving_of_an_op)()
    if saved < _WORTH * step:
        return ""
    line = recording.lines[passes[0]]
    first, last, loop = _lines_of_step(line.file, line.line)
    where = place_text(line.file, first)
    if loop is None:
        what = f"Compile {line.function}(), {where}."
    else:
        what = f"Make a function of lines {first} to {last}, {where}, and compile it."
    said = [
        f"torch.compile: {count_text(calls, 'operation')} of a step could run at once, "
        f"which would save up to about {time_text(int(saved))} of {time_text(step)} "
        f"({saved / step:.0%}). {what}",
        *_breaks(first, last, loop),
    ]
    return "\n  ".join(said)


def _is_call(event: Any) -> bool:
    """Return whether an event is the call of an op that can run at once."""
    if event.kind != "op" or event.phase != "forward" or kinds.changes_tensors(event.name):
        return False
    return event.name not in kinds.READING and not event.name.startswith(("rand", "dropout"))


def _saving_of_an_op() -> float:
    """Return how many nanoseconds an op of a small step takes less compiled, with its backward."""
    first, second = (full((4, 4), 0.1, requires_grad=True) for _ in range(2))
    x = ones(4, 4)

    def small() -> None:
        error = linear(tanh(linear(x, first)), second) - x
        (error * error).mean().backward()

    fast = wrapped(small, settings.Options())
    times = times_in_turns((small, fast), _CALLS)
    plain, quick = (median(each[_CALLS // 2 :]) for each in times)
    settings.everything.discard(fast._compiled)
    return max(plain - quick, 0) / _OPS


def _lines_of_step(file: str, line: int) -> tuple[int, int, ast.stmt | None]:
    """Return the first and the last line of a step, and the loop around it in its function."""
    try:
        tree = parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return line, line, None
    found: tuple[int, int, ast.stmt | None] = line, line, None
    for each in ast.walk(tree):
        if not isinstance(each, ast.For | ast.While | _Function):
            continue
        end = each.end_lineno or each.lineno
        if not each.body[0].lineno <= line <= end:
            continue
        inside = each.body[-1].end_lineno or each.body[-1].lineno
        is_function = isinstance(each, _Function)
        found = (each.lineno, end, None) if is_function else (each.body[0].lineno, inside, each)
    return found


def _breaks(first: int, last: int, loop: ast.stmt | None) -> Iterator[str]:
    """Yield what of a loop has to stay outside of the function, with its lines."""
    for each in ast.walk(loop) if loop is not None else ():
        if not isinstance(each, ast.Call) or not first <= each.lineno <= last:
            continue
        called, why = each.func, ""
        if isinstance(called, ast.Attribute):
            why = kinds.READING.get(called.attr, "")
        elif isinstance(called, ast.Name) and called.id in ("print", "input", "open"):
            why = "it acts outside of the program"
        if why:
            yield f"Leave {ast.unparse(called)}() in line {each.lineno} outside: {why}."
