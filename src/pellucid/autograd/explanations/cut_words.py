"""Which expressions of a program give a value without its history, and why, as written."""

from __future__ import annotations

import ast
from typing import NamedTuple

from pellucid.autograd.explanations import source

GRADIENT = (
    "It is a gradient, and a gradient has a graph of its own only if it was taken with "
    "create_graph=True."
)
_NUMBER = "makes a Python number, which has no history"
_INDICES = "gives indices, which have no derivative"
_TRUTH = "gives truth values, which have no derivative"
_VALUES = "copies values, not their history"
#: function or method: what it does to history
_CALLS = {
    "detach": "cuts it off from its history",
    "detach_": "cuts it off from its history",
    "item": _NUMBER,
    "tolist": "makes Python numbers, which have no history",
    "numpy": "leaves the graph",
    "__array__": "leaves the graph",
    "from_numpy": "makes a tensor without history",
    "tensor": _VALUES,
    "new_tensor": _VALUES,
    "as_tensor": "takes values without their history",
    "asarray": "takes values without their history",
    "Parameter": "makes a new leaf, which has no history",
    "deepcopy": "makes new leaves, which get gradients of their own",
    "one_hot": "gives integers, which have no derivative",
    "bincount": "gives integers, which have no derivative",
    "count_nonzero": "gives integers, which have no derivative",
    **dict.fromkeys(("argmax", "argmin", "argsort", "nonzero", "argwhere"), _INDICES),
    **dict.fromkeys(("searchsorted", "bucketize", "multinomial", "randperm"), _INDICES),
    **dict.fromkeys(("eq", "ne", "gt", "ge", "lt", "le", "greater", "less", "equal"), _TRUTH),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose", "allclose"), _TRUTH),
    **dict.fromkeys(("logical_and", "logical_or", "logical_not", "logical_xor"), _TRUTH),
}
_CASTS = frozenset({"long", "int", "short", "char", "byte", "bool"})
_CASTING = frozenset({"to", "type", "tensor", "as_tensor"})
_INTEGERS = frozenset(
    {"long", "int", "short", "bool", "int8", "int16", "int32", "int64", "uint8", "bool_"}
)
_BUILTINS = frozenset({"float", "int", "bool", "complex", "round", "len"})
#: their second result is indices
RANKING = frozenset(
    {"topk", "sort", "max", "min", "kthvalue", "mode", "median", "cummax", "cummin"}
)


class CutWord(NamedTuple):
    """An expression that gives a value without its history.

    Attributes:
        how: What does so, as ``detach()``.
        reason: A sentence about it.
        operands: What is left behind there.
    """

    how: str
    reason: str
    operands: list[ast.expr]


def cut_word(part: ast.AST) -> CutWord | None:
    """Return how an expression leaves history behind, if it does so itself."""
    match part:
        case ast.Attribute(attr="data", value=value):
            reason = "The .data on that line leaves the graph, and its history behind."
            return CutWord(".data", reason, [value])
        case ast.Attribute(attr="grad", value=value):
            return CutWord(".grad", GRADIENT, [value])
        case ast.Attribute(attr="indices", value=value):
            return _indices(value)
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)):
            return _indices(call) if called_name(call) in RANKING else None
        case ast.Compare(left=left, comparators=others, ops=ops):
            if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
                return None
            return CutWord("a comparison", f"There, a comparison {_TRUTH}.", [left, *others])
        case ast.Call():
            return _of_call(part)
    return None


def indices_word(call: ast.expr) -> CutWord | None:
    """Return the word for the second result of a call, if that is indices."""
    return _indices(call) if called_name(call) in RANKING else None


def called_name(call: ast.AST) -> str:
    """Return the name of the function or method that an expression calls; empty for no call."""
    called = call.func if isinstance(call, ast.Call) else None
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def inputs_of(call: ast.Call) -> list[ast.expr]:
    """Return the receiver and the arguments of a call."""
    receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return [*receiver, *call.args, *[each.value for each in call.keywords]]


def _indices(value: ast.expr) -> CutWord:
    return CutWord("indices", f"There, it takes indices: {called_name(value) or 'it'} {_INDICES}.",
                   [value])  # fmt: skip


def _of_call(call: ast.Call) -> CutWord | None:
    name = called_name(call)
    if name == "grad" and not _is_recorded(call):
        return CutWord("grad()", GRADIENT, inputs_of(call))
    if isinstance(call.func, ast.Name) and name in _BUILTINS:
        return CutWord(f"{name}()", f"There, {name}() {_NUMBER}.", list(call.args))
    integers = name in _CASTS or (name in _CASTING and _says_integers(call))
    if integers and isinstance(call.func, ast.Attribute):
        kind = "truth values" if name == "bool" else "integers"
        reason = f"There it becomes {kind}, and {kind} have no derivative."
        return CutWord(f"{name}()", reason, inputs_of(call))
    what = _CALLS.get(name)
    if what is None:
        return None
    start = "The" if name.startswith("detach") else "There,"
    middle = "() on that line " if name.startswith("detach") else "() "
    return CutWord(f"{name}()", f"{start} {name}{middle}{what}.", inputs_of(call))


def _says_integers(call: ast.Call) -> bool:
    """Return whether a call names a dtype of integers or truth values."""
    given = [*call.args, *[each.value for each in call.keywords if each.arg == "dtype"]]
    return any((source.dotted(each) or "").rpartition(".")[2] in _INTEGERS for each in given)


def _is_recorded(call: ast.Call) -> bool:
    """Return whether a call of ``grad`` says ``create_graph=True``."""
    return any(
        each.arg == "create_graph"
        and isinstance(each.value, ast.Constant)
        and each.value.value is True
        for each in call.keywords
    )
