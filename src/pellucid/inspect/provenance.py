"""What made a number, to print or to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.sites import shortened
from pellucid.inspect.tables import Column, table_lines
from pellucid.tensors.summary import number_text

#: rows that are printed
_MOST_ROWS = 30
#: this many values are shown one by one
_MOST_VALUES = 4


class Origin(NamedTuple):
    """Elements that took part in making a number.

    Attributes:
        name: The operation that gave them; or the name of a leaf or of data.
        index: Which elements: ``[17, 2]``, or ``[17, :]`` where there are several.
        count: How many.
        values: Their values in the order of the array; None where they are not known any more.
        where: The line as ``file.py:LINE``; empty for leaves.
        text: The source text of the line.

    >>> x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> torch.inspect.where_from(x * 3, 1)[0].values
    array([6.], dtype=float32)
    """

    name: str
    index: str
    count: int
    values: Any
    where: str
    text: str

    @property
    def values_text(self) -> str:
        """The values in words."""
        if self.values is None:
            return "not kept"
        values = [complex(v) if self.values.dtype.kind == "c" else float(v) for v in self.values]
        if len(values) <= _MOST_VALUES or self.values.dtype.kind == "c":
            shown = ", ".join(map(_number, values[:_MOST_VALUES]))
            return f"{shown}, ..." if len(values) > _MOST_VALUES else shown
        finite = self.values[np.isfinite(self.values)].astype(float)
        odd = len(values) - len(finite)
        text = f"from {_number(finite.min())} to {_number(finite.max())}" if len(finite) else ""
        return "  ".join(filter(None, [text, f"{odd:,} not finite" if odd else ""]))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number is from, to print or to read: the latest operation first.

    Attributes:
        subject: The number that was asked about.
        origins: The operations, leaves and data that made it.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> [origin.name for origin in torch.inspect.where_from(x.exp().sum())]
    ['sum', 'exp', 'x']
    """

    subject: str
    origins: tuple[Origin, ...]

    def __str__(self) -> str:
        columns = [Column("", True), Column("values", True), Column("line", True), Column("", True)]
        rows = [
            [f"{each.name}{each.index}", each.values_text, each.where, shortened(each.text)]
            for each in self.origins[:_MOST_ROWS]
        ]
        lines = [f"{self.subject} is from", *table_lines(columns, rows, 10_000)[1:]]
        left = len(self.origins) - _MOST_ROWS
        return "\n".join([*lines, f"and {left:,} more"] if left > 0 else lines)

    def __iter__(self) -> Iterator[Origin]:
        return iter(self.origins)

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, position: int) -> Origin:
        return self.origins[position]


def _number(value: Any) -> str:
    return str(value) if isinstance(value, complex) else number_text(float(value))
