"""The compiled module, where it was built: the usual case of calls, and array kernels, in C++.

The Python code is complete without it and defines what every call does. The environment variable
``PELLUCID_NATIVE`` turns the module off (``0``), or limits the processor level that its kernels
use (``baseline``, ``avx2``, ``avx512``).
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType


def _load() -> tuple[ModuleType | None, str]:
    """Return the compiled module, or ``None`` and why there is none."""
    if os.environ.get("PELLUCID_NATIVE") == "0":
        return None, "turned off by PELLUCID_NATIVE=0"
    try:
        return importlib.import_module("pellucid._native.compiled"), ""
    except ImportError as error:
        return None, f"not built, or not for this Python and NumPy ({error})"


#: the compiled module, and why there is none
compiled, missing_because = _load()
