"""Names of PyTorch's that pellucid lacks: importing them is no error, using them is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn, Union

from pellucid.alias import statements
from pellucid.errors import UnimplementedError

#: what programs asked for in vain, and where they first did
Record = dict[str, str]


class MissingNameError(UnimplementedError, AttributeError):
    """A name of PyTorch's is used that pellucid does not provide.

    It is an AttributeError too, so that ``hasattr`` says the truth.

    Wrong: ``from torch.fx import symbolic_trace``, and then ``symbolic_trace(net)``.
    Right: ask first, ``if hasattr(torch, "fx"):``, or import inside ``try`` with an
    ``except ImportError``, which then runs.
    """

    def __init__(self, full_name: str, asked: str = "") -> None:
        super().__init__(f"{full_name} is not provided by pellucid{asked}.")


class MissingName:
    """Stand where a program imported a name that pellucid lacks, and raise as soon as it is used.

    Nothing is an instance of it, and it may stand in annotations. Calling it, deriving from it,
    subscripting it, and asking it for attributes raise MissingNameError.

    >>> tracer = MissingName("torch.fx.Tracer", "train.py:3")
    >>> isinstance(1, tracer)
    False
    >>> tracer()
    Traceback (most recent call last):
    pellucid.alias.missing.MissingNameError: torch.fx.Tracer is not provided by pellucid \
(imported at train.py:3).
    """

    def __init__(self, full_name: str, place: str) -> None:
        self._full_name = full_name
        self._place = place

    def _refuse(self) -> NoReturn:
        raise MissingNameError(self._full_name, f" (imported at {self._place})")

    def __call__(self, *args: Any, **options: Any) -> NoReturn:
        self._refuse()

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        self._refuse()

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        raise MissingNameError(f"{self._full_name}.{name}", f" (imported at {self._place})")

    def __instancecheck__(self, value: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007 - this is what the operator is made of

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<{self._full_name}, which pellucid does not provide>"


def answer_for_missing_names(module: ModuleType, full_name: str, record: Record) -> None:
    """Give the module a ``__getattr__`` that knows how to answer for names that it lacks."""
    of_module: Callable[[str], Any] | None = vars(module).get("__getattr__")

    def look_up(name: str) -> Any:
        if of_module is not None:
            try:
                return of_module(name)
            except AttributeError:
                pass
        asking = sys._getframe(1)
        if name.startswith("__") or _is_ours(asking.f_globals.get("__name__", "")):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        if statements.is_unguarded_import_of_name(asking):
            place = record.setdefault(f"{full_name}.{name}", statements.place(asking))
            return MissingName(f"{full_name}.{name}", place)
        if statements.is_use(asking):
            record.setdefault(f"{full_name}.{name}", statements.place(asking))
        raise MissingNameError(f"{full_name}.{name}")

    look_up.of_module = of_module
    vars(module)["__getattr__"] = look_up


def answer_plainly(module: ModuleType) -> None:
    """Undo :func:`answer_for_missing_names`."""
    of_module = vars(module).pop("__getattr__").of_module
    if of_module is not None:
        vars(module)["__getattr__"] = of_module


def _is_ours(module_name: str) -> bool:
    return module_name.partition(".")[0] == "pellucid"
