"""Which public name each line of ``calls/*.txt`` is a call of, and calls of other names from them.

Lines about ``torch.f`` serve the method, the in-place variant and other names of the same function
too, with the name replaced.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pellucid as torch
from tests.samples.reader import read

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "docs" / "names.txt"

PREFIXES = {
    "torch.nn.functional": "F", "torch.linalg": "torch.linalg", "torch.fft": "torch.fft",
    "torch.special": "torch.special", "torch": "torch",
}  # fmt: skip
_FUNCTION = re.compile(r"(F|torch(?:\.linalg|\.fft|\.special)?)\.(\w+)")
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Invert: "invert",
    ast.USub: "neg",
}  # fmt: skip

#: functions that may be called with no argument
WITHOUT_ARGUMENTS = {"block_diag"}
#: functions whose first argument is not the tensor that has the method
NO_METHOD = {"real", "imag", "polygamma", "where", "broadcast_tensors", "searchsorted"}


@dataclass(frozen=True)
class Call:
    """A call of a public name; ``definition`` is the same in NumPy, or empty."""

    place: str
    name: str
    text: str
    definition: str = ""
    target: str = ""
    """The operand that is changed in place, if the call is one of an in-place variant."""

    def __str__(self) -> str:
        return self.text


def public_names() -> dict[str, list[str]]:
    """Return the names to have, by the place where PyTorch has them."""
    found: dict[str, list[str]] = {}
    place = ""
    for line in NAMES.read_text("utf-8").splitlines():
        if line.startswith("# "):
            place = line.removeprefix("# ")
            found[place] = []
        elif line:
            found[place].append(line)
    return found


@functools.cache
def documented() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return what the page of operations says was measured, by place and name."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    place = ""
    for line in (ROOT / "docs" / "operations.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            place = line.removeprefix("## ")
        elif line.startswith("| `"):
            name, *cells = line.strip("| ").split(" | ")
            found[place, name.strip("`")] = tuple(cells[-4:])
    return found


def owner(place: str) -> Any:
    """Return our module or class for one of PyTorch's."""
    if place == "torch.Tensor":
        return torch.Tensor
    return importlib.import_module(place.replace("torch", "pellucid", 1))


def named(text: str) -> tuple[str, str]:
    """Return the place and the name that a text is a call of."""
    if match := _FUNCTION.match(text):
        place = next(place for place, prefix in PREFIXES.items() if prefix == match[1])
        return place, match[2]
    return "torch.Tensor", _method(ast.parse(text, mode="eval").body)


def _method(node: ast.expr) -> str:
    """Return the method, operator or attribute of a tensor that an expression applies last."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=ast.Call() as inner):
            return _method(inner)
        case ast.Compare(left=ast.Call() as inner):
            return _method(inner)
        case ast.Subscript():
            return "__getitem__"
        case ast.Compare(ops=[operator]) | ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return f"__{_OPERATORS[type(operator)]}__"
    raise ValueError(f"no name in {ast.unparse(node)}")


def written() -> Iterator[Call]:
    """Yield the calls that the files have."""
    for line in read("calls"):
        place, name = line.subject.split(".") if line.subject else named(line.text)
        place = "torch.Tensor" if place == "Tensor" else place
        yield Call(place, name, line.text, line.definition)


# ---- other names of what the files call -----------------------------------------------------


@functools.cache
def calls() -> dict[tuple[str, str], list[Call]]:
    """Return the calls by place and name: those written, and those that follow from them."""
    found: dict[tuple[str, str], list[Call]] = {}
    for call in written():
        found.setdefault((call.place, call.name), []).append(call)
    found |= _of_other_names(found)
    for key, made in _of_methods(found).items():
        found.setdefault(key, []).extend(made)
    return {key: list({each.text: each for each in made}.values()) for key, made in found.items()}


def wanted() -> list[tuple[str, str]]:
    """Return place and name of every public name that is here."""
    return [
        (place, name)
        for place, names in public_names().items()
        for name in names
        if getattr(owner(place), name, None) is not None or name in ("grad", "grad_fn")
    ]


def _of_other_names(found: dict[tuple[str, str], list[Call]]) -> dict[tuple[str, str], list[Call]]:
    """Return the calls of names for which a file has none, but of the same function elsewhere."""
    by_identity: dict[int, list[Call]] = {}
    for (place, name), made in found.items():
        if place != "torch.Tensor":
            by_identity.setdefault(_identity(getattr(owner(place), name, None)), made)
    others: dict[tuple[str, str], list[Call]] = {}
    for place, name in wanted():
        if (place, name) in found or place == "torch.Tensor":
            continue
        same = [found[key] for key in ((each, name) for each in PREFIXES) if key in found]
        known = by_identity.get(_identity(getattr(owner(place), name)))
        plain = found.get((place, name.removesuffix("_")))
        if same or known:
            others[place, name] = [
                _renamed(each, place, name) for each in (same[0] if same else known or [])
            ]
        elif plain and name.endswith("_"):
            others[place, name] = [
                _changing(each, place, name) for each in plain if each.definition
            ]
    return others


def _identity(function: Any) -> int:
    return id(getattr(function, "op", function))


def _renamed(call: Call, place: str, name: str) -> Call:
    text = _FUNCTION.sub(f"{PREFIXES[place]}.{name}", call.text, count=1)
    return replace(call, place=place, name=name, text=text)


def _changing(call: Call, place: str, name: str) -> Call:
    """Return the call of a function's in-place variant, on a copy of the operand."""
    first, rest = _arguments(call)
    text = f"{PREFIXES[place]}.{name}({first}.clone(){rest and ', ' + rest})"
    return Call(place, name, text, call.definition, first)


