"""Which precision a kernel works in, and how it stays silent about special values."""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy._core._multiarray_umath as _umath

from pellucid._native import compiled
from pellucid.blocks import Block
from pellucid.kernels.numpy import Array

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_HALF = np.dtype(np.float16)
_SINGLE = np.dtype(np.float32)


def working_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype to accumulate `dtype` in: single precision for half, else itself."""
    return _SINGLE if dtype == _HALF else dtype


def floating_dtype(dtype: np.dtype) -> np.dtype:
    """Return `dtype`, or single precision for integers and booleans."""
    return dtype if dtype.kind in "fc" else _SINGLE


def as_working(x: Array) -> Array:
    """Return `x` in the floating dtype that a kernel computes in."""
    return x.astype(_SINGLE) if x.dtype == _HALF or x.dtype.kind not in "fc" else x


_is_quiet: contextvars.ContextVar[bool] = contextvars.ContextVar("_is_quiet", default=False)


class Quiet(threading.local):
    """A call of array code without floating-point warnings, far cheaper than ``np.errstate``.

    NumPy keeps its error handling in a context variable. Each thread owns a context in which it is
    switched off once; running a function there costs about as much as a function call, and the
    caller's own settings stay as they are. A context can only be entered once at a time, so what
    runs inside must be array code, never something that comes back here.
    """

    run: Callable[..., Any]

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        context.run(_is_quiet.set, True)
        self.run = context.run


quiet = Quiet()


class _Silence(Block):
    """A block without floating-point warnings, in less time than ``np.errstate`` takes."""

    __slots__ = ()

    def _begin(self) -> None:
        switch = _umath._extobj_contextvar
        self._at_end(functools.partial(switch.set, switch.get()))
        switch.set(_SILENT)


try:  # what `np.errstate` calls at each entry
    _SILENT: Any = _umath._make_extobj(all="ignore")
    silence: Any = _Silence
    if compiled is not None:
        silence = functools.partial(compiled.ContextValue, _umath._extobj_contextvar, _SILENT)
    #: the context variable of NumPy's warnings, if it is known, and what switches them off
    silencing: tuple[Any, Any] = _umath._extobj_contextvar, _SILENT
except AttributeError:
    silencing = None, None
    silence = functools.partial(np.errstate, all="ignore")


def silent(kernel: Kernel) -> Kernel:
    """Decorate a kernel to run without floating-point warnings, also where this is so already."""

    @functools.wraps(kernel)
    def run(*args: Any) -> Any:
        return kernel(*args) if _is_quiet.get() else quiet.run(kernel, *args)

    return run  # pyright: ignore[reportReturnType]
