"""Named tuples of tensors, for ops with several outputs."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Iterable
from typing import Any


class named:  # noqa: N801 - used as a function
    """A function that makes a named tuple of outputs, printed as PyTorch's ``return_types`` are.

    Args:
        name: Name of the tuple.
        fields: Names of the outputs.
    """

    def __init__(self, name: str, *fields: str) -> None:
        self.name = name
        self.fields = fields

    def __call__(self, outputs: Iterable[Any]) -> Any:
        return result_type(self.name, *self.fields)._make(outputs)


@functools.cache
def result_type(name: str, *fields: str) -> Any:
    """Return the class of the results of a function, made when they are first needed."""
    base = namedtuple(name, fields)

    def represent(self: Any) -> str:
        lines = ",\n".join(f"{field}={getattr(self, field)!r}" for field in fields)
        return f"torch.return_types.{name}(\n{lines})"

    members = {"__slots__": (), "__repr__": represent, "__module__": __name__}
    return type(name, (base,), members)
