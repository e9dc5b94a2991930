"""Operators by their full names: ``torch.ops.aten.add.Tensor``, ``torch.ops.mylib.myop``.

Packages name PyTorch's own operators in tables, which nobody reads here. They are objects that are
equal to themselves alone; where a function of this name is public, it can be called.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any, NoReturn

from pellucid.errors import UnimplementedError
from pellucid.tensors import Tensor

#: namespaces of PyTorch's own, in which every name may be mentioned
_OWN = frozenset({"aten", "prim", "prims"})

#: the functions that programs have registered, by namespace and name
REGISTERED: dict[tuple[str, str], Callable[..., Any]] = {}


class OpOverload:
    """An operator for one kind of arguments, as ``torch.ops.aten.add.Tensor``.

    Args:
        packet: The operator for all kinds.
        overload: The name of the kind.
    """

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket = packet
        self.namespace = packet.namespace
        self._overloadname = overload
        self.__name__ = f"{packet.__name__}.{overload}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.overloadpacket(*args, **kwargs)

    def name(self) -> str:
        """Return the full name, as ``aten::add.Tensor``."""
        kind = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.overloadpacket.qualified_name}{kind}"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self.overloadpacket.__name__}', "\
            f"overload='{self._overloadname}')>"  # fmt: skip


class OpOverloadPacket:
    """An operator for all kinds of arguments, as ``torch.ops.aten.add``.

    Args:
        namespace: Where it belongs, as ``aten``.
        name: Its name there.
    """

    def __init__(self, namespace: str, name: str) -> None:
        self.namespace = namespace
        self.__name__ = name
        self._overloads: dict[str, OpOverload] = {}

    @property
    def qualified_name(self) -> str:
        """The full name, as ``aten::add``."""
        return f"{self.namespace}::{self.__name__}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _function(self.namespace, self.__name__)(*args, **kwargs)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._overloads.setdefault(name, OpOverload(self, name))

    def overloads(self) -> list[str]:
        """Return the kinds that have been asked for, and the default."""
        return list(dict.fromkeys(["default", *self._overloads]))

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class OpNamespace:
    """The operators of a library: ``torch.ops.aten``.

    Args:
        name: The name of the library.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> OpOverloadPacket:
        known = self.name in _OWN or (self.name, name) in REGISTERED
        if name.startswith("__") or not known:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        packet = OpOverloadPacket(self.name, name)
        vars(self)[name] = packet
        return packet

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}'>"


_OF_TEST_RUNNERS = re.compile("pytest|set_?up|tear_?down", re.IGNORECASE)

_namespaces: dict[str, OpNamespace] = {}


def namespace(name: str) -> OpNamespace:
    """Return the namespace of a library of operators.

    Raises AttributeError for a private name under which nothing is registered, and for those that
    test runners look for in modules.

    >>> torch.ops.aten.add.Tensor(torch.ones(1), 2)
    tensor([3.])
    """
    private = name.startswith("_") and not any(library == name for library, _ in REGISTERED)
    if private or _OF_TEST_RUNNERS.match(name):
        raise AttributeError(f"module 'pellucid.ops' has no attribute '{name}'")
    if name == "load_library":
        return _no_library  # pyright: ignore[reportReturnType]
    return _namespaces.setdefault(name, OpNamespace(name))


def _no_library(path: Any) -> NoReturn:
    """Raise NotImplementedError: operators compiled for PyTorch cannot be called."""
    raise UnimplementedError(
        f"torch.ops.load_library({path!r}): libraries compiled for PyTorch cannot be loaded"
    )


def _function(library: str, name: str) -> Callable[..., Any]:
    """Return the function that an operator is; NotImplementedError where there is none."""
    if (library, name) in REGISTERED:
        return REGISTERED[library, name]
    homes = [importlib.import_module(each) for each in ("pellucid", "pellucid.nn.functional")]
    for home in [*homes, Tensor]:
        found = getattr(home, name, None)
        if callable(found):
            return found
    raise UnimplementedError(f"torch.ops.{library}.{name} is not provided by pellucid")
