"""The compiled kernels; where they do not take an array, the NumPy ones run.

See ``_native/kernels/functions.hpp`` for what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from pellucid._native import compiled
from pellucid.kernels.numpy import Array, activations, elementwise, resizing
from pellucid.kernels.numpy.backend import NumpyBackend

Kernel = Callable[..., Any]


class NativeKernels(NumpyBackend):
    """The kernels of `NumpyBackend`, compiled ones where there are any."""

    def __init__(self, module: Any) -> None:
        native = module.kernels
        for name, function in vars(native).items():
            if callable(function) and self.has_kernel(name):
                reference = getattr(self, name)
                if isinstance(function, np.ufunc):
                    setattr(self, name, _for_dtypes(module, function, reference))
                else:
                    setattr(self, name, module.kernel_with_fallback(function, reference))
        self.clip = _clip(self.clip)
        self.gelu = _gelu(module, activations.gelu)
        self.relu_backward = _relu_backward(native.relu_backward, elementwise.relu_backward)
        self.multiply_along = _multiply_along(native.multiply_along, resizing.multiply_along)
        self.resize = partial(resizing.resize, along=self.multiply_along, pick=self.take_grid)
        self.resize_to_input = partial(resizing.resize_to_input, along=self.multiply_along)
        self.total = _total(native.channel_sums, self.total)
        self.index_put_add = _index_put_add(native.embedding_to_weight, self.index_put_add)


def _for_dtypes(module: Any, native: np.ufunc, reference: Kernel) -> Kernel:
    """Return a kernel that runs `native` for the dtypes that it has loops for."""
    if any(loop[0] == "O" for loop in native.types):  # NumPy's own for the others are among them
        return native

    @wraps(reference)
    def kernel(*operands: Any) -> Any:
        return reference(*operands)

    named: Any = kernel
    named.loops = native
    return module.ufunc_with_fallback(native, named)


def _clip(within: Kernel) -> Kernel:
    """Return `clip`, which takes None for bounds, by a kernel that takes numbers."""

    @wraps(elementwise.clip)
    def clip(x: Any, low: Any, high: Any) -> Array:
        if low is None and x.dtype.kind == "f":
            low = -np.inf
        elif high is None and x.dtype.kind == "f":
            high = np.inf
        return within(x, low, high)

    return clip


def _gelu(module: Any, reference: Kernel) -> Kernel:
    exact = _for_dtypes(module, module.kernels.gelu, reference)
    by_tanh = _for_dtypes(module, module.kernels.gelu_tanh, partial(reference, approximate="tanh"))

    @wraps(reference)
    def gelu(x: Array, approximate: str = "none") -> Array:
        return by_tanh(x) if approximate == "tanh" else exact(x)

    return gelu


def _relu_backward(native: Kernel, reference: Kernel) -> Kernel:
    @wraps(reference)
    def relu_backward(g: Array, out: Array) -> Array:
        if g.dtype is not out.dtype or g.dtype.char not in "fd":
            return reference(g, out)
        return np.asarray(native(g, out))

    return relu_backward


def _index_put_add(embedding_to_weight: Kernel, reference: Kernel) -> Kernel:
    """Return the transpose of indexing, compiled where one array of indices chooses rows."""

    @wraps(reference)
    def index_put_add(shape: Any, dtype: Any, index: Any, values: Array) -> Array:
        rows: Any = index[0] if isinstance(index, tuple) and len(index) == 1 else index
        usual = isinstance(rows, np.ndarray) and rows.dtype == np.int64
        if usual and values.dtype is dtype and values.shape == (*rows.shape, *shape[1:]):
            found = embedding_to_weight(values, rows, shape[0])
            if found is not NotImplemented:
                return found
        return reference(shape, dtype, index, values)

    return index_put_add


def _multiply_along(native: Kernel, reference: Kernel) -> Kernel:
    @wraps(reference)
    def multiply_along(matrix: Any, x: Array, axis: int) -> Array:
        found = native(matrix.data, matrix.indices, matrix.indptr, x, axis)
        return reference(matrix, x, axis) if found is NotImplemented else found

    return multiply_along


def _total(channel_sums: Kernel, reference: Kernel) -> Kernel:
    """Return sums, compiled ones over all but the channels, as in the gradient of a bias."""

    @wraps(reference)
    def total(x: Array, axes: Any, keepdims: bool) -> Array:
        if x.ndim > 2 and axes == (0, *range(2, x.ndim)) and x.flags.c_contiguous:
            found = channel_sums(x)
            if found is not NotImplemented:
                return found.reshape(1, -1, *(1,) * (x.ndim - 2)) if keepdims else found
        return reference(x, axes, keepdims)

    return total


def chosen() -> NumpyBackend:
    """Return the compiled kernels if there are any, else NumPy's."""
    return NumpyBackend() if compiled is None else NativeKernels(compiled)
