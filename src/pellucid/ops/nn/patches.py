"""Images cut into patches, and put together again."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.core.call.compiled import replayable
from pellucid.core.call.opmath import refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import public
from pellucid.core.families import linear
from pellucid.core.memory.layouts import contiguous
from pellucid.errors import ShapeError
from pellucid.ops.nn.conv import tuple_of
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.shape.broadcasting import strided_view
from pellucid.shapes import Like, real_dim


@linear(
    torch_kernel_name="im2col_out_cpu",
    node_name="im2_col", half="bitwise", layout=contiguous, batch=Batch.LAST_DIMS,
    compiled_kernel=("im2col", 4),
)  # fmt: skip
def im2col(be, input, /, kernel, dilation, stride, counts):
    """Copy all patches ``[*, C, H, W]``, as many in each dimension as counted, into columns."""
    *lead, channels, _, _ = input.shape
    *outer, row, column = input.strides
    steps = (row * dilation[0], column * dilation[1], row * stride[0], column * stride[1])
    patches = strided_view(be, input, (*lead, channels, *kernel, *counts), (*outer, *steps))
    return be.array(patches, order="C").reshape(*lead, channels * prod(kernel), prod(counts))


@im2col.vjp("input")
def im2col_input(g, input: Like, kernel, dilation, stride, counts):
    return col2im(g, tuple(input.shape[-3:]), kernel, dilation, stride, counts)


@linear(
    node_name="col2_im", layout=contiguous, batch=Batch.LAST_DIMS, compiled_kernel=("col2im", 5)
)
def col2im(be, input, /, shape, kernel, dilation, stride, counts):
    """Add up columns where their patches came from: the transpose of `im2col`."""
    lead = input.shape[:-2]
    patches = input.reshape(*lead, shape[0], *kernel, *counts)
    out = be.zeros((*lead, *shape), input.dtype)
    for position in np.ndindex(*kernel):
        rows, columns = (
            slice(at * apart, at * apart + (count - 1) * step + 1, step)
            for at, apart, step, count in zip(position, dilation, stride, counts, strict=True)
        )
        out[..., rows, columns] += patches[..., *position, :, :]
    return out


@col2im.vjp("input")
def col2im_input(g, kernel, dilation, stride, counts):
    return im2col(g, kernel, dilation, stride, counts)


def _check_windows(kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    """Raise RuntimeError for sizes of windows, and steps, that are not positive."""
    for name, values in (("kernel size", kernel), ("dilation", dilation), ("stride", stride)):
        if min(values) <= 0:
            raise ShapeError(f"{name} should be greater than zero, but got {list(values)}")
    if min(padding) < 0:
        raise ShapeError(f"padding should be non-negative, but got {list(padding)}")


@public("nn.functional.unfold")
@replayable
def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Cut images ``[N, C, H, W]`` into patches, one per column: ``[N, C * kH * kW, L]``.

    Args:
        input: Images ``[N, C, H, W]`` (`unfold`), or columns ``[N, C * kH * kW, L]``
            (`fold`); the batch may be missing.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.

    Raises:
        RuntimeError: If the input has neither three nor four dimensions, or no patch fits in it.

    >>> torch.nn.functional.unfold(torch.ones(1, 3, 4, 4), 2).shape
    torch.Size([1, 12, 9])
    """
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    if input.ndim < 3:
        real_dim(-1, input.ndim)
        real_dim(-2, input.ndim)
    if input.ndim != 4:
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    kernel, spread = tuple_of("kernel_size", kernel_size, 2), tuple_of("dilation", dilation, 2)
    pad, step = tuple_of("padding", padding, 2), tuple_of("stride", stride, 2)
    _check_windows(kernel, spread, pad, step)
    if any(pad):
        input = pad_constant(input, (pad[1], pad[1], pad[0], pad[0]))
    refuse_kinds("im2col_out_cpu", "iu", input)
    size = list(input.shape[2:])
    reach = [each * (count - 1) + 1 for each, count in zip(spread, kernel, strict=True)]
    height, width = (
        (n - most) // each + 1 for n, most, each in zip(size, reach, step, strict=True)
    )
    if height < 1 or width < 1:
        raise ShapeError(
            f"Given input with padded spatial size {size}, kernel_size={kernel}, "
            f"dilation={spread}: calculated shape of the array of sliding blocks as "
            f"({height}, {width}), but its components must be at least one."
        )
    return im2col(input, kernel, spread, step, (height, width))


@public("nn.functional.fold", reads_late=True)
@autocasts(Autocast.AS_GIVEN)
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
    stride: Any = 1,
) -> Any:  # fmt: skip
    """Add up patches ``[N, C * kH * kW, L]`` to images; where they overlap, they add up.

    Args:
        input, kernel_size, dilation, padding, stride: As for `unfold`.
        output_size: Size of the result, as a number or one per spatial dimension.

    Raises:
        RuntimeError: If the number of patches is not that of the output's size.

    >>> torch.nn.functional.fold(torch.ones(1, 4, 1), (2, 2), 2)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    if input.ndim not in (2, 3):
        raise ShapeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(input.shape)}"
        )
    if input.ndim == 2:
        return fold(
            input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride
        ).squeeze(0)
    size, kernel = tuple_of("output_size", output_size, 2), tuple_of("kernel_size", kernel_size, 2)
    spread, pad = tuple_of("dilation", dilation, 2), tuple_of("padding", padding, 2)
    step = tuple_of("stride", stride, 2)
    counts = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(size, pad, spread, kernel, step, strict=True)
    )
    _, rows, columns = input.shape
    channels, rest = divmod(rows, prod(kernel))
    if rest or columns != prod(counts):
        raise ShapeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={spread}, padding={pad}, "
            f"stride={step}, expected size of input's dimension 2 to match the calculated number "
            f"of sliding blocks {counts[0]} * {counts[1]} = {prod(counts)}, but got "
            f"input.size(2)={columns}."
        )
    shape = (channels, size[0] + 2 * pad[0], size[1] + 2 * pad[1])
    padded = col2im(input, shape, kernel, spread, step, counts)
    if not any(pad):
        return padded
    return pad_constant(padded, (-pad[1], -pad[1], -pad[0], -pad[0]))
