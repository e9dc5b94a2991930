"""What the variables of the calls that are running call tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.autograd.explanations.trail import asking_scopes


def variables_with(tensors: Iterable[tuple[int, Any]]) -> dict[int, str]:
    """Return what the variables of the calls that are running call tensors, by number.

    A parameter of a module goes by the variable of the module: ``trunk.weight``.

    Args:
        tensors: The tensors, or None, with their numbers.
    """
    numbers = {id(each): number for number, each in tensors if each is not None}
    found: dict[int, str] = {}
    for scope in asking_scopes():
        for variable, value in tuple(scope.values.items()):
            if variable.startswith("_") or variable == "self":
                continue
            if id(value) in numbers:
                found.setdefault(numbers[id(value)], variable)
            elif hasattr(type(value), "named_parameters"):
                for name, each in value.named_parameters():
                    if id(each) in numbers:
                        found.setdefault(numbers[id(each)], f"{variable}.{name}")
    return found
