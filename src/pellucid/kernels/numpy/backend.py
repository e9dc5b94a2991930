"""The reference backend: NumPy's own functions, and the kernels that NumPy lacks.

Kernels take and return arrays and know nothing of tensors or derivatives. Linear kernels come with
their transposes. Half precision is accumulated in single precision.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from pellucid.kernels.numpy import (
    activations,
    attention,
    convolution,
    division,
    elementwise,
    error_function,
    fractional_pooling,
    gamma,
    gather_scatter,
    grid_sampling,
    matrices,
    moments,
    normalization,
    ordering,
    pooling,
    recurrent,
    reduction,
    resizing,
    rounding,
    special,
)
from pellucid.kernels.numpy.rounding import ROUNDED_UFUNCS
from pellucid.kernels.numpy.special import SPECIAL_FUNCTIONS
from pellucid.kernels.random import single_precision

#: the modules whose public functions are kernels
_MODULES = (
    activations, attention, convolution, division, elementwise, error_function,
    fractional_pooling, gamma, gather_scatter, grid_sampling, matrices, moments, normalization,
    ordering, pooling, recurrent, reduction, resizing, special,
)  # fmt: skip
_ADAPTING_BLOCK = 31 << 20


def no_step(*_: Any) -> Any:
    """Decline to step: the optimizer's own formula does it, with NumPy's functions."""
    return NotImplemented


class NumpyBackend:
    """A set of kernels for arrays in main memory.

    A public function of `_MODULES` is the kernel of its name; a special function is SciPy's, and so
    are Fourier transforms; any other name is NumPy's. It is looked up once and then kept on the
    instance.
    """

    arrays: ModuleType = np

    sinc = staticmethod(rounding.sinc)
    grouped_normals = staticmethod(single_precision.grouped_normals)
    adam_step = sgd_step = adadelta_step = rmsprop_step = staticmethod(no_step)

    def has_kernel(self, name: str) -> bool:
        """Whether there is a kernel of this name; nothing is imported to find out."""
        known = name in ROUNDED_UFUNCS or name in SPECIAL_FUNCTIONS
        return known or hasattr(type(self), name) or hasattr(self.arrays, name)

    def __getattr__(self, name: str) -> Any:
        if name in ROUNDED_UFUNCS:
            kernel = ROUNDED_UFUNCS[name]
        elif name in SPECIAL_FUNCTIONS:
            kernel = special.special(name)
        else:
            kernel = fourier_transforms() if name == "fft" else getattr(self.arrays, name)
        setattr(self, name, kernel)
        return kernel


for _module in _MODULES:
    for _name, _kernel in vars(_module).items():
        if getattr(_kernel, "__module__", "") == _module.__name__ and not _name.startswith("_"):
            setattr(NumpyBackend, _name, staticmethod(_kernel))


def fourier_transforms() -> ModuleType:
    """Return the Fourier transforms, which load a part of SciPy."""
    from pellucid.kernels.numpy import fourier

    return fourier


def _keep_freed_memory() -> None:
    """Make the C library reuse the memory of arrays instead of returning it after each one.

    glibc raises its thresholds to the largest block freed so far, up to 32 MiB. This one is never
    written, so it costs nothing; without it every array above 128 KiB can mean fresh pages from
    the system, which takes longer than the arithmetic.
    """
    np.empty(_ADAPTING_BLOCK, np.uint8)


_keep_freed_memory()
