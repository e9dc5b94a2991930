"""What the library is built with: ``torch.__config__``."""

from __future__ import annotations

import os
import platform

import numpy as np

from pellucid.kernels import active
from pellucid.kernels.numpy.backend import NumpyBackend

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return a text that says what the library is built with.

    >>> torch.__config__.show().splitlines()[0]
    'PyTorch built with:'
    """
    compiled = "without" if type(active.cpu) is NumpyBackend else "with"
    return (
        "PyTorch built with:\n"
        f"  - pellucid, {compiled} its compiled module\n"
        f"  - Python {platform.python_version()}, NumPy {np.__version__}\n"
        "  - CPU only: no CUDA, no MKL-DNN\n"
    )


def parallel_info() -> str:
    """Return a text that says how many processors there are."""
    return f"ATen parallel backend: none\nstd::thread::hardware_concurrency() : {os.cpu_count()}\n"


def _cxx_flags() -> str:
    """Return the flags of the C++ compiler: none are known."""
    return ""
