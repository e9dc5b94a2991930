"""Images made larger or smaller."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np

from pellucid.core.call.compiled import replayable
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import linear
from pellucid.core.memory.layouts import of_images
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError, UnsupportedDtypeError
from pellucid.ops.nn.pool import adaptive_avg_pool, adaptive_size
from pellucid.shapes import items_of

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


@linear(
    torch_kernel_name="compute_indices_weights_nearest", named=_resize_name, node_name="upsample",
    layout=of_images,
)  # fmt: skip
def interpolated(be, input, /, plan):
    """Read images at another size, each axis as the plan says."""
    return be.resize(input, plan)


@interpolated.vjp("input")
def interpolated_input(g, plan):
    return upsample_backward(g, plan)


@linear(layout=of_images)
def upsample_backward(be, input, /, plan):
    """Transpose `resized`."""
    return be.resize_to_input(input, plan)


@upsample_backward.vjp("input")
def upsample_backward_input(g, plan):
    return interpolated(g, plan)


@public("nn.functional.interpolate", reads_late=True)
@replayable
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

    Args:
        input: Images ``[N, C, *S]`` with one to three spatial dimensions ``S``.
        size: Spatial size of the result, as a number or one per dimension.
        scale_factor: Factor by which each spatial dimension grows.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``,
            ``"bicubic"``, ``"trilinear"`` or ``"area"``.
        align_corners: Whether the corner pixels of input and output lie on each other.
        recompute_scale_factor: Whether the factor is computed again from the sizes.
        antialias: Whether to blur while shrinking.

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
        pooling = f"adaptive_avg_pool{len(old)}d"
        return adaptive_avg_pool(input, adaptive_size(pooling, input, new, len(old)))
    _check_sizes(input, old, new)
    plan = tuple(
        (mode, before, after, factor, bool(align_corners), bool(antialias))
        for before, after, factor in zip(old, new, factors, strict=True)
    )
    return interpolated(input, plan)


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
        raise unsupported(f"compute_indices_weights_{mode}", dtype)
    if antialias and dtype.itemsize == 2:
        raise unsupported("compute_index_ranges_weights", dtype)


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
    each = tuple(items_of(given)) if isinstance(given, Sequence) else (given,) * len(old)
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


@public("nn.functional.upsample", reads_late=True)
def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """Resize images; the older name of `interpolate`.

    Args:
        input, size, scale_factor, mode, align_corners: As for `interpolate`.

    >>> torch.nn.functional.upsample(torch.ones(1, 1, 2), size=4).shape
    torch.Size([1, 1, 4])
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@public("nn.functional.upsample_nearest", reads_late=True)
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Resize images by repeating pixels; an older name of `interpolate`.

    Args:
        input, size, scale_factor: As for `interpolate`.

    >>> torch.nn.functional.upsample_nearest(torch.ones(1, 1, 2), 4).shape
    torch.Size([1, 1, 4])
    """
    return interpolate(input, size, scale_factor, "nearest")


@public("nn.functional.upsample_bilinear", reads_late=True)
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Resize images bilinearly with aligned corners; an older name of `interpolate`.

    Args: As for `upsample_nearest`.

    >>> torch.nn.functional.upsample_bilinear(torch.ones(1, 1, 2, 2), 4).shape
    torch.Size([1, 1, 4, 4])
    """
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)
