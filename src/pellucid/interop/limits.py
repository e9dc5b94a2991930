"""Limits for loading an untrusted file, and for quoting it in a message.

Note [A small file can describe a huge object]
A description names an object again with two bytes, so a few hundred bytes describe a list of lists
of lists with 10^25 elements, all of them the same few lists. Making it is cheap; whatever walks
through it (text of it, its hash, a copy) never ends. So nothing here formats an object of a file,
and whatever has a cost that is not proportional to the bytes read is counted against a budget that
follows from the size of the file: elements of keys that are hashed, elements that a call copies.
"""

from __future__ import annotations

import sys
from typing import Any

from pellucid import dtypes
from pellucid.device import device
from pellucid.interop.errors import UnpicklingError

#: elements that a file of any size may have copied or hashed
_LEAST_BUDGET = 1 << 20
#: elements per byte of the description
_ELEMENTS_PER_BYTE = 4
#: how deep tuples may be nested in a key
_MOST_DEPTH = 8
#: arguments of a call; the functions that files may call take fewer
_MOST_ARGUMENTS = 16
#: different keys with the same hash, which have to be compared with each other
_MOST_COLLISIONS = 16
#: characters of a key that cost as much as an element
_CHARACTERS_PER_ELEMENT = 64
_SHOWN_CHARACTERS = 80
_SHOWN_BITS = 64
#: integers of fewer bits are their own hash
_HASHED_BITS = sys.hash_info.modulus.bit_length()

_PLAIN_KEYS = (int, float, complex, dtypes.dtype, device)


def shown(value: Any) -> str:
    """Return short text for a value that a file made: text and numbers, and the type of others."""
    if type(value) is str:
        return repr(value[:_SHOWN_CHARACTERS])
    if type(value) is int and value.bit_length() <= _SHOWN_BITS:
        return str(value)
    return f"a value of type {type(value).__name__}"


class Budget:
    """The number of elements that a description may still have copied or hashed."""

    def __init__(self, description_bytes: int) -> None:
        self._left = _LEAST_BUDGET + _ELEMENTS_PER_BYTE * description_bytes
        self._keys_by_hash: dict[int, list[Any]] = {}

    def spend(self, elements: int) -> None:
        """Take elements off the budget; raise UnpicklingError if there are not as many left."""
        self._left -= elements
        if self._left < 0:
            raise UnpicklingError(
                "the objects need far more work than a file of this size can ask for: the file is "
                "forged"
            )

    def spend_on_call(self, args: tuple[Any, ...]) -> None:
        """Take the elements of the arguments of a call off the budget."""
        if len(args) > _MOST_ARGUMENTS:
            raise UnpicklingError(f"a call with {len(args)} arguments makes no sense")
        elements = 0
        for each in args:
            elements += _length(each)
            if isinstance(each, _NESTED):
                elements += sum(map(_length, each))
        self.spend(elements)

    def spend_on_key(self, key: Any) -> None:
        """Raise UnpicklingError unless a key may be hashed and compared at a bounded cost."""
        self._spend_on_hash(key, _MOST_DEPTH)
        if not _has_rare_hash(key):
            self._check_collisions(key)

    def _spend_on_hash(self, key: Any, depth: int) -> None:
        self.spend(1)
        if isinstance(key, str | bytes):
            self.spend(len(key) // _CHARACTERS_PER_ELEMENT)
        elif isinstance(key, tuple) and depth:
            for each in key:
                self._spend_on_hash(each, depth - 1)
        elif key is not None and not isinstance(key, _PLAIN_KEYS):
            raise UnpicklingError(f"{type(key).__name__} cannot be a key")

    def _check_collisions(self, key: Any) -> None:
        """Raise UnpicklingError if many keys have one hash."""
        rivals = self._keys_by_hash.setdefault(hash(key), [])
        if key in rivals:
            return
        rivals.append(key)
        if len(rivals) > _MOST_COLLISIONS:
            raise UnpicklingError(
                f"{len(rivals)} different keys have the same hash: the file is forged"
            )


def _has_rare_hash(key: Any) -> bool:
    """Return whether few other keys can be found that have the same hash."""
    if type(key) is int:
        return key.bit_length() < _HASHED_BITS
    return isinstance(key, str | bytes | float | None)


def _length(value: Any) -> int:
    return 1 + len(value) if isinstance(value, _SIZED) else 1


_NESTED = (tuple, list)
_SIZED = (str, bytes, bytearray, list, tuple, dict, set)
