"""Tensors of evenly spaced numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.construct import evenly_spaced, made_at_once, numpy_dtype_of, placed_tensor
from pellucid.core.definition.public import SEQUENCE, public
from pellucid.core.errors.op_errors import unsupported
from pellucid.device import meta_device
from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.kernels.meta import is_meta
from pellucid.tensors import Tensor
from pellucid.tensors.creation import checked_number, plain_number


def _range_dtype(dtype: Any, numbers: tuple[Any, ...]) -> np.dtype[Any]:
    integral = all(isinstance(number, int) for number in numbers)
    return numpy_dtype_of(dtype, np.dtype(np.int64) if integral else dtypes.default())


def _refuse_kinds(name: str, numpy_dtype: np.dtype[Any], kinds: str = "bcW") -> None:
    if numpy_dtype.kind in kinds or dtypes.is_float8(numpy_dtype):
        raise unsupported(f"{name}_cpu", numpy_dtype)


@public("arange", out=SEQUENCE)
@made_at_once()
def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Count from ``start`` to just below ``end``; the dtype is int64 if all three are integers.

    Raises RuntimeError for a step of zero or of the wrong sign.

    Args:
        start: First value.
        end: Bound of the values.
        step: Distance from one element to the next.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.arange(1, 2, 0.25)
    tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
    if end is None:
        if start is None:
            raise ArgumentTypeError(
                "arange() received an invalid combination of arguments - got (): where to end is "
                "missing"
            )
        start, end = 0, start
    given = {"start": 0 if start is None else start, "end": end, "step": step}
    start, end, step = (plain_number(checked_number("arange", *each)) for each in given.items())
    numpy_dtype = _range_dtype(dtype, (start, end, step))
    _refuse_kinds("arange", numpy_dtype)
    if step == 0 or (numpy_dtype == np.int64 and not int(step)):
        raise ShapeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise ShapeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise ShapeError(
            "upper bound and lower bound inconsistent with step sign: "
            f"from {start} to {end} by {step}"
        )
    if numpy_dtype == np.int64:
        bounds = (dtypes.fitted_number(each, numpy_dtype) for each in (start, end, step))
        array = np.arange(*bounds, dtype=np.int64)
    else:
        count = math.ceil((end - start) / step)
        if numpy_dtype.kind in "iu":  # as PyTorch: counted by the numbers as they are given
            start, step = int(start), int(step)
        array = (start + np.arange(count) * step).astype(numpy_dtype)
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("range", out=SEQUENCE)
def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Count from ``start`` to ``end``, both included; `arange` is to be preferred.

    Args:
        start, end, step, dtype, layout, device, requires_grad: As for `arange`.

    Raises:
        RuntimeError: If ``step`` is 0, or leads away from ``end``.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    for name, value in (("start", start), ("end", end), ("step", step)):
        if value is not None:
            checked_number("range", name, value)
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values "
        "in [start, end).",
        UserWarning,
        stacklevel=user_stacklevel(),
    )
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    _refuse_kinds("range", numpy_dtype)
    inconsistent = (end - start) * step < 0
    if numpy_dtype.kind in "iu":
        start, end, step = int(start), int(end), int(step)
    if not step:
        raise ShapeError("step must be nonzero")
    if inconsistent:
        raise ShapeError("upper bound and lower bound inconsistent with step sign")
    count = math.floor((end - start) / step) + 1
    array = (start + np.arange(count) * step).astype(numpy_dtype)
    return placed_tensor(array, device, False, requires_grad)


def _ends(name: str, start: Any, end: Any) -> tuple[Any, Any]:
    """Return the first and the last of evenly spaced numbers, which may come as 0-d tensors."""
    for which, value in (("start", start), ("end", end)):
        if isinstance(value, TensorBase) and value._array.ndim:
            raise ShapeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {which} with "
                f"{value._array.ndim} dimension(s)."
            )
    return _number(start), _number(end)


def _number(end: Any) -> Any:
    """Return an end as a number; zero for a tensor without values, whose result has none either."""
    if isinstance(end, TensorBase) and is_meta(end._array):
        return 0j if dtypes.is_complex_dtype(end._array.dtype) else 0.0
    return plain_number(end)


def _place(device: Any, *ends: Any) -> Any:
    """Return where to put numbers between two ends: where a tensor among them is."""
    on_meta = any(isinstance(end, TensorBase) and is_meta(end._array) for end in ends)
    return meta_device if device is None and on_meta else device


def _dtype_between(ends: tuple[Any, Any]) -> np.dtype[Any]:
    """Return the default dtype of numbers between two ends: complex if one of them is."""
    default = dtypes.default()
    if any(isinstance(end, complex) for end in ends):
        return dtypes.complex_counterpart(default)
    return default


@public("linspace", out=SEQUENCE)
@made_at_once()
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make ``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    Args:
        start, dtype, layout, device, requires_grad, pin_memory: As for `arange`.
        end: Last value.
        steps: Number of elements.

    Raises:
        TypeError: If ``steps`` is not an int.

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    if not hasattr(steps, "__index__"):
        raise ArgumentTypeError(
            f"linspace(): argument 'steps' (position 3) must be int, not {type(steps).__name__}"
        )
    device = _place(device, start, end)
    start, end = _ends("linspace", start, end)
    numpy_dtype = numpy_dtype_of(dtype, _dtype_between((start, end)))
    _refuse_kinds("linspace", numpy_dtype, "b")
    array = evenly_spaced(start, end, steps, numpy_dtype)
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("logspace", out=SEQUENCE)
@made_at_once()
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make ``steps`` numbers from ``base ** start`` to ``base ** end``, with even ratios.

    Args:
        start: First exponent.
        end: Last exponent.
        steps, dtype, layout, device, requires_grad, pin_memory: As for `linspace`.
        base: Base of the powers.

    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    device = _place(device, start, end)
    ends = _ends("logspace", start, end)
    numpy_dtype = numpy_dtype_of(dtype, _dtype_between(ends))
    _refuse_kinds("logspace", numpy_dtype, "b")
    work = numpy_dtype if numpy_dtype.kind in "fc" else np.dtype(np.float64)
    ends = [dtypes.fitted_number(each, numpy_dtype) for each in ends]  # as PyTorch, before all else
    exponents = evenly_spaced(*ends, steps, work)
    with np.errstate(all="ignore"):
        array = np.power(work.type(base), exponents).astype(numpy_dtype)
    return placed_tensor(array, device, pin_memory, requires_grad)
