"""Blocks of ``with`` that put back what they changed, whatever line an interrupt hits."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pellucid._native import compiled

# Note [Interrupts]  # noqa: ERA001 - no code
# Ctrl-C raises KeyboardInterrupt wherever Python looks for signals: in the first instruction of any
# function, `__exit__` too, and after any call. A count raised before a ``try``, or lowered in an
# `__exit__` that never began, stays wrong for ever. The rule: **what a mode changes is written down
# before it is changed, and putting it back may be done twice.**
#
# A mode is a `Block`. Its `_begin` changes things by `_set`, `_append` and `_push`, which note how
# each is put back. If `_begin` fails or is interrupted, and at the end of the block, this is done,
# the last first. Where there is the compiled module, entering and leaving are C: no signal is
# looked for until all is back. In Python the first instruction of `Block.__exit__` is open, as in
# any library without C.
#
# What does not fit is computed again from what is there: `slow_path.active` lists what needs the
# slow path, it is no count; autocast is in it while there is a `modes.autocast`. A function that
# changes a mode around a ``try`` does so by plain assignments alone, before it and in ``finally``.
# `tests/robustness/test_interrupts.py` interrupts every mode at each instruction.

P = ParamSpec("P")
R = TypeVar("R")


class _Block:
    """A block that puts back what it changed; `_begin` is what a subclass defines."""

    #: what puts the changes back, the last first, and how many there were at each entry
    _changes: list[Callable[[], Any]]
    _entries: list[int]

    def __new__(cls, *_: Any, **__: Any) -> Any:
        self = object.__new__(cls)
        self._changes, self._entries = [], []
        return self

    def _begin(self) -> Any:
        """Change what is to be changed, and return what ``as`` names."""

    def __enter__(self) -> Any:
        try:
            self._entries.append(len(self._changes))
            return self._begin()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if not self._entries:
            return
        count = self._entries[-1]
        try:
            self._put_back(count)
        except Exception:  # of one that runs at the end: the others are put back all the same
            del self._changes[-1]
            self.__exit__()
            raise
        except BaseException:  # an interrupt may have cut the last one short
            self._put_back(count)
            del self._entries[-1]
            raise
        del self._entries[-1]

    def _put_back(self, count: int) -> None:
        while len(self._changes) > count:
            self._changes[-1]()
            del self._changes[-1]

    def _set(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute for the time of the block."""
        self._changes.append(functools.partial(setattr, owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def _append(self, where: list[Any], entry: Any) -> None:
        """Append to a list for the time of the block."""
        self._changes.append(functools.partial(remove_last, where, entry))
        where.append(entry)

    def _push(self, owner: Any, name: str, entry: Any) -> None:
        """Append to the tuple that an attribute is for the time of the block."""
        before = getattr(owner, name)
        after = (*before, entry)
        self._changes.append(functools.partial(_pull, owner, name, before, after))
        setattr(owner, name, after)

    def _at_end(self, function: Callable[[], Any]) -> None:
        """Call a function at the end, that does no harm if it is interrupted and called again."""
        self._changes.append(function)


def remove_last(where: list[Any], entry: Any) -> None:
    """Remove the last of the entries that are this object, if there is one."""
    for place in reversed(range(len(where))):
        if where[place] is entry:
            del where[place]
            return


def _pull(owner: Any, name: str, before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    """Undo a `_push`, also one that others follow that were not undone before it."""
    now = getattr(owner, name)
    if now is after:
        setattr(owner, name, before)
    elif now is not before:
        rest = list(now)
        remove_last(rest, after[-1])
        setattr(owner, name, tuple(rest))


if TYPE_CHECKING:
    Block = _Block
else:
    Block = _Block if compiled is None else compiled.Block


class _Temporary(Block):
    """The block of a function that is `temporary`."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self._called = function, args, kwargs

    def _begin(self) -> Any:
        function, args, kwargs = self._called
        return function(self, *args, **kwargs)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function with such a block around each of its calls."""
        called = self._called

        @functools.wraps(function)
        def within(*args: P.args, **kwargs: P.kwargs) -> R:
            with _Temporary(*called):
                return function(*args, **kwargs)

        return within


def temporary(
    function: Callable[Concatenate[Block, P], R],
) -> Callable[P, AbstractContextManager[R, None]]:
    """Make a block of a function that changes things by its first argument, a `Block`.

    >>> class Paper:
    ...     colour = "white"
    >>> @temporary
    ... def painted(block, colour):
    ...     block._set(Paper, "colour", colour)
    >>> with painted("red"):
    ...     print(Paper.colour)
    red
    >>> Paper.colour
    'white'
    """

    @functools.wraps(function)
    def make(*args: P.args, **kwargs: P.kwargs) -> Any:
        return _Temporary(function, args, kwargs)

    signature = inspect.signature(function)
    given = list(signature.parameters.values())[1:]
    make.__signature__ = signature.replace(parameters=given)  # pyright: ignore[reportAttributeAccessIssue]
    return make


@temporary
def having(block: Block, owner: Any, **values: Any) -> None:
    """Set attributes of an object in a block."""
    for name, value in values.items():
        block._set(owner, name, value)
