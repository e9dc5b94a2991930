"""The functions of a program: what they assign to their names, and which values these have now.

What a function's variables were is gone when it has returned. Known are the variables of functions
that are running, of modules, and what leads from there: attributes, closures, bound methods.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pellucid.autograd.cells import cells
from pellucid.autograd.explanations import source
from pellucid.parsing import parse

FunctionSource = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
#: stands for a value that is not known
UNKNOWN: Any = object()


class Definition(NamedTuple):
    """One statement that gives a value to a variable, or changes the value that it has.

    Attributes:
        name: The variable, as written, such as ``h`` or ``self.h``.
        statement: The statement.
        value: Where the value comes from.
        item: Which item of the value it is; None for all of it.
        method: The method that changes the variable's value; empty for an assignment.
        adds: Whether something of the earlier value stays.
        blocks: The branches and loops around it, the outermost first.
    """

    name: str
    statement: ast.AST
    value: ast.expr
    item: int | None
    method: str
    adds: bool
    blocks: tuple[tuple[ast.AST, str], ...]

    @property
    def line(self) -> int:
        return getattr(self.statement, "lineno", 0)


class Body:
    """What stands directly in one function, or at the top level of a file."""

    def __init__(self, node: ast.AST, outer: Body | None) -> None:
        self.node = node
        self.outer = outer
        self.definitions: dict[str, list[Definition]] = {}
        self.returned: list[ast.expr] = []
        self.functions: dict[str, Body] = {}
        #: first and last line of each statement, with the branches and loops around it
        self.ranges: list[tuple[int, int, tuple[Any, ...]]] = []
        #: the class that the function is a method of
        self.owner: Body | None = None
        if isinstance(node, ast.Lambda):
            self.returned.append(node.body)
            self._note_within(node.body, ())
        else:
            self._visit(getattr(node, "body", []), ())

    @property
    def parameters(self) -> list[str]:
        if not isinstance(self.node, FunctionSource):
            return []
        given = self.node.args
        return [each.arg for each in (*given.posonlyargs, *given.args)]

    def all_parameters(self) -> set[str]:
        """Return the names of all parameters."""
        if not isinstance(self.node, FunctionSource):
            return set()
        given = self.node.args
        rest = [each for each in (given.vararg, given.kwarg) if each is not None]
        return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest)}

    def _visit(self, statements: Iterable[ast.stmt], blocks: tuple[Any, ...]) -> None:
        for each in statements:
            self._note(each, blocks)

    def blocks_at(self, line: int) -> tuple[Any, ...]:
        """Return the branches and loops around a line, the outermost first."""
        around = [blocks for first, last, blocks in self.ranges if first <= line <= last]
        return max(around, key=len, default=())

    def _note(self, found: ast.stmt, blocks: tuple[Any, ...]) -> None:
        self.ranges.append((found.lineno, found.end_lineno or found.lineno, blocks))
        match found:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                inner = self.functions[found.name] = Body(found, self)
                inner.owner = self if isinstance(self.node, ast.ClassDef) else None
                return
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value, found, blocks)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, value, found, blocks)
            case ast.AugAssign(target=target, value=value):
                self._bind(target, value, found, blocks, adds=True)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._bind(target, value, found, (*blocks, (found, "body")))
            case ast.Return(value=ast.expr() as value):
                self.returned.append(value)
            case ast.With(items=items):
                for item in items:
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, item.context_expr, found, blocks)
            case _:
                pass
        for field, value in ast.iter_fields(found):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                same = isinstance(found, ast.With | ast.AsyncWith)
                self._visit(value, blocks if same else (*blocks, (found, field)))
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.ExceptHandler | ast.match_case):
                    self._visit(part.body, (*blocks, (part, "body")))
                elif isinstance(part, ast.expr):
                    self._note_within(part, blocks)

    def _note_within(self, part: ast.expr, blocks: tuple[Any, ...]) -> None:
        for each in ast.walk(part):
            match each:
                case ast.NamedExpr(target=target, value=value):
                    self._bind(target, value, each, blocks)
                case ast.comprehension(target=target, iter=value):
                    self._bind(target, value, value, blocks)
                case ast.Call(func=ast.Attribute(attr=method, value=receiver)):
                    self._note_change(each, method, receiver, blocks)
                case ast.Yield(value=ast.expr() as value) | ast.YieldFrom(value=value):
                    self.returned.append(value)
                case _:
                    pass

    def _note_change(self, call: ast.Call, method: str, receiver: ast.expr, blocks: Any) -> None:
        """Note a call that changes its receiver: ``h.copy_(w)``, ``outputs.append(h)``."""
        in_place = method.endswith("_") and not method.endswith("__")
        if not in_place and method not in _PUTTING:
            return
        while isinstance(receiver, ast.Subscript) or (
            isinstance(receiver, ast.Attribute) and receiver.attr == "data"
        ):
            receiver = receiver.value
        name = source.dotted(receiver)
        if name is not None:
            self._add(Definition(name, call, call, None, method, True, blocks))

    def _bind(
        self, target: ast.expr, value: ast.expr, statement: ast.AST, blocks: Any, *,
        adds: bool = False, item: int | None = None,
    ) -> None:  # fmt: skip
        match target:
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
                same = len(parts) == len(targets)
                for position, each in enumerate(targets):
                    part = parts[position] if same else value
                    self._bind(each, part, statement, blocks, item=None if same else position)
            case ast.Starred(value=inner):
                self._bind(inner, value, statement, blocks)
            case ast.Subscript(value=inner):
                method = "[] ="
                while isinstance(inner, ast.Subscript):
                    inner = inner.value
                name = source.dotted(inner)
                if name is not None:
                    self._add(Definition(name, statement, value, item, method, True, blocks))
            case _:
                name = source.dotted(target)
                if name is not None:
                    self._add(Definition(name, statement, value, item, "", adds, blocks))

    def _add(self, found: Definition) -> None:
        self.definitions.setdefault(found.name, []).append(found)

    def reaching(self, name: str, line: int, blocks: Any) -> list[Definition]:
        """Return the definitions of a variable that its use on a line can see, the nearest first.

        Args:
            name: The variable, as written.
            line: The line that uses it.
            blocks: The branches and loops around that line.
        """
        known = sorted(self.definitions.get(name, ()), key=lambda each: -each.line)
        found: list[Definition] = []
        ends: Definition | None = None
        for each in known:
            if each.line < line or (each.line == line and isinstance(each.statement, ast.expr)):
                found.append(each)
                if not each.adds and each.blocks == blocks[: len(each.blocks)]:
                    ends = each
                    break
        start = 0 if ends is None else len(ends.blocks)
        around = [block for block, _ in blocks[start:] if isinstance(block, ast.For | ast.While)]
        later = [each for each in known if each.line >= line and each not in found]
        found += [
            each for each in later if any(block in around for block, _ in each.blocks)
        ]  # from an earlier round of the loop
        return found


_PUTTING = frozenset({"append", "extend", "add", "put", "insert", "update", "setdefault", "send"})


@functools.lru_cache(maxsize=32)
def _bodies(text: str) -> tuple[Body, dict[int, list[Body]]] | None:
    try:
        tree = parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    top = Body(tree, None)
    by_line: dict[int, list[Body]] = {}
    waiting = [top]
    while waiting:
        body = waiting.pop()
        for each in body.functions.values():
            by_line.setdefault(_first_line(each.node), []).append(each)
            waiting.append(each)
        for each in _lambdas(body):
            by_line.setdefault(_first_line(each.node), []).append(each)
    return top, by_line


def _first_line(node: ast.AST) -> int:
    """Return the line that the code of a function begins at: that of its first decorator."""
    return min(getattr(each, "lineno", 0) for each in (node, *getattr(node, "decorator_list", ())))


def _lambdas(body: Body) -> list[Body]:
    if isinstance(body.node, ast.Lambda):
        return []
    found: list[Body] = []
    waiting: list[ast.AST] = list(getattr(body.node, "body", []))
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(each, ast.Lambda):
            found.append(Body(each, body))
        waiting += ast.iter_child_nodes(each)
    return found


def body_of(code: types.CodeType) -> Body | None:
    """Return what stands in the function, or at the top level, that code was compiled from."""
    found = _bodies("".join(linecache.getlines(code.co_filename)))
    if found is None:
        return None
    top, by_line = found
    if code.co_name == "<module>":
        return top
    if code.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"):
        return None
    for each in by_line.get(code.co_firstlineno, ()):
        if getattr(each.node, "name", "<lambda>") == code.co_name:
            return each
    return None


def pieces_before(filename: str) -> Iterator[tuple[str, Body]]:
    """Yield what ran earlier in the namespace of a file: other cells, examples of a doctest.

    The latest comes first, each with its file name.
    """
    names = cells.filenames()
    match = re.fullmatch(r"(<doctest .*\[)(\d+)\]>", filename)
    if match is not None:
        names = [f"{match[1]}{number}]>" for number in range(int(match[2]) - 1, -1, -1)]
    elif filename not in names:
        return
    for name in names:
        found = _bodies("".join(linecache.getlines(name)))
        if found is not None:
            yield name, found[0]


class Scope:
    """One call of a function of the program, or the top level of a file.

    Args:
        filename: The file.
        body: What stands in the function.
        values: The values of its variables, as far as they are known.
        outside: The variables of its module.
        arguments: By parameter, the expression that was given, and where that stands.
    """

    def __init__(
        self, filename: str, body: Body, values: dict[str, Any], outside: dict[str, Any],
        arguments: dict[str, tuple[ast.expr, Scope, int]] | None = None,
        outer: Scope | None = None,
    ) -> None:  # fmt: skip
        self.filename = filename
        self.body = body
        self.values = values
        self.outside = outside
        self.arguments = arguments or {}
        self.outer = outer
        self._lambdas: dict[ast.Lambda, Body] = {}

    def is_local(self, name: str) -> bool:
        """Return whether a name belongs to the function itself."""
        own = name in self.body.definitions or name in self.body.all_parameters()
        return own or name in self.body.functions

    def value(self, part: ast.expr, line: int, depth: int = 0) -> Any:
        """Return the value that an expression has now, or `UNKNOWN`; no code of the program runs.

        A variable that has been given another value since the line is unknown.
        """
        if depth > _DEEPEST:
            return UNKNOWN
        match part:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._variable(name, line, depth)
            case ast.Lambda():
                if part not in self._lambdas:
                    self._lambdas[part] = Body(part, self.body)
                return Nested(self._lambdas[part], self)
            case ast.Attribute(value=inner, attr=attr):
                return member(self.value(inner, line, depth + 1), attr)
            case ast.Subscript(value=inner, slice=ast.expr() as index):
                return item(self.value(inner, line, depth + 1), self.value(index, line, depth + 1))
        return UNKNOWN

    def _variable(self, name: str, line: int, depth: int) -> Any:
        if not self.is_local(name) and self.body.outer is not None:
            if name in self.values:
                return self.values[name]
            if self.outer is not None:
                return self.outer.value(ast.Name(name), 10**9, depth + 1)
            return self._outside(name)
        if self.body.outer is None and name not in self.values:
            return self._outside(name)
        definitions = [each for each in self.body.definitions.get(name, ()) if not each.adds]
        if name in self.values:
            later = any(each.line >= line for each in definitions)
            return UNKNOWN if later else self.values[name]
        if name in self.arguments and not definitions:
            given, scope, at = self.arguments[name]
            return scope.value(given, at, depth + 1)
        if name in self.body.functions:
            return Nested(self.body.functions[name], self)
        if len(definitions) == 1 and definitions[0].item is None:
            return self.value(definitions[0].value, definitions[0].line, depth + 1)
        return UNKNOWN

    def _outside(self, name: str) -> Any:
        found = self.outside.get(name, UNKNOWN)
        return vars(builtins).get(name, UNKNOWN) if found is UNKNOWN else found


class Nested(NamedTuple):
    """A function that was defined in a call which is over."""

    body: Body
    scope: Scope


_DEEPEST = 30


def is_module(value: Any) -> bool:
    """Return whether a value is a module of layers."""
    kind = type(value)
    return hasattr(kind, "forward") and hasattr(kind, "named_parameters")


def member(value: Any, name: str) -> Any:
    """Return an attribute of a value without running code of its class, or `UNKNOWN`."""
    if value is UNKNOWN:
        return UNKNOWN
    if is_module(value):
        for kept in ("_parameters", "_buffers", "_modules"):
            found = vars(value).get(kept) or {}
            if name in found:
                return found[name]
    if isinstance(value, types.ModuleType):
        return vars(value).get(name, UNKNOWN)
    own = getattr(value, "__dict__", {})
    if not isinstance(value, type) and name in own:
        return own[name]
    try:
        found = inspect.getattr_static(value, name)
    except AttributeError:
        return UNKNOWN
    match found:
        case staticmethod(__func__=function):
            return function
        case classmethod(__func__=function):
            return types.MethodType(function, value if isinstance(value, type) else type(value))
        case types.FunctionType() if not isinstance(value, type):
            return types.MethodType(found, value)
        case property() | types.MemberDescriptorType() | types.GetSetDescriptorType():
            if isinstance(found, types.MemberDescriptorType) and not isinstance(value, type):
                return getattr(value, name, UNKNOWN)
            return UNKNOWN
    return found


def item(value: Any, key: Any) -> Any:
    """Return an item of a container, or `UNKNOWN`."""
    if key is UNKNOWN:
        return UNKNOWN
    if is_module(value):
        children = list((vars(value).get("_modules") or {}).items())
        named = dict(children)
        if isinstance(key, int) and -len(children) <= key < len(children):
            return children[key][1]
        return named.get(key, UNKNOWN)
    try:
        return value[key] if type(value) in (list, tuple, dict) else UNKNOWN
    except (LookupError, TypeError):
        return UNKNOWN
