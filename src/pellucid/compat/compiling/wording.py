"""What a recording reads and checks, in words of the program."""

from __future__ import annotations

import linecache
import re
from types import FunctionType
from typing import Any

from pellucid.compat.compiling.trace import Decision, Inlined, Place, Step, Trace, TraceFrame

_OPERATORS = r"[-+*/%@<>=!&|^]{1,2}|is|is not|in|not in"
#: a longer expression of the program is called by what it gives
_LONGEST = 60


def expressions(trace: Trace) -> dict[str, str]:
    """Return the expressions of the program that registers stand for, where there are such.

    They are found once: calls that take turns try a recording that does not hold each time.
    """
    if trace.names is None:
        trace.names = _all_expressions(trace)
    return trace.names


def _all_expressions(trace: Trace) -> dict[str, str]:
    found: dict[str, str] = {}
    code = trace.root.code
    names = (*code.co_varnames[: len(trace.arguments) - len(trace.keywords)], *trace.keywords)
    found.update(zip(trace.arguments, names, strict=False))
    for name, value in trace.constants.items():
        if isinstance(value, FunctionType):
            for place, cell in enumerate(value.__code__.co_freevars):
                found[f"{name}.__closure__[{place}]"] = cell
    for each in trace.prologue:
        if isinstance(each, Step):
            _add(found, each, None)
    _add_all(found, trace.root)
    return found


def _add_all(found: dict[str, str], frame: TraceFrame) -> None:
    for each in frame.items:
        if isinstance(each, Inlined):
            _add_all(found, each.frame)
            text = _written(frame, each.place)
            if each.out is not None and text is not None:
                found.setdefault(each.out, text)
        elif isinstance(each, Step):
            _add(found, each, frame)


def _add(found: dict[str, str], step: Step, frame: TraceFrame | None) -> None:
    """Note what the register is called that a step fills."""
    if len(step.outs) != 1:
        return
    text = _expression(step.text.partition(" = ")[2], found)
    if text is None and frame is not None and step.called is not None:
        text = _written(frame, step.place)
    if text is not None:
        found.setdefault(step.outs[0], text)


def _written(frame: TraceFrame, place: Place) -> str | None:
    """Return the text of an expression of the program, if it stands on one line and is short."""
    line, end, start, stop = place
    text = linecache.getline(frame.code.co_filename, line).encode()[start:stop].decode()
    return text if line == end and 0 < len(text) <= _LONGEST else None


def _expression(text: str, known: dict[str, str]) -> str | None:
    if text in known:  # a cell of a closure
        return known[text]
    if match := re.fullmatch(r'k\d+\["(\w+)"\](?: if .*)?', text):
        return match[1]
    if match := re.fullmatch(r"(r\d+)\.cell_contents", text):
        return known.get(match[1])
    if match := re.fullmatch(r"(r\d+)((?:\.\w+)(?:\(\))?|(?:\[[^\]]*\]))", text):
        if match[1] not in known:
            return None
        # a container of layers is read by its dictionary, which programs do not name
        return re.sub(r"\._modules\.values\(\)(?=\[)", "", f"{known[match[1]]}{match[2]}")
    if match := re.fullmatch(r'getattr\((r\d+), "__func__", None\)', text):
        return known.get(match[1])
    if match := re.fullmatch(r"tuple\((r\d+)\)", text):
        return known.get(match[1])
    if match := re.fullmatch(r"(len|bool|type)\((r\d+)\)", text):
        return f"{match[1]}({known[match[2]]})" if match[2] in known else None
    if match := re.fullmatch(rf"(\S+) ({_OPERATORS}) (\S+)", text):
        sides = [known.get(match[i], None if match[i][0] in "rk" else match[i]) for i in (1, 3)]
        return None if None in sides else f"{sides[0]} {match[2]} {sides[1]}"
    return None


def in_words(text: str, names: dict[str, str]) -> str:
    """Return a text with expressions of the program in the places of registers."""
    return re.sub(r"\br\d+\b", lambda found: names.get(found[0], "a value"), text)


def missed(trace: Trace, number: int, now: Any) -> str:
    """Return in words which condition of a recording does not hold."""
    if number < 0:
        return f"what it reads is not there: {now!r}"
    decision = trace.prologue[number]
    assert isinstance(decision, Decision)
    what = in_words(decision.told.what, expressions(trace))
    if what.startswith("what ") and what.endswith(" is like") and isinstance(now, tuple):
        return _other_tensor(what[len("what ") : -len(" is like")], now, decision.told.was)
    if now is None:
        return f"{what}: no longer {decision.told.was}"
    return f"{what} is {_short(now)}, was {decision.told.was}"


def _other_tensor(name: str, now: tuple[Any, ...], was: str) -> str:
    return f"{name} has shape {now[0]} and is {now}, was {was}; dynamic=True takes all sizes"


def _short(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
