"""Settings of the whole process: threads, determinism, precision, the default device."""

from __future__ import annotations

import ctypes
import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pellucid import _native, dtypes
from pellucid.autograd.warned import once
from pellucid.core.definition.public import public
from pellucid.core.memory.unset import unset
from pellucid.device import check_device, device, placing
from pellucid.dtypes import set_default_dtype
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import LegacyType

__all__ = [
    "are_deterministic_algorithms_enabled", "get_default_device", "get_deterministic_debug_mode",
    "get_float32_matmul_precision", "get_num_interop_threads", "get_num_threads",
    "is_deterministic_algorithms_warn_only_enabled", "is_warn_always_enabled", "set_default_device",
    "set_default_tensor_type", "set_deterministic_debug_mode", "set_float32_matmul_precision",
    "set_flush_denormal", "set_num_interop_threads", "set_num_threads", "set_warn_always",
    "show_config", "typename", "use_deterministic_algorithms",
]  # fmt: skip


class _Settings:
    """What has been asked for and does not change anything here: programs may read it back."""

    def __init__(self) -> None:
        self.matmul_precision = "highest"
        self.threads: int | None = None
        self.interop_threads: int | None = None


_settings = _Settings()


# ---- threads --------------------------------------------------------------------------------


@functools.cache
def _blas() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return how to read and set the number of threads of the OpenBLAS that NumPy comes with."""
    found = []
    for folder in ("numpy.libs", "scipy.libs", "numpy/.dylibs", "scipy/.dylibs"):
        for path in sorted((Path(np.__file__).parents[1] / folder).glob("*openblas*")):
            library = ctypes.CDLL(str(path))
            for suffix in ("64_", ""):
                get = getattr(library, f"scipy_openblas_get_num_threads{suffix}", None)
                if get is not None:
                    found.append((get, getattr(library, f"scipy_openblas_set_num_threads{suffix}")))
    return found


@public("get_num_threads", checked=False)
def get_num_threads() -> int:
    """Return how many threads matrix products and compiled kernels use.

    >>> torch.get_num_threads() >= 1
    True
    """
    if _settings.threads is not None:
        return _settings.threads
    if _native.compiled is not None:
        return _native.compiled.kernels.get_num_threads()
    blas = _blas()
    return int(blas[0][0]()) if blas else 1


@public("set_num_threads", checked=False)
def set_num_threads(num: int) -> None:
    """Set the number of threads that matrix products and compiled kernels may use.

    The number reaches the OpenBLAS that the usual packages of NumPy and SciPy contain, and the
    compiled kernels if there are any. All else runs in one thread. Results do not depend on the
    number of threads that kernels use.

    Args:
        num: The number of threads, at least 1.

    Raises:
        RuntimeError: If ``num`` is not a positive integer.

    >>> torch.set_num_threads(torch.get_num_threads())
    """
    _settings.threads = _positive("set_num_threads", num)
    for _, set_threads in _blas():
        set_threads(num)
    if _native.compiled is not None:
        _native.compiled.kernels.set_num_threads(num)


@public("get_num_interop_threads", checked=False)
def get_num_interop_threads() -> int:
    """Return the number given to `set_num_interop_threads`, which has no effect here.

    >>> torch.get_num_interop_threads() >= 1
    True
    """
    return _settings.interop_threads or os.cpu_count() or 1


@public("set_num_interop_threads", checked=False)
def set_num_interop_threads(num: int) -> None:
    """Store a number of threads for `get_num_interop_threads` to return.

    Args:
        num: The number of threads, at least 1.

    Raises:
        RuntimeError: If ``num`` is not a positive integer, or if the function has been called
            before.

    >>> torch.set_num_interop_threads(0)
    Traceback (most recent call last):
        ...
    pellucid.errors.GraphError: set_num_interop_threads expects a positive integer
    """
    if _settings.interop_threads is not None:
        raise GraphError(
            "Error: cannot set number of interop threads after parallel work has started or "
            "set_num_interop_threads called"
        )
    _settings.interop_threads = _positive("set_num_interop_threads", num)


def _positive(function: str, num: Any) -> int:
    if not isinstance(num, int) or isinstance(num, bool):
        raise GraphError(f"{function} expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise GraphError(f"{function} expects a positive integer")
    return num


@public("show_config", checked=False)
def show_config() -> str:
    """Return, as text, whether the compiled module is in use, and which threads and BLAS are.

    >>> print(torch.show_config())
    compiled module: ...
    threads: ...
    BLAS: ...
    """
    if _native.compiled is None:
        module = f"no: {_native.missing_because}"
    else:
        module = f"in use, processor level {_native.compiled.level}"
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return (
        f"compiled module: {module}\n"
        f"threads: {get_num_threads()}\n"
        f"BLAS: {blas['name']} {blas['version']}"
    )


# ---- determinism and precision: everything here is deterministic, and exact as NumPy is --------


@public("use_deterministic_algorithms", checked=False)
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Require results that do not change from run to run, which all operations give anyway.

    What PyTorch refuses then is refused: `max_unpool1d` and its kin, and `put` without
    ``accumulate``.

    Args:
        mode: Whether they are required.
        warn_only: Whether an operation without such results would warn rather than raise.

    Raises:
        TypeError: If ``mode`` is not a bool.

    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    if not isinstance(mode, bool):
        raise ArgumentTypeError(
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            f"{type(mode).__name__}"
        )
    if not isinstance(warn_only, bool):
        raise ArgumentTypeError(
            "_set_deterministic_algorithms(): argument 'warn_only' must be bool, not "
            f"{type(warn_only).__name__}"
        )
    unset.deterministic = mode
    unset.warn_only = warn_only


@public("are_deterministic_algorithms_enabled", checked=False)
def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` is on.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return unset.deterministic


@public("is_deterministic_algorithms_warn_only_enabled", checked=False)
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether operations that are not deterministic would warn rather than raise.

    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return unset.warn_only


_DEBUG_MODES = ("default", "warn", "error")


@public("set_deterministic_debug_mode", checked=False)
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set `use_deterministic_algorithms` by one word or number.

    Args:
        debug_mode: ``"default"`` or 0 for off, ``"warn"`` or 1 for warnings only, ``"error"`` or 2.

    Raises:
        RuntimeError: If ``debug_mode`` is another word or number.

    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode()
    1
    >>> torch.set_deterministic_debug_mode("default")
    """
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise GraphError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                f"{debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise GraphError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


