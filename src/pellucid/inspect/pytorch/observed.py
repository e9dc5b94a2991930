"""PyTorch's calls and nodes, told to an observer of pellucid's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from pellucid.inspect.pytorch.events import watching_torch
from pellucid.observe import Observer


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Report to an observer each call of PyTorch's functions in the block.

    Of nodes it hears as all do that are in `pellucid.observe.observers`.

    Args:
        observer: What hears of them.
    """
    with watching_torch(lambda event, subject: None, recorder=_Telling(observer)):
        yield


class _Telling:
    """What calls PyTorch's functions in the place of a recorder, and tells of them.

    Args:
        observer: What hears of them.
    """

    own_range = nullcontext
    computes = True

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def call(
        self, name: str, scope: str | None, frame: Any, function: Any, args: Any,
        given: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Call a function of PyTorch's between the two events."""
        self._observer.op_began("op", name, (*args, *given.values()))
        try:
            return function(*args, **given)
        except BaseException:
            self._observer.op_ended(None)
            raise

    def called(self, result: Any, start: int, end: int) -> None:
        """Report what the function has returned."""
        self._observer.op_ended(result)
