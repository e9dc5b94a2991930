"""Programs with bad input, the tensors that they name, and what they raise."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tests.samples.operands import operands, tensors_of
from tests.samples.running import names_in, run

#: tensors that are made of others
_MADE_OF = {"a": "leaf", "part": "b", "wide": "v"}


def tensors_for(library: ModuleType, program: str) -> dict[str, Any]:
    """Return the tensors that a program names, and those that they are made of.

    ``leaf`` has a gradient and ``a`` a gradient function; ``part`` is a view with gaps, and the
    elements of ``wide`` share their memory.
    """
    names = names_in(program)
    names |= {base for name, base in _MADE_OF.items() if name in names}
    arrays = {name: array for name, array in operands().items() if name in names}
    tensors = tensors_of(library, arrays)
    if "leaf" in names:
        tensors["leaf"].requires_grad_().grad = library.ones(2, 3, dtype=library.float64)
    if "a" in names:
        tensors["a"] = tensors["leaf"] * 2
    if "part" in names:
        tensors["part"] = tensors["b"][:, :2]
    if "wide" in names:
        tensors["wide"] = tensors["v"].expand(2, 3)
    return tensors


def raised(library: ModuleType, program: str, tensors: dict[str, Any]) -> Exception | None:
    """Run a program and return what it raises."""
    try:
        run(library, program, tensors)
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return error
    return None


def builtin_classes(error: Exception) -> set[str]:
    """Return the names of the builtin classes that catch an error."""
    return {each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins"}
