"""Padding: more elements at the ends of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pellucid.core.call.compiled import replayable
from pellucid.core.definition import float8_rules
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous, of_images
from pellucid.dtypes import check_fits
from pellucid.errors import ShapeError, UnsupportedDtypeError
from pellucid.ops.shape.copying import in_layout_of_images
from pellucid.shapes import Like, as_tuple


def _pairs(pad: Sequence[int], ndim: int) -> list[tuple[int, int]]:
    """Return what is added before and after, per dimension; ``pad`` starts with the last one."""
    given = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(given)) + given[::-1]


@op(
    float8=True,
    node_name="constant_pad_nd",
    layout=of_images,
    batch=Batch.LAST_DIMS,
    compiled_kernel=("padded", 2),
)
def pad_constant(be, input, /, pad, value=0):
    """Add elements of one value at the ends of the last dimensions; negative sizes cut off."""
    pairs = _pairs(pad, input.ndim)
    shape = [
        size + before + after for size, (before, after) in zip(input.shape, pairs, strict=True)
    ]
    if any(size < 0 for size in shape):
        raise ShapeError(
            f"The input size {list(input.shape)}, plus negative padding {list(pad)}, resulted in a "
            "negative output size, which is invalid."
        )
    out = be.empty(shape, input.dtype)
    inner = tuple(
        slice(max(before, 0), size - max(after, 0))
        for size, (before, after) in zip(shape, pairs, strict=True)
    )
    taken = tuple(
        slice(max(-before, 0), size - max(-after, 0))
        for size, (before, after) in zip(input.shape, pairs, strict=True)
    )
    for dim, kept in enumerate(inner):
        whole = (slice(None),) * dim
        out[(*whole, slice(kept.start))] = value
        out[(*whole, slice(kept.stop, None))] = value
    out[inner] = input[taken]
    return out


@pad_constant.vjp("input")
def pad_constant_input(g, pad):
    return pad_constant(g, tuple(-each for each in pad))


_MODES = ("constant", "reflect", "replicate", "circular")


@lru_cache(maxsize=64)
def _source_positions(mode: str, size: int, before: int, after: int) -> Any:
    """Return which element stands at each position of a padded dimension."""
    if mode == "circular":
        kept = np.arange(size)[max(-before, 0) : size - max(-after, 0)]
        return kept[np.arange(-max(before, 0), len(kept) + max(after, 0)) % max(len(kept), 1)]
    positions = np.arange(-before, size + after)
    if mode == "replicate":
        return positions.clip(0, size - 1)
    period = 2 * (size - 1)
    folded = positions % max(period, 1)
    return np.minimum(folded, period - folded)


@lru_cache(maxsize=64)
def _positions(shape: tuple[int, ...], pad: tuple[int, ...], mode: str) -> tuple[Any, ...]:
    """Return the source positions of each padded dimension."""
    pairs = _pairs(pad, len(shape))[-(len(pad) // 2) :]
    sizes = shape[-len(pairs) :]
    return tuple(_source_positions(mode, n, *pair) for n, pair in zip(sizes, pairs, strict=True))


_NODE_NAMES = {"reflect": "ReflectionPad", "replicate": "ReplicationPad", "circular": "CircularPad"}


def _pad_name(node: Any) -> str:
    pad, mode = node.params[:2]
    return f"{_NODE_NAMES[mode]}{len(pad) // 2}DBackward0"


@op(
    flat=("input",), named=_pad_name, node_name="pad", layout=contiguous, batch=Batch.LAST_DIMS,
    half="bitwise", float8=float8_rules.unless_inside, compiled_kernel=("padded_with_own", 2),
    faces=Face("padding=pad self@"),
)  # fmt: skip
def pad_with_own(be, input, /, pad, mode):
    """Add copies of elements at the ends of the last dimensions; negative sizes cut off."""
    return be.take_grid(input, _positions(input.shape, pad, mode))


@pad_with_own.vjp("input")
def pad_with_own_input(g, input: Like, pad, mode):
    return pad_with_own_backward(g, pad, mode, tuple(input.shape[-(len(pad) // 2) :]))


@op(named=_pad_name, layout=contiguous, batch=Batch.LAST_DIMS)
def pad_with_own_backward(be, grad, /, pad, mode, sizes):
    """Transpose `pad_with_own`, of whose input the last dimensions have these sizes."""
    first = grad.ndim - len(sizes)
    for dim, positions in enumerate(_positions(sizes, pad, mode), start=first):
        shape = (*grad.shape[:dim], sizes[dim - first], *grad.shape[dim + 1 :])
        grad = be.index_add(be.zeros(shape, grad.dtype), dim, positions, grad)
    return grad


@pad_with_own_backward.vjp("grad")
def pad_with_own_backward_grad(g, pad, mode):
    return pad_with_own(g, pad, mode)


def _check_mode(input: Any, pad: Sequence[int], mode: str) -> None:
    count = len(pad) // 2
    if not 1 <= count <= 3 or input.ndim not in (count + 1, count + 2):
        raise UnsupportedDtypeError(
            f"Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now; got "
            f"{len(pad)} sizes for an input of {input.ndim} dimensions"
        )
    for number in range(count):
        size = input.shape[-1 - number]
        sizes = pad[2 * number : 2 * number + 2]
        most = max(sizes)
        kept = size + sum(min(each, 0) for each in sizes)
        if mode == "reflect" and most >= size:
            raise ShapeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({pad[2 * number]}, {pad[2 * number + 1]}) at dimension "
                f"{input.ndim - 1 - number} of input {list(input.shape)}"
            )
        if mode == "circular" and most > kept:
            raise ShapeError("Padding value causes wrapping around more than once.")


def _autocast_of_mode(*args: Any, **kwargs: Any) -> Autocast | None:
    mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
    return Autocast.FLOAT32 if mode in ("reflect", "replicate") else None


@public("nn.functional.pad", reads_late=True)
@replayable
@autocasts(_autocast_of_mode)
def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: Any = None) -> Any:
    """Add elements at the ends of the last dimensions.

    ``pad`` holds two sizes per dimension, before and after, starting with the last dimension;
    negative sizes cut off. ``mode`` is "constant", "reflect", "replicate" or "circular".

    Args:
        input: Tensor of any shape.
        pad: Number of elements to add at each end, last dimension first.
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        value: Value of new elements in the mode ``"constant"``.

    Raises:
        NotImplementedError: For another mode.
        RuntimeError: If the numbers do not fit the dimensions, or the mode takes no value.

    >>> torch.nn.functional.pad(torch.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    if mode not in _MODES:
        raise UnsupportedDtypeError(f"Unrecognised padding mode {mode}")
    sizes = as_tuple(pad, "pad", "pad")
    require("pad", "sizes", pad=sizes)
    if len(sizes) % 2:
        raise ShapeError("Padding length must be divisible by 2")
    if len(sizes) // 2 > input.ndim:
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(sizes)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        if value is not None:
            require("pad", "float", value=value)
            check_fits(value, input.dtype.numpy)
        return pad_constant(input, sizes, 0 if value is None else value)
    if value is not None:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    _check_mode(input, sizes, mode)
    padded = pad_with_own(input, sizes, mode)
    return padded if mode == "circular" else in_layout_of_images(padded, input)
