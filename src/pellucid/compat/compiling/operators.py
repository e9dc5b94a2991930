"""Attributes, items and operators."""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.events import event, token_of
from pellucid.compat.compiling.recorder import Value, plain
from pellucid.compat.compiling.trace import Called
from pellucid.compat.compiling.variables import Variables

_IN_PLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "@": operator.imatmul,
    "<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand, "|": operator.ior,
    "^": operator.ixor,
}  # fmt: skip
_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip
_UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not ": operator.not_}


class Operators(Variables):
    """A running call that computes."""

    # ---- attributes and items -----------------------------------------------------------------

    @event
    def attribute(self, owner: Any, name: str) -> Any:
        return self.settled(self._attribute(owner, name))

    def _attribute(self, owner: Any, name: str) -> Any:
        value = plain(owner)
        if not self.recorder.recording:
            return Value(getattr(value, name))
        template = f"{{0}}.{name}"
        if kinds.is_tensor(value):
            operand = token_of(owner)
            if name in kinds.FACTS:
                called = Called("function", getattr, (operand, name), {})
                return self._fact(template, (owner,), called)
            self._plain_operands((owner,))
            found = self._step(
                template, owner, called=Called("function", getattr, (operand, name), {})
            )
            if not kinds.is_plain(found.plain) and not callable(found.plain):
                self._acted()
            return found
        if kinds.reads_simply(value, name):
            if name in self.recorder.assigned:
                return self._step(template, owner)
            return self._read(("attribute", name), template, owner)
        held = kinds.class_attribute(type(value), name)
        if isinstance(held, property) and isinstance(held.fget, FunctionType):
            self._decide(
                "type({0}) is {1} and {2}({1}, {3}) is {4}", owner, type(value),
                kinds.class_attribute, name, held,
                what=f"the property {name} of {type(value).__name__}", was="as it is",
            )  # fmt: skip
            return self._call_function(held.fget, held.fget, (owner,), {})
        found = self._step(template, owner)
        self._acted()
        return found

    @event
    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        target = plain(owner)
        self._do(f"{{0}}.{name} = {{1}}", owner, value)
        if kinds.is_tensor(target):
            self.recorder.wrote = True
            if name == "grad" and kinds.is_plain(plain(value)):
                self._guard_tensors((owner, value))
                return
        if kinds.assigns_simply(target, name):
            self._assigned(name, value)
        else:
            self._acted()

    @event
    def delete_attribute(self, owner: Any, name: str) -> None:
        self._do(f"del {{0}}.{name}", owner)
        self._acted()

    @event
    def item(self, owner: Any, index: Any) -> Any:
        return self.settled(self._item(owner, index))

    def _item(self, owner: Any, index: Any) -> Any:
        value, place = plain(owner), plain(index)
        operands = (owner, index)
        if kinds.is_tensor(value):
            if not kinds.is_plain(place):
                self._acted()
            inner = place if isinstance(place, tuple) else (place,)
            self.recorder.shapes_vary |= kinds.depends_on_values("getitem", inner)
            return self._computed("function", operator.getitem, "{0}[{1}]", operands)
        known = kinds.is_builtin_container(value) or kinds.holds_items(value)
        pure = known and kinds.is_plain(place) and not isinstance(place, kinds.Tensor)
        if type(value) not in (*kinds.SEQUENCES, str) and kinds.is_builtin_container(value):
            pure = pure and self.recorder.own.get(id(value)) is not value
        called = Called("function", operator.getitem, (token_of(owner), token_of(index)), {})
        found = self._step("{0}[{1}]", owner, index, pure=pure, called=called)
        if not pure and not known:
            self._acted()
        return found

    @event
    def set_item(self, owner: Any, index: Any, value: Any) -> None:
        target = plain(owner)
        self._do("{0}[{1}] = {2}", owner, index, value)
        if kinds.is_tensor(target) and kinds.is_plain(plain(index)):
            self.recorder.wrote = True
            self._plain_operands((owner, index, value))
        elif not self.recorder.has_made(target):
            self._acted()

    @event
    def delete_item(self, owner: Any, index: Any) -> None:
        self._do("del {0}[{1}]", owner, index)
        if not self.recorder.has_made(plain(owner)):
            self._acted()

    # ---- operators ----------------------------------------------------------------------------

    def _operator(self, function: Any, template: str, operands: tuple[Any, ...]) -> Any:
        values = tuple(map(plain, operands))
        if all(type(each) is not Value for each in operands) and all(
            type(each) in kinds.NUMBERS or type(each) in (str, tuple, type(None)) for each in values
        ):
            return function(*values)  # constants give a constant
        if any(map(kinds.is_tensor, values)):
            return self._computed("function", function, template, operands)
        if all(kinds.is_plain(each) or kinds.is_builtin_container(each) for each in values):
            simple = all(map(kinds.is_simple, values)) or all(
                kinds.is_plain(each) and type(each) in (*kinds.PLAIN, tuple, kinds.Size)
                for each in values
            )
            called = Called("function", function, tuple(map(token_of, operands)), {})
            return self._step(template, *operands, pure=simple, called=called)
        found = self._step(template, *operands)
        self._acted()
        return found

    @event
    def binary(self, sign: str, left: Any, right: Any) -> Any:
        return self._operator(_OPERATORS[sign], f"{{0}} {sign} {{1}}", (left, right))

    @event
    def unary(self, sign: str, operand: Any) -> Any:
        if sign == "not " and type(operand) is Value:
            return not self._truth(operand)
        return self._operator(_UNARY[sign], f"{sign}{{0}}", (operand,))

    @event
    def in_place(self, sign: str, left: Any, right: Any) -> Any:
        value = plain(left)
        if type(left) is not Value or type(value) in (*kinds.NUMBERS, str, tuple, kinds.Size):
            self._same_class(left)
            return self._operator(_OPERATORS[sign], f"{{0}} {sign} {{1}}", (left, right))
        function = _IN_PLACE[sign]
        if kinds.is_tensor(value):
            self.recorder.wrote = True
            template = "{2}({0}, {1})"
            self._plain_operands((left, right))
            args = (token_of(left), token_of(right))
            return self._step(
                template, left, right, function, called=Called("function", function, args, {})
            )
        found = self._step("{0}({1}, {2})", function, left, right)
        if not (kinds.is_builtin_container(value) and self.recorder.has_made(value)):
            self._acted()
        return found

    @event
    def compare(self, sign: str, left: Any, right: Any) -> Any:
        return self._compare(sign, left, right)

    def _compare(self, sign: str, left: Any, right: Any) -> Any:
        template = f"{{0}} {sign} {{1}}"
        if sign in ("is", "is not"):
            function = _OPERATORS[sign]
            if type(left) is not Value and type(right) is not Value:
                return function(left, right)
            if type(left) is not Value or type(right) in (int, str):
                return self._step("{2}({0}, {1})", left, right, function, pure=True)
            return self._step(template, left, right, pure=True)
        values = (plain(left), plain(right))
        if sign in ("in", "not in"):
            simple = kinds.is_plain(values[0]) and kinds.is_plain(values[1])
            tensors = any(map(kinds.is_tensor, values))
            found = self._step(template, left, right, pure=simple and not tensors)
            if tensors:
                self._break("whether an element is in a tensor depends on values")
            elif not simple:
                self._acted()
            return found
        return self._operator(_OPERATORS[sign], template, (left, right))
