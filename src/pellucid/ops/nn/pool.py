"""Pooling: one number for each window of the last dimensions."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.core.backward.history import edge_of
from pellucid.core.call.compiled import regular, replayable
from pellucid.core.call.opmath import refuse_half, refuse_kinds
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.core.families import linear, op
from pellucid.core.memory.layouts import of_images, of_planar_images
from pellucid.errors import ArgumentError, ShapeError
from pellucid.kernels.active import cpu
from pellucid.ops.shape.views import squeeze, unsqueeze
from pellucid.shapes import Like, items_of, real_dim


def _max_pool_name(node: Any) -> str:
    return f"MaxPool{len(node.params[0])}DWithIndicesBackward0"


@op(
    outputs=("out", "indices"), flat=("input",), named=_max_pool_name, layout=of_images,
    compiled_kernel=("max_pool", 5),
    faces=Face("ceil_mode dilation kernel_size padding result1=indices self@ stride"),
)  # fmt: skip
def max_pool(be, input, /, kernel_size, stride, padding, dilation, ceil_mode):
    """Take the largest element of each window, and its place in the flattened image."""
    return be.max_pool(input, kernel_size, stride, padding, dilation, ceil_mode)


@max_pool.vjp("input")
def max_pool_input(g_out, input: Like, indices, kernel_size):
    return scatter_spatial(g_out, indices, tuple(input.shape), len(kernel_size))


def _adaptive_name(node: Any) -> str:
    return f"{node.op.node_class.__name__[:-9]}{len(node.params[-1])}DBackward0"


@op(
    outputs=("out", "indices"), flat=("input",), named=_adaptive_name, layout=of_planar_images,
    faces=Face("result1=indices self@"),
)  # fmt: skip
def adaptive_max_pool(be, input, /, output_size):
    """Take the largest element of each of ``output_size`` windows, and its place."""
    return be.adaptive_max_pool(input, output_size)


def _of_windows(kind: str, g: Any, ndim: int) -> Any:
    """Return a gradient; raise for that of an output without elements, but for an empty batch's."""
    empty = [dim for dim in range(1, len(g.shape)) if g.shape[dim] == 0]
    if empty:
        raise ShapeError(
            f"adaptive_{kind}_pool{ndim}d_backward(): Expected grad_output to have non-zero size "
            f"for non-batch dimensions, but grad_output has sizes {list(g.shape)} with dimension "
            f"{empty[0]} being empty"
        )
    return g


@adaptive_max_pool.vjp("input")
def adaptive_max_pool_input(g_out, input: Like, indices, output_size):
    ndim = len(output_size)
    return scatter_spatial(_of_windows("max", g_out, ndim), indices, tuple(input.shape), ndim)


def _flat_batch(array: Any, ndim: int) -> Any:
    """Fold all dimensions before the last ``ndim`` into one, behind a batch of one."""
    lead = array.ndim - ndim
    return array.reshape(1, prod(array.shape[:lead]), *array.shape[lead:])


@op(node_name="max_unpool", layout=of_images)
def scatter_spatial(be, input, indices, /, shape, ndim):
    """Add elements to zeros of a shape, at places in its flattened images."""
    lead = len(shape) - ndim
    full = (1, prod(shape[:lead]), *shape[lead:])
    images, positions = _flat_batch(input, ndim), _flat_batch(indices, ndim)
    return be.max_pool_to_input(images, positions, full).reshape(shape)


@scatter_spatial.vjp("input")
def scatter_spatial_input(g, indices, ndim):
    return gather_spatial(g, indices, ndim)


@op(node_name="max_unpool", layout=of_planar_images)
def write_spatial(be, input, indices, /, shape, ndim):
    """Write elements into zeros of a shape, at places in its flattened images; the last one stays.

    As PyTorch's, its gradient goes to every element, also to those that were written over.
    """
    lead, size = prod(shape[:-ndim]), prod(shape[-ndim:])
    positions = indices.reshape(lead, prod(indices.shape[-ndim:]))
    zeros = be.zeros((lead, size), input.dtype)
    return be.scatter(zeros, 1, positions, input.reshape(positions.shape)).reshape(shape)


@write_spatial.vjp("input")
def write_spatial_input(g, indices, ndim):
    return gather_spatial(g, indices, ndim)


