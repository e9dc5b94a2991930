"""Which float8 an op takes: what the fact `float8` of an op may be, beside a bool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.dtypes import from_numpy_dtype

#: given the dtype, the operands' arrays and the parameters, returns the name of PyTorch's kernel
#: that does not take them, or None
Float8Rule = Callable[..., str | None]
#: the dtypes of float8 whose numbers have a sign
SIGNED = "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"


def among(names: str, kernel: str) -> Float8Rule:
    """Return the rule of an op that takes some dtypes alone."""
    return lambda dtype, *_: None if from_numpy_dtype(dtype).name in names.split() else kernel


def unless_one_element(dtype: np.dtype[Any], input: Any, other: Any) -> str | None:
    """Return the kernel of products with a number, or with a single element."""
    return "mul_cpu_reduced_float" if np.size(other) == 1 else None


def unless_exact(
    dtype: np.dtype[Any], input: Any, other: Any, rtol: float, atol: float, *_: Any
) -> str | None:
    """Return the kernel of what is allowed to differ, if anything is."""
    return None if rtol == atol == 0 else "mul_cpu_reduced_float"


def of_products(dtype: np.dtype[Any], left: Any, right: Any, *_: Any) -> str | None:
    """Return the kernel of products other than those of matrices."""
    if right.ndim == 1:
        return "dot" if left.ndim == 1 else "addmv_impl_cpu"
    return "bmm" if right.ndim > 2 else _of_matrices(dtype)


def of_sums_with_products(
    dtype: np.dtype[Any], input: Any, left: Any, right: Any, *_: Any
) -> str | None:
    """Return the same for a sum with a product."""
    if right.ndim == 1:
        return "addmv_impl_cpu"
    return "baddbmm" if right.ndim > 2 else _of_matrices(dtype)


_of_matrices = among(SIGNED, "addmm_impl_cpu_")


def unless_along_memory(dtype: np.dtype[Any], input: Any, dims: Any) -> str | None:
    """Return the kernel that reverses the order of elements that lie next to each other."""
    reversed_there = any(input.strides[dim] == 1 for dim in dims or () if input.ndim)
    return "flip_cpu" if reversed_there else None


def unless_turned_along_memory(dtype: np.dtype[Any], input: Any, k: int, dims: Any) -> str | None:
    """Return the same for rotations by quarter turns, which reverse one dimension or both."""
    first, second = dims
    return unless_along_memory(dtype, input, ((), (second,), (first, second), (first,))[k % 4])


def unless_inside(dtype: np.dtype[Any], input: Any, pad: Any, mode: str) -> str | None:
    """Return the kernel of padding that is not made of slices."""
    names = {"reflect": "reflection", "replicate": "replication"}
    return f"{names[mode]}_pad{len(pad) // 2}d" if mode in names else None
