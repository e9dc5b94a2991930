"""The compiled module, where it was built: the usual case of calls, and array kernels, in C++.

The Python code is complete without it and defines what every call does. The environment variable
``PELLUCID_NATIVE`` turns the module off (``0``), or limits the processor level that its kernels
use (``baseline``, ``avx2``, ``avx512``).
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


#: what runs `make native`, in a checkout alone
_BUILD = Path(__file__).parents[3] / "build_support" / "native.py"


def _load() -> tuple[ModuleType | None, str]:
    """Return the compiled module, or ``None`` and why there is none."""
    if os.environ.get("PELLUCID_NATIVE") == "0":
        return None, "turned off by PELLUCID_NATIVE=0"
    try:
        return importlib.import_module("pellucid._native.compiled"), ""
    except ImportError as error:
        if _is_interactive():
            sys.stderr.write(
                "pellucid runs without its compiled module, so that small steps take two to five "
                "times as long; `python -m pellucid info` says why, and how to get it.\n"
            )
        return None, f"not built, or not for this Python and NumPy ({error}); {_how_to_get_it()}"


def _is_interactive() -> bool:
    """Return whether somebody types: a program's output stays its own."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or hasattr(builtins, "get_ipython")


def _how_to_get_it() -> str:
    compiler = "it needs a C++ compiler (GCC or Clang, on Linux or macOS)"
    if _BUILD.exists():
        return f"{compiler}: make native"
    return f"{compiler}: pip install --force-reinstall --no-deps --no-binary pellucid pellucid"


#: the compiled module, and why there is none
compiled, missing_because = _load()


def in_front(kind: str, *known: Any) -> Callable[[Function], Function]:
    """Return a decorator that puts a compiled callable of a kind in front of a function.

    It takes the usual calls, by what it is told that the function knows, and leaves it the others.
    """
    if compiled is None:
        return lambda function: function
    front = getattr(compiled, kind)
    return lambda function: front(function, *known)
