"""Long sequences of which most elements are never looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Row = TypeVar("Row")


class Rows(Sequence[Row]):
    """A sequence whose elements are made when they are asked for, from columns of numbers."""

    __slots__ = ()

    def row(self, place: int) -> Row:
        """Return the element at an index."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        places = range(len(self))[index]
        return self.row(places) if isinstance(places, int) else tuple(map(self.row, places))

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"
