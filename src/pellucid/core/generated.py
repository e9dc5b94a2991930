"""Functions that are written as source, each under a file name of its own.

Tracebacks, debuggers and `inspect.getsource` find the source in `linecache`, as they do for the
methods that ``dataclasses`` or ``attrs`` write.
"""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, Final, cast

from pellucid.autograd.sites import GENERATED


def file_name(described: str) -> str:
    """Return the file name of generated source, which marks its frames as the library's."""
    return f"{GENERATED}{described}>"


class SourceLines(Sequence[str]):
    """Lines of generated source, written when first read."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read

    @functools.cached_property
    def _lines(self) -> list[str]:
        return self._read().splitlines(keepends=True)

    def __getitem__(self, index: Any) -> Any:
        return self._lines[index]

    def __len__(self) -> int:
        return len(self._lines)


def show_source(file: str, read: Callable[[], str]) -> None:
    """Make ``linecache`` find the source of a file name by calling ``read`` when asked."""
    linecache.cache[file] = (0, None, cast("list[str]", SourceLines(read)), file)


def compiled(source: str, file: str, name: str, namespace: dict[str, Any]) -> FunctionType:
    """Return the function ``name`` that the source defines, with the namespace as its globals."""
    show_source(file, lambda: source)
    exec(compile(source, file, "exec"), namespace)
    return namespace.pop(name)


def deferred(
    name: str,
    described: str,
    module: str,
    write: Callable[[dict[str, Any]], str],
    note: Callable[[], str] = str,
) -> FunctionType:
    """Return a function whose source is written when it is first called, or first read.

    ``write(namespace)`` fills the function's globals and returns the source that defines ``name``.
    Until then the function holds a stub, whose code is replaced; so it can be bound anywhere.
    ``note()`` returns comments that those who read the source find below it.
    """
    file = file_name(described)
    namespace: dict[str, Any] = {"__name__": module}
    stub = FunctionType(
        _STUB.replace(co_filename=file, co_name=name, co_firstlineno=1), namespace, name
    )
    written: list[str] = []

    def read() -> str:
        if not written:
            written.append(f"{write(namespace)}\n")
        return written[0]

    def replace_stub() -> FunctionType:
        exec(compile(read(), file, "exec"), namespace)
        made = namespace.pop(name)
        stub.__code__ = made.__code__
        stub.__defaults__ = made.__defaults__
        stub.__kwdefaults__ = made.__kwdefaults__
        return stub

    namespace["_replace_stub"] = replace_stub
    stub.__qualname__ = name
    show_source(file, lambda: f"{read().rstrip()}\n{note()}")
    return stub


def _stub(*args: Any, **kwargs: Any) -> Any:
    return globals()["_replace_stub"]()(*args, **kwargs)


_STUB: Final[CodeType] = _stub.__code__


class DeferredSignature(inspect.Signature):
    """A signature that is worked out when first asked for: there are hundreds, seldom read."""

    def __init__(self, make: Callable[[], inspect.Signature]) -> None:
        self._make = make

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return self._make().parameters

    @property
    def return_annotation(self) -> Any:
        return self._make().return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:
        """Return an ordinary signature with the changes."""
        return self._make().replace(**changes)

    __replace__ = replace

    def __reduce__(self) -> Any:
        return self._make().__reduce__()
