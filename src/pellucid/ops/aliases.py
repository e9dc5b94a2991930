"""NumPy's names of arguments, which PyTorch takes as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pellucid.errors import ArgumentTypeError

#: what PyTorch calls the arguments that NumPy calls so
PARAMETERS: Final = {"axis": "dim", "keepdims": "keepdim"}


class Absent:
    """The value of an argument that was not given."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = Absent()


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
        raise ArgumentTypeError(
            f"{name}() missing {len(missing)} required positional arguments: {', '.join(missing)}"
        )
    return function(**own)
