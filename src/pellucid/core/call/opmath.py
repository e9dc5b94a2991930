"""Half precision: float16, bfloat16, complex32 and float8 hold values, which others compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pellucid.core.definition.op import Op
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.memory.writing import by_element
from pellucid.dtypes import (
    complex_counterpart,
    is_float8,
    is_half,
    real_counterpart,
    to_numpy_dtype,
    wide_counterpart,
)
from pellucid.kernels.active import cpu

# Note [Half precision]
# The body of an op is given float32 for float16, bfloat16 and float8 (which few ops have an
# operation for: `Op.float8`), and complex64 for complex32; what it returns is rounded once.
# A backward does the same: its formulas, run on arrays, see float32 and only the gradients that
# they return are rounded, when the engine fits them to their inputs. Three kinds of op differ
# (`Op.half`): views and plain copies have no arithmetic ("bitwise"); a single operation that
# NumPy rounds correctly, or a body that widens by itself, may be called directly ("native"), but
# not with complex32 and float8.

_SINGLE = np.dtype(np.float32)
_COMPLEX = np.dtype(np.complex64)


def wide(value: Any) -> Any:
    """Return an array of half precision in float32 or complex64; anything else as it is."""
    if isinstance(value, np.ndarray | np.generic) and is_half(value.dtype):
        dtype = wide_counterpart(value.dtype)
        return by_element(lambda each: each.astype(dtype), value)
    if isinstance(value, list):
        return [wide(each) for each in value]
    return value


def refuse_half(kernel: str, *tensors: Any) -> None:
    """Raise NotImplementedError for a tensor of half precision, as PyTorch's ``kernel`` does."""
    for tensor in tensors:
        if is_half(tensor._array.dtype):
            raise unsupported(kernel, tensor._array.dtype)


def refuse_kinds(kernel: str, kinds: str, *tensors: Any) -> None:
    """Raise NotImplementedError for a tensor of one of NumPy's ``kinds``; c is complex32 too.

    There are no such kernels for float8 either.
    """
    for tensor in tensors:
        dtype = tensor._array.dtype
        if dtype.kind.replace("W", "c") in kinds or is_float8(dtype):
            raise unsupported(kernel, dtype)


def precision(op: Op, arrays: Any, params: tuple[Any, ...]) -> tuple[bool, np.dtype[Any] | None]:
    """Return whether the operands are to be widened, and to what the outputs are to be narrowed."""
    if op.half == "bitwise":
        return False, None
    flat = arrays[0] if op.variadic else arrays
    half = _common_half(op, flat)
    asked = None if op.dtype_param is None else params[op.dtype_param]
    if asked is None:
        return half is not None, half
    target = to_numpy_dtype(asked)
    return half is not None, target if is_half(target) else None


def _common_half(op: Op, arrays: Iterable[Any]) -> np.dtype[Any] | None:
    """Return the half precision of the operands, if they have one.

    Operands that have met in a dtype are half only all together. Where each keeps its own, the
    body is to see different dtypes as they are.
    """
    found: np.dtype[Any] | None = None
    for array in arrays:
        dtype = getattr(array, "dtype", None)
        if dtype is None or dtype.kind not in "fVW" or (not array.ndim and not is_half(dtype)):
            continue
        if found is None:
            found = dtype
        elif dtype != found and not op.promotes:
            return None
        elif is_half(dtype):
            found = dtype if op.promotes else found
    return found if found is not None and is_half(found) else None


def is_wider(op: Op, target: Any, arrays: list[Any]) -> bool:
    """Return whether the result is computed in a wider dtype than it is kept in."""
    return is_half(target.dtype) and (
        op.half == "upcast"
        or (op.half == "native" and is_float8(target.dtype))
        or (op.half == "native" and any(each.dtype != target.dtype for each in arrays))
    )


def run_wide(
    op: Op, run: Callable[..., Any], arrays: Any, params: tuple[Any, ...],
    half: np.dtype[Any] | None,
) -> Any:  # fmt: skip
    """Run a body on float32, and round its outputs to half precision if one is given."""
    arrays = [wide(each) for each in arrays]
    if half is not None and op.dtype_param is not None and params[op.dtype_param] is not None:
        # what is asked for in half precision is what its rounded values give
        arrays = [_rounded(each, half) for each in arrays]
        params = (*params[: op.dtype_param], None, *params[op.dtype_param + 1 :])
    returned = run(op, arrays, params)
    if half is None:
        return returned
    if op.single:
        return narrowed(returned, half)
    count = len(returned) if op.many else len(op.outputs)
    return [
        narrowed(each, half) if position < count else each for position, each in enumerate(returned)
    ]


def _rounded(array: Any, half: np.dtype[Any]) -> Any:
    if array.__class__ is list:
        return [_rounded(each, half) for each in array]
    return array.astype(half).astype(wide_counterpart(half)) if hasattr(array, "dtype") else array


def narrowed(array: Any, half: np.dtype[Any]) -> Any:
    """Round an array of float32 or complex64 to half precision; leave other dtypes alone."""
    array = np.asanyarray(array)
    if array.dtype == _SINGLE:
        return cpu.cast(array, real_counterpart(half))
    if array.dtype == _COMPLEX and half.kind != "V":
        return array.astype(complex_counterpart(half))
    return array
