"""Running samples: their names, the operands that they use, and what they give."""

from __future__ import annotations

import ast
import functools
import linecache
import math
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from tests.samples.operands import Arrays

#: the file in which programs believe to stand, which errors would look for each time
FILE = "program.py"
linecache.cache[FILE] = (0, None, [], FILE)


@functools.cache
def _compiled(text: str) -> CodeType:
    try:
        return compile(text, FILE, "eval", dont_inherit=True)
    except SyntaxError:
        return compile(text, FILE, "exec", dont_inherit=True)


@functools.cache
def names_in(text: str) -> frozenset[str]:
    """Return the names that a program uses or sets."""
    return frozenset(each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name))


def used(text: str, arrays: Arrays) -> Arrays:
    """Return the arrays that a program names."""
    named = names_in(text)
    return {name: array for name, array in arrays.items() if name in named}


def run(library: ModuleType, text: str, tensors: dict[str, Any]) -> Any:
    """Return what an expression gives, or what statements leave in ``out``.

    The random numbers start again each time.
    """
    library.default_generator.manual_seed(0)  # what PyTorch's manual_seed does for devices is slow
    names = {
        "torch": library, "nn": library.nn, "F": library.nn.functional, "optim": library.optim,
        "data": library.utils.data, "math": math, "np": np, **tensors,
    }  # fmt: skip
    result = eval(_compiled(text), names)
    return names.get("out", result)


def flattened(value: Any) -> list[Any]:
    """Return the leaves of nested lists and tuples."""
    if isinstance(value, list | tuple) and not hasattr(value, "numel"):
        return [leaf for each in value for leaf in flattened(each)]
    return [value]


def builtin_class(error: BaseException) -> type:
    """Return the builtin class that an error is caught by."""
    return next(each for each in type(error).__mro__ if each.__module__ == "builtins")