@op(layout=of_images)
def gather_spatial(be, input, indices, /, ndim):
    """Take elements at places in the flattened images."""
    taken = be.take_spatial(_flat_batch(input, ndim), _flat_batch(indices, ndim))
    return taken.reshape(indices.shape)


@gather_spatial.vjp("input")
def gather_spatial_input(g, input: Like, indices, ndim):
    return scatter_spatial(g, indices, tuple(input.shape), ndim)


def _avg_pool_name(node: Any) -> str:
    return f"AvgPool{len(node.params[0])}DBackward0"


@linear(
    torch_kernel_name="avg_pool2d",
    flat=("input",), named=_avg_pool_name, layout=of_planar_images,
    compiled_kernel=("avg_pool", 6),
    faces=Face(
        "ceil_mode count_include_pad divisor_override kernel_size padding self@ stride"
    ),
)  # fmt: skip
def avg_pool(
    be, input, /, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    """Average each window."""
    work = input if input.dtype.kind in "fc" else input.astype(np.float64)
    out = be.avg_pool(
        work, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    return out.astype(input.dtype, copy=False)


@avg_pool.vjp("input")
def avg_pool_input(
    g, input: Like, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    return avg_pool_backward(
        g, tuple(input.shape), kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


@linear(node_name="avg_pool_backward", layout=of_planar_images)
def avg_pool_backward(
    be, input, /, shape, kernel_size, stride, padding, ceil_mode, count_include_pad,
    divisor_override,
):  # fmt: skip
    """Share every element equally among the window it averages."""
    return be.avg_pool_to_input(
        input, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@avg_pool_backward.vjp("input")
def avg_pool_backward_input(
    g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    return avg_pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@linear(
    flat=("input",), named=_adaptive_name, layout=of_planar_images,
    compiled_kernel=("adaptive_avg_pool", 1), faces=Face("self@"),
)  # fmt: skip
def adaptive_avg_pool(be, input, /, output_size):
    """Average each of ``output_size`` nearly equal windows."""
    return be.adaptive_avg_pool(input, output_size)


@adaptive_avg_pool.vjp("input")
def adaptive_avg_pool_input(g, input: Like, output_size):
    g = _of_windows("avg", g, len(output_size))
    return adaptive_avg_pool_backward(g, tuple(input.shape), output_size)


@linear(layout=of_planar_images, compiled_kernel=("adaptive_avg_pool_to_input", 2))
def adaptive_avg_pool_backward(be, input, /, shape, output_size):
    """Share every element equally among the window it averages."""
    return be.adaptive_avg_pool_to_input(input, shape, output_size)


@adaptive_avg_pool_backward.vjp("input")
def adaptive_avg_pool_backward_input(g, output_size):
    return adaptive_avg_pool(g, output_size)


# ---- the public functions ---------------------------------------------------------------------


def _window(name: str, what: str, value: Any, ndim: int) -> tuple[int, ...]:
    """Return one number per spatial dimension, of a number for all or a sequence."""
    if value.__class__ is int:
        return (value,) * ndim
    values = (value,) if hasattr(value, "__index__") else tuple(value)
    if len(values) not in (1, ndim):
        words = {1: "one int", 2: "two ints", 3: "three ints"}
        raise ShapeError(
            f"{name}: {what} must either be a single int, or a tuple of {words[ndim]}; "
            f"got {value!r}"
        )
    return tuple(each.__index__() for each in values) * (ndim // len(values))


def _check_input(name: str, shape: tuple[int, ...], ndim: int, filled: int) -> None:
    """Refuse images of other dimensions, or with an extent of 0 among the last, ``filled`` ones."""
    if len(shape) in (ndim + 1, ndim + 2) and 0 not in shape[-filled:]:
        return
    if len(shape) in (ndim + 1, ndim + 2) and ndim == 3:
        raise ShapeError(
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input "
            f"has a shape of {list(shape)}"
        )
    if ndim == 1 or len(shape) in (ndim + 1, ndim + 2):
        raise ShapeError(
            f"{name}: Expected {ndim + 1}D or {ndim + 2}D (batch mode) tensor with optional 0 dim "
            f"batch size for input, but got:{list(shape)}"
        )
    raise ShapeError(
        f"non-empty {ndim + 1}D or {ndim + 2}D (batch mode) tensor expected for input; "
        f"{name} was given {list(shape)}"
    )


def _check_windows(
    shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> None:
    if 0 in stride or min(stride) < 0:
        raise ShapeError("stride should not be zero")
    if min(kernel) <= 0:
        raise ShapeError(f"kernel size should be greater than zero, but got {list(kernel)}")
    if min(dilation) <= 0:
        raise ShapeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if min(padding) < 0:
        raise ShapeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise ShapeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    lead = shape[-len(kernel) - 1]
    size = shape[len(shape) - len(kernel) :]
    pooled = [
        cpu.pooled_size(s, k, step, p, d, ceil_mode)
        for s, k, step, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    ]
    if min(pooled) < 1:
        raise ShapeError(
            f"Given input size: ({'x'.join(map(str, (lead, *size)))}). Calculated output size: "
            f"({'x'.join(map(str, (lead, *pooled)))}). Output size is too small"
        )


class _Windows(NamedTuple):
    """How windows lie in an image, one number per spatial dimension."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


def _hashable(value: Any) -> Any:
    return tuple(items_of(value)) if isinstance(value, list) else value


def _windows(
    name: str, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, ndim: int,
) -> _Windows:  # fmt: skip
    """Return how the windows lie; raise RuntimeError where they cannot."""
    return _checked_windows(
        name, input._array.shape, _hashable(kernel_size), _hashable(stride), _hashable(padding),
        _hashable(dilation), ceil_mode, ndim,
    )  # fmt: skip


@lru_cache(maxsize=256)
def _checked_windows(
    name: str, shape: tuple[int, ...], kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, ndim: int,
) -> _Windows:  # fmt: skip
    _check_input(name, shape, ndim, ndim + 1)
    kernel = _window(name, "kernel_size", kernel_size, ndim)
    windows = _Windows(
        kernel,
        kernel if stride is None or stride == () else _window(name, "stride", stride, ndim),
        _window(name, "padding", padding, ndim),
        _window(name, "dilation", dilation, ndim),
    )
    _check_windows(shape, *windows, ceil_mode)
    return windows


def _max_pooled(
    name: str, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, ndim: int,
) -> Any:  # fmt: skip
    refuse_kinds(name, "bc", input)
    windows = _windows(name, input, kernel_size, stride, padding, dilation, bool(ceil_mode), ndim)
    return max_pool(input, *windows, bool(ceil_mode))


@public("max_pool1d nn.functional.max_pool1d")
@regular
def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    both = max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


@public("max_pool2d nn.functional.max_pool2d")
@replayable
def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args: As for `max_pool1d`.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    both = _max_pooled("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, 2)
    return both if return_indices else both[0]


@public("max_pool3d nn.functional.max_pool3d")
@replayable
@autocasts(Autocast.FLOAT32)
def max_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args: As for `max_pool1d`.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    both = _max_pooled("max_pool3d", input, kernel_size, stride, padding, dilation, ceil_mode, 3)
    return both if return_indices else both[0]


@public("max_pool1d_with_indices nn.functional.max_pool1d_with_indices")
@regular
def max_pool1d_with_indices(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Pool as `max_pool1d`, and return the index of each maximum.

    Args: As for `max_pool1d`.

    >>> out, places = torch.nn.functional.max_pool1d_with_indices(torch.ones(1, 2), 2)
    >>> places.flatten()
    tensor([0])
    """
    if not _is_recorded(input):
        return _max_pooled(
            "max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode, 1
        )
    windows = _windows(
        "max_pool1d", input, kernel_size, stride, padding, dilation, bool(ceil_mode), 1
    )
    of_rows = ((1, *windows[0]), (1, *windows[1]), (0, *windows[2]), (1, *windows[3]))
    both = max_pool(unsqueeze(input, -2), *of_rows, bool(ceil_mode))
    return tuple(squeeze(each, -2) for each in both)


def _is_recorded(input: Any) -> bool:
    """Return whether a call is recorded: then rows are pooled as images of one row, as in PyTorch.

    What is not recorded is spared the two views.
    """
    return modes.grad_enabled and edge_of(input) is not None


@public("nn.functional.max_pool2d_with_indices")
def max_pool2d_with_indices(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Pool as `max_pool2d`, and return the index of each maximum in its flattened image.

    Args: As for `max_pool1d`.

    >>> out, places = torch.nn.functional.max_pool2d_with_indices(torch.ones(1, 2, 2), 2)
    >>> places.flatten()
    tensor([0])
    """
    return _max_pooled("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, 2)


@public("nn.functional.max_pool3d_with_indices")
def max_pool3d_with_indices(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Pool as `max_pool3d`, and return the index of each maximum in its flattened volume.

    Args: As for `max_pool1d`.

    >>> out, places = torch.nn.functional.max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 2)
    >>> places.flatten()
    tensor([0])
    """
    return _max_pooled("max_pool3d", input, kernel_size, stride, padding, dilation, ceil_mode, 3)


def _avg_pooled(
    name: str, input: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, ndim: int,
) -> Any:  # fmt: skip
    if divisor_override == 0:
        raise ShapeError("divisor must be not zero")
    kernel, step, pad, _ = _windows(
        name, input, kernel_size, stride, padding, 1, bool(ceil_mode), ndim
    )
    return avg_pool(
        input, kernel, step, pad, bool(ceil_mode), bool(count_include_pad), divisor_override
    )


@public("avg_pool1d nn.functional.avg_pool1d")
@regular
def avg_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """Average each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input, kernel_size, stride, padding, ceil_mode: As for `max_pool1d`.
        count_include_pad: Whether padded zeros count in the average.

    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    if not _is_recorded(input):
        return _avg_pooled(
            "avg_pool1d", input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1
        )
    kernel, step, pad, _ = _windows(
        "avg_pool1d", input, kernel_size, stride, padding, 1, bool(ceil_mode), 1
    )
    images = avg_pool(
        unsqueeze(input, -2), (1, *kernel), (1, *step), (0, *pad), bool(ceil_mode),
        bool(count_include_pad), None,
    )  # fmt: skip
    return squeeze(images, -2)


@public("nn.functional.avg_pool2d")
@replayable
def avg_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Average each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    Args:
        input, kernel_size, stride, padding, ceil_mode, count_include_pad: As for `avg_pool1d`.
        divisor_override: Divisor to use instead of the size of the window.

    >>> torch.nn.functional.avg_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    real_dim(-3, input.ndim)
    return _avg_pooled(
        "avg_pool2d", input, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override, 2,
    )  # fmt: skip


@public("nn.functional.avg_pool3d")
@replayable
@autocasts(Autocast.FLOAT32)
def avg_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Average each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args: As for `avg_pool2d`.

    >>> torch.nn.functional.avg_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    refuse_half("avg_pool3d_out_frame", input)
    return _avg_pooled(
        "avg_pool3d", input, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override, 3,
    )  # fmt: skip


def _check_adaptive_input(name: str, shape: tuple[int, ...], ndim: int) -> None:
    """Raise RuntimeError for no images, by rank or size; averages of no channels are none."""
    first = len(shape) - ndim if "avg" in name and ndim < 3 else 1
    if len(shape) in (ndim + 1, ndim + 2):
        for dim in range(first, len(shape)):
            if not shape[dim]:
                raise ShapeError(
                    f"{name}(): Expected input to have non-zero size for non-batch dimensions, but "
                    f"input has sizes {list(shape)} with dimension {dim} being empty"
                )
    _check_input(name, shape, ndim, ndim)


def adaptive_size(name: str, input: Any, output_size: Any, ndim: int) -> tuple[int, ...]:
    """Return the output size, with the input's where ``None`` is given."""
    if ndim > 1 and not isinstance(output_size, int) and len(output_size) >= input._array.ndim:
        raise ArgumentError(f"Input dimension should be at least {len(output_size) + 1}")
    _check_adaptive_input(name, input._array.shape, ndim)
    refuse_kinds(name, "biuc" if "max" in name else "biu", input)
    one = isinstance(output_size, int | None)
    sizes = (output_size,) if one else tuple(items_of(output_size))
    if len(sizes) == 1:
        sizes = sizes * ndim
    if len(sizes) != ndim:
        raise ShapeError(
            f"{name}: output_size must be one number or {ndim}, and not {output_size!r}"
        )
    require(name, "sizes", output_size=sizes)
    have = input._array.shape[-ndim:]
    wanted = tuple(h if each is None else int(each) for h, each in zip(have, sizes, strict=True))
    if min(wanted) < 0:
        raise ShapeError(f"Trying to create tensor with negative dimension {min(wanted)}")
    return wanted


@public("adaptive_avg_pool1d nn.functional.adaptive_avg_pool1d")
@regular
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Average nearly equal windows, as many as ``output_size`` says.

    Args:
        input: As for `max_pool1d`.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    size = adaptive_size("adaptive_avg_pool1d", input, output_size, 1)
    if not _is_recorded(input):
        return adaptive_avg_pool(input, size)
    return squeeze(adaptive_avg_pool(unsqueeze(input, -2), (1, *size)), -2)


@public("nn.functional.adaptive_avg_pool2d", reads_late=True)
@replayable
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Average nearly equal windows of images, ``output_size`` of them in each dimension.

    Args: As for `adaptive_avg_pool1d`.

    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 3, 5, 5), (1, None)).shape
    torch.Size([1, 3, 1, 5])
    """
    return adaptive_avg_pool(input, adaptive_size("adaptive_avg_pool2d", input, output_size, 2))


@public("nn.functional.adaptive_avg_pool3d", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Average nearly equal windows of volumes, ``output_size`` of them in each dimension.

    Args: As for `adaptive_avg_pool1d`.

    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    return adaptive_avg_pool(input, adaptive_size("adaptive_avg_pool3d", input, output_size, 3))


@public("nn.functional.adaptive_max_pool1d", reads_late=True)
@regular
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Take the largest elements of nearly equal windows, as many as ``output_size`` says.

    Args:
        input, output_size: As for `adaptive_avg_pool1d`.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    both = adaptive_max_pool1d_with_indices(input, output_size)
    return both if return_indices else both[0]


@public("nn.functional.adaptive_max_pool2d", reads_late=True)
@replayable
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Take the largest elements of nearly equal windows of images.

    Args: As for `adaptive_max_pool1d`.

    >>> torch.nn.functional.adaptive_max_pool2d(torch.ones(1, 3, 5, 5), 2).shape
    torch.Size([1, 3, 2, 2])
    """
    both = adaptive_max_pool(input, adaptive_size("adaptive_max_pool2d", input, output_size, 2))
    return both if return_indices else both[0]


@public("nn.functional.adaptive_max_pool3d", reads_late=True)
@replayable
@autocasts(Autocast.FLOAT32)
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Take the largest elements of nearly equal windows of volumes.

    Args: As for `adaptive_max_pool1d`.

    >>> torch.nn.functional.adaptive_max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    both = adaptive_max_pool(input, adaptive_size("adaptive_max_pool3d", input, output_size, 3))
    return both if return_indices else both[0]


@public("adaptive_max_pool1d")
@public("nn.functional.adaptive_max_pool1d_with_indices", reads_late=True)
@regular
def adaptive_max_pool1d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """Pool as `adaptive_max_pool1d`, and return the index of each maximum.

    Args: As for `adaptive_max_pool1d`.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool1d_with_indices(torch.ones(1, 2), 1)
    >>> places.flatten()
    tensor([0])
    """
    size = adaptive_size("adaptive_max_pool1d", input, output_size, 1)
    if not _is_recorded(input):
        return adaptive_max_pool(input, size)
    both = adaptive_max_pool(unsqueeze(input, -2), (1, *size))
    return tuple(squeeze(each, -2) for each in both)


@public("nn.functional.adaptive_max_pool2d_with_indices", reads_late=True)
def adaptive_max_pool2d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """Pool as `adaptive_max_pool2d`, and return the index of each maximum in its flattened image.

    Args: As for `adaptive_max_pool1d`.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool2d_with_indices(torch.ones(1, 2, 2), 1)
    >>> places.flatten()
    tensor([0])
    """
    return adaptive_max_pool(input, adaptive_size("adaptive_max_pool2d", input, output_size, 2))


@public("nn.functional.adaptive_max_pool3d_with_indices", reads_late=True)
def adaptive_max_pool3d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """Pool as `adaptive_max_pool3d`, and return the index of each maximum in its flattened volume.

    Args: As for `adaptive_max_pool1d`.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 1)
    >>> places.flatten()
    tensor([0])
    """
    return adaptive_max_pool(input, adaptive_size("adaptive_max_pool3d", input, output_size, 3))
