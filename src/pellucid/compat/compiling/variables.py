"""Variables, and functions that are made and share them."""

from __future__ import annotations

import sys
from types import CellType, CodeType, FunctionType
from typing import Any

from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.calls import Caller
from pellucid.compat.compiling.events import event
from pellucid.compat.compiling.recorder import Value, plain
from pellucid.compat.compiling.sources import nested_codes


class LocalCell:
    """A variable that functions made here share: what it holds, and its cell once there is one."""

    __slots__ = ("cell", "is_set", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.is_set = False
        #: the value of the cell itself, once a function has it
        self.cell: Any = None


def builtin_of(names: dict[str, Any], name: str) -> Any:
    """Return what a name stands for that is none of the globals."""
    if name in kinds.BUILTIN_NAMES:
        return kinds.BUILTIN_NAMES[name]
    raise NameError(f"name {name!r} is not defined", name=name)


class Variables(Caller):
    """A running call that reads and writes variables."""

    @event
    def get_global(self, name: str) -> Any:
        names = self.trace.function.__globals__
        read = f'{{0}}["{name}"]'
        # where a replay comes here, it may have been deleted
        late = f'{read} if "{name}" in {{0}} else {{1}}({{0}}, "{name}")'
        if name in self.recorder.assigned:
            return self._step(late, names, builtin_of)
        if self.recorder.acted and name in names:
            return self.settled(self._read(("late", name), late, names, builtin_of))
        if name in names:
            return self.settled(self._read(("global", name), read, names))
        if name not in kinds.BUILTIN_NAMES:
            raise NameError(f"name {name!r} is not defined", name=name)
        self._decide("{0} in {1}", name, names, what=f"{name} among the globals", was=False)
        return self._read(("builtin", name), f'{{0}}["{name}"]', kinds.BUILTIN_NAMES)

    @event
    def set_global(self, name: str, value: Any) -> None:
        names = self.trace.function.__globals__
        self._do("{0}[{1}] = {2}", names, name, value)
        self._assigned(name, value)

    def _assigned(self, name: str, value: Any) -> None:
        """Note that a name has another value from here on."""
        self.recorder.assigned.add(name)
        self._guard_tensors((value,))
        if not kinds.is_plain(plain(value)):
            self._acted()

    def _cell_of(self, name: str) -> Value:
        number = self.trace.code.co_freevars.index(name)
        return self._read(("cell", name), f"{{0}}.__closure__[{number}]", self.function)

    @event
    def get_free(self, name: str) -> Any:
        cell = self._cell_of(name)
        try:
            return self.settled(self._read(("free", name), "{0}.cell_contents", cell))
        except ValueError:
            raise NameError(
                f"cannot access free variable {name!r} where it is not associated with a value in "
                "enclosing scope",
                name=name,
            ) from None

    @event
    def set_free(self, name: str, value: Any) -> None:
        self._do("{0}.cell_contents = {1}", self._cell_of(name), value)
        self._acted()

    def new_cell(self, name: str, *value: Any) -> LocalCell:
        made = LocalCell()
        if value:
            made.value, made.is_set = value[0], True
        return made

    def get_cell(self, cell: LocalCell, name: str) -> Any:
        if cell.cell is not None:
            return self._cell_contents(cell.cell)
        if not cell.is_set:
            raise UnboundLocalError(
                f"cannot access local variable {name!r} where it is not associated with a value"
            )
        return cell.value

    @event
    def _cell_contents(self, cell: Any) -> Any:
        return self._step("{0}.cell_contents", cell)

    def set_cell(self, cell: LocalCell, name: str, value: Any) -> None:
        cell.value, cell.is_set = value, True
        if cell.cell is not None:
            self._set_cell_contents(cell.cell, value)

    @event
    def _set_cell_contents(self, cell: Any, value: Any) -> None:
        self._do("{0}.cell_contents = {1}", cell, value)

    @event
    def _make_cell(self, *value: Any) -> Any:
        made = self._step("{0}({1})" if value else "{0}()", CellType, *value)
        self.recorder.keep(made.plain)
        return made

    def _shared(self, cells: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the cells, as values, that a function made here is given."""
        found = []
        for each in cells:
            if isinstance(each, str):
                found.append(self._shared_free(each))
                continue
            if each.cell is None:
                each.cell = self._make_cell(*([each.value] if each.is_set else []))
            found.append(each.cell)
        return tuple(found)

    @event
    def _shared_free(self, name: str) -> Any:
        return self._cell_of(name)

    def make_function(
        self, number: int, defaults: tuple[Any, ...], keywords: dict[str, Any],
        cells: tuple[Any, ...],
    ) -> Any:  # fmt: skip
        return self._make_function(number, defaults, keywords, self._shared(cells))

    @event
    def _make_function(
        self, number: int, defaults: tuple[Any, ...], keywords: dict[str, Any],
        cells: tuple[Any, ...],
    ) -> Any:  # fmt: skip
        code = nested_codes(self.code)[number]
        operands: list[Any] = [new_function, code, self.trace.function.__globals__]
        template = "{0}({1}, {2}, "
        for part in (defaults, cells):
            places = "".join(f"{{{len(operands) + i}}}, " for i in range(len(part)))
            template += f"({places}), "
            operands += part
        pairs = [f"{name!r}: {{{len(operands) + i}}}" for i, name in enumerate(keywords)]
        template += "{{" + ", ".join(pairs) + "}})"
        operands += keywords.values()
        made = self._step(template, *operands)
        self.recorder.keep(made.plain)
        return made

    def make_generator(self, number: int, first: Any, cells: tuple[Any, ...]) -> Any:
        return self._make_generator(number, first, self._shared(cells))

    @event
    def _make_generator(self, number: int, first: Any, cells: tuple[Any, ...]) -> Any:
        code = nested_codes(self.code)[number]
        names = "".join(f"{{{4 + i}}}, " for i in range(len(cells)))
        template = "{0}({1}, {2}, (), (" + names + "), {{}})(iter({3}))"
        return self._step(
            template, new_function, code, self.trace.function.__globals__, first, *cells
        )

    @event
    def import_(self, module: str, name: str | None, level: int) -> Any:
        names = self.trace.function.__globals__
        listed = () if name is None else (name,)
        found = self._step("__import__({0}, {1}, None, {2}, {3})", module, names, listed, level)
        return found if name is None else self._step("{0}({1}, {2})", import_from, found, name)


def new_function(
    code: CodeType, names: dict[str, Any], defaults: tuple[Any, ...], cells: tuple[Any, ...],
    keywords: dict[str, Any],
) -> FunctionType:  # fmt: skip
    """Return a function as ``def`` makes it."""
    made = FunctionType(code, names, code.co_name, defaults or None, cells or None)
    made.__kwdefaults__ = keywords or None
    return made


def import_from(module: Any, name: str) -> Any:
    """Return a name of a module as ``from module import name`` does."""
    try:
        return getattr(module, name)
    except AttributeError:
        found = sys.modules.get(f"{module.__name__}.{name}")
        if found is None:
            raise ImportError(
                f"cannot import name {name!r} from {module.__name__!r}", name=module.__name__
            ) from None
        return found
