"""Stretches of a recording that end in ``backward()``, which the compiled module can run at once.

Its steps call ops that follow from what tensors look like, and from constants.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from pellucid._native import compiled
from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.events import Token
from pellucid.compat.compiling.trace import (
    Free,
    Inlined,
    Register,
    Step,
    TraceFrame,
    registers_in,
)
from pellucid.tensors import Tensor

_OPERATORS = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    operator.neg, operator.pos, operator.eq, operator.ne, operator.lt, operator.le, operator.gt,
    operator.ge,
}  # fmt: skip


def _is_determined(function: Any) -> bool:
    """Return whether a function calls the same ops for tensors that look alike."""
    declared = hasattr(function, "op") or hasattr(function, "replayable")
    return declared or function in _OPERATORS


def _is_determined_layer(kind: type) -> bool:
    """Return whether the forward of a layer does nothing that is not determined."""
    forward: Any = kinds.class_attribute(kind, "forward")
    if not isinstance(forward, FunctionType):
        return False
    names, known = forward.__code__.co_names, forward.__globals__
    modules = [known[name] for name in names if isinstance(known.get(name), ModuleType)]
    for name in names:
        holders = [vars(each) for each in modules if hasattr(each, name)]
        found = known[name] if name in known else holders[0][name] if holders else None
        if found is not None and not (isinstance(found, ModuleType) or _is_determined(found)):
            return False
    return not any(name in kinds.READING or name.startswith("_") for name in names)


def _belongs(step: Step) -> bool:
    called = step.called
    if called is None or step.exit is not None:
        return False
    if called.target is operator.getitem:  # a tensor among the indices decides by its values
        return not _has_token(called.args[1])
    if called.kind == "layer":
        return isinstance(called.target, type) and _is_determined_layer(called.target)
    if called.kind == "method":
        return _is_determined(getattr(Tensor, called.target, None)) and not (
            kinds.changes_tensors(called.target, called.kwargs)
        )
    return (
        called.kind == "function" and _is_determined(called.target)
        and not kinds.changes_tensors(getattr(called.target, "__name__", ""), called.kwargs)
    )  # fmt: skip


def _has_token(value: Any) -> bool:
    return isinstance(value, Token) or (isinstance(value, tuple) and any(map(_has_token, value)))


def _all_belong(frame: TraceFrame) -> bool:
    return all(
        isinstance(each, Free) or (isinstance(each, Step) and _belongs(each))
        or (isinstance(each, Inlined) and _all_belong(each.frame))
        for each in frame.items
    )  # fmt: skip


def _is_backward(item: Any) -> bool:
    return (
        isinstance(item, Step) and item.called is not None and item.called.target is Tensor.backward
        and item.exit is None and item.text.endswith(".backward()")
    )  # fmt: skip


class Stretch:
    """A part of a frame's items: the first, and the place of ``backward()``.

    Attributes:
        inputs: The registers that it reads from outside.
        outputs: Those that it fills, and which are read later.
        cleared: Those that are only freed later.
        root: The register of the tensor whose backward it runs.
        scopes: Of each module in the inputs the outermost module around it, as places among these.
    """

    def __init__(self, frame: TraceFrame, first: int, last: int) -> None:
        self.first, self.last = first, last
        items, rest = frame.items[first : last + 1], frame.items[last + 1 :]
        filled, read = _registers(items)
        later = _registers(rest)[1] | {frame.result}
        freed = {each.register for each in rest if isinstance(each, Free)}
        backward: Any = items[-1]
        self.root = registers_in(backward.text)[1].id
        nothing = set(backward.outs)
        self.outputs = sorted((filled & later) - nothing, key=_number)
        self.cleared = sorted((filled & (freed | later)) - {*self.outputs}, key=_number)
        outermost = dict(_modules(items))
        self.inputs = sorted((read - filled) | {*outermost}, key=_number)
        place = self.inputs.index
        self.scopes = [(place(inner), place(outer)) for inner, outer in outermost.items()]
        #: the inputs that are only there for the names of nodes
        self.around = {place(each) for each in outermost if each not in read}


def _modules(items: Iterable[Any], outer: str = "") -> Iterator[tuple[str, str]]:
    """Return the registers of modules that are called, each with that of the outermost around."""
    for each in items:
        if isinstance(each, Inlined):
            module = each.frame.module
            if module is not None:
                yield module.register, outer or module.register
            around = outer or (module.register if module is not None else "")
            yield from _modules(each.frame.items, around)
        elif outer and isinstance(each, Step) and each.called and each.called.kind == "layer":
            yield each.called.args[0].register, outer


def _number(register: str) -> int:
    return int(register[1:])


def _registers(items: Iterable[Any]) -> tuple[set[str], set[str]]:
    """Return the registers that items fill, and those that they read."""
    filled: set[str] = set()
    read: set[str] = set()
    for each in items:
        if isinstance(each, Step):
            filled.update(each.outs)
            read.update(node.id for node in registers_in(each.text))
        elif isinstance(each, Inlined):
            inner = _registers(each.frame.items)
            filled |= inner[0] | ({each.out} if each.out is not None else set())
            read |= inner[1]
            if isinstance(each.frame.result, Register):
                read.add(each.frame.result)
        elif not isinstance(each, Free):
            for text in (each.condition, each.now):
                read.update(node.id for node in registers_in(text))
    return filled, read


def stretch_of(frame: TraceFrame) -> Stretch | None:
    """Return the stretch of a frame, if it has one that can be worth while."""
    if compiled is None:
        return None
    for last, item in enumerate(frame.items):
        if _is_backward(item):
            first = last
            while first and _may_precede(frame.items[first - 1]):
                first -= 1
            computes = any(not isinstance(each, Free) for each in frame.items[first:last])
            return Stretch(frame, first, last) if computes else None
    return None


def _may_precede(item: Any) -> bool:
    if isinstance(item, Step):
        return _belongs(item)
    return isinstance(item, Free) or (isinstance(item, Inlined) and _all_belong(item.frame))
