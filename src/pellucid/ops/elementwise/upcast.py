"""Functions of several ops in half precision: computed in single precision and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import float32, from_numpy_dtype, is_float8, is_half
from pellucid.ops.shape.copying import cast

# Where PyTorch has one kernel there are several ops here, and each would round its result; in the
# gradients such errors add up. See Note [Half precision] in half.py for what single ops do.


def all_half(*tensors: Any) -> bool:
    """Return whether tensors, apart from those that are None, are of one half precision.

    Of float8 each op says what PyTorch's kernels refuse.
    """
    dtypes = {each.dtype for each in tensors if each is not None}
    if len(dtypes) != 1:
        return False
    numpy_dtype = next(iter(dtypes)).numpy
    return is_half(numpy_dtype) and not is_float8(numpy_dtype)


def rounded_once(function: Callable[..., Any], first: Any, *args: Any, **options: Any) -> Any:
    """Call a function with tensors of half precision in single precision; round the result."""
    wide = [_wide(each) for each in (first, *args)]
    result = function(*wide, **{name: _wide(each) for name, each in options.items()})
    return cast(result, from_numpy_dtype(first._array.dtype))


def _wide(value: Any) -> Any:
    if isinstance(value, TensorBase) and is_half(value._array.dtype):
        return cast(value, float32)
    return value
