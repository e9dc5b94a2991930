"""What the rewritten function calls for each of its steps: the elementary steps of Python."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.events import event, named, token_of
from pellucid.compat.compiling.operators import Operators
from pellucid.compat.compiling.recorder import Value, plain, unpacker
from pellucid.compat.compiling.trace import Called, Exit, Step, Told

#: ends an iterator
END: Any = type("End", (), {"__repr__": lambda self: "the end"})()


class Frame(Operators):
    """One running call of a rewritten function; see `events.Events` for the arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.last: Any = None
        self.waiting: list[Any] = []

    # ---- chained comparisons ---------------------------------------------------------------

    def compare_keeping(self, sign: str, left: Any, right: Any) -> Any:
        self.waiting.append(right)
        return self.compare(sign, left, right)

    def kept(self) -> Any:
        return self.waiting.pop()

    def tested_of_chain(self) -> Any:
        self.waiting.pop()
        return self.tested()

    # ---- decisions ----------------------------------------------------------------------------

    @event
    def truth(self, value: Any) -> bool:
        return self._truth(value)

    def _truth(self, value: Any) -> bool:
        if type(value) is not Value:
            return bool(value)
        if not self.recorder.recording:
            return bool(value.plain)
        found = value.plain
        told = repr(found) if type(found) in (*kinds.NUMBERS, str, type(None)) else None
        simple = kinds.is_plain(found) or kinds.is_builtin_container(found)
        tensor = kinds.is_tensor(found)
        if tensor:
            self._break(
                "the values of a tensor decide what runs",
                "torch.where, or a multiplication by the condition, computes both",
            )
        outcome = self._decide(
            "bool({0})", value, what=f"the truth of {value.register}", was=told or "as it is",
            now="bool({0})", pure=simple and not tensor,
        )  # fmt: skip
        if not simple and not isinstance(found, kinds.Module | type | FunctionType):
            self._acted()
        return outcome

    def test(self, value: Any) -> bool:
        self.last = value
        return self.truth(value)

    def tested(self) -> Any:
        value, self.last = self.last, None
        return value

    # ---- iteration ----------------------------------------------------------------------------

    def iterate(self, items: Any) -> Iterator[Any]:
        return self._through(items, self._items(items))

    def iterate_call(self, function: Any, args: tuple[Any, ...]) -> Iterator[Any]:
        which = self._seen_through(function, args)
        if not which:
            return self.iterate(self.call(function, args, {}))
        each = [self.iterate(items) for items in args]
        return zip(*each, strict=False) if which == "zip" else enumerate(each[0])

    def _through(self, items: Any, found: Any) -> Iterator[Any]:
        if type(found) is list:
            changes = type(plain(items)) not in (tuple, list, kinds.Size, str, range)
            writes, count = self.recorder.writes, len(found)
            left = found[::-1]
            found.clear()
            while left:
                yield left.pop()
                if changes and left:
                    rest = self._changed(items, count, left[::-1], writes)
                    left = left if rest is None else rest[::-1]
        elif found == "list":
            number = 0
            while self._has(items, number):
                yield self.item(items, number)
                number += 1
        else:
            while True:
                each = self._next(found)
                if each is END:
                    return
                yield each

    @event
    def _changed(self, items: Any, count: int, rest: list[Any], writes: int) -> list[Any] | None:
        """Return what still comes of what is gone through; None if that is as it was."""
        if self.recorder.recording and self.recorder.writes == writes:
            return None
        same = self._decide(
            f"{{0}}({{1}}, {{2}}, ({', '.join(f'{{{i + 3}}}' for i in range(len(rest)))}, ))",
            goes_on_with, items, count, *rest, what=f"what still comes of {named(items)}",
            was="as it was", pure=False,
        )  # fmt: skip
        if same:
            return None
        self.recorder.stop("what is gone through was changed on the way")
        now = list(plain(items))
        if len(now) != count:
            raise RuntimeError("dictionary changed size during iteration")
        return [Value(each) for each in now[-len(rest) :]]

    @event
    def _has(self, items: Any, number: int) -> bool:
        return self._decide(
            "len({0}) > {1}", items, number, what=f"whether {named(items)} has more than {number}",
            was=len(plain(items)) > number, now="len({0})",
        )  # fmt: skip

    @event
    def _next(self, iterator: Any) -> Any:
        each = self._step("next({0}, {1})", iterator, END)
        if type(plain(iterator)) not in _BUILTIN_ITERATORS:
            self._acted()
        ended = each.plain is END
        if self.recorder.recording:
            self.recorder.decide(
                self.trace, self._place(), self.event, "{0} is {1}", (each, END),
                Told("the end of an iterator", str(ended)), "{0}", False,
            )  # fmt: skip
        return END if ended else each

    @event
    def _items(self, items: Any) -> Any:
        value = plain(items)
        if type(items) is not Value and type(value) in (tuple, list, str, range):
            return list(value)
        kind = type(value)
        if kind is range and self.recorder.recording:
            self._same_class(items)
            self._decide(
                "{0} == {1}", items, value, what="the range", was=value, now="{0}", pure=True
            )
            return list(value)
        if kind in (tuple, kinds.Size):
            return self._parts(items)
        if kind is list:
            self._same_class(items)
            return "list"
        if kinds.holds_items(value) or kind in _SNAPSHOTS:
            made = self.recorder.has_made(value)
            return self._parts(self._step("tuple({0})", items, pure=not made))
        if kinds.is_tensor(value):
            self._plain_operands((items,))
            return self._parts(self._step("tuple({0})", items))
        found = self._step("iter({0})", items)
        if not (kinds.is_builtin_container(value) or kind in _BUILTIN_ITERATORS):
            self._acted()
        return found

    def _parts(self, items: Value) -> list[Any]:
        count = len(items.plain)
        self._same_class(items)
        self._decide(
            "len({0}) == {1}", items, count, what=f"the length of {named(items)}", was=count,
            now="len({0})",
        )  # fmt: skip
        return [self._part(items, number) for number in range(count)]

    def _part(self, items: Value, number: int) -> Value:
        called = Called("function", operator.getitem, (token_of(items), number), {})
        return self._step("{0}[{1}]", items, number, pure=True, called=called)

    @event
    def _seen_through(self, function: Any, args: tuple[Any, ...]) -> str:
        """Return which function of Python's this is, if it is one that is seen through."""
        target = plain(function)
        which = {zip: "zip", enumerate: "enumerate"}.get(target, "")
        if not which or not args or (which == "enumerate" and len(args) != 1):
            return ""
        self._is(function)
        return which

    def unpacked(self, items: Iterator[Any], count: int) -> Iterator[Any]:
        """Return the items of a comprehension, unpacked for its names."""
        for each in items:
            yield self.unpack(each, count, None)

    @event
    def unpack(self, value: Any, count: int, star: int | None) -> Any:
        found = plain(value)
        if type(value) is not Value:
            return unpacker(count, star)(found)
        recorder = self.recorder
        parts = unpacker(count, star)(found)
        if not recorder.recording:
            return tuple(map(Value, parts))
        kind = type(found)
        pure = kind in (tuple, list, kinds.Size, str) and recorder.can_hoist((value,))
        if pure:
            self._same_class(value)
        if kinds.is_tensor(found):
            self._plain_operands((value,))
        elif not kinds.is_builtin_container(found) and kind not in _BUILTIN_ITERATORS:
            if not isinstance(found, tuple):
                self._acted()
        registers = tuple(recorder.register() for _ in parts)
        names = [f"{'*' if i == star else ''}{name}" for i, name in enumerate(registers)]
        text = f"[{', '.join(names)}] = {recorder.text(value)}"
        number = recorder.exit(self.trace, self.event) if self.catches and not pure else None
        called = None
        if star is None and isinstance(found, tuple):
            self._same_class(value)
            called = Called("unpack", None, (token_of(value),), {})
        recorder.write(self.trace, Step(text, self._place(), called, registers, number), pure)
        if star is not None:
            recorder.keep(parts[star])
        owner = None if pure else self._owner()
        if recorder.keeps_examples:
            recorder.examples.update(zip(registers, parts, strict=True))
        return tuple(
            Value(part, register, owner, pure)
            for part, register in zip(parts, registers, strict=True)
        )

    # ---- new containers -----------------------------------------------------------------------

    @event
    def tuple_(self, parts: tuple[Any, ...]) -> Any:
        if all(type(each) is not Value for each in parts):
            return tuple(parts)
        return self._built(parts, "(", ", )", pure=True)

    @event
    def list_(self, parts: Any) -> Any:
        return self._built(tuple(parts), "[", "]")

    @event
    def set_(self, parts: Any) -> Any:
        parts = tuple(parts)
        return self._built(parts, "{{", "}}") if parts else self._step("set()")

    def _built(self, parts: tuple[Any, ...], left: str, right: str, pure: bool = False) -> Value:
        self._guard_tensors(parts)
        names = ", ".join(f"{{{i}}}" for i in range(len(parts)))
        kind = {"(": tuple, "[": list, "{{": set}[left]
        called = Called("build", kind, tuple(map(token_of, parts)), {})
        made = self._step(f"{left}{names}{right}", *parts, pure=pure, called=called)
        if not pure:
            self.recorder.keep(made.plain)
        return made

    @event
    def dict_(self, pairs: list[tuple[Any, ...]]) -> Any:
        operands: list[Any] = []
        texts = []
        for pair in pairs:
            first = f"{{{len(operands)}}}"
            texts.append(f"{first}: {{{len(operands) + 1}}}" if len(pair) == 2 else f"**{first}")
            operands += pair
        self._guard_tensors(operands)
        called = None
        if all(len(pair) == 2 and type(pair[0]) is str for pair in pairs):
            called = Called("build", dict, tuple(map(token_of, pairs)), {})
        made = self._step("{{" + ", ".join(texts) + "}}", *operands, called=called)
        self.recorder.keep(made.plain)
        return made

    @event
    def keywords_(self, given: dict[str, Any]) -> Any:
        pairs = ", ".join(f"{name!r}: {{{i}}}" for i, name in enumerate(given))
        made = self._step("{{" + pairs + "}}", *given.values())
        self.recorder.keep(made.plain)
        return made

    @event
    def slice_(self, *parts: Any) -> Any:
        if all(type(each) is not Value for each in parts):
            return slice(*parts)
        return self._step(
            "slice({0}, {1}, {2})", *parts, pure=True,
            called=Called("build", slice, tuple(map(token_of, parts)), {}),
        )  # fmt: skip

    @event
    def spread(self, items: Any) -> Any:
        value = plain(items)
        if type(items) is not Value:
            return list(value)
        known = type(value) in (tuple, list, kinds.Size)
        found = items if known else self._step("tuple({0})", items)
        if not known and not kinds.is_tensor(value) and not kinds.is_builtin_container(value):
            self._acted()
        return self._parts(found)

    @event
    def spread_keywords(self, items: Any) -> Any:
        value = plain(items)
        if type(items) is not Value:
            return dict(value)
        found = items if type(value) is dict else self._step("dict({0})", items)
        names = tuple(found.plain)
        self._same_class(found)
        self._decide(
            "tuple({0}) == {1}", found, names, what="the names of **", was=names, now="tuple({0})"
        )
        return {name: self._step("{0}[{1}]", found, name, pure=True) for name in names}

    def joined_keywords(self, *parts: dict[str, Any]) -> dict[str, Any]:
        joined: dict[str, Any] = {}
        for part in parts:
            for name, value in part.items():
                if name in joined:
                    raise TypeError(f"got multiple values for keyword argument {name!r}")
                joined[name] = value
        return joined

    @event
    def formatted(self, value: Any, conversion: int, spec: Any) -> Any:
        found = plain(value)
        simple = type(found) in kinds.PLAIN
        if not simple:
            if not kinds.is_simple(found):
                self._break("a text shows a value", "build texts outside of the compiled function")
            self._acted()
        turned = {-1: "{0}", 115: "str({0})", 114: "repr({0})", 97: "ascii({0})"}[conversion]
        return self._step(f"format({turned}, {{1}})", value, spec, pure=simple)

    @event
    def joined_text(self, parts: tuple[Any, ...]) -> Any:
        if all(type(each) is not Value for each in parts):
            return "".join(parts)
        names = ", ".join(f"{{{i}}}" for i in range(len(parts)))
        return self._step(f'"".join(({names}, ))', *parts, pure=True)

    # ---- blocks and errors --------------------------------------------------------------------

    def entered(self, manager: Any) -> _Block:
        return _Block(self, manager)

    @event
    def enter(self, manager: Any) -> Any:
        found = self._step("type({0}).__enter__({0})", manager)
        self._changed_mode(plain(manager), "with")
        return found

    @event
    def leave(self, manager: Any) -> None:
        self._step("type({0}).__exit__({0}, None, None, None)", manager)
        self._changed_mode(plain(manager), "")

    def _changed_mode(self, manager: Any, told: str) -> None:
        self.recorder.changed_modes = True
        if not kinds.is_library_code(type(manager)):
            self._acted()

    def caught(self) -> None:
        self.recorder.stop("an error was raised and caught")

    def at_last(self) -> None:
        if sys.exc_info()[1] is not self.outer_error:
            self.recorder.stop("an error was raised")

    def raising(self) -> None:
        self.recorder.stop("an error was raised")

    def plain(self, value: Any) -> Any:
        return plain(value)


