"""Images made larger or smaller, cut into patches, and their channels rearranged."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, prod
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError, UnsupportedDtypeError
from pellucid.ops.blame import scalar_name
from pellucid.ops.half import refuse_kinds
from pellucid.ops.call import wrapped
from pellucid.ops.conv import transposed_convolution, tuple_of
from pellucid.ops.families import linear
from pellucid.ops.pad import pad_constant
from pellucid.ops.pool import adaptive_avg_pool, scatter_spatial

_MODES = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "area": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "lanczos": (2,),
    "trilinear": (3,),
}

_NODE_NAMES = {
    "nearest": "Nearest",
    "nearest-exact": "NearestExact",
    "linear": "Linear",
    "bilinear": "Bilinear",
    "bicubic": "Bicubic",
    "lanczos": "Lanczos",
    "trilinear": "Trilinear",
}


def _resize_name(node: Any) -> str:
    plan = node.params[0]
    smooth = "Aa" if plan[0][5] else ""
    return f"Upsample{_NODE_NAMES[plan[0][0]]}{len(plan)}D{smooth}Backward0"


@linear(named=_resize_name)
def resized(be, input, /, plan):
    """Read images at another size, each axis as the plan says."""
    return be.resize(input, plan)


@resized.vjp("input")
def resized_input(g, plan):
    return resized_back(g, plan)


@linear(node_name="upsample_backward")
def resized_back(be, input, /, plan):
    """Transpose `resized`."""
    return be.resize_to_input(input, plan)


@resized_back.vjp("input")
def resized_back_input(g, plan):
    return resized(g, plan)


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:  # fmt: skip
    """Resize images ``[N, C, *S]`` to a size, or by a factor.

    ``mode`` is "nearest", "nearest-exact", "area", "linear", "bilinear", "trilinear", "bicubic" or
    "lanczos". With ``antialias`` ("bilinear", "bicubic" and "lanczos" only) what is made smaller is
    averaged first. Raises ValueError unless just one of size and factor is given, and for options
    that the mode does not have; NotImplementedError for a mode that the number of dimensions does
    not have.

    >>> import pellucid as torch
    >>> x = torch.tensor([[[1.0, 2.0]]])
    >>> torch.nn.functional.interpolate(x, scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    interpolating = mode not in ("nearest", "nearest-exact", "area")
    if align_corners is not None and not interpolating:
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    old = tuple(input.shape[2:])
    new, factors = _new_size(old, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ArgumentError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    _check_mode(mode, input.ndim)
    if mode == "lanczos" and (align_corners or not antialias):
        raise ArgumentError(
            "Lanczos mode does not support align_corners=True"
            if align_corners
            else "Lanczos mode requires antialias=True"
        )
    _check_kind(input, mode, antialias)
    if mode == "area":
        return adaptive_avg_pool(input, new)
    _check_sizes(input, old, new)
    plan = tuple(
        (mode, before, after, factor, bool(align_corners), bool(antialias))
        for before, after, factor in zip(old, new, factors, strict=True)
    )
    return resized(input, plan)


def _check_mode(mode: str, rank: int) -> None:
    if mode in _MODES and rank - 2 in _MODES[mode]:
        return
    if mode in ("linear", "bilinear", "trilinear") and rank in (3, 4, 5):
        raise UnsupportedDtypeError(
            f"Got {rank}D input, but {mode} mode needs {_MODES[mode][0] + 2}D input"
        )
    raise UnsupportedDtypeError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: "
        "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
        f"(got {mode})"
    )


def _check_sizes(input: Any, old: tuple[int, ...], new: tuple[int, ...]) -> None:
    if min(old) <= 0 or min(new) <= 0:
        letters = "DHW"[-len(old) :]
        before, after = (
            ", ".join(f"{letter}: {n}" for letter, n in zip(letters, sizes, strict=True))
            for sizes in (old, new)
        )
        raise ShapeError(
            "Input and output sizes should be greater than 0, but got input "
            f"({before}) output ({after})"
        )
    if not input.shape[1]:
        raise ShapeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes "
            f"{list(input.shape)}"
        )


def _check_kind(input: Any, mode: str, antialias: bool) -> None:
    dtype = input._array.dtype
    if dtype == np.uint8 and mode not in ("area", "linear", "trilinear"):
        return
    if not input.dtype.is_floating_point:
        raise UnsupportedDtypeError(
            f"\"compute_indices_weights_{mode}\" not implemented for '{scalar_name(dtype)}'"
        )
    if antialias and dtype.itemsize == 2:
        raise UnsupportedDtypeError(
            f"\"compute_index_ranges_weights\" not implemented for '{scalar_name(dtype)}'"
        )


