"""Named tuples of tensors, for ops with several outputs."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any


def named(name: str, *fields: str) -> Callable[[Iterable[Any]], Any]:
    """Return what makes a named tuple of outputs; it prints as PyTorch's ``torch.return_types``."""
    base = namedtuple(name, fields)

    def represent(self: Any) -> str:
        lines = ",\n".join(f"{field}={getattr(self, field)!r}" for field in fields)
        return f"torch.return_types.{name}(\n{lines})"

    members = {"__slots__": (), "__repr__": represent, "__module__": __name__}
    made: Any = type(name, (base,), members)
    result_types[name] = made
    return made._make


#: every class that was made, by the name of its function
result_types: dict[str, Any] = {}
