"""Where the history between two tensors was left behind: the way from one back to the other.

The way is read from the program: through assignments, calls of its functions and modules, changes
in place and containers. What is still there as an object is recognized by identity: the tensor that
is looked for, modules that have it as a parameter, tensors whose graph leads to it. So a line is
named only if what it leaves behind leads to the tensor.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from pellucid.autograd import reading
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.cut_words import (
    called_name,
    cut_word,
    indices_word,
    inputs_of,
)
from pellucid.autograd.explanations.frames import locals_of, outward
from pellucid.autograd.explanations.scopes import (
    UNKNOWN,
    Body,
    Definition,
    Nested,
    Scope,
    body_of,
    is_module,
    pieces_before,
)
from pellucid.autograd.node import Node, reachable
from pellucid.autograd.sites import Site, library_files, place_text, shortened

#: what is looked at, at most
_MOST_STEPS = 20_000
_DEEPEST_CALLS = 12
_AFTER_ALL = 10**9
#: what says something about a tensor and has none of its values
_ABOUT = frozenset({
    "shape", "dtype", "device", "ndim", "is_leaf", "requires_grad", "grad_fn", "layout", "size",
    "dim", "numel", "element_size", "stride", "is_contiguous", "__name__", "__class__",
})  # fmt: skip


class CutLine(NamedTuple):
    """A line that leaves history behind.

    Attributes:
        how: What does so, as ``detach()``.
        reason: A sentence about it.
        where: ``file.py:LINE``.
        text: The statement.
    """

    how: str
    reason: str
    where: str
    text: str


Cuts = dict[tuple[str, str], CutLine]


class Trail:
    """The search for a tensor among what another was computed from.

    Args:
        tensor: The tensor that is looked for.
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        edge = reading.edge_of(tensor)
        self.node: Node | None = None if edge is None else edge[0]
        #: whether something could not be followed
        self.incomplete = False
        #: file and line of each definition that was followed
        self.lines: set[str] = set()
        self._done: dict[tuple[int, int], Cuts | None] = {}
        self._scopes: dict[tuple[int, ...], Scope] = {}
        self._kept: list[Any] = []
        self._calls = 0
        #: custom functions on the way whose backward is not recorded
        self._once: list[tuple[str, Site]] = []
        self._below: dict[Node, bool] = {}

    def follow(self, part: ast.expr, scope: Scope, line: int) -> Cuts | None:
        """Return the cuts on the ways from an expression to the tensor; None if there is no way."""
        key = (id(part), id(scope))
        if key in self._done:
            return self._done[key]
        if len(self._done) > _MOST_STEPS:
            self.incomplete = True
            return None
        self._done[key] = None  # for what leads back to itself
        self._kept.append((part, scope))
        found = self._done[key] = self._followed(part, scope, line)
        return found

    def follow_node(self, node: Node, scopes: list[Scope]) -> Cuts | None:
        """Return the cuts on the ways from the line that made a node to the tensor."""
        site = node.site
        body = None if site is None else body_of(site.code)
        statement = None if site is None else site.statement
        value = getattr(statement, "value", None)
        if site is None or body is None or not isinstance(value, ast.expr):
            return None
        owners = _owners_of(site.code, scopes)
        outside = next((each.outside for each in scopes if each.filename == site.filename), {})
        found: Cuts | None = None
        for owner in owners or [None]:
            own = {body.parameters[0]: owner} if owner is not None and body.parameters else {}
            scope = self._scope((id(body), id(owner)), site.filename, body, own, outside or {})
            found = _joined(found, self._recorded(value, scope, site.line, statement))
        return found

    # ---- expressions ---------------------------------------------------------------------------

    def _followed(self, part: ast.expr, scope: Scope, line: int) -> Cuts | None:
        if isinstance(part, _Earlier):
            return part.follow(self)
        value = scope.value(part, line)
        if self._is_reached(value):
            return {}
        word = cut_word(part)
        if word is not None:
            found = self._any(word.operands, scope, line)
            return None if found is None else self._cut(found, word.how, word.reason, part, scope)
        match part:
            case ast.Name(id=name):
                return self._variable(name, scope, line, value)
            case ast.Attribute(attr=attr) if attr in _ABOUT:
                return None
            case ast.Attribute(value=inner):
                name = source.dotted(part)
                found = None if name is None else self._variable(name, scope, line, value)
                of_module = is_module(scope.value(inner, line))
                if of_module and value is not UNKNOWN and not inspect.isroutine(value):
                    return found  # other attributes of the module are not in this one
                return _joined(found, self.follow(inner, scope, line))
            case ast.Call():
                return self._call(part, scope, line)
            case ast.IfExp(body=body, orelse=orelse):
                return self._any([body, orelse], scope, line)
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt) | ast.SetComp(elt=elt):
                return self.follow(elt, scope, line)
            case ast.DictComp(value=value):
                return self.follow(value, scope, line)
            case ast.Lambda():
                return None
        return self._any(
            [each for each in ast.iter_child_nodes(part) if isinstance(each, ast.expr)], scope, line
        )

    def _any(self, parts: Iterable[ast.expr], scope: Scope, line: int) -> Cuts | None:
        found: Cuts | None = None
        for each in parts:
            found = _joined(found, self.follow(each, scope, line))
        return found

    def _is_reached(self, value: Any) -> bool:
        if value is UNKNOWN or value is None:
            return False
        if value is self.tensor:
            return True
        if reading.is_tensor(value):
            edge = reading.edge_of(value)
            return edge is not None and self._leads_to_tensor(edge[0])
        return is_module(value) and any(each is self.tensor for each in value.parameters())

    def _leads_to_tensor(self, node: Node) -> bool:
        if node not in self._below:
            self._below[node] = self.node is not None and self.node in reachable([node])
        return self._below[node]

    # ---- variables -----------------------------------------------------------------------------

    def _variable(self, name: str, scope: Scope, line: int, value: Any = None) -> Cuts | None:
        first = name.partition(".")[0]
        if not scope.is_local(first) and scope.body.outer is not None:
            return self._variable_outside(name, scope, value)
        blocks = scope.body.blocks_at(line)
        definitions = scope.body.reaching(name, line, blocks)
        found: Cuts | None = None
        for each in definitions:
            found = _joined(found, self._definition(each, scope))
        for inner in scope.body.functions.values():
            found = _joined(found, self._changes_within(inner, name, scope))
        ended = any(not d.adds and d.blocks == blocks[: len(d.blocks)] for d in definitions)
        if name in scope.arguments and not ended:
            found = _joined(found, self.follow(*scope.arguments[name]))
        elif "." in name and scope.body.owner is not None:
            found = _joined(found, self._attribute(name, scope))
        elif not definitions:
            piece = None if scope.body.outer is not None else self._piece_with(name, scope)
            if piece is not None:
                return self._variable(name, piece, _AFTER_ALL, value)
            if _may_be_computed(value):
                self.incomplete = True
        return found

    def _piece_with(self, name: str, scope: Scope) -> Scope | None:
        """Return the latest cell before this one that assigns to a variable."""
        for filename, body in pieces_before(scope.filename):
            if body is not scope.body and name in body.definitions:
                return self._scope((id(body),), filename, body, scope.outside, scope.outside)
        return None

    def _variable_outside(self, name: str, scope: Scope, value: Any) -> Cuts | None:
        """Follow a variable of an enclosing function, or of the module."""
        if scope.outer is not None:
            return self._variable(name, scope.outer, _AFTER_ALL, value)
        top = scope.body
        while top.outer is not None:
            top = top.outer
        above = self._scope((id(top),), scope.filename, top, scope.outside, scope.outside)
        return self._variable(name, above, _AFTER_ALL, value)

    def _changes_within(self, body: Body, name: str, outer: Scope) -> Cuts | None:
        """Follow what a function inside of another puts into a variable of the outer one."""
        found: Cuts | None = None
        changes = [each for each in body.definitions.get(name, ()) if each.adds]
        own = any(not each.adds for each in body.definitions.get(name, ()))
        if changes and not own and name not in body.all_parameters():
            scope = self._scope(
                (id(body), id(outer)), outer.filename, body, {}, outer.outside, outer=outer
            )
            for each in changes:
                found = _joined(found, self._definition(each, scope))
        return found

    def _attribute(self, name: str, scope: Scope) -> Cuts | None:
        """Follow an attribute of an object that other methods of its class assign."""
        found: Cuts | None = None
        owner = scope.body.owner
        for body in () if owner is None else owner.functions.values():
            first = body.parameters[0] if body.parameters else ""
            if body is scope.body or first != name.partition(".")[0]:
                continue
            own = {first: scope.values[first]} if first in scope.values else {}
            inside = self._scope(
                (id(body), id(own.get(first))), scope.filename, body, own, scope.outside
            )
            for each in body.definitions.get(name, ()):
                found = _joined(found, self._definition(each, inside))
        return found

    def _definition(self, made: Definition, scope: Scope) -> Cuts | None:
        self.lines.add(place_text(scope.filename, made.line))
        if made.method == "detach_":
            found = self._before(made, scope)
            reason = "The detach_() on that line cuts it off from its history."
            return (
                found
                if found is None
                else self._cut(found, "detach_()", reason, made.statement, scope)
            )
        if made.method and isinstance(made.value, ast.Call) and made.value is made.statement:
            found = self._any(_given(made.value), scope, made.line)
        else:
            found = self.follow(made.value, scope, made.line)
            word = indices_word(made.value) if made.item else None
            if found is not None and word is not None:
                found = self._cut(found, word.how, word.reason, made.statement, scope)
        if found is None:
            return None
        if made.method and ".data" in ast.unparse(made.statement).partition("=")[0]:
            reason = "The .data on that line leaves the graph, and its history behind."
            found = self._cut(found, ".data", reason, made.statement, scope)
        changes = bool(made.method)
        return self._unless_recorded(found, made.value, made.statement, scope, changes)

    def _before(self, change: Definition, scope: Scope) -> Cuts | None:
        """Follow what a variable was before a change."""
        found: Cuts | None = None
        blocks = scope.body.blocks_at(change.line)
        for each in scope.body.reaching(change.name, change.line, blocks):
            if each is not change:
                found = _joined(found, self._definition(each, scope))
        if change.name in scope.arguments:
            found = _joined(found, self.follow(*scope.arguments[change.name]))
        return found

    def _recorded(self, part: ast.expr, scope: Scope, line: int, statement: Any) -> Cuts | None:
        found = self.follow(part, scope, line)
        return None if found is None else self._unless_recorded(found, part, statement, scope)

    def _unless_recorded(
        self, found: Cuts, value: ast.expr, statement: ast.AST, scope: Scope, changes: bool = False
    ) -> Cuts:
        """Return the cuts with one more if a value is computed where nothing is recorded."""
        computed = changes or any(isinstance(each, _COMPUTING) for each in ast.walk(value))
        line = getattr(statement, "lineno", 0)
        block = source.unrecorded(scope.filename, line) if computed else None
        if block is None:
            return found
        reason = f"It was computed inside {block}, where nothing is recorded."
        return self._cut(found, f"{block}", reason, statement, scope)

    # ---- calls ---------------------------------------------------------------------------------

    def _call(self, call: ast.Call, scope: Scope, line: int) -> Cuts | None:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _ABOUT:
            return None
        called = scope.value(call.func, line)
        if isinstance(called, functools.partial):
            called = called.func
        if is_module(called):
            found = self._module(called, call, scope, line)
            return _joined(found, self.follow(call.func, scope, line))
        if (
            isinstance(called, types.MethodType)
            and is_module(called.__self__)
            and (called.__func__.__name__ in ("forward", "__call__"))
        ):
            return self._module(called.__self__, call, scope, line)
        inside = self._entered(called, call, scope, line)
        if inside is not _NOT_ENTERED:
            return inside
        if isinstance(called, types.MethodType) and called_name(call) == "apply":
            self._note_function(called.__self__)
        if called_name(call) == "grad":
            return self._gradient(call, scope, line)
        if called is UNKNOWN and isinstance(call.func, ast.Name):
            self.incomplete = True
        found = self._any(inputs_of(call), scope, line)
        for each in inputs_of(call):  # functions that are given may be called there
            given = scope.value(each, line)
            if isinstance(given, types.FunctionType | types.MethodType | Nested):
                inside = self._entered(given, None, scope, line)
                if inside is not _NOT_ENTERED:
                    found = _joined(found, inside)
        return found

    def _note_function(self, kind: Any) -> None:
        """Note a custom function whose backward is not recorded."""
        found = reading.once_differentiable(kind)
        if found is not None:
            code = inspect.unwrap(found.backward).__code__
            self._once.append((found.__name__, Site(code, 0)))

    def _gradient(self, call: ast.Call, scope: Scope, line: int) -> Cuts | None:
        """Follow a gradient that is taken so that it can be differentiated."""
        known = len(self._once)
        found = self._any(inputs_of(call), scope, line)
        for value in [scope.value(each, line) for each in inputs_of(call)]:
            edge = reading.edge_of(value) if reading.is_tensor(value) else None
            for node in () if edge is None else reachable([edge[0]]):
                self._note_function(getattr(node, "function", None))
        for name, site in self._once[known:] if found is not None else ():
            reason = (
                f"The backward of {name} is once_differentiable: what it computes is not recorded. "
                "Write it with torch operations on tensors, without that decorator."
            )
            where = str(site)
            cut = CutLine("once_differentiable", reason, where, f"{name}.backward")
            found = {**(found or {}), (where, cut.text): cut}
        return found

    def _module(self, module: Any, call: ast.Call, scope: Scope, line: int) -> Cuts | None:
        """Follow what a module returns."""
        forward = vars(module).get("forward") or types.MethodType(type(module).forward, module)
        inside = self._entered(forward, call, scope, line)
        if inside is not _NOT_ENTERED:
            return inside
        found = self._any(_given(call), scope, line)
        earlier = _Earlier([], call, scope, line)
        for child in (vars(module).get("_modules") or {}).values():
            if child is None:
                continue
            given = ast.Call(func=ast.Constant(value=None), args=[earlier], keywords=[])
            given.lineno = call.lineno
            found = _joined(found, self._module(child, given, scope, line))
            earlier = _Earlier([*earlier.modules, child], call, scope, line)
        if any(each is self.tensor for each in module.parameters()):
            found = _joined(found, {})
        return found

    def _entered(self, called: Any, call: ast.Call | None, scope: Scope, line: int) -> Any:
        """Follow what a function of the program returns; `_NOT_ENTERED` for any other."""
        first: list[Any] = []
        if isinstance(called, types.MethodType):
            first, called = [called.__self__], called.__func__
        if isinstance(called, Nested):
            body, filename, outside, outer = (
                called.body, called.scope.filename, called.scope.outside, called.scope
            )  # fmt: skip
            values: dict[str, Any] = {}
        elif isinstance(called, types.FunctionType):
            function = inspect.unwrap(called)
            if not isinstance(function, types.FunctionType):
                return _NOT_ENTERED
            filename, outside, outer = function.__code__.co_filename, function.__globals__, None
            found_body = None if library_files[filename] else body_of(function.__code__)
            if found_body is None:
                return _NOT_ENTERED
            body, values = found_body, _known_values(function)
        else:
            return _NOT_ENTERED
        if self._calls >= _DEEPEST_CALLS:
            self.incomplete = True
            return None
        values |= dict(zip(body.parameters, first, strict=False))
        arguments = _bound(body, call, scope, line, len(first))
        for name in arguments:
            values.pop(name, None)
        key = (id(body), id(first[0]) if first else 0, id(call), id(scope))
        inside = self._scope(key, filename, body, values, outside, arguments, outer)
        found: Cuts | None = None
        self._calls += 1
        try:
            for each in body.returned:
                statement = source.statement(filename, each.lineno, None) or each
                found = _joined(found, self._recorded(each, inside, each.lineno, statement))
        finally:
            self._calls -= 1
        return found

    def _scope(self, key: tuple[int, ...], *given: Any, **named: Any) -> Scope:
        if key not in self._scopes:
            self._scopes[key] = Scope(*given, **named)
            self._kept.append(given)
        return self._scopes[key]

    def _cut(self, found: Cuts, how: str, reason: str, part: ast.AST, scope: Scope) -> Cuts:
        """Return the cuts with one more, unless its line is there already."""
        line = getattr(part, "lineno", 0)
        statement = source.statement(scope.filename, line, getattr(part, "col_offset", None))
        where = place_text(scope.filename, getattr(statement, "lineno", line))
        text = shortened(" ".join(ast.unparse(statement or part).split()))
        return (
            found
            if (where, text) in found
            else {**found, (where, text): CutLine(how, reason, where, text)}
        )


