"""Public names made from their declarations: functions of modules, and methods of `Tensor`."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from pellucid.core.call.checked import explaining
from pellucid.core.call.fast_call import operator_function
from pellucid.core.call.out import composite_with_out, op_with_out
from pellucid.core.construct import makes_tensors
from pellucid.core.definition.public import METHODS, Declaration, PublicName, public_names
from pellucid.ops.aliasing.inplace import inplace, inplace_operator
from pellucid.tensors.inplace_methods import inplace_composite

_TENSOR_MODULE = "pellucid.tensors.tensor"
#: operators that ``__torch_function__`` is passed as they are: for others, as for ``+``, it is the
#: method of the same meaning, here ``add``
_PASSED_THEMSELVES = (
    "and", "floordiv", "iand", "ilshift", "ior", "ipow", "irshift", "ixor", "lshift", "or", "pow",
    "rshift", "xor",
)  # fmt: skip


class PublicFunctions:
    """The public functions of a module, made when they are first asked for.

    A module passes its globals and puts `get` in the place of its ``__getattr__``. What has been
    made stands in the module from then on, where it is found like any other name.
    """

    def __init__(self, namespace: dict[str, Any], *others: str) -> None:
        self.namespace = namespace
        self.module = namespace["__name__"]
        self.declared = public_names[self.module.removeprefix("pellucid").lstrip(".")]
        #: the names of the module that are not declared functions
        self.others = others

    def get(self, name: str) -> Any:
        """Return the function of a public name; raise AttributeError where there is none."""
        entry = self.declared.get(name)
        if entry is None:
            raise AttributeError(f"module {self.module!r} has no attribute {name!r}")
        return self.namespace.setdefault(name, function_of(entry, name, self.module))

    def names(self) -> list[str]:
        """Return all public names of the module, sorted."""
        return sorted({*self.others, *self.declared})


def function_of(entry: PublicName, name: str, module: str) -> Any:
    """Return the function of a module that a public name stands for."""
    declaration = entry.declaration
    if entry.inplace:
        function = _known_as(inplace_variant(declaration), module, name)
        return _checked(declaration, function, name, module)
    function = declaration.function
    if declaration.out is None:
        return _checked(declaration, function, name, module)
    if not hasattr(function, "op"):
        return composite_with_out(function, module, name, declaration.reads_late, declaration.out)
    if "out" not in declaration.made:
        made = op_with_out(function.op, declaration.out)
        declaration.made["out"] = _known_as(made, module, name)
    return declaration.made["out"]


def _known_as(function: Any, module: str, name: str) -> Any:
    """Return a function that is pickled by its public name: another object has its own.

    An alias is known by the name that the operation has, and that errors say.
    """
    python = function if isinstance(function, FunctionType) else function.__wrapped__
    if python.__name__ in public_names[""]:
        module, name = "pellucid", python.__name__
    python.__module__, python.__qualname__ = module, name
    return function


def inplace_variant(declaration: Declaration) -> Any:
    """Return the function that writes the result into its first argument."""
    function = declaration.function
    if "inplace" not in declaration.made:
        declaration.made["inplace"] = (
            inplace(function)
            if hasattr(function, "op")
            else inplace_composite(function, declaration.keeps_input)
        )
    return declaration.made["inplace"]


def _checked(declaration: Declaration, function: Any, name: str, module: str) -> Any:
    """Return the function with its arguments checked, unless it is an op, which checks them."""
    is_op = hasattr(declaration.function, "op")
    of_python = isinstance(function, FunctionType) or makes_tensors(function)
    if is_op or not declaration.checked or not of_python:
        return function
    return explaining(function, module, name, declaration.reads_late)


def __getattr__(name: str) -> Any:
    """Return an in-place op by its name, as pickles ask for it.

    Its errors begin with its name, which therefore cannot be that of an attribute of `Tensor`.
    """
    entry = public_names[METHODS].get(name)
    if entry is None or not entry.inplace:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return inplace_variant(entry.declaration)


def method_of(entry: PublicName, name: str) -> Any:
    """Return the method of `Tensor` that a public name stands for."""
    declaration = entry.declaration
    if name.startswith("__"):
        return _operator(declaration, entry.inplace, name)
    if entry.inplace:
        function = inplace_variant(declaration)
        function = _known_as(function, __name__, function.__name__)
    else:
        function = declaration.function
    if name.startswith("_") and not hasattr(function, "autocast"):
        return function
    return _checked(declaration, function, f"Tensor.{name}", _TENSOR_MODULE)


def _operator(declaration: Declaration, in_place: bool, name: str) -> Any:
    """Return what one of Python's operators calls: operands that it does not know go to Python."""
    function = declaration.function
    op = getattr(function, "op", None)
    if op is None and not in_place:
        function.__name__ = name
        return function
    if op is None or len(op.operands) != 2:
        return inplace_variant(declaration) if in_place else function
    kind, make = ("inplace operator", inplace_operator) if in_place else (
        "operator", operator_function
    )  # fmt: skip
    if kind not in declaration.made:
        operator = declaration.made[kind] = make(op)
        if name.strip("_") not in _PASSED_THEMSELVES:
            python: Any = inspect.unwrap(operator)
            python.public = inplace_variant(declaration) if in_place else function
    return declaration.made[kind]


def methods() -> dict[str, Any]:
    """Return the declared methods of `Tensor` by name."""
    return {name: method_of(entry, name) for name, entry in public_names[METHODS].items()}
