"""Named tuples of tensors, for ops with several outputs."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Iterable
from typing import Any

#: the fields of each kind of result, by the name of the function
RESULT_TYPES: dict[str, tuple[str, ...]] = {}


class named:  # noqa: N801 - used as a function
    """A function that makes a named tuple of outputs, printed as PyTorch's ``return_types`` are.

    Args:
        name: Name of the tuple.
        fields: Names of the outputs.
    """

    def __init__(self, name: str, *fields: str) -> None:
        self.name = name
        self.fields = fields
        RESULT_TYPES[name] = fields

    def __call__(self, outputs: Iterable[Any]) -> Any:
        return result_type(self.name, *self.fields)._make(outputs)


@functools.cache
def result_type(name: str, *fields: str) -> Any:
    """Return the class of the results of a function, made when they are first needed."""
    base = namedtuple(name, fields)

    def represent(self: Any) -> str:
        lines = ",\n".join(f"{field}={getattr(self, field)!r}" for field in fields)
        return f"torch.return_types.{name}(\n{lines})"

    def make(cls: Any, *values: Any) -> Any:
        # PyTorch's are given a sequence, Python's named tuples, and what unpickles them, the values
        given = tuple(values[0]) if len(values) == 1 and len(fields) > 1 else values
        if len(given) != len(fields):
            raise TypeError(
                f"torch.return_types.{name}() takes a {len(fields)}-sequence "
                f"({len(given)}-sequence given)"
            )
        return tuple.__new__(cls, given)

    members = {
        "__slots__": (), "__repr__": represent, "__module__": "torch.return_types",
        "__new__": make, "n_fields": len(fields), "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0, "__reduce__": _reduced,
    }  # fmt: skip
    return type(name, (base,), members)


def _reduced(self: Any) -> Any:
    return _remade, (type(self).__name__, self._fields, tuple(self))


def _remade(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(name, *fields)._make(values)
