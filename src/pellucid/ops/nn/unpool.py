"""Max pooling undone: values put back to their places."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.core.call.opmath import refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.errors.determinism import alert_not_deterministic
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentError, ShapeError
from pellucid.ops.nn.conv import tuple_of
from pellucid.ops.nn.pool import write_spatial
from pellucid.shapes import as_tuple


def _unpooled(
    input: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Any, ndim: int
) -> Any:
    window = tuple_of("kernel_size", kernel, ndim)
    step = window if stride is None else tuple_of("stride", stride, ndim)
    pad = tuple_of("padding", padding, ndim)
    usual = tuple(
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(input.shape[-ndim:], step, pad, window, strict=True)
    )
    sizes = (
        usual
        if output_size is None
        else _asked_size(as_tuple(output_size, f"max_unpool{ndim}d", "output_size"), usual, step)
    )
    alert_not_deterministic(f"max_unpooling{max(ndim, 2)}d_forward_out")
    if indices._array.dtype != np.int64:
        raise ShapeError(
            f"elements in indices should be type int64 but got: {scalar_name(indices._array.dtype)}"
        )
    if tuple(indices.shape) != tuple(input.shape):
        raise ShapeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    positions = indices._array
    if positions.size and (positions.min() < 0 or positions.max() >= prod(sizes)):
        wrong = positions[(positions < 0) | (positions >= prod(sizes))][0]
        raise ShapeError(
            f"Found an invalid max index: {wrong} (output volumes are of size {sizes})"
        )
    lead = tuple(input.shape[: input.ndim - ndim])
    return write_spatial(input, indices, (*lead, *sizes), ndim)


def _asked_size(
    asked: tuple[int, ...], usual: tuple[int, ...], step: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the spatial part of the size asked for; raise ValueError if no pooling leads to it."""
    ndim = len(usual)
    asked = asked[2:] if len(asked) == ndim + 2 else asked
    if len(asked) != ndim:
        raise ArgumentError(
            f"output_size should be a sequence containing {ndim} or {ndim + 2} elements, but it "
            f"has a length of '{len(asked)}'"
        )
    for dim, (size, middle, reach) in enumerate(zip(asked, usual, step, strict=True)):
        if not middle - reach < size < middle + reach:
            raise ArgumentError(
                f'invalid output_size "{asked}" (dim {dim} must be between {middle - reach} and '
                f"{middle + reach})"
            )
    return asked


@public("nn.functional.max_unpool1d", reads_late=True)
def max_unpool1d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Write the maxima of `max_pool1d` back to where they were found, zeros elsewhere.

    Args:
        input: Pooled tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        indices: Indices that the pooling returned, in the shape of ``input``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool1d(torch.tensor([[1.0, 3.0]]), 2, return_indices=True)
    >>> F.max_unpool1d(out, places, 2)
    tensor([[0., 3.]])
    """
    refuse_kinds("max_unpool2d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 1)


@public("nn.functional.max_unpool2d", reads_late=True)
@autocasts(Autocast.FLOAT32)
def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Write the maxima of `max_pool2d` back to where they were found, zeros elsewhere.

    Args: As for `max_unpool1d`.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool2d(torch.ones(1, 2, 4), 2, return_indices=True)
    >>> F.max_unpool2d(out, places, 2).sum()
    tensor(2.)
    """
    refuse_kinds("max_unpool2d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 2)


@public("nn.functional.max_unpool3d", reads_late=True)
@autocasts(Autocast.FLOAT32)
def max_unpool3d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Write the maxima of `max_pool3d` back to where they were found, zeros elsewhere.

    Args: As for `max_unpool1d`.

    >>> F = torch.nn.functional
    >>> out, places = F.max_pool3d(torch.ones(1, 2, 2, 4), 2, return_indices=True)
    >>> F.max_unpool3d(out, places, 2).sum()
    tensor(2.)
    """
    refuse_kinds("max_unpool3d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 3)
