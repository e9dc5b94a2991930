"""Integrals and slopes of sampled functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.dtypes import is_differentiable
from pellucid.errors import ArgumentTypeError, DomainError, DtypeError, ShapeError
from pellucid.ops.elementwise.arithmetic import by_number
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.reduce.scan import cumsum
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.splitting import narrow
from pellucid.shapes import dims_from_end, real_dim


def _areas(function: str, y: Any, x: Any, dx: Any, dim: int) -> tuple[Any, int]:
    """Return twice the area between each two neighbours along a dimension, for a distance of 1."""
    axis = real_dim(dim, y.ndim)
    if isinstance(dx, bool):
        raise DomainError(f"{function}: Currently, we only support dx as a real number.")
    if dx is not None:
        require(function, "float", dx=dx)
    if y._array.dtype.kind == "b" or (x is not None and x._array.dtype.kind == "b"):
        raise DtypeError(
            f"{function}: received a bool input for `x` or `y`, but bool is not supported"
        )
    if x is not None and dx is not None:
        raise ArgumentTypeError(
            f"{function}() received an invalid combination of arguments - got both x and dx; give "
            "the coordinates of the samples or the distance between them"
        )
    steps = y.shape[axis] - 1
    if steps < 0:
        return y, axis
    pairs = narrow(y, axis, 0, steps) + narrow(y, axis, 1, steps)
    if x is None:
        return pairs, axis
    return pairs * _distances(function, y, x, axis), axis


def _times(tensor: Any, number: Any) -> Any:
    """Multiply by a number, of which a node keeps nothing that is freed."""
    return by_number(tensor, number) if _is_plain(tensor, number) else tensor * number


def _over(tensor: Any, number: Any) -> Any:
    return by_number(tensor, number, True) if _is_plain(tensor, number) else tensor / number


def _is_plain(tensor: Any, number: Any) -> bool:
    return is_differentiable(tensor._array.dtype) and not isinstance(number, complex)


def _half(dx: float | None) -> float:
    """Return half the distance between samples: a fraction, which no integers have to hold."""
    return 0.5 if dx is None else dx / 2


def _distances(function: str, y: Any, x: Any, axis: int) -> Any:
    # as PyTorch counts it: from the end, but of coordinates of more dimensions from the front
    along = min(axis - y.ndim, axis - x.ndim)
    if x.ndim == 1:
        x = x.reshape(-1, *(1,) * (-along - 1))
    size = x.shape[along] if x.ndim >= -along else 1
    if size != y.shape[axis]:
        raise ShapeError(f"{function}: There must be one `x` value for each sample point")
    return narrow(x, along, 1, size - 1) - narrow(x, along, 0, size - 1)


@public("trapezoid trapz")
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Integrate samples along a dimension by the trapezoidal rule.

    ``x`` are the coordinates of the samples, or ``dx`` the distance between them, 1 by default.

    Args:
        y: Samples.
        x: Coordinates of the samples.
        dx: Distance between neighbouring samples.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    areas, axis = _areas("trapezoid", y, x, dx, dim)
    if not y._array.shape[axis]:
        return sum(areas.detach(), axis)  # of no samples, whose history nobody needs
    return _times(sum(areas, axis), _half(dx))


@public("cumulative_trapezoid")
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Integrate samples along a dimension up to each but the first, by the trapezoidal rule.

    Args: As for `trapezoid`.

    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
    areas, axis = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(_times(areas, _half(dx)), axis)


@public("gradient")
def gradient(
    input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[Any, ...]:
    """Estimate the slopes of a sampled function along each dimension, by central differences.

    ``spacing`` is a distance for all dimensions, one for each, or for each a vector of coordinates.
    ``edge_order`` is 1 or 2: how exact the slopes at the ends are. Raises RuntimeError for less
    than ``edge_order + 1`` samples.

    Args:
        input: Tensor of any shape.
        spacing: Distances between samples, or their coordinates.
        dim: Dimension or dimensions to differentiate along; all by default.
        edge_order: Order of the differences at the ends: 1 or 2.

    >>> torch.gradient(torch.tensor([1.0, 2.0, 4.0]))[0]
    tensor([1.0000, 1.5000, 2.0000])
    """
    if input._array.dtype == np.uint8:
        raise DtypeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise ShapeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = () if not input.ndim and dim is None else dims_from_end(dim, input.ndim)
    if any(input.shape[each] < edge_order + 1 for each in dims):
        raise ShapeError("torch.gradient expected each dimension size to be at least edge_order+1")
    spacings = _spacings(spacing, dims, dim, input.ndim)
    return tuple(
        _slopes_over(input, each, axis, edge_order) if isinstance(each, TensorBase)
        else _slopes(input, each, axis, edge_order)
        for each, axis in zip(spacings, dims, strict=True)
    )  # fmt: skip


def _spacings(spacing: Any, dims: Sequence[int], dim: Any, ndim: int) -> list[Any]:
    if spacing is None:
        spacing = 1
    if is_number(spacing):
        return [spacing] * len(dims)
    given = list(spacing)
    if len(given) == len(dims):
        return given
    if dim is None:
        expected = f"'self.dim() = {ndim}', since dim argument was not given, but"
    else:
        expected = f"'dim' = {len(dims)}, but"
    raise ShapeError(
        "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
        f"{expected} got a list of length {len(given)}"
    )


def _slopes(f: Any, step: Any, axis: int, edge_order: int) -> Any:
    size = f.shape[axis]
    inner = narrow(f, axis, 2, size - 2) - narrow(f, axis, 0, size - 2)
    inner = _over(inner, 2 * step)
    first, second = narrow(f, axis, 0, 1), narrow(f, axis, 1, 1)
    last, before = narrow(f, axis, size - 1, 1), narrow(f, axis, size - 2, 1)
    if edge_order == 1:
        return cat([_over(second - first, step), inner, _over(last - before, step)], axis)
    third, third_last = narrow(f, axis, 2, 1), narrow(f, axis, size - 3, 1)
    start = _over(_times(first, -3) + _times(second, 4) - third, 2 * step)
    end = _over(_times(last, 3) - _times(before, 4) + third_last, 2 * step)
    return cat([start, inner, end], axis)


def _slopes_over(f: Any, positions: Any, axis: int, edge_order: int) -> Any:
    """Return slopes for places that lie unevenly: those of the parabola through three points."""
    size = f.shape[axis]
    if positions.ndim != 1 or positions.shape[0] != size:
        raise ShapeError(
            "torch.gradient expected each tensor of coordinates to be 1-D, with one for each of "
            f"the {size} samples, but got the shape {list(positions.shape)}"
        )
    steps = (narrow(positions, 0, 1, size - 1) - narrow(positions, 0, 0, size - 1)).reshape(
        -1, *(1,) * (f.ndim - axis - 1)
    )
    rises = (narrow(f, axis, 1, size - 1) - narrow(f, axis, 0, size - 1)) / steps
    first, last = narrow(rises, axis, 0, 1), narrow(rises, axis, size - 2, 1)
    if size == 2:
        return cat([first, last], axis)
    before, after = narrow(steps, 0, 0, size - 2), narrow(steps, 0, 1, size - 2)
    left, right = narrow(rises, axis, 0, size - 2), narrow(rises, axis, 1, size - 2)
    inner = (left * after + right * before) / (before + after)
    if edge_order == 2:
        first = _times(first, 2) - narrow(inner, axis, 0, 1)
        last = _times(last, 2) - narrow(inner, axis, size - 3, 1)
    return cat([first, inner, last], axis)
