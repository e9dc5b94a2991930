"""Data types of the standard: which there are, and how they meet."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

import pellucid as torch
from pellucid.dtypes import bool_, from_numpy_dtype
from pellucid.dtypes import dtype as Dtype
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.tensors import Tensor

#: the dtypes of each kind that the standard has a word for
KINDS: dict[str, tuple[Dtype, ...]] = {
    "bool": (bool_,),
    "signed integer": (torch.int8, torch.int16, torch.int32, torch.int64),
    "unsigned integer": (torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    "real floating": (torch.float32, torch.float64),
    "complex floating": (torch.complex64, torch.complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


# ---- promotion ----------------------------------------------------------------------------------


def result_type(*arrays_and_dtypes: Tensor | Dtype | complex) -> Dtype:
    """Return the dtype of what arrays, dtypes and numbers give together.

    A number widens nothing: it only asks for a kind of dtype, such as floating point.

    Args:
        arrays_and_dtypes: Arrays, dtypes and numbers, at least one of which is not a number.
    """
    given = [getattr(each, "dtype", each) for each in arrays_and_dtypes]
    dtypes = [each for each in given if isinstance(each, Dtype)]
    if not dtypes:
        raise ArgumentError("result_type() needs at least one array or dtype")
    result = functools.reduce(_promoted_pair, dtypes)
    for number in given:
        if not isinstance(number, Dtype):
            result = torch.result_type(torch.empty(1, dtype=result), number)
    return result


def _promoted_pair(first: Dtype, second: Dtype) -> Dtype:
    if first in KINDS["integral"] and second in KINDS["integral"]:
        # NumPy's rule is the standard's; PyTorch has none for large unsigned integers
        return from_numpy_dtype(np.promote_types(first.numpy, second.numpy))
    return torch.promote_types(first, second)


def promoted(*operands: Tensor | complex) -> list[Tensor]:
    """Return operands, of which some may be numbers, as tensors of one dtype.

    Args:
        operands: Arrays and numbers, at least one of which is an array.
    """
    if not any(isinstance(each, Tensor) for each in operands):
        kinds = ", ".join(type(each).__name__ for each in operands)
        raise ArgumentTypeError(f"one operand has to be an array; got {kinds}")
    dtype = result_type(*operands)
    return [
        each.to(dtype) if isinstance(each, Tensor) else torch.tensor(each, dtype=dtype)
        for each in operands
    ]


def can_cast(from_: Dtype | Tensor, to: Dtype, /) -> bool:
    """Return whether all values of one dtype can be held by another.

    Args:
        from_: Dtype, or an array of it.
        to: Dtype.
    """
    given = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return _promoted_pair(given, to) == to
    except RuntimeError:  # PyTorch has no rule for some pairs
        return False


def isdtype(dtype: Dtype, kind: Dtype | str | tuple[Dtype | str, ...]) -> bool:
    """Return whether a dtype is of a kind, or of one of several.

    Args:
        dtype: Dtype that is asked about.
        kind: Dtype, name of a kind such as ``"integral"``, or several of these.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, Dtype):
        return dtype == kind
    if kind not in KINDS:
        raise ArgumentError(f"unknown kind of dtype: {kind!r}; known are {', '.join(KINDS)}")
    return dtype in KINDS[kind]


def astype(
    x: Tensor, dtype: Dtype, /, *, copy: bool = True, device: torch.device | None = None
) -> Tensor:
    """Return an array in another dtype; with ``copy=False`` the array itself, if it has it.

    Args:
        x: Array.
        dtype: Dtype of the result.
        copy: Whether an array that has the dtype already is copied.
        device: Device of the result; the CPU is the only one that computes.
    """
    return x.to(device=device, dtype=dtype, copy=copy)


# ---- limits -------------------------------------------------------------------------------------


class FloatLimits(NamedTuple):
    """Limits of the numbers of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Dtype


class IntegerLimits(NamedTuple):
    """Limits of the numbers of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Dtype


def finfo(type: Dtype | Tensor, /) -> FloatLimits:
    """Return the limits of a floating-point dtype, or of the parts of a complex one.

    Args:
        type: Dtype, or an array of it.
    """
    dtype = type.dtype if isinstance(type, Tensor) else type
    real = dtype.to_real()
    found = torch.finfo(real)
    return FloatLimits(found.bits, found.eps, found.max, found.min, found.smallest_normal, real)


def iinfo(type: Dtype | Tensor, /) -> IntegerLimits:
    """Return the limits of an integer dtype.

    Args:
        type: Dtype, or an array of it.
    """
    dtype = type.dtype if isinstance(type, Tensor) else type
    found = torch.iinfo(dtype)
    return IntegerLimits(found.bits, found.max, found.min, dtype)


# ---- shapes that meet ---------------------------------------------------------------------------


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Return arrays in the shape that they have in common.

    Args:
        arrays: Arrays.
    """
    return tuple(torch.broadcast_tensors(*arrays))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that several shapes have in common.

    Args:
        shapes: Shapes.

    Raises:
        ArgumentError: If they have none (a ``ValueError``).
    """
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except ShapeError as error:
        raise ArgumentError(str(error)) from None


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """Return an array repeated to a larger shape, without a copy.

    Args:
        x: Array.
        shape: The larger shape.
    """
    return torch.broadcast_to(x, shape)
