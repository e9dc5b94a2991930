"""Values that another thread will bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Any, Generic, TypeVar

from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError, PellucidError

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")
S = TypeVar("S")

#: called with a question before a thread blocks for a future: exchanges between processes, which
#: nobody else drives, go on until its answer is yes or there are none
drivers: list[Callable[[Callable[[], bool]], None]] = []


class FutureError(PellucidError, RuntimeError):
    """A future is asked for what it does not have yet, or is completed twice.

    Wrong: ``future.value()`` right after the work was started.
    Right: ``future.wait()``, which waits for it.
    """


@public("Future")
class Future(Generic[T]):
    """A value that may come later, from another thread.

    Args:
        devices: The devices of the value; only the CPU.

    >>> length = torch.futures.Future()
    >>> doubled = length.then(lambda ready: 2 * ready.value())
    >>> length.set_result(4)
    >>> doubled.wait()
    8
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        self._outcome: futures.Future[T] = futures.Future()

    def done(self) -> bool:
        """Return whether there is a value or an exception."""
        return self._outcome.done()

    def wait(self) -> T:
        """Wait for the value and return it; raise its exception if it has one."""
        for drive_until in drivers:
            drive_until(self.done)
        return self._outcome.result()

    def value(self) -> T:
        """Return the value, which must be there already; else raise RuntimeError."""
        if not self.done():
            raise FutureError(
                "value() on a Future that has no result yet: ask done() first, or wait()"
            )
        return self._outcome.result()

    def set_result(self, result: T) -> None:
        """Set the value, and run the callbacks in this thread; raise RuntimeError if it is set.

        >>> future = torch.futures.Future()
        >>> future.set_result(1)
        >>> future.set_result(2)
        Traceback (most recent call last):
        pellucid.futures.FutureError: Attempting to mark a completed Future as complete again.
        """
        self._once()
        self._outcome.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        """Give an exception, which ``wait`` and ``value`` raise. Raises TypeError for another."""
        if not isinstance(result, BaseException):
            raise ArgumentTypeError(f"{result} is of type {type(result)}, not an Exception.")
        self._once()
        self._outcome.set_exception(result)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """Return the future of what the callback makes of this one when it is done."""
        following: Future[S] = self._successor()

        def follow(ready: Future[T]) -> None:
            try:
                result = callback(ready)
            except Exception as error:  # noqa: BLE001 - belongs to whoever waits for the result
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(follow)
        return following

    def _successor(self) -> Future[Any]:
        """Return a new future, of what a callback will make of this one."""
        return Future()

    def add_done_callback(self, callback: Callable[[Future[T]], Any]) -> None:
        """Call a function with this future when it is done: at once if it is."""
        self._outcome.add_done_callback(lambda _: callback(self))

    def _once(self) -> None:
        if self.done():
            raise FutureError("Attempting to mark a completed Future as complete again.")


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return a future of the futures, which is done when all of them are.

    Args:
        futures: The futures.

    >>> first, second = torch.futures.Future(), torch.futures.Future()
    >>> both = torch.futures.collect_all([first, second])
    >>> first.set_result("a"), both.done()
    (None, False)
    >>> second.set_result("b")
    >>> [future.value() for future in both.wait()]
    ['a', 'b']
    """
    waiting = list(futures)
    together: Future[list[Future[Any]]] = Future()

    def look(_: Any = None) -> None:
        # asking lets exchanges go on, and with them other calls of this function
        if all(future.done() for future in waiting) and not together.done():
            together.set_result(waiting)

    look()
    for future in waiting:
        future.add_done_callback(look)
    return together


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """Return the values of all futures when they are there; raise the first exception.

    Args:
        futures: The futures.

    >>> future = torch.futures.Future()
    >>> future.set_result(1)
    >>> torch.futures.wait_all([future])
    [1]
    """
    return [future.wait() for future in futures]
