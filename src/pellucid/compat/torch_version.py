"""A version that compares with numbers, tuples and other versions."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A string that is ordered as versions are.

    >>> TorchVersion("2.10.0+cpu") > "2.9", TorchVersion("2.1.0") >= (2, 1)
    (True, True)
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return _key(self) == _key(other)

    def __ne__(self, other: object) -> bool:
        return _key(self) != _key(other)

    def __lt__(self, other: Any) -> bool:
        return _key(self) < _key(other)

    def __le__(self, other: Any) -> bool:
        return _key(self) <= _key(other)

    def __gt__(self, other: Any) -> bool:
        return _key(self) > _key(other)

    def __ge__(self, other: Any) -> bool:
        return _key(self) >= _key(other)


def _key(version: Any) -> tuple[tuple[int, ...], bool, str]:
    """Return the numbers of a version without zeros at its end, whether it is a release, and what
    follows the plus sign.
    """
    text = ".".join(map(str, version)) if isinstance(version, tuple | list) else str(version)
    public, _, local = text.partition("+")
    released = re.match(r"[\d.]*", public)
    numbers = [int(part) for part in (released[0] if released else "").split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), re.search(r"a|b|rc|dev", public) is None, local