@public("get_deterministic_debug_mode", checked=False)
def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2 for ``"default"``, ``"warn"`` or ``"error"``.

    >>> torch.get_deterministic_debug_mode()
    0
    """
    if not unset.deterministic:
        return 0
    return 1 if unset.warn_only else 2


@public("get_float32_matmul_precision", checked=False)
def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was given.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _settings.matmul_precision


@public("set_float32_matmul_precision", checked=False)
def set_float32_matmul_precision(precision: str) -> None:
    """Store a precision; products of float32 are always computed in float32.

    Args:
        precision: ``"highest"``, ``"high"`` or ``"medium"``; anything else warns.

    >>> torch.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )
        return
    _settings.matmul_precision = precision


@public("set_flush_denormal", checked=False)
def set_flush_denormal(mode: bool) -> bool:
    """Return False: denormal numbers are always computed with.

    Args:
        mode: Whether denormal numbers should be taken as zero; has no effect.

    >>> torch.set_flush_denormal(True)
    False
    """
    return False


@public("set_warn_always", checked=False)
def set_warn_always(b: bool) -> None:
    """Set whether what is warned of once in a process is warned of each time.

    Args:
        b: The flag.

    >>> torch.set_warn_always(False)
    """
    once.always = b


@public("is_warn_always_enabled", checked=False)
def is_warn_always_enabled() -> bool:
    """Return the flag given to `set_warn_always`.

    >>> torch.is_warn_always_enabled()
    False
    """
    return once.always


# ---- defaults of new tensors -------------------------------------------------------------------


@public("set_default_device", checked=False)
def set_default_device(device: Any) -> None:
    """Set the device of new tensors in this thread.

    Args:
        device: The CPU or ``meta``, as a `device` or a string; None for the CPU.

    Raises:
        RuntimeError: If it is any other device.

    >>> torch.set_default_device("cpu")
    >>> torch.get_default_device()
    device(type='cpu')
    """
    placing.device = check_device(device)


@public("get_default_device", checked=False)
def get_default_device() -> device:
    """Return the device of new tensors in this thread.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    return placing.device


@public("set_default_tensor_type", checked=False)
def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype by an old tensor type.

    Args:
        t: The class or the name of the type, such as ``torch.DoubleTensor``.

    Raises:
        TypeError: If the type is not one of floating-point tensors.

    >>> torch.set_default_tensor_type(torch.FloatTensor)
    >>> torch.get_default_dtype()
    torch.float32
    """
    name = t.dtype.name if isinstance(t, LegacyType) else str(t).removeprefix("torch.")
    for each in dtypes.ALL:
        if name in (each.name, dtypes.LEGACY_TYPE_NAMES[each.name]) and each.is_floating_point:
            set_default_dtype(each)
            return
    raise ArgumentTypeError(f"only floating-point types are supported as the default type, not {t}")


@public("typename", checked=False)
def typename(obj: Any, /) -> str:
    """Return the full name of an object's type; of a class or function its own.

    Args:
        obj: Any object.

    >>> torch.typename(torch.ones(1)), torch.typename("a")
    ('torch.FloatTensor', 'str')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    module = getattr(obj, "__module__", None)
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    name = name or type(obj).__name__
    return name if module in ("builtins", "__builtin__", None) else f"{module}.{name}"
