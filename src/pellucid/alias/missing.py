"""Names of PyTorch's that pellucid lacks: importing them is not an error, using them is."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, NoReturn, Union

from pellucid.alias import classes, statements
from pellucid.alias.names import ELSEWHERE, RENAMED, name_for_programs
from pellucid.errors import UnimplementedError

#: missing names that programs asked for, and where they first did
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
    """A placeholder for a name that pellucid lacks; using it raises.

    It may stand where a module that is being imported only mentions it: in annotations and unions,
    in tables, as a decorator and as a base class. What it is called with or asked for there is a
    placeholder again. Nothing is an instance of it, and a class derived from it makes none.

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

    def _error(self, full_name: str) -> MissingNameError:
        return MissingNameError(full_name, f" (imported at {self._place})")

    def _mentioned(self, full_name: str, asking: FrameType) -> MissingName:
        """Return a placeholder for a part or a result of this one, or raise if it is used."""
        if statements.is_mention(asking):
            return MissingName(full_name, self._place)
        raise self._error(full_name)

    def __call__(self, *args: Any, **options: Any) -> MissingName:
        return self._mentioned(self._full_name, sys._getframe(1))

    def __getitem__(self, key: Any) -> MissingName:
        return self._mentioned(self._full_name, sys._getframe(1))

    def __getattr__(self, name: str) -> MissingName:
        if name in ("_full_name", "_place"):
            raise AttributeError(name)  # a copy is asked for attributes before it has its own
        if name.startswith("__") or not statements.is_use(sys._getframe(1)):
            raise self._error(f"{self._full_name}.{name}")
        return self._mentioned(f"{self._full_name}.{name}", sys._getframe(1))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type]:
        error = self._error(self._full_name)

        def refuse(cls: type, *args: Any, **options: Any) -> NoReturn:
            raise error

        def accept(cls: type, **options: Any) -> None:
            """Take any options of a class statement."""

        methods = {"__new__": refuse, "__init_subclass__": classmethod(accept)}
        return (type(self._full_name.rpartition(".")[2], (), methods),)

    def __bool__(self) -> NoReturn:
        raise self._error(self._full_name)

    # Without it Python would go through the items 0, 1, 2, ..., each of them a placeholder.
    def __iter__(self) -> NoReturn:
        raise self._error(self._full_name)

    def __instancecheck__(self, value: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007 - this is what the operator is made of

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<{self._full_name}, which pellucid does not provide>"


class Answers:
    """The lookup of missing names on pellucid's modules, with a record of them."""

    def __init__(self) -> None:
        self.record: Record = {}
        self._own_ways: dict[ModuleType, Callable[[str], Any] | None] = {}
        self._renamed: list[tuple[type, str]] = []

    def include_new_modules(self) -> None:
        """Include the modules of pellucid that have been imported since."""
        for name, module in list(sys.modules.items()):
            if _is_ours(name) and type(module) is ModuleType and module not in self._own_ways:
                self.include(module, name_for_programs(name))

    def include(self, module: ModuleType, full_name: str) -> None:
        """Give the module a ``__getattr__`` that knows how to answer."""
        own_way: Callable[[str], Any] | None = vars(module).get("__getattr__")
        self._own_ways[module] = own_way
        self._renamed += classes.rename(module)

        def look_up(name: str) -> Any:
            if own_way is not None:
                try:
                    found = own_way(name)
                except AttributeError:
                    pass
                else:
                    if isinstance(found, ModuleType | type):
                        self.include_new_modules()
                    if isinstance(found, type):
                        self._renamed += classes.rename(module)
                    return found
            if name == "__path__":
                return []  # a file here may be a package there: what is below is asked for too
            wanted = f"{full_name}.{name}"
            if wanted in ELSEWHERE:
                return importlib.import_module(ELSEWHERE[wanted])
            if wanted in RENAMED:
                home, here = RENAMED[wanted]
                return getattr(importlib.import_module(home), here)
            return self._answer(module, full_name, name, sys._getframe(1))

        vars(module)["__getattr__"] = look_up

    def _answer(
        self, module: ModuleType, full_name: str, name: str, asking: FrameType
    ) -> MissingName:
        if name.startswith("__") or _is_ours(asking.f_globals.get("__name__", "")):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        if statements.is_unguarded_import_of_name(asking) or (
            statements.is_use(asking) and statements.is_mention(asking)
        ):
            place = self.record.setdefault(f"{full_name}.{name}", statements.place(asking))
            return MissingName(f"{full_name}.{name}", place)
        if statements.is_use(asking):
            self.record.setdefault(f"{full_name}.{name}", statements.place(asking))
        raise MissingNameError(f"{full_name}.{name}")

    def withdraw(self) -> None:
        """Leave all modules as they were."""
        for module, own_way in self._own_ways.items():
            if own_way is None:
                del vars(module)["__getattr__"]
            else:
                vars(module)["__getattr__"] = own_way
        self._own_ways.clear()
        for cls, name in self._renamed:
            cls.__module__ = name
        self._renamed.clear()


def _is_ours(module_name: str) -> bool:
    return module_name.partition(".")[0] == "pellucid"
