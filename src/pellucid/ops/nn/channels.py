"""Channels turned into pixels and back, and dealt out to groups."""

from __future__ import annotations

from math import prod
from typing import Any

from pellucid.core.call.compiled import replayable
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import public
from pellucid.core.families import linear
from pellucid.core.memory.layouts import of_images
from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.ops.shape.copying import in_layout_of_images


@public("pixel_shuffle nn.functional.pixel_shuffle")
@linear(
    torch_kernel_name="pixel_shuffle", half="bitwise", layout=of_images, batch=Batch.LAST_DIMS,
    compiled_kernel=("pixel_shuffle", 1),
)  # fmt: skip
def pixel_shuffle(be, input, /, upscale_factor):
    """Turn channels into pixels: ``[*, C * r * r, H, W]`` to ``[*, C, H * r, W * r]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        upscale_factor: Factor by which height and width grow.

    Raises:
        RuntimeError: If the number of channels is not a multiple of the square of the factor.

    >>> torch.nn.functional.pixel_shuffle(torch.ones(1, 8, 2, 2), 2).shape
    torch.Size([1, 2, 4, 4])
    """
    r = _factor(upscale_factor)
    if input.ndim < 3:
        raise ShapeError(
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.ndim} dimension(s)"
        )
    *lead, channels, height, width = input.shape
    if r <= 0 or channels % (r * r):
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    blocks = input.reshape(prod(lead), channels // (r * r), r, r, height, width)
    moved = blocks.transpose(0, 1, 4, 2, 5, 3)
    return moved.reshape(*lead, channels // (r * r), height * r, width * r)


def _factor(given: Any) -> Any:
    if given.__class__ is bool:
        raise ArgumentTypeError("a factor must be an int, not bool")
    return given


@pixel_shuffle.vjp("input")
def pixel_shuffle_input(g, upscale_factor):
    return pixel_unshuffle(g, upscale_factor)


@public("pixel_unshuffle nn.functional.pixel_unshuffle")
@linear(
    torch_kernel_name="pixel_unshuffle", half="bitwise", layout=of_images, batch=Batch.LAST_DIMS,
    compiled_kernel=("pixel_unshuffle", 1),
)  # fmt: skip
def pixel_unshuffle(be, input, /, downscale_factor):
    """Turn pixels into channels: ``[*, C, H * r, W * r]`` to ``[*, C * r * r, H, W]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        downscale_factor: Factor by which height and width shrink.

    Raises:
        RuntimeError: If height or width is not a multiple of the factor.

    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 2, 2])
    """
    r = _factor(downscale_factor)
    if input.ndim < 3:
        raise ShapeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.ndim} dimension(s)"
        )
    *lead, channels, height, width = input.shape
    for name, size in (("height", height), ("width", width)):
        if r <= 0 or size % r:
            raise ShapeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but {name} "
                f"{size} is not divisible by {r}"
            )
    blocks = input.reshape(prod(lead), channels, height // r, r, width // r, r)
    moved = blocks.transpose(0, 1, 3, 5, 2, 4)
    return moved.reshape(*lead, channels * r * r, height // r, width // r)


@pixel_unshuffle.vjp("input")
def pixel_unshuffle_input(g, downscale_factor):
    return pixel_shuffle(g, downscale_factor)


@public("channel_shuffle nn.functional.channel_shuffle")
@replayable
def channel_shuffle(input: Any, groups: int) -> Any:
    """Distribute the channels of ``[N, C, *S]`` to groups in turn.

    Args:
        input: Tensor ``[*, C, H, W]``.
        groups: Number of groups of channels.

    Raises:
        RuntimeError: If the number of channels is not a multiple of ``groups``.

    >>> torch.nn.functional.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    shape = tuple(input.shape)
    if len(shape) < 3:
        raise ShapeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}"
        )
    if groups <= 0 or shape[1] % groups:
        raise ShapeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} "
            "groups."
        )
    dealt = input.reshape(shape[0], groups, shape[1] // groups, prod(shape[2:]))
    return in_layout_of_images(dealt.transpose(1, 2).reshape(shape), input)


@public("native_channel_shuffle nn.functional.native_channel_shuffle")
def native_channel_shuffle(input: Any, groups: int) -> Any:
    """Shuffle channels as `channel_shuffle` does; this is its name next to the kernels.

    Args: As for `channel_shuffle`.

    >>> F = torch.nn.functional
    >>> F.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    return channel_shuffle(input, groups)
