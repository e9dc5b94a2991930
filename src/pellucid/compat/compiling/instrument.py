"""A function rewritten so that each of its elementary steps goes through a tracer.

Python itself runs what is left: assignments to names, ``if``, loops, ``try``. What is rewritten
calls a method of ``__T``, a `tracer.Frame`::

    def f(self, x):                     def f(self, x):
        if self.training:                   if __T.truth(__T.attribute(self, "training")):
            x = x * 2                           x = __T.binary("*", x, 2)
        return x                            return x

Names hold `tracer.Value` objects, or constants. Files and lines stay those of the user, so that
nodes of the graph and errors name them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from pellucid.compat.compiling.sources import (
    Source,
    Unsupported,
    nested_code,
    nested_codes,
    source_of,
)

TRACER = "__T"

#: what looks at the frame that calls it: a function that names one of these is not followed
_LOOKS_AT_FRAMES = {
    "__build_class__", "breakpoint", "dir", "eval", "exec", "globals", "locals", "vars",
}  # fmt: skip

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class Instrumented:
    """A function's rewritten code.

    Attributes:
        factory: Called with a frame, returns the rewritten function.
        catches: Whether it has ``try`` or ``with``, so that errors may stay inside.
    """

    __slots__ = ("catches", "factory")

    def __init__(self, factory: Callable[[Any], Callable[..., Any]], catches: bool) -> None:
        self.factory = factory
        self.catches = catches


@functools.lru_cache(maxsize=4096)
def _instrumented(code: CodeType) -> Instrumented | str:
    try:
        source = source_of(code)
        rewriter = _Rewriter(code, source)
        module = rewriter.module()
    except Unsupported as why:
        return str(why)
    names: dict[str, Any] = {}
    exec(compile(module, code.co_filename, "exec", dont_inherit=True), names)
    factory = names["__factory"]
    _rename(factory, code)
    return Instrumented(factory, rewriter.catches)


def _rename(factory: Any, code: CodeType) -> None:
    """Give the code that a factory returns the names of the function's own."""
    renamed = tuple(
        each.replace(co_name=code.co_name, co_qualname=code.co_qualname)
        if isinstance(each, CodeType) else each
        for each in factory.__code__.co_consts
    )  # fmt: skip
    factory.__code__ = factory.__code__.replace(co_consts=renamed)


def instrumented(code: CodeType) -> Instrumented:
    """Return a function's rewritten code by its code object; raise Unsupported where there is none.

    A function is rewritten once.
    """
    found = _instrumented(code)
    if isinstance(found, str):
        raise Unsupported(found)
    return found


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _tuple(parts: Sequence[ast.expr]) -> ast.Tuple:
    return ast.Tuple(list(parts), ast.Load())


def _list(parts: Sequence[ast.expr]) -> ast.List:
    return ast.List(list(parts), ast.Load())


def _constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # pyright: ignore[reportArgumentType]


def _at(node: Any, place: ast.AST) -> Any:
    """Give a new node, and what is new below it, the place of an old one."""
    if not hasattr(node, "lineno"):
        ast.copy_location(node, place)
    for child in ast.iter_child_nodes(node):
        if not hasattr(child, "lineno"):
            _at(child, place)
    return node


