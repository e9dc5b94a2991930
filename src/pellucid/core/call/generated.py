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

from pellucid.autograd.short_tracebacks import shorten
from pellucid.autograd.sites import GENERATED


def file_name(described: str) -> str:
    """Return the file name of generated source, which marks its frames as the library's."""
    return f"{GENERATED}{described}>"


def compiled(source: str, file: str, name: str, namespace: dict[str, Any]) -> FunctionType:
    """Return the function ``name`` that the source defines, with the namespace as its globals."""
    _show_source(file, source.splitlines(keepends=True))
    exec(compile(source, file, "exec"), namespace)
    return namespace.pop(name)


def _show_source(file: str, lines: Sequence[str]) -> None:
    """Make ``linecache`` find these lines under a file name."""
    linecache.cache[file] = (0, None, cast("list[str]", lines), file)


def deferred(
    name: str, described: str, module: str, write: Callable[[dict[str, Any]], str],
    note: Callable[[], str] = str,
) -> FunctionType:  # fmt: skip
    """Return a function whose source is written when it is first called, or first read.

    ``write(namespace)`` fills the function's globals and returns the source that defines ``name``.
    Until then the function holds a stub, whose code is replaced; so it can be bound anywhere.
    ``note()`` returns comments that those who read the source find below it.
    """
    file = file_name(described)
    code = _STUB.replace(co_filename=file, co_name=name, co_qualname=name, co_firstlineno=1)
    stub = FunctionType(code, {"__name__": module}, name)
    later = _Deferred(stub, write, note)
    stub.__globals__.update(_replace_stub=later.replace_stub, _shorten=shorten)
    _show_source(file, later)
    return stub


class _Deferred(Sequence[str]):
    """The source of a deferred function, written once; the lines of it, with the note below."""

    def __init__(
        self, stub: FunctionType, write: Callable[[dict[str, Any]], str], note: Callable[[], str]
    ) -> None:
        self.stub = stub
        self.write = write
        self.note = note

    @functools.cached_property
    def source(self) -> str:
        return f"{self.write(self.stub.__globals__)}\n"

    @functools.cached_property
    def lines(self) -> list[str]:
        self.replace_stub()  # a debugger that reads lines stops at those that run
        return f"{self.source.rstrip()}\n{self.note()}".splitlines(keepends=True)

    def replace_stub(self) -> FunctionType:
        """Compile the source; return the function, which runs it from now on."""
        stub = self.stub
        code, namespace = stub.__code__, stub.__globals__
        exec(compile(self.source, code.co_filename, "exec"), namespace)
        made = namespace.pop(code.co_name)
        stub.__code__ = made.__code__
        stub.__defaults__ = made.__defaults__
        stub.__kwdefaults__ = made.__kwdefaults__
        return stub

    def __getitem__(self, index: Any) -> Any:
        return self.lines[index]

    def __len__(self) -> int:
        return len(self.lines)


def _stub(*args: Any, **kwargs: Any) -> Any:
    try:
        return globals()["_replace_stub"]()(*args, **kwargs)
    except Exception as error:
        globals()["_shorten"](error)
        raise


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
