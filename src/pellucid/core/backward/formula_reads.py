"""What the formula of a derivative reads beside its arguments.

# Note [Fixed formulas]
# A formula that is written down runs as it was then, not as its source says now. So it is written
# down only if everything that it reads is fixed. A formula of the library reads functions, classes,
# modules and constants of the library alone; a test holds all of them to that. A formula of a
# program may read ops, constants and modules of the library through its global variables, and
# immutable constants. Each of these variables is compared before the program runs, so that one
# which has been given another value sends the formula to Python. A formula that reads anything else
# (a list, an attribute of an object, a closure), that calls anything else (`print`, a function of
# the program) or that changes something is never written down.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.sites import library_files

#: a dictionary of variables, a name in it, and the value that it has to have
Read = tuple[dict[str, Any], str, Any]

#: kinds of values that nothing can change
CONSTANTS = (type(None), bool, int, float, str, type(Ellipsis), np.dtype, dtypes.dtype)

_PURE_BUILTINS = frozenset({
    "abs", "all", "any", "bool", "divmod", "enumerate", "float", "int", "isinstance", "len", "list",
    "max", "min", "range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip",
})  # fmt: skip
_REACHES_OUT = frozenset({
    "DELETE_ATTR", "DELETE_GLOBAL", "IMPORT_FROM", "IMPORT_NAME", "LOAD_BUILD_CLASS",
    "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_NAME",
    "STORE_ATTR", "STORE_GLOBAL",
})  # fmt: skip
_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


class _MayChange(Exception):
    """Raised for a formula that reads or changes what is not fixed."""


def reads_of(function: Callable[..., Any]) -> tuple[Read, ...] | None:
    """Return the variables that a formula reads, all of them fixed; ``None`` if not all are.

    See Note [Fixed formulas].
    """
    try:
        return tuple(_reads(function))
    except _MayChange:
        return None


def is_constant(value: Any) -> bool:
    """Return whether a value is one that nothing can change."""
    if value.__class__ is tuple:
        return all(map(is_constant, value))
    return isinstance(value, CONSTANTS)


def _reads(function: Any) -> Iterator[Read]:
    if not isinstance(function, FunctionType):
        raise _MayChange
    if library_files[function.__code__.co_filename]:
        yield from _reads_of_enclosed(function)
        return
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        raise _MayChange
    yield from _reads_of_code(function.__code__, function.__globals__)


def _reads_of_enclosed(function: FunctionType) -> Iterator[Read]:
    """Yield what functions of a program read that a function of the library was given."""
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, FunctionType):
            yield from _reads(cell.cell_contents)


def _reads_of_code(code: CodeType, namespace: dict[str, Any]) -> Iterator[Read]:
    """Yield the reads of a program's code, and of the code of functions within it."""
    instructions = iter(dis.get_instructions(code))
    for instruction in instructions:
        while instruction is not None and instruction.opname == "LOAD_GLOBAL":
            instruction = yield from _reads_of_name(instruction.argval, namespace, instructions)
        if instruction is not None and instruction.opname in _REACHES_OUT:
            raise _MayChange
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _reads_of_code(constant, namespace)


def _reads_of_name(
    name: str, namespace: dict[str, Any], instructions: Iterator[dis.Instruction]
) -> Any:
    """Yield the read of a global variable and, of a module, those of the attributes behind it.

    Returns the instruction that follows.
    """
    if name not in namespace:
        if name not in _PURE_BUILTINS:
            raise _MayChange
        yield vars(builtins), name, getattr(builtins, name)
        return next(instructions, None)
    value = namespace[name]
    yield namespace, name, value
    following = next(instructions, None)
    while isinstance(value, ModuleType) and following is not None:
        if following.opname not in _OF_ATTRIBUTES or not _is_of_library(value):
            raise _MayChange
        attribute = following.argval
        found = getattr(value, attribute, None)  # which some modules put there at first use
        namespace, value = vars(value), vars(value).get(attribute)
        if found is None or found is not value:
            raise _MayChange
        yield namespace, attribute, value
        following = next(instructions, None)
    reads_on = following is not None and following.opname in _OF_ATTRIBUTES
    if reads_on or not (is_constant(value) or hasattr(value, "op")):
        raise _MayChange
    return following


def _is_of_library(module: ModuleType) -> bool:
    return library_files[getattr(module, "__file__", None) or ""]
