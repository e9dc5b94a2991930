"""NumPy's names of arguments, and their order in old programs, which PyTorch takes as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pellucid.core import op_errors
from pellucid.core.arguments import ABSENT
from pellucid.errors import ArgumentTypeError

#: what PyTorch calls the arguments that NumPy calls so
PARAMETERS: Final = {"axis": "dim", "keepdims": "keepdim"}


def aliases_of(names: Iterable[str]) -> dict[str, str]:
    """Return NumPy's names for the arguments of a function, with its own for each."""
    taken = set(names)
    return {
        alias: name for alias, name in PARAMETERS.items() if name in taken and alias not in taken
    }


def call_renamed(function: Callable[..., Any], name: str, given: dict[str, Any]) -> Any:
    """Call an op's function with the arguments known by its own names.

    Raises TypeError where one is missing.
    """
    own = {key: value for key, value in given.items() if key not in PARAMETERS}
    for alias, key in PARAMETERS.items():
        if given.get(alias, ABSENT) is not ABSENT:
            own[key] = given[alias]
    missing = [f'"{key}"' for key, value in own.items() if value is ABSENT]
    if missing:
        there = [
            (key, value) for key, value in own.items() if value is not ABSENT and value is not None
        ]
        raise ArgumentTypeError(
            f"{name}() missing {len(missing)} required positional arguments: {', '.join(missing)}"
            + op_errors.context(name, there)
        )
    return function(**own)


def call_scaled(function: Callable[..., Any], name: str, *given: Any, **scale: Any) -> Any:
    """Call an op's function with a number that stands before the second operand.

    The optional argument that this number is must not be given, too. Raises TypeError else.
    """
    input, number, *others = given
    ((parameter, value),) = scale.items()
    if value != 1 or isinstance(value, bool) or not isinstance(number, int | float | complex):
        raise ArgumentTypeError(
            f"{name}() takes {len(given) - 1} positional arguments but {len(given)} were given: "
            f"a number that scales goes by its name, {parameter}=..."
        )
    return function(input, *others, **{parameter: number})
