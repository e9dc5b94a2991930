"""The arguments that PyTorch's own type stubs name, by function and by method."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pellucid.core.errors.aliases import by_own_names

#: one form of a call: the names of its arguments, in order
Form = tuple[str, ...]


def forms(file: str, of_class: str | None = None) -> dict[str, list[Form]]:
    """Return all forms in which each function of a stub, or method of a class in it, is called."""
    import torch

    tree = ast.parse(Path(torch.__path__[0], file).read_text("utf-8"))
    body = tree.body
    if of_class is not None:
        (cls,) = [n for n in body if isinstance(n, ast.ClassDef) and n.name == of_class]
        body = cls.body
    found: dict[str, list[Form]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            found.setdefault(node.name, []).append(tuple(_names(node.args, of_class is not None)))
    return found


def _names(arguments: ast.arguments, is_method: bool) -> Iterator[str]:
    """Give the names of the arguments that may be given by name."""
    for each in [*arguments.args, *arguments.kwonlyargs]:
        if each.arg != "self" or not is_method:
            yield each.arg


def accepts(function: Any, name: str) -> bool:
    """Return whether a function takes an argument by name, as far as it says what it takes."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return True
    found = parameters.get(name) or parameters.get(*by_own_names(parameters, {name: 0}))
    return found is not None and found.kind not in (found.POSITIONAL_ONLY, found.VAR_POSITIONAL)