class _Rewriter:
    """Writes one function anew."""

    def __init__(self, code: CodeType, source: Source) -> None:
        self.code = code
        self.node = source.node
        self.owner = source.owner
        if isinstance(self.node, ast.AsyncFunctionDef) or code.co_flags & 0x2A0:
            raise Unsupported("it is a generator or a coroutine")
        shared = {name for each in nested_codes(code) for name in each.co_freevars}
        #: variables that functions made here share
        self.cells = shared & set(code.co_cellvars)
        self.free = set(code.co_freevars)
        self.local = {*code.co_varnames, *code.co_cellvars} - self.cells
        self.catches = False
        self.temporaries = 0

    # ---- the function -----------------------------------------------------------------------

    def module(self) -> ast.Module:
        """Return a module that defines the factory of the function."""
        node = self.node
        arguments = node.args
        plain = ast.arguments(
            posonlyargs=[ast.arg(each.arg) for each in arguments.posonlyargs],
            args=[ast.arg(each.arg) for each in arguments.args],
            vararg=arguments.vararg and ast.arg(arguments.vararg.arg),
            kwonlyargs=[ast.arg(each.arg) for each in arguments.kwonlyargs],
            kw_defaults=[None] * len(arguments.kwonlyargs),
            kwarg=arguments.kwarg and ast.arg(arguments.kwarg.arg),
            defaults=[],
        )
        body = [_at(each, node) for each in self.entry(arguments)]
        if isinstance(node, ast.Lambda):
            body.append(_at(ast.Return(self.expr(node.body)), node.body))
            name = "__lambda"
        else:
            body += self.block(node.body)
            name = node.name
        made: Any = ast.FunctionDef(name, plain, body or [ast.Pass()], [])
        made.type_params = []
        arg = ast.arguments([], [ast.arg(TRACER)], None, [], [], None, [])
        outer: Any = ast.FunctionDef(
            "__factory", arg, [_at(made, node), ast.Return(_name(name))], []
        )
        outer.type_params = []
        module = ast.Module([_at(outer, node)], [])
        return ast.fix_missing_locations(module)

    def entry(self, arguments: ast.arguments) -> list[ast.stmt]:
        """Return what is done with the arguments before the body."""
        found: list[ast.stmt] = []
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        names += [each.arg for each in arguments.kwonlyargs]
        for star, method in ((arguments.vararg, "tuple_"), (arguments.kwarg, "keywords_")):
            if star is not None:
                names.append(star.arg)
                found.append(self.assign(star.arg, self.call(method, _name(star.arg))))
        for name in sorted(self.cells):
            given = [_name(name)] if name in names else []
            made = self.call("new_cell", _constant(name), *given)
            found.append(ast.Assign([ast.Name(_cell(name), ast.Store())], made))
        return found

    def assign(self, name: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(name, ast.Store())], value)

    def call(self, method: str, *args: ast.expr) -> ast.Call:
        """Return a call of a method of the tracer."""
        return ast.Call(ast.Attribute(_name(TRACER), method, ast.Load()), list(args), [])

    def mangled(self, name: str) -> str:
        """Return a private name as Python has it inside a class."""
        if self.owner and name.startswith("__") and not name.endswith("__"):
            return f"_{self.owner.lstrip('_')}{name}"
        return name

    def temporary(self) -> str:
        self.temporaries += 1
        return f"__t{self.temporaries}"

    # ---- statements -------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for each in body:
            found += [_at(new, each) for new in self.statement(each)]
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        method = getattr(self, f"stmt_{type(node).__name__}", None)
        if method is None:
            raise Unsupported(f"line {node.lineno} has a statement that is not followed")
        return method(node)

    def stmt_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return [ast.Expr(self.expr(node.value))]

    def stmt_Pass(self, node: ast.Pass) -> list[ast.stmt]:
        return [node]

    stmt_Break = stmt_Continue = stmt_Pass  # noqa: N815

    def stmt_Global(self, node: ast.Global | ast.Nonlocal) -> list[ast.stmt]:
        return [ast.Pass()]

    stmt_Nonlocal = stmt_Global  # noqa: N815

    def stmt_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [ast.Return(self.expr(node.value) if node.value else _constant(None))]

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = self.expr(node.value)
        if len(node.targets) == 1:
            return self.store_now(node.targets[0], value)
        kept = self.temporary()
        found = [self.assign(kept, value)]
        for target in node.targets:
            found += self.store_now(target, _name(kept))
        return [*found, self.assign(kept, _constant(None))]

    def store_now(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return the statements that store a value that is still to be computed."""
        if isinstance(target, ast.Name) and self.is_local(target.id):
            return [self.assign(target.id, value)]
        kept = self.temporary()
        stored = self.store(target, _name(kept))
        return [self.assign(kept, value), *stored, self.assign(kept, _constant(None))]

    def store(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return the statements that store a value which a name holds."""
        if isinstance(target, ast.Name):
            name = target.id
            if self.is_local(name):
                return [self.assign(name, value)]
            return [ast.Expr(self.call(*self.place(name, "set"), value))]
        if isinstance(target, ast.Attribute):
            name = _constant(self.mangled(target.attr))
            put = self.call("set_attribute", self.expr(target.value), name, value)
            return [_at(ast.Expr(put), target)]
        if isinstance(target, ast.Subscript):
            into, index = self.expr(target.value), self.expr(target.slice)
            return [_at(ast.Expr(self.call("set_item", into, index, value)), target)]
        if isinstance(target, ast.Tuple | ast.List):
            return self.unpack(target.elts, value)
        raise Unsupported(f"line {target.lineno} assigns to what is not followed")

    def unpack(self, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
        names = [self.temporary() for _ in targets]
        star = next((i for i, each in enumerate(targets) if isinstance(each, ast.Starred)), None)
        pattern = _constant(star)
        unpacked = self.call("unpack", value, _constant(len(targets)), pattern)
        into = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        found: list[ast.stmt] = [ast.Assign([into], unpacked)]
        for name, target in zip(names, targets, strict=True):
            inner = target.value if isinstance(target, ast.Starred) else target
            found += self.store(inner, _name(name))
        cleared = [ast.Name(name, ast.Store()) for name in names]
        return [*found, ast.Assign(list(cleared), _constant(None))]

    def place(self, name: str, verb: str) -> tuple[Any, ...]:
        """Return the method, and its first arguments, for a variable that is not local."""
        if name in self.cells:
            return f"{verb}_cell", _name(_cell(name)), _constant(name)
        if name in self.free:
            return f"{verb}_free", _constant(name)
        if name in _LOOKS_AT_FRAMES:
            raise Unsupported(f"it uses {name}(), which looks at its frame")
        return f"{verb}_global", _constant(name)

    def is_at_hand(self, node: ast.expr) -> bool:
        """Return whether computing an expression does nothing, and cannot fail."""
        if isinstance(node, ast.Name):
            return self.is_local(node.id)
        return isinstance(node, ast.Constant)

    def is_local(self, name: str) -> bool:
        return name in self.local

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if not isinstance(node.target, ast.Name) or not node.simple:
            raise Unsupported(f"line {node.lineno} annotates what is not a name")
        if node.value is None:
            return [ast.Pass()]
        return self.store_now(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        sign, target = _constant(_BINARY[type(node.op)]), node.target
        if isinstance(target, ast.Name):
            old = self.expr(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            return self.store_now(target, self.call("in_place", sign, old, self.expr(node.value)))
        owner, kept = self.temporary(), self.temporary()
        found = [self.assign(owner, self.expr(target.value))]
        if isinstance(target, ast.Attribute):
            where: ast.expr = _constant(self.mangled(target.attr))
            get, put = "attribute", "set_attribute"
        else:
            index = self.temporary()
            found.append(self.assign(index, self.expr(target.slice)))
            where, get, put = _name(index), "item", "set_item"
        old = _at(self.call(get, _name(owner), where), target)
        found.append(self.assign(kept, self.call("in_place", sign, old, self.expr(node.value))))
        found.append(_at(ast.Expr(self.call(put, _name(owner), where, _name(kept))), target))
        return [*found, self.assign(owner, _constant(None)), self.assign(kept, _constant(None))]

    def stmt_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and self.is_local(target.id):
                found.append(ast.Delete([target]))
            elif isinstance(target, ast.Attribute):
                name = _constant(self.mangled(target.attr))
                found.append(ast.Expr(self.call("delete_attribute", self.expr(target.value), name)))
            elif isinstance(target, ast.Subscript):
                into, index = self.expr(target.value), self.expr(target.slice)
                found.append(ast.Expr(self.call("delete_item", into, index)))
            else:
                raise Unsupported(f"line {node.lineno} deletes what is not followed")
        return found

    def stmt_If(self, node: ast.If) -> list[ast.stmt]:
        return [ast.If(self.truth(node.test), self.block(node.body), self.block(node.orelse))]

    def stmt_While(self, node: ast.While) -> list[ast.stmt]:
        return [ast.While(self.truth(node.test), self.block(node.body), self.block(node.orelse))]

    def stmt_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        told = self.call("plain", self.expr(node.msg)) if node.msg else None
        return [ast.Assert(self.truth(node.test), told)]

    def stmt_For(self, node: ast.For) -> list[ast.stmt]:
        each = self.temporary()
        body = [_at(new, node.target) for new in self.store(node.target, _name(each))]
        body += [_at(self.assign(each, _constant(None)), node.target), *self.block(node.body)]
        items = self.iterated(node.iter, node.target)
        made = ast.For(ast.Name(each, ast.Store()), items, body, self.block(node.orelse))
        return [made]

    def stmt_With(self, node: ast.With) -> list[ast.stmt]:
        self.catches = True
        body = self.block(node.body)
        for item in reversed(node.items):
            entered = _at(self.call("entered", self.expr(item.context_expr)), item.context_expr)
            if item.optional_vars is None:
                body = [_at(ast.With([ast.withitem(entered, None)], body), node)]
                continue
            kept = self.temporary()
            stored = [_at(new, node) for new in self.store(item.optional_vars, _name(kept))]
            as_ = ast.Name(kept, ast.Store())
            body = [_at(ast.With([ast.withitem(entered, as_)], [*stored, *body]), node)]
        return body

    def stmt_Try(self, node: ast.Try) -> list[ast.stmt]:
        self.catches = True
        handlers = []
        for each in node.handlers:
            kind = None if each.type is None else self.call("plain", self.expr(each.type))
            if each.name is not None and not self.is_local(each.name):
                raise Unsupported(f"line {each.lineno} shares the error with a function")
            told = _at(ast.Expr(self.call("caught")), each)
            made = ast.ExceptHandler(kind, each.name, [told, *self.block(each.body)])
            handlers.append(_at(made, each))
        last = self.block(node.finalbody)
        if last:
            last.insert(0, _at(ast.Expr(self.call("at_last")), node))
        return [ast.Try(self.block(node.body), handlers, self.block(node.orelse), last)]

    def stmt_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        told: list[ast.stmt] = [ast.Expr(self.call("raising"))]
        if node.exc is None:
            return [*told, node]
        cause = None if node.cause is None else self.call("plain", self.expr(node.cause))
        return [*told, ast.Raise(self.call("plain", self.expr(node.exc)), cause)]

    def stmt_Import(self, node: ast.Import) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for alias in node.names:
            top, *rest = alias.name.split(".")
            value: ast.expr = self.call(
                "import_", _constant(alias.name), _constant(None), _constant(0)
            )
            if alias.asname:
                for part in rest:
                    value = self.call("attribute", value, _constant(part))
            target = ast.copy_location(ast.Name(alias.asname or top, ast.Store()), node)
            found += self.store_now(target, value)
        return found

    def stmt_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for alias in node.names:
            value = self.call(
                "import_", _constant(node.module or ""), _constant(alias.name),
                _constant(node.level),
            )  # fmt: skip
            target = ast.copy_location(ast.Name(alias.asname or alias.name, ast.Store()), node)
            found += self.store_now(target, value)
        return found

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
        if node.returns is not None or any(each.annotation is not None for each in every):
            raise Unsupported(f"line {node.lineno} makes a function with annotations")
        decorators = [self.expr(each) for each in node.decorator_list]
        value: ast.expr = self.function(node)
        for decorator in reversed(decorators):
            value = self.call("call", decorator, _tuple([value]), ast.Dict([], []))
        target = ast.copy_location(ast.Name(node.name, ast.Store()), node)
        return self.store_now(target, value)

    # ---- expressions ------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> ast.expr:
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            raise Unsupported(f"line {node.lineno} has an expression that is not followed")
        return _at(method(node), node)

    def truth(self, node: ast.expr) -> ast.expr:
        return _at(self.call("truth", self.expr(node)), node)

    def expr_Constant(self, node: ast.Constant) -> ast.expr:
        return _constant(node.value)

    def expr_Name(self, node: ast.Name) -> ast.expr:
        if self.is_local(node.id):
            return _name(node.id)
        return self.call(*self.place(node.id, "get"))

    def expr_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        if not self.is_local(node.target.id):
            raise Unsupported(f"line {node.lineno} shares a variable with a function")
        return ast.NamedExpr(ast.Name(node.target.id, ast.Store()), self.expr(node.value))

    def expr_Attribute(self, node: ast.Attribute) -> ast.expr:
        name = _constant(self.mangled(node.attr))
        return self.call("attribute", self.expr(node.value), name)

    def expr_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.call("item", self.expr(node.value), self.expr(node.slice))

    def expr_Slice(self, node: ast.Slice) -> ast.expr:
        parts = (node.lower, node.upper, node.step)
        return self.call("slice_", *(self.expr(p) if p else _constant(None) for p in parts))

    def expr_BinOp(self, node: ast.BinOp) -> ast.expr:
        sign = _constant(_BINARY[type(node.op)])
        return self.call("binary", sign, self.expr(node.left), self.expr(node.right))

    def expr_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self.call("unary", _constant(_UNARY[type(node.op)]), self.expr(node.operand))

    def expr_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        value = self.expr(node.values[-1])
        for each in reversed(node.values[:-1]):
            test, last = self.call("test", self.expr(each)), self.call("tested")
            both = (value, last) if isinstance(node.op, ast.And) else (last, value)
            value = ast.IfExp(test, *both)
        return value

    def expr_IfExp(self, node: ast.IfExp) -> ast.expr:
        return ast.IfExp(self.truth(node.test), self.expr(node.body), self.expr(node.orelse))

    def expr_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            sign = _constant(_COMPARE[type(node.ops[0])])
            return self.call("compare", sign, self.expr(node.left), self.expr(node.comparators[0]))
        return self.chain(self.expr(node.left), node.ops, node.comparators)

    def chain(self, left: ast.expr, ops: list[ast.cmpop], right: list[ast.expr]) -> ast.expr:
        """Return ``a < b < c`` as ``(b < c) if a < b else ...``, with ``b`` computed once."""
        sign = _constant(_COMPARE[type(ops[0])])
        if len(ops) == 1:
            return self.call("compare", sign, left, self.expr(right[0]))
        first = self.call("compare_keeping", sign, left, self.expr(right[0]))
        rest = self.chain(self.call("kept"), ops[1:], right[1:])
        return ast.IfExp(self.call("test", first), rest, self.call("tested_of_chain"))

    def elements(self, parts: list[ast.expr]) -> list[ast.expr]:
        found: list[ast.expr] = []
        for each in parts:
            if isinstance(each, ast.Starred):
                spread = self.call("spread", self.expr(each.value))
                found.append(_at(ast.Starred(spread, ast.Load()), each))
            else:
                found.append(self.expr(each))
        return found

    def expr_Tuple(self, node: ast.Tuple) -> ast.expr:
        return self.call("tuple_", _tuple(self.elements(node.elts)))

    def expr_List(self, node: ast.List) -> ast.expr:
        return self.call("list_", _tuple(self.elements(node.elts)))

    def expr_Set(self, node: ast.Set) -> ast.expr:
        return self.call("set_", _tuple(self.elements(node.elts)))

    def expr_Dict(self, node: ast.Dict) -> ast.expr:
        pairs: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                pairs.append(_tuple([self.expr(value)]))
            else:
                pairs.append(_tuple([self.expr(key), self.expr(value)]))
        return self.call("dict_", _list(pairs))

    def expr_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" and not node.args:
            return self.super_()
        if isinstance(function, ast.Attribute):
            owner = self.expr(function.value)
            given = (*node.args, *(each.value for each in node.keywords))
            if not all(map(self.is_at_hand, given)):
                # Python looks the method up before it computes the arguments
                name = _constant(self.mangled(function.attr))
                owner = _at(self.call("receiver", owner, name), function)
            first = ["method", owner, _constant(self.mangled(function.attr))]
        else:
            first = ["call", self.expr(function)]
        args = _tuple(self.elements(node.args))
        method, *rest = first
        return self.call(method, *rest, args, self.keywords(node.keywords))

    def keywords(self, given: list[ast.keyword]) -> ast.expr:
        if all(each.arg is not None for each in given):
            names = [_constant(each.arg) for each in given]
            return ast.Dict(list(names), [self.expr(each.value) for each in given])
        parts: list[ast.expr] = []
        for each in given:
            if each.arg is None:
                parts.append(self.call("spread_keywords", self.expr(each.value)))
            else:
                parts.append(ast.Dict([_constant(each.arg)], [self.expr(each.value)]))
        return self.call("joined_keywords", *parts)

    def super_(self) -> ast.expr:
        code = self.code
        if "__class__" not in self.free or not code.co_argcount:
            raise Unsupported("it calls super() outside of a method")
        first = code.co_varnames[0]
        if first in self.cells:
            raise Unsupported("it calls super(), and shares self with a function")
        owner = self.call("get_free", _constant("__class__"))
        function = self.call("get_global", _constant("super"))
        return self.call("call", function, _tuple([owner, _name(first)]), ast.Dict([], []))

    def expr_Starred(self, node: ast.Starred) -> ast.expr:
        raise Unsupported(f"line {node.lineno} has a star that is not followed")

    def expr_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts: list[ast.expr] = []
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                spec = self.expr(each.format_spec) if each.format_spec else _constant("")
                value = self.expr(each.value)
                parts.append(self.call("formatted", value, _constant(each.conversion), spec))
            else:
                parts.append(self.expr(each))
        return self.call("joined_text", _tuple(parts))

    # ---- comprehensions and functions -------------------------------------------------------

    def iterated(self, node: ast.expr, target: ast.expr) -> ast.expr:
        """Return what goes through an iterable.

        ``zip`` and ``enumerate`` are seen through where their tuples are unpacked at once.
        """
        simple = (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("zip", "enumerate")
            and isinstance(target, ast.Tuple)
            and not any(isinstance(each, ast.Starred) for each in target.elts)
            and not self.is_local(node.func.id)
            and not any(isinstance(each, ast.Starred) for each in node.args)
            and not node.keywords
        )
        if not simple:
            return _at(self.call("iterate", self.expr(node)), node)
        assert isinstance(node, ast.Call)
        function = self.expr(node.func)
        args = _tuple([self.expr(each) for each in node.args])
        return _at(self.call("iterate_call", function, args), node)

    def generators(self, given: list[ast.comprehension]) -> list[ast.comprehension]:
        found = []
        for each in given:
            if each.is_async:
                raise Unsupported("it is a coroutine")
            items = self.iterated(each.iter, each.target)
            self.bind(each.target)
            tests = [self.truth(test) for test in each.ifs]
            found.append(ast.comprehension(each.target, items, tests, 0))
        return found

    def bind(self, target: ast.expr) -> None:
        """Make the names of a comprehension local ones."""
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                if each.id in self.cells or each.id in self.free:
                    raise Unsupported("a comprehension's variable has the name of a shared one")
                self.local.add(each.id)
            elif not isinstance(each, ast.Tuple | ast.List | ast.expr_context):
                raise Unsupported("a comprehension assigns to what is not followed")

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp, element: Callable[[], ast.expr],
        method: str,
    ) -> ast.expr:  # fmt: skip
        before = set(self.local)
        targets = [each.target for each in node.generators]
        if any(not isinstance(each, ast.Name) for each in targets):
            return self.unpacking(node, element, method)
        generators = self.generators(node.generators)
        made = ast.ListComp(element(), generators)
        self.local = before
        return self.call(method, made)

    def unpacking(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp, element: Callable[[], ast.expr],
        method: str,
    ) -> ast.expr:  # fmt: skip
        """Return a comprehension whose targets are tuples of names, unpacked by the tracer."""
        before = set(self.local)
        generators = []
        for each in node.generators:
            if each.is_async:
                raise Unsupported("it is a coroutine")
            items = self.iterated(each.iter, each.target)
            self.bind(each.target)
            if not isinstance(each.target, ast.Name):
                parts = getattr(each.target, "elts", [])
                if not parts or any(not isinstance(part, ast.Name) for part in parts):
                    raise Unsupported("a comprehension unpacks what is not followed")
                items = self.call("unpacked", items, _constant(len(parts)))
            tests = [self.truth(test) for test in each.ifs]
            generators.append(ast.comprehension(each.target, items, tests, 0))
        made = ast.ListComp(element(), generators)
        self.local = before
        return self.call(method, made)

    def expr_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self.comprehension(node, lambda: self.expr(node.elt), "list_")

    def expr_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self.comprehension(node, lambda: self.expr(node.elt), "set_")

    def expr_DictComp(self, node: ast.DictComp) -> ast.expr:
        pair = lambda: _tuple([self.expr(node.key), self.expr(node.value)])  # noqa: E731
        return self.comprehension(node, pair, "dict_")

    def shared(self, code: CodeType) -> ast.expr:
        """Return the cells that a function made here is given."""
        found: list[ast.expr] = []
        for name in code.co_freevars:
            if name in self.cells:
                found.append(_name(_cell(name)))
            elif name in self.free:
                found.append(_constant(name))
            else:
                raise Unsupported("a function uses a variable of a comprehension")
        return _tuple(found)

    def function(self, node: ast.FunctionDef | ast.Lambda) -> ast.expr:
        code = nested_code(self.code, node)
        arguments = node.args
        defaults = _tuple([self.expr(each) for each in arguments.defaults])
        pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        by_name = {each.arg: default for each, default in pairs if default is not None}
        names: list[ast.expr | None] = [_constant(name) for name in by_name]
        keywords = ast.Dict(names, [self.expr(each) for each in by_name.values()])
        return self.call(
            "make_function", self.code_constant(code), defaults, keywords, self.shared(code)
        )

    expr_Lambda = function  # noqa: N815

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        code = nested_code(self.code, node)
        first = self.expr(node.generators[0].iter)
        return self.call("make_generator", self.code_constant(code), first, self.shared(code))

    def code_constant(self, code: CodeType) -> ast.expr:
        """Return the place of a nested code object, by which the frame finds it."""
        return _constant(nested_codes(self.code).index(code))


def _cell(name: str) -> str:
    return f"__cell_{name}"