class _Earlier(ast.expr):
    """What the modules of a container that stand before another return."""

    def __init__(self, modules: list[Any], call: ast.Call, scope: Scope, line: int) -> None:
        super().__init__()
        self.modules, self.call, self.scope, self.line = modules, call, scope, line
        self.lineno = call.lineno

    def follow(self, trail: Trail) -> Cuts | None:
        """Return the cuts on the ways through the call's arguments and through the modules."""
        found = trail._any(_given(self.call), self.scope, self.line)
        for module in self.modules:
            if any(each is trail.tensor for each in module.parameters()):
                found = _joined(found, {})
            found = _joined(found, trail._module(module, self.call, self.scope, self.line))
        return found


_NOT_ENTERED: Any = object()
_COMPUTING = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)


def scopes_of(frame: types.FrameType) -> list[Scope]:
    """Return the calls of the program that are running, the innermost first; no frame is kept."""
    own = (each for each in outward(frame) if not library_files[each.f_code.co_filename])
    running = list(islice(own, _DEEPEST_CALLS))
    found: list[Scope] = []
    outer: tuple[types.FrameType, Scope] | None = None
    for each in reversed(running):
        body = body_of(each.f_code)
        if body is None:
            outer = None
            continue
        scope = Scope(each.f_code.co_filename, body, locals_of(each), each.f_globals)
        if outer is not None and each.f_back is outer[0]:
            site = Site(outer[0].f_code, outer[0].f_lasti)
            call = (
                None if site.position is None else source.expression(site.filename, site.position)
            )
            if isinstance(call, ast.Call):
                offset = 1 if isinstance(call.func, ast.Attribute) and body.owner else 0
                scope.arguments = _bound(body, call, outer[1], site.line, offset)
        found.append(scope)
        outer = (each, scope)
    found.reverse()
    return found