class _Block:
    """A ``with`` block of a rewritten function."""

    __slots__ = ("frame", "manager")

    def __init__(self, frame: Frame, manager: Any) -> None:
        self.frame = frame
        self.manager = manager

    def __enter__(self) -> Any:
        return self.frame.enter(self.manager)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        if kind is None:
            self.frame.leave(self.manager)
            return False
        manager = plain(self.manager)
        if kind is not Exit:
            self.frame.recorder.stop("an error left a with block")
        return type(manager).__exit__(manager, kind, error, trace)


def goes_on_with(items: Any, count: int, rest: tuple[Any, ...]) -> bool:
    """Return whether so many items end with these."""
    now = tuple(items)
    return len(now) == count and all(map(_is_item, now[count - len(rest) :], rest))


def _is_item(first: Any, second: Any) -> bool:
    pairs = type(first) is tuple and type(second) is tuple  # which `items()` makes anew
    return first is second or (
        pairs and len(first) == len(second) and all(map(operator.is_, first, second))
    )


_SNAPSHOTS = (dict, type({}.items()), type({}.keys()), type({}.values()), str, frozenset)
_BUILTIN_ITERATORS = {
    type(iter(())), type(iter([])), type(iter(range(0))), type(iter({})), type(iter({}.items())),
    type(iter({}.values())), type(iter("")), type(iter(set())), enumerate, zip, reversed,
    type(reversed([])),
}  # fmt: skip
