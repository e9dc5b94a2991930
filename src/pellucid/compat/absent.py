"""Functions and context managers for the modules of devices that are not here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from pellucid.errors import DeviceError


def unavailable(sentence: str) -> Callable[..., NoReturn]:
    """Return a function that takes any arguments and raises DeviceError with a sentence."""

    def refuse(*args: Any, **options: Any) -> NoReturn:
        raise DeviceError(sentence)

    refuse.__doc__ = f"Raise DeviceError: {sentence}"
    return refuse


def constant_function(answer: Any, doc: str) -> Callable[..., Any]:
    """Return a function that takes any arguments and always returns the same value."""

    def reply(*args: Any, **options: Any) -> Any:
        return answer

    reply.__doc__ = doc
    return reply


class NullContext:
    """A context manager that does nothing and accepts any arguments."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None
