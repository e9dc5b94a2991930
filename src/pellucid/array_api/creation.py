"""Functions of the standard that make arrays."""

from __future__ import annotations

from typing import Any, Literal

import pellucid as torch
from pellucid.dtypes import dtype as Dtype
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor

Shape = int | tuple[int, ...]
Device = torch.device | str | None


def asarray(
    obj: Any, /, *, dtype: Dtype | None = None, device: Device = None, copy: bool | None = None
) -> Tensor:
    """Return an array of numbers, sequences, or arrays; memory is shared where it can be.

    An array with a history keeps it. With ``copy=False``, raises ValueError if memory cannot be
    shared.

    Args:
        obj: Number, nested sequence of numbers or arrays, or array.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
        copy: Whether memory is copied: always, never, or, if None, only where it has to be.
    """
    if not isinstance(obj, Tensor):
        return torch.asarray(obj, dtype=dtype, device=device, copy=copy)
    if copy is False and dtype is not None and dtype != obj.dtype:
        raise ArgumentError(f"an array of {obj.dtype} cannot become one of {dtype} without a copy")
    return obj.to(device=device, dtype=dtype or obj.dtype, copy=bool(copy))


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Dtype | None = None,
    device: Device = None,
) -> Tensor:  # fmt: skip
    """Return numbers at equal steps from ``start`` to before ``stop``; without it, from 0.

    Args:
        start: First number; where numbers end, if ``stop`` is not given.
        stop: Where numbers end; it is not among them.
        step: Distance of neighbours.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
    """
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) / step > 0:
        return torch.arange(first, last, step, dtype=dtype, device=device)
    first += 0 * last  # of the type that both have together
    return torch.arange(first, first + step, step, dtype=dtype, device=device)[:0]


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Dtype | None = None,
    device: Device = None, endpoint: bool = True,
) -> Tensor:  # fmt: skip
    """Return ``num`` numbers at equal distances; ``endpoint`` says whether ``stop`` is the last.

    Args:
        start: First number.
        stop: Last number, or the one after it.
        num: How many numbers there are.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
        endpoint: Whether ``stop`` is the last of them.
    """
    if dtype is None and isinstance(start + stop, complex):
        dtype = torch.promote_types(torch.get_default_dtype(), torch.complex64)
    count = num if endpoint else num + 1
    return torch.linspace(start, stop, count, dtype=dtype, device=device)[:num]


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Dtype | None = None,
    device: Device = None,
) -> Tensor:  # fmt: skip
    """Return a matrix of zeros with ones on its ``k``-th diagonal.

    Args:
        n_rows: Number of rows.
        n_cols: Number of columns; that of rows if None.
        k: Which diagonal: above the main one if positive, below it if negative.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
    """
    columns = n_rows if n_cols is None else n_cols
    matrix = torch.zeros(n_rows, columns, dtype=dtype, device=device)
    if -n_rows < k < columns:
        matrix.diagonal(k).fill_(1)
    return matrix


def empty(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array whose values are not set.

    Args:
        shape: Sizes of the result.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
    """
    return torch.empty(shape, dtype=dtype, device=device)


def zeros(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of zeros.

    Args: As for `empty`.
    """
    return torch.zeros(shape, dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of ones.

    Args: As for `empty`.
    """
    return torch.ones(shape, dtype=dtype, device=device)


def full(
    shape: Shape, fill_value: complex, *, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return an array of one value; its type decides the dtype if none is given.

    Args:
        shape, dtype, device: As for `empty`.
        fill_value: Number that all elements have.
    """
    size = (shape,) if isinstance(shape, int) else shape
    return torch.full(size, fill_value, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of the shape and dtype of ``x`` whose values are not set.

    Args:
        x: Array.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
    """
    return torch.empty_like(x, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of zeros of the shape and dtype of ``x``.

    Args: As for `empty_like`.
    """
    return torch.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of ones of the shape and dtype of ``x``.

    Args: As for `empty_like`.
    """
    return torch.ones_like(x, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: complex, *, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return an array of one value, of the shape and dtype of ``x``.

    Args:
        x: Array.
        fill_value, dtype, device: As for `full`.
    """
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def from_dlpack(x: Any, /, *, device: Device = None, copy: bool | None = None) -> Tensor:
    """Return an array over the memory of another library's, by the DLPack protocol.

    Args:
        x: Array of another library, with ``__dlpack__``.
        device: Device of the result; the CPU is the only one that computes.
        copy: Whether memory is copied: always, never, or, if None, only where it has to be.
    """
    return torch.from_dlpack(x, device=device, copy=copy)


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of the points of a grid, one array for each direction.

    Args:
        arrays: Vectors of coordinates, one for each direction.
        indexing: ``"xy"`` if the first direction runs along the second axis, else ``"ij"``.
    """
    return tuple(torch.meshgrid(*arrays, indexing=indexing))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros above their ``k``-th diagonal.

    Args:
        x: Matrices, in the last two axes.
        k: Which diagonal: above the main one if positive, below it if negative.
    """
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros below their ``k``-th diagonal.

    Args: As for `tril`.
    """
    return torch.triu(x, k)
