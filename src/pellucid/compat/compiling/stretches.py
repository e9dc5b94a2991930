"""Stretches of a recording that the compiled module can run at once, up to ``backward()`` or not.

Their steps call ops that follow from what tensors look like, and from constants. What they read
between is read before them: nothing that runs at once runs code of the user's. An optimizer's
``zero_grad()`` may be among them, and its ``step()`` may follow a ``backward()``.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from pellucid._native import compiled
from pellucid.autograd.backward import grad
from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.events import Token
from pellucid.compat.compiling.trace import (
    Decision,
    Free,
    Inlined,
    Register,
    Step,
    TraceFrame,
    registers_in,
)
from pellucid.tensors import Tensor

#: of fewer steps than these, a stretch is not worth while
_FEWEST = 3
_DETERMINED = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    operator.neg, operator.pos, operator.eq, operator.ne, operator.lt, operator.le, operator.gt,
    operator.ge, operator.floordiv, operator.mod, Tensor.detach,
}  # fmt: skip
#: what functions are declared as that call the same ops for tensors that look alike, or make one
_DECLARATIONS = ("op", "replayable", "regular", "drawing", "draws", "makes")
#: names by which values of tensors are read
_READING = {*kinds.READING, "_array", "any", "all", "bool", "float", "int", "max", "min"}
#: calls of an optimizer's methods that do the same each time
_ZERO_GRAD = re.compile(r"r\d+ = r\d+\((set_to_none=)?(True)?\)").fullmatch
_STEP = re.compile(r"r\d+ = r\d+\(\)").fullmatch
#: what tensors that look alike have in common
_FACTS = kinds.FACTS - {"grad", "is_leaf"}
_FACT_METHODS = kinds.FACT_METHODS - {"storage_offset"}


def _is_determined(function: Any) -> bool:
    """Return whether a function calls the same ops for tensors that look alike."""
    declared = any(hasattr(function, each) for each in _DECLARATIONS)
    return declared or any(function is each for each in _DETERMINED)


def _reads_of_layer(kind: type) -> list[Read] | None:
    """Return what the forward of a layer reads; None if something of it is not determined."""
    found: list[Read] = []
    return found if _add_reads(kind, "forward", found) else None


def _add_reads(kind: type, name: str, found: list[Read], is_declared: bool = False) -> bool:
    """Add what a method reads, by the names in its code; return whether all is determined.

    It is if the method is declared as `regular`, or one that calls it.
    """
    method: Any = kinds.class_attribute(kind, name)
    if not isinstance(method, FunctionType) or any(each.value is method for each in found):
        return False
    found.append(Read(kind, name, method))
    is_declared = is_declared or hasattr(method, "regular")
    names, known = method.__code__.co_names, method.__globals__
    modules = [known[each] for each in names if isinstance(known.get(each), ModuleType)]
    modules.append(sys.modules[method.__module__])
    for each in names:
        if each in _READING and not is_declared:
            return False
        held = [Read(module, each, getattr(module, each, None)) for module in modules]
        held = [read for read in held if read.value is not None]
        if not held and isinstance(kinds.class_attribute(kind, each), FunctionType):
            if not (_add_reads(kind, each, found, is_declared) or is_declared):
                return False
        determined = (isinstance(r.value, ModuleType) or _is_determined(r.value) for r in held)
        if not (is_declared or all(determined)):
            return False
        found += held
    return True


def _reads_of(step: Step) -> Iterator[Read]:
    """Yield what a step reads beside registers: functions that may be replaced."""
    called = step.called
    if called is None:
        return
    if called.target is Tensor.backward:
        yield Read(Tensor, "backward", Tensor.backward)
    if called.kind == "layer":
        yield from _reads_of_layer(called.target) or ()
    names: tuple[str, ...] = ()
    if called.kind == "method" and called.target not in _FACT_METHODS:
        names = (called.target,)
    elif called.target in _DETERMINED or called.target is operator.getitem:
        plain = called.target.__name__.strip("_")
        names = (f"__{plain}__", f"__r{plain}__")
    for name in names:
        if hasattr(Tensor, name):
            yield Read(Tensor, name, getattr(Tensor, name))


def _belongs(step: Step) -> bool:
    """Return whether what a step does follows from what tensors look like, and from constants."""
    called = step.called
    if called is None or step.exit is not None:
        return False
    kind, target = called.kind, called.target
    if target is kinds.ZERO_GRAD:
        return _ZERO_GRAD(step.text) is not None
    if kind in ("unpack", "build"):
        return target in (None, tuple, list)
    if target is getattr:
        return called.args[1] in _FACTS
    if target is operator.getitem:  # a tensor among the indices decides by its values
        return not _has_token(called.args[1])
    if target is grad:  # what is recorded is ops, as the formulas that make them are
        return called.kwargs.get("create_graph") is True and "is_grads_batched" not in called.kwargs
    if kind == "layer":
        return isinstance(target, type) and _reads_of_layer(target) is not None
    if kind == "method" and target in _FACT_METHODS:
        return True
    function = getattr(Tensor, target, None) if kind == "method" else target
    name = target if kind == "method" else getattr(target, "__name__", "")
    return (
        kind in ("method", "function") and _is_determined(function)
        and not kinds.changes_tensors(name, called.kwargs)
    )  # fmt: skip


def _has_token(value: Any) -> bool:
    return isinstance(value, Token) or (isinstance(value, tuple) and any(map(_has_token, value)))


def _is_of_class(item: Any) -> bool:
    """Return whether an item asks for a class or length, which follow from how a value was made."""
    return isinstance(item, Decision) and item.condition.startswith(("type(r", "len(r"))


def _computes(item: Any) -> bool:
    """Return whether an item may be the first or last of a stretch: its results are tensors."""
    if isinstance(item, Step):
        return item.called is not None and item.called.kind in (
            "function",
            "method",
            "layer",
            "other",
        )
    return isinstance(item, Inlined)


def _is_backward(item: Any) -> bool:
    return (
        isinstance(item, Step) and item.called is not None and item.called.target is Tensor.backward
        and item.exit is None and item.text.endswith(".backward()")
    )  # fmt: skip


def _is_step_of_optimizer(item: Any) -> bool:
    return (
        isinstance(item, Step) and item.called is not None and item.called.target is kinds.STEP
        and item.exit is None and _STEP(item.text) is not None
    )  # fmt: skip


class Read(NamedTuple):
    """A function that is read of a module or class, and which it was."""

    owner: Any
    name: str
    value: Any


class Stretch:
    """A part of a frame's items: the places of the first and the last.

    Attributes:
        inputs: The registers that it reads from outside, and of what is read before it.
        outputs: Those that it fills, and which are read later.
        kept: Those that it fills, too, and that are read behind the backward if that may have run
            code of the user's.
        cleared: Those that are only freed later.
        moved: What is read and decided before it.
        forgotten: The registers that this fills and that nobody reads or frees behind it.
        takes_gradients: Whether it asks for gradients that are recorded.
        backward: The last step that computes, if that is a backward.
        behind: The items after the backward.
        step: The step of an optimizer among them, if there is one.
        root: The register of the tensor whose backward it is.
        place: The place of the last step that computes.
        scopes: Of each module in the inputs the outermost module around it, as places among these.
        around: The places of the inputs that are only there for the names of nodes.
        zeroings: The places of the methods that take gradients away.
        zeroes_first: Whether they do so before anything is computed.
        stepping: The place of the method that is the optimizer's step; -1 without.
        reads: What it reads of modules and classes.
        lines: Its first and its last line, up to the backward if there is one.
        steps: Its steps, with those of the functions that it calls.
    """

    def __init__(self, frame: TraceFrame, first: int, last: int, end: int) -> None:
        scan = _Scan()
        front = frame.items[first : last + 1]
        for each in front:
            scan.takes(each)
        ends_by: Any = front[-1]
        self.backward = ends_by if _is_backward(ends_by) else None
        self.root = registers_in(ends_by.text)[1].id if self.backward else None
        self.place = ends_by.place
        lines = [each.place[0] for each in front if not isinstance(each, Free)]
        self.lines = min(lines), max(lines)
        while self.backward and last + 1 < end and scan.moves(frame.items[last + 1]):
            last += 1  # what decides after the backward is no exit of its own
        self.moved = scan.moved
        self.step: Step | None = None
        following: list[Any] = frame.items[last + 1 : end][:1]
        if self.backward and following and _is_step_of_optimizer(following[0]):
            last, self.step = last + 1, following[0]
        self.first, self.last = first, last
        items = frame.items[first : last + 1]
        behind = items[len(front) :]
        self.behind = behind if any(map(_acts, behind)) else []
        self.steps = list(_steps(items))
        self.reads = _distinct(each for step in self.steps for each in _reads_of(step))
        self.takes_gradients = _takes_gradients(items)
        zeroings = [each for each in self.steps if _takes_gradients_away(each)]
        filled, read = _registers(items, self.moved)
        self._find_results(frame, items, front, filled, zeroings)
        self._find_inputs(items, read, filled, zeroings)

    def _find_results(
        self, frame: TraceFrame, items: list[Any], front: list[Any], filled: set[str],
        zeroings: list[Step],
    ) -> None:  # fmt: skip
        """Find which of the registers that it fills are needed later, and which are only freed."""
        rest = frame.items[self.last + 1 :]
        later, freed = _registers(rest)[1] | {frame.result}, _freed(rest)
        alive = _outs(items) - _freed(items)
        others = [each for each in (self.backward, self.step) if each is not None]
        nothing = {out for each in (*others, *zeroings) for out in each.outs}
        #: an exit hands all that is alive to the program
        needed = later | alive if any(map(_may_leave, rest)) else later
        self.outputs = sorted((filled & needed) - nothing, key=_number)
        left = _outs(front) - _freed(front) if self.behind else set()
        self.kept = sorted((filled & left) - nothing - {*self.outputs}, key=_number)
        gone = (filled & (freed | later | left)) - {*self.outputs, *self.kept}
        self.cleared = sorted(gone, key=_number)
        moved = {out for each in self.moved if isinstance(each, Step) for out in each.outs}
        self.forgotten = sorted(moved - alive - later - freed, key=_number)

    def _find_inputs(
        self, items: list[Any], read: set[str], filled: set[str], zeroings: list[Step]
    ) -> None:
        """Find the registers that it reads from outside, and what some of them are there for."""
        outermost = dict(_modules(items))
        self.inputs = sorted((read - filled) | {*outermost}, key=_number)
        place = self.inputs.index
        self.scopes = [(place(inner), place(outer)) for inner, outer in outermost.items()]
        self.around = {place(each) for each in outermost if each not in read}
        self.zeroings = [place(_method(each)) for each in zeroings]
        self.zeroes_first = self.steps[: len(zeroings)] == zeroings
        self.stepping = -1 if self.step is None else place(_method(self.step))


def _takes_gradients_away(step: Step) -> bool:
    return step.called is not None and step.called.target is kinds.ZERO_GRAD


def _method(step: Step) -> str:
    """Return the register of what a step without operands calls."""
    return registers_in(step.text)[-1].id


def _acts(item: Any) -> bool:
    """Return whether an item does more than to let go of a register."""
    return not isinstance(item, Free)


def _steps(items: Iterable[Any]) -> Iterator[Step]:
    for each in items:
        if isinstance(each, Inlined):
            yield from _steps(each.frame.items)
        elif isinstance(each, Step):
            yield each


def _distinct(reads: Iterable[Read]) -> list[Read]:
    return list({(id(each.owner), each.name): each for each in reads}.values())


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


def _registers(items: Iterable[Any], moved: Iterable[Any] = ()) -> tuple[set[str], set[str]]:
    """Return the registers that items fill, and those that they read, but for what was moved."""
    filled: set[str] = set()
    read: set[str] = set()
    left_out = {id(each) for each in moved}
    for each in items:
        if id(each) in left_out:
            continue
        if isinstance(each, Inlined):
            inner = _registers(each.frame.items, moved)
            filled |= inner[0] | ({each.out} if each.out is not None else set())
            read |= inner[1]
            if isinstance(each.frame.result, Register):
                read.add(each.frame.result)
        elif isinstance(each, Step):
            filled.update(each.outs)
            read.update(node.id for node in registers_in(each.text))
        elif isinstance(each, Decision):
            read |= _registers_of(each)
    return filled, read


def _registers_of(decision: Decision) -> set[str]:
    texts = (decision.condition, decision.now)
    return {node.id for text in texts for node in registers_in(text)}


def _outs(items: Iterable[Any]) -> set[str]:
    """Return what items of a frame fill in that frame."""
    filled: set[str] = set()
    for each in items:
        if isinstance(each, Step):
            filled.update(each.outs)
        elif isinstance(each, Inlined) and each.out is not None:
            filled.add(each.out)
    return filled


def _freed(items: Iterable[Any]) -> set[str]:
    return {each.register for each in items if isinstance(each, Free)}


def _may_leave(item: Any) -> bool:
    """Return whether a replay may be left in an item."""
    if isinstance(item, Inlined):
        return any(map(_may_leave, item.frame.items))
    return isinstance(item, Decision) or (isinstance(item, Step) and item.exit is not None)


class _Scan:
    """Goes through items, one after the other, and tells whether they can belong to a stretch.

    Attributes:
        moved: What is read and decided between, of what was there before: it goes first.
    """

    def __init__(self) -> None:
        self.moved: list[Step | Decision] = []
        self._computed: set[str] = set()

    def takes(self, item: Any) -> bool:
        """Return whether an item belongs to the stretch."""
        if self.moves(item):
            return True
        if isinstance(item, Inlined):
            belongs = all(map(self.takes, item.frame.items))
            self._computed |= {item.out} if item.out is not None else set()
            return belongs
        if isinstance(item, Decision):
            return _is_of_class(item)
        self._computed.update(item.outs)
        return _belongs(item)

    def moves(self, item: Any) -> bool:
        """Return whether nothing has to be done for an item in its place."""
        if isinstance(item, Free):
            return True
        if isinstance(item, Decision):
            moves = item.is_pure and self._computed.isdisjoint(_registers_of(item))
        else:
            moves = (
                isinstance(item, Step)
                and _reads(item)
                and self._computed.isdisjoint(
                    node.id for node in registers_in(item.text) if node.id not in item.outs
                )
            )
        self.moved += [item] if moves else []
        return moves


def _reads(step: Step) -> bool:
    """Return whether a step only reads something in its place."""
    called = step.called
    return step.reads is not None and (called is None or called.target is operator.getitem)


def stretches_of(frame: TraceFrame) -> list[Stretch]:
    """Return the stretches of a frame that can be worth while, in their order."""
    if compiled is None:
        return []
    found: list[tuple[int, int]] = []
    for first, last in _parts(frame.items, with_gradients=True):
        items = frame.items[first : last + 1]
        if _is_backward(items[-1]) or not _takes_gradients(items):
            found.append((first, last))
        else:  # recorded gradients run at once with what goes back through them
            parts = _parts(items, with_gradients=False)
            found += [(first + begin, first + end) for begin, end in parts]
    found = [each for each in found if _count(frame.items[each[0] : each[1] + 1]) >= _FEWEST]
    starts = [*(first for first, _ in found), len(frame.items)]
    return [Stretch(frame, *each, starts[i + 1]) for i, each in enumerate(found)]


def _parts(items: list[Any], with_gradients: bool) -> Iterator[tuple[int, int]]:
    """Yield the first and the last place of each part whose items belong to a stretch."""
    first, scan = None, _Scan()
    for place, item in enumerate([*items, None]):
        takes = item is not None and (with_gradients or not _takes_gradients([item]))
        if first is None and takes and _computes(item):
            first, scan = place, _Scan()
        if first is None or (takes and scan.takes(item)):
            continue
        last = place if _is_backward(item) else place - 1
        while last > first and not _computes(items[last]):
            last -= 1
        if last >= first and not _is_backward(items[first]):
            yield first, last
        first = None


def _takes_gradients(items: Iterable[Any]) -> bool:
    """Return whether items ask for gradients that are recorded."""
    return any(each.called is not None and each.called.target is grad for each in _steps(items))


def _count(items: Iterable[Any]) -> int:
    """Return how many steps items have; a backward pass counts more than all others."""
    return sum(
        _count(each.frame.items) if isinstance(each, Inlined)
        else 1_000 * _is_backward(each) + isinstance(each, Step)
        for each in items
    )  # fmt: skip