def _of_methods(found: dict[tuple[str, str], list[Call]]) -> dict[tuple[str, str], list[Call]]:
    """Return the calls of methods and in-place variants that are functions of torch too."""
    made: dict[tuple[str, str], list[Call]] = {}
    methods = {name for place, name in wanted() if place == "torch.Tensor"}
    for (place, name), known in found.items():
        if place != "torch" or name in NO_METHOD:
            continue
        for call in known:
            if not call.text.startswith(f"torch.{name}("):
                continue
            first, rest = _arguments(call)
            if not _is_tensor(first):
                continue
            key = "torch.Tensor", name
            if name in methods:
                made.setdefault(key, []).append(replace(call, place=key[0], text=_applied(call)))
            if f"{name}_" in methods and call.definition and not _is_changed_already(found, name):
                key = "torch.Tensor", f"{name}_"
                text = f"{first}.clone().{name}_({rest})"
                made.setdefault(key, []).append(Call(*key, text, call.definition, first))
    return made


def _is_changed_already(found: dict[tuple[str, str], list[Call]], name: str) -> bool:
    return ("torch.Tensor", f"{name}_") in found


def _applied(call: Call) -> str:
    """Return a call of a function as that of a method, with what follows it."""
    tree = ast.parse(call.text, mode="eval").body
    while not (isinstance(tree, ast.Call) and ast.unparse(tree.func) == f"torch.{call.name}"):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value  # type: ignore[attr-defined]
    end = tree.end_col_offset
    first, rest = _arguments(call)
    return f"{first}.{call.name}({rest}){call.text[end:]}"


def _arguments(call: Call) -> tuple[str, str]:
    """Return the first argument of the call that a text opens with, and the others."""
    tree = ast.parse(call.text, mode="eval").body
    while not (isinstance(tree, ast.Call) and not isinstance(tree.func, ast.Call)
               and _FUNCTION.fullmatch(ast.unparse(tree.func))):  # fmt: skip
        tree = tree.func if isinstance(tree, ast.Call) else tree.value  # type: ignore[attr-defined]
    rest = [*tree.args[1:], *tree.keywords]
    first = ast.unparse(tree.args[0]) if tree.args else ""
    if tree.args and isinstance(tree.args[0], ast.BinOp | ast.UnaryOp):
        first = f"({first})"
    return first, ", ".join(ast.unparse(each) for each in rest)


def _is_tensor(text: str) -> bool:
    """Return whether a text is one of `operands`, maybe with an index or a method applied."""
    return re.match(r"\(?[a-z]\w*\b(?!\()(?!')", text) is not None and not text.startswith(
        ("torch", "np", "lambda", "__")
    )


# ---- bad input ------------------------------------------------------------------------------


def damaged(call: Call) -> list[str]:
    """Return a call with mistakes: an unknown keyword, a text for the tensor, no arguments."""
    opening = f"{PREFIXES.get(call.place)}.{call.name}("
    if call.text.startswith(opening):
        first, rest = _arguments(call)
        function = opening[:-1]
        if not first or "lambda" in first:
            return []
        tail = f", {rest}" if rest else ""
        made = [f"{function}({first}{tail}, nonsense=1)"]
        if call.name not in WITHOUT_ARGUMENTS:
            made.append(f"{function}()")
        return [*made, f"{function}('x'{tail})"] if _is_tensor(first) else made
    if call.place == "torch.Tensor" and call.text.endswith(")") and f".{call.name}(" in call.text:
        tree = ast.parse(call.text, mode="eval").body if "out =" not in call.text else None
        if isinstance(tree, ast.Call) and not call.name.startswith("__"):
            comma = ", " if tree.args or tree.keywords else ""
            return [f"{call.text[:-1]}{comma}nonsense=1)"]
    return []
