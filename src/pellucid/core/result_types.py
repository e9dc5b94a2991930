"""Named tuples of tensors, for ops with several outputs."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any


def named(name: str, *fields: str) -> Callable[[Iterable[Any]], Any]:
    """Return what makes a named tuple of outputs; it prints as PyTorch's ``torch.return_types``."""
    return lambda outputs: result_type(name, *fields)._make(outputs)


@functools.cache
def result_type(name: str, *fields: str) -> Any:
    """Return the class of the results of a function, made when they are first needed."""
    base = namedtuple(name, fields)

    def represent(self: Any) -> str:
        lines = ",\n".join(f"{field}={getattr(self, field)!r}" for field in fields)
        return f"torch.return_types.{name}(\n{lines})"

    members = {"__slots__": (), "__repr__": represent, "__module__": __name__}
    return type(name, (base,), members)