def _given(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call."""
    return [*call.args, *[each.value for each in call.keywords]]


def _bound(
    body: Body, call: ast.Call | None, scope: Scope, line: int, offset: int
) -> dict[str, tuple[ast.expr, Scope, int]]:
    """Return which expression of a call is given for which parameter."""
    if call is None:
        return {}
    names = body.parameters[offset:]
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    found = (
        {}
        if starred
        else {name: (given, scope, line) for name, given in zip(names, call.args, strict=False)}
    )
    found |= {each.arg: (each.value, scope, line) for each in call.keywords if each.arg}
    rest = body.all_parameters() - {*found, *body.parameters[:offset]}
    if isinstance(body.node, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
        given = body.node.args
        many = {each.arg for each in (given.vararg, given.kwarg) if each is not None}
        everything = ast.Tuple(elts=_given(call))
        everything.lineno = line
        unknown = any(each.arg is None for each in call.keywords) or starred
        for name in rest if unknown else rest & many:
            found[name] = (everything, scope, line)
    return found


def _known_values(function: types.FunctionType) -> dict[str, Any]:
    """Return the values that a function's closure and its defaults have."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    found: dict[str, Any] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    defaults = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    found |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=False))
    return {**found, **(function.__kwdefaults__ or {})}


def _owners_of(code: types.CodeType, scopes: list[Scope]) -> list[Any]:
    """Return the modules, among those of the running functions, whose forward a code is."""
    found: dict[int, Any] = {}
    for scope in scopes:
        for value in list(scope.values.values()):
            if is_module(value):
                for each in value.modules():
                    forward = getattr(type(each), "forward", None)
                    if getattr(forward, "__code__", None) is code:
                        found[id(each)] = each
    return list(found.values())


def _may_be_computed(value: Any) -> bool:
    """Return whether a value may have been computed elsewhere, from what is not known."""
    if reading.is_tensor(value):
        return not value.requires_grad
    kinds = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
    plain = (int, float, complex, str, bytes, type(None), *kinds)
    return not isinstance(value, plain) and not is_module(value)


def _joined(first: Cuts | None, second: Cuts | None) -> Cuts | None:
    if first is None or second is None:
        return second if first is None else first
    return {**first, **second}


def asking_scopes() -> list[Scope]:
    """Return the calls of the program that are running now, the innermost first."""
    return scopes_of(sys._getframe(1))
