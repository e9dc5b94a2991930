"""What the compiled module writes down reads nothing that changes: formulas, replayable functions.

See Note [Fixed formulas] in `pellucid.core.backward.formula_reads`.
"""

from __future__ import annotations

import ast
import dis
import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

import pellucid
from pellucid.core.backward.formula_reads import is_constant
from pellucid.core.definition.op import registry
from pellucid.kernels.active import cpu

PACKAGE = Path(pellucid.__file__).parent
#: what a formula or a replayable function calls of the rest of the library: it gets all that it
#: looks at by its arguments, sends the call past the compiled module itself (modes, observers), or
#: gives a new tensor (random numbers), with which no call is remembered
CALLED_AS_IT_IS = (
    "pellucid.kernels", "pellucid.core", "pellucid.autograd", "pellucid.dtypes",
    "pellucid.ops.random",
)  # fmt: skip
#: the files of functions that the core generates at their first call: ops, and their backwards
GENERATED = "<pellucid "
FORBIDDEN = {"STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "STORE_ATTR", "DELETE_ATTR"}


def code_within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_within(constant)


def variables_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the variables that a function reads and does not make."""
    for code in code_within(function.__code__):
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname in FORBIDDEN:
                yield f"{instruction.opname} {name}", [name]
            if instruction.opname == "LOAD_GLOBAL" and name in function.__globals__:
                yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


@functools.cache
def rebound_names(module: str) -> set[str]:
    """Return the global variables that functions of a module give other values."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}


def is_fixed(name: str, value: Any) -> bool:
    kinds = (type, ModuleType, BuiltinFunctionType, np.ufunc)
    is_table = name.strip("_").isupper() and isinstance(value, dict)
    is_function = hasattr(value, "op") or (callable(value) and hasattr(value, "__wrapped__"))
    known = is_table or is_function or value is cpu
    return known or isinstance(value, kinds) or is_constant(value)


def what_may_change(function: Callable[..., Any], seen: set[Any]) -> Iterator[str]:
    """Yield the variables that are not fixed, of a function and of those of its layer it calls."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    is_generated = function.__code__.co_filename.startswith(GENERATED)
    if is_generated or function.__module__.startswith(CALLED_AS_IT_IS):
        return
    rebound = rebound_names(function.__module__)
    for name, value in variables_of(function):
        if isinstance(value, FunctionType) and name not in rebound:
            yield from what_may_change(value, seen)
        elif name in rebound or not is_fixed(name, value):
            yield f"{function.__module__}.{function.__qualname__} reads {name}"


limits = [1.0]


def reads_a_list(g: Any) -> Any:
    return g * limits[0]


def calls_what_reads_a_list(g: Any) -> Any:
    return reads_a_list(g)


def test_what_may_change_is_found_behind_a_call():
    name = f"{__name__}.reads_a_list reads limits"
    assert list(what_may_change(calls_what_reads_a_list, set())) == [name]


def formulas() -> Iterator[Callable[..., Any]]:
    importlib.import_module("pellucid.ops.nn.all_operations")
    for op in registry.values():
        if op.body is not None and (op.body.__module__ or "").startswith("pellucid."):
            yield from (formula.function for formula in op.formulas.values())


def test_no_formula_of_the_library_reads_what_may_change():
    seen: set[Any] = set()
    assert [line for each in formulas() for line in what_may_change(each, seen)] == []
    assert len(seen) > 400


def routed_functions() -> Iterator[FunctionType]:
    for path in PACKAGE.rglob("*.py"):
        if "@replayable" in path.read_text():
            name = path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
            for value in vars(importlib.import_module(name)).values():
                function = inspect.unwrap(value) if callable(value) else None
                if isinstance(function, FunctionType) and "replayable" in vars(function):
                    yield function


def test_no_routed_function_reads_what_may_change():
    seen: set[Any] = set()
    found = [line for each in routed_functions() for line in what_may_change(each, seen)]
    assert found == []
    assert len(seen) > 80
