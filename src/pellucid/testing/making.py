"""Tensors of random values, for tests."""

from __future__ import annotations

import math
from typing import Any

from pellucid import dtypes
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.ops.elementwise.complexes import view_as_real
from pellucid.random import randint
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty
from pellucid.tensors.limits import finfo, iinfo


def make_tensor(
    *shape: Any, dtype: dtypes.dtype, device: Any, low: float | None = None,
    high: float | None = None, requires_grad: bool = False, noncontiguous: bool = False,
    exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of values drawn evenly from ``low`` (included) to ``high``.

    By default these are 0 and 2 for booleans, 0 and 10 for unsigned integers, -9 and 10 for signed
    ones, -9 and 9 for all others; they are moved into what the dtype can hold. ``exclude_zero``
    puts the smallest positive number in place of zeros, or 1. Raises ValueError for bounds that
    are not an interval and for integers that are to require grad, TypeError for other dtypes.

    Args:
        shape: Sizes, one by one or as a sequence.
        dtype: Dtype of the values.
        device: Device; the CPU is the only one.
        low: Lower bound.
        high: Upper bound, which is not drawn.
        requires_grad: Whether the result is a leaf that wants a gradient.
        noncontiguous: Whether elements lie apart in memory.
        exclude_zero: Whether zeros are replaced.
        memory_format: Order of the dimensions in memory.

    >>> x = torch.testing.make_tensor((2, 3), dtype=torch.float64, device="cpu", low=0, high=1)
    >>> x.shape, bool((x < 1).all())
    (torch.Size([2, 3]), True)
    """
    if not isinstance(dtype, dtypes.dtype) or dtype is dtypes.float8_e8m0fnu:
        raise ArgumentTypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()."
        )
    if requires_grad and dtype.rank < 2:
        raise ArgumentError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, but got "
            f"{dtype=}"
        )
    if noncontiguous and memory_format is not None:
        raise ArgumentError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    apart = noncontiguous and math.prod(sizes) > 1
    if apart:  # every second element of more
        sizes = (*sizes[:-1], 2 * sizes[-1])
    start, stop = _bounds(dtype, low, high)
    if dtype.rank < 2:
        result = randint(start, stop, sizes, dtype=dtype, device=device)
    else:
        is_short = dtype.itemsize == 1  # nothing is drawn of eight bits
        result = empty(sizes, dtype=dtypes.float32 if is_short else dtype, device=device)
        _fill_evenly(view_as_real(result) if dtype.is_complex else result, start, stop)
        result = result.to(dtype)
    if apart:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = _smallest(dtype)
    return result._switch_recording(True) if requires_grad else result


def _fill_evenly(tensor: Tensor, start: float, stop: float) -> None:
    if stop - start <= finfo(tensor.dtype).max:
        tensor.uniform_(start, stop)
    else:
        tensor.uniform_(start / 2, stop / 2).mul_(2)


def _bounds(dtype: dtypes.dtype, low: float | None, high: float | None) -> tuple[Any, Any]:
    """Return the interval to draw from, within what the dtype holds."""
    if dtype.rank == 0:
        defaults, least, most = (0, 2), 0, 2
    elif dtype.rank == 1:
        defaults = (-9, 10) if dtype.is_signed else (0, 10)
        least, most = iinfo(dtype).min, min(iinfo(dtype).max + 1, 2**63 - 1)
    else:
        defaults = (-9, 9)
        most = finfo(dtype).max
        least = -most
    start, stop = (
        default if given is None else given
        for given, default in zip((low, high), defaults, strict=True)
    )
    if math.isnan(start) or math.isnan(stop):
        raise ArgumentError(f"`low` and `high` cannot be NaN, but got low={start} and high={stop}")
    if start >= stop and not (dtype.rank > 1 and start == stop):
        raise ArgumentError(f"`low` must be less than `high`, but got {start} >= {stop}")
    start, stop = (max(least, min(each, most)) for each in (start, stop))
    return (math.ceil(start), math.ceil(stop)) if dtype.rank < 2 else (start, stop)


def _smallest(dtype: dtypes.dtype) -> Any:
    if dtype.rank < 2:
        return 1
    tiny = finfo(dtype).tiny
    return complex(tiny, tiny) if dtype.is_complex else tiny