def _new_size(
    old: tuple[int, ...], size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return the size to make, and the factors that are to be taken at their word."""
    if (size is None) == (scale_factor is None):
        which = (
            "either size or scale_factor" if size is None else "only one of size or scale_factor"
        )
        raise ArgumentError(f"{which} should be defined")
    if size is not None and recompute:
        raise ArgumentError("recompute_scale_factor is not meaningful with an explicit size.")
    given = scale_factor if size is None else size
    each = tuple(given) if isinstance(given, Sequence) else (given,) * len(old)
    if len(each) != len(old):
        what = "scale_factor" if size is None else "output size"
        raise ArgumentError(
            f"Input and {'output' if size is not None else what} must have the same number of "
            f"spatial dimensions, but got input with spatial dimensions of {list(old)} and {what} "
            f"of {'shape ' if size is None else ''}{each}. Please provide input tensor in (N, C, "
            "d1, d2, ...,dK) format and one number for each of these dimensions."
        )
    if size is not None:
        return tuple(_whole(n) for n in each), (None,) * len(old)
    factors = tuple(_factor(factor) for factor in each)
    new = tuple(floor(n * factor) for n, factor in zip(old, factors, strict=True))
    return new, (None,) * len(old) if recompute else factors


def _whole(size: Any) -> int:
    try:
        return size.__index__()
    except (AttributeError, TypeError):
        raise ArgumentTypeError(
            f"interpolate(): size must be whole numbers, and not {type(size).__name__}"
        ) from None


def _factor(factor: Any) -> float:
    if isinstance(factor, str):
        raise ArgumentTypeError("interpolate(): scale_factor must be numbers, and not str")
    return float(factor)


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """Resize images; the older name of `interpolate`.

    >>> import pellucid as torch
    >>> torch.nn.functional.upsample(torch.ones(1, 1, 2), size=4).shape
    torch.Size([1, 1, 4])
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Resize images by repeating pixels; an older name of `interpolate`.

    >>> import pellucid as torch
    >>> torch.nn.functional.upsample_nearest(torch.ones(1, 1, 2), 4).shape
    torch.Size([1, 1, 4])
    """
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Resize images bilinearly with aligned corners; an older name of `interpolate`.

    >>> import pellucid as torch
    >>> torch.nn.functional.upsample_bilinear(torch.ones(1, 1, 2, 2), 4).shape
    torch.Size([1, 1, 4, 4])
    """
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


# ---- patches ----------------------------------------------------------------------------------


def _patch_positions(size: int, kernel: int, stride: int, dilation: int) -> tuple[Any, int]:
    """Return the positions of all patches, by place in the patch first, and their number."""
    count = (size - dilation * (kernel - 1) - 1) // stride + 1
    places = np.arange(kernel)[:, None] * dilation + np.arange(max(count, 0)) * stride
    return places.reshape(-1), count


def _check_windows(kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    """Raise RuntimeError for sizes of windows, and steps, that are not positive."""
    for name, values in (("kernel size", kernel), ("dilation", dilation), ("stride", stride)):
        if min(values) <= 0:
            raise ShapeError(f"{name} should be greater than zero, but got {list(values)}")
    if min(padding) < 0:
        raise ShapeError(f"padding should be non-negative, but got {list(padding)}")


def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Cut images ``[N, C, H, W]`` into patches, one per column: ``[N, C * kH * kW, L]``.

    >>> import pellucid as torch
    >>> torch.nn.functional.unfold(torch.ones(1, 3, 4, 4), 2).shape
    torch.Size([1, 12, 9])
    """
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
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
    images, channels, *size = input.shape
    rows, height = _patch_positions(size[0], kernel[0], step[0], spread[0])
    columns, width = _patch_positions(size[1], kernel[1], step[1], spread[1])
    if height < 1 or width < 1:
        raise ShapeError(
            f"Given input with padded spatial size {size}, kernel_size={kernel}, "
            f"dilation={spread}: calculated shape of the array of sliding blocks as "
            f"({height}, {width}), but its components must be at least one."
        )
    patches = input.index_select(2, wrapped(rows)).index_select(3, wrapped(columns))
    patches = patches.reshape(images, channels, kernel[0], height, kernel[1], width)
    ordered = patches.permute(0, 1, 2, 4, 3, 5)
    return ordered.reshape(images, channels * prod(kernel), height * width)


def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
    stride: Any = 1,
) -> Any:  # fmt: skip
    """Add up patches ``[N, C * kH * kW, L]`` to images; where they overlap, they add up.

    >>> import pellucid as torch
    >>> torch.nn.functional.fold(torch.ones(1, 4, 1), (2, 2), 2)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
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
    images, rows, columns = input.shape
    channels, rest = divmod(rows, prod(kernel))
    if rest or columns != prod(counts):
        raise ShapeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={spread}, padding={pad}, "
            f"stride={step}, expected size of input's dimension 2 to match the calculated number "
            f"of sliding blocks {counts[0]} * {counts[1]} = {prod(counts)}, but got "
            f"input.size(2)={columns}."
        )
    # Each row of patches belongs to one place of the window; a filter puts it there.
    single = np.eye(prod(kernel), dtype=input._array.dtype).reshape(-1, 1, *kernel)
    filters = wrapped(np.tile(single, (channels, 1, 1, 1)))
    patches = input.reshape(images, rows, *counts)
    return transposed_convolution(patches, filters, None, size, step, pad, spread, channels)


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
    sizes = usual if output_size is None else _asked_size(tuple(output_size), usual, step)
    if indices._array.dtype != np.int64:
        raise ShapeError(
            f"elements in indices should be type int64 but got: {scalar_name(indices._array.dtype)}"
        )
    if tuple(indices.shape) != tuple(input.shape):
        raise ShapeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    places = indices._array
    if places.size and (places.min() < 0 or places.max() >= prod(sizes)):
        wrong = places[(places < 0) | (places >= prod(sizes))][0]
        raise ShapeError(
            f"Found an invalid max index: {wrong} (output volumes are of size {sizes})"
        )
    lead = tuple(input.shape[: input.ndim - ndim])
    return scatter_spatial(input, indices, (*lead, *sizes), ndim)


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


def max_unpool1d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Put what `max_pool1d` took back to its places, zeros elsewhere.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> out, places = F.max_pool1d(torch.tensor([[1.0, 3.0]]), 2, return_indices=True)
    >>> F.max_unpool1d(out, places, 2)
    tensor([[0., 3.]])
    """
    refuse_kinds("max_unpool2d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Put what `max_pool2d` took back to its places, zeros elsewhere.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> out, places = F.max_pool2d(torch.ones(1, 2, 4), 2, return_indices=True)
    >>> F.max_unpool2d(out, places, 2).sum()
    tensor(2.)
    """
    refuse_kinds("max_unpool2d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Put what `max_pool3d` took back to its places, zeros elsewhere.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> out, places = F.max_pool3d(torch.ones(1, 2, 2, 4), 2, return_indices=True)
    >>> F.max_unpool3d(out, places, 2).sum()
    tensor(2.)
    """
    refuse_kinds("max_unpool3d", "biu", input)
    return _unpooled(input, indices, kernel_size, stride, padding, output_size, 3)


# ---- channels ---------------------------------------------------------------------------------


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Turn channels into pixels: ``[*, C * r * r, H, W]`` to ``[*, C, H * r, W * r]``.

    >>> import pellucid as torch
    >>> torch.nn.functional.pixel_shuffle(torch.ones(1, 8, 2, 2), 2).shape
    torch.Size([1, 2, 4, 4])
    """
    r = upscale_factor
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
    return blocks.permute(0, 1, 4, 2, 5, 3).reshape(
        *lead, channels // (r * r), height * r, width * r
    )


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Turn pixels into channels: ``[*, C, H * r, W * r]`` to ``[*, C * r * r, H, W]``.

    >>> import pellucid as torch
    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 2, 2])
    """
    r = downscale_factor
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
    return blocks.permute(0, 1, 3, 5, 2, 4).reshape(
        *lead, channels * r * r, height // r, width // r
    )


def channel_shuffle(input: Any, groups: int) -> Any:
    """Deal the channels of ``[N, C, *S]`` out to groups in turn.

    >>> import pellucid as torch
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
    return dealt.transpose(1, 2).reshape(shape)


def native_channel_shuffle(input: Any, groups: int) -> Any:
    """Do as `channel_shuffle` does; the name that it has next to the kernels.

    >>> import pellucid as torch
    >>> F = torch.nn.functional
    >>> F.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    return channel_shuffle(input, groups)
