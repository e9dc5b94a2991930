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
    """Return numbers at equal steps from ``start`` to before ``stop``; without it, from 0."""
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) / step > 0:
        return torch.arange(first, last, step, dtype=dtype, device=device)
    like = torch.arange(first, first + step, step, dtype=dtype, device=device)
    return like[:0]


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Dtype | None = None,
    device: Device = None, endpoint: bool = True,
) -> Tensor:  # fmt: skip
    """Return ``num`` numbers at equal distances; ``endpoint`` says whether ``stop`` is the last."""
    if dtype is None and isinstance(start + stop, complex):
        dtype = torch.promote_types(torch.get_default_dtype(), torch.complex64)
    count = num if endpoint else num + 1
    return torch.linspace(start, stop, count, dtype=dtype, device=device)[:num]


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Dtype | None = None,
    device: Device = None,
) -> Tensor:  # fmt: skip
    """Return a matrix of zeros with ones on its ``k``-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    matrix = torch.zeros(n_rows, columns, dtype=dtype, device=device)
    if -n_rows < k < columns:
        matrix.diagonal(k).fill_(1)
    return matrix


def empty(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array whose values are not set."""
    return torch.empty(shape, dtype=dtype, device=device)


def zeros(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of zeros."""
    return torch.zeros(shape, dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of ones."""
    return torch.ones(shape, dtype=dtype, device=device)


def full(
    shape: Shape, fill_value: complex, *, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return an array of one value; its type decides the dtype if none is given."""
    size = (shape,) if isinstance(shape, int) else shape
    return torch.full(size, fill_value, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of the shape and dtype of ``x`` whose values are not set."""
    return torch.empty_like(x, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of zeros of the shape and dtype of ``x``."""
    return torch.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device = None) -> Tensor:
    """Return an array of ones of the shape and dtype of ``x``."""
    return torch.ones_like(x, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: complex, *, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return an array of one value, of the shape and dtype of ``x``."""
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def from_dlpack(x: Any, /, *, device: Device = None, copy: bool | None = None) -> Tensor:
    """Return an array over the memory of another library's, by the DLPack protocol."""
    return torch.from_dlpack(x, device=device, copy=copy)


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of the points of a grid, one array for each direction."""
    return tuple(torch.meshgrid(*arrays, indexing=indexing))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros above their ``k``-th diagonal."""
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros below their ``k``-th diagonal."""
    return torch.triu(x, k)
