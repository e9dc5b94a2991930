"""Max pooling over windows whose places are drawn at random, for factors that are not integers."""

from __future__ import annotations

from typing import Any

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous
from pellucid.errors import ArgumentError, DimensionError, ShapeError
from pellucid.kernels.random import stream as streams
from pellucid.ops.nn.pool import scatter_spatial
from pellucid.shapes import Like


def _pool_name(node: Any) -> str:
    return f"FractionalMaxPool{len(node.params[0])}DBackward0"


@op(outputs=("out", "indices"), flat=("input",), named=_pool_name, layout=contiguous)
def fractional_max_pool(be, input, samples, /, kernel_size, output_size):
    """Take the largest element of each window, and its place in the flattened image."""
    return be.fractional_max_pool(input, samples, kernel_size, output_size)


@fractional_max_pool.vjp("input")
def fractional_max_pool_input(g_out, input: Like, indices, kernel_size):
    return scatter_spatial(g_out, indices, tuple(input.shape), len(kernel_size))


def _each(name: str, what: str, value: Any, ndim: int) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, tuple | list) else (value,) * ndim
    if len(values) != ndim:
        raise ShapeError(f"{name}: {what} must either be a single Int or tuple of Ints")
    return tuple(int(each) for each in values)


def _pooled(
    name: str, input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any,
    ndim: int,
) -> Any:  # fmt: skip
    """Check the arguments, draw the windows unless they are given, and pool."""
    if output_size is None and output_ratio is None:
        raise ArgumentError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.ndim > ndim + 2 or (samples is not None and input.ndim <= ndim):
        raise ShapeError(
            f"{name}(): Expected {ndim + 1}D or {ndim + 2}D tensor, but got: {list(input.shape)}"
        )
    if input.ndim < ndim + 1:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}]"
            f", but got {-ndim - 1}): {name} takes {ndim + 1} or {ndim + 2} dimensions"
        )
    batch = input if input.ndim == ndim + 2 else input.unsqueeze(0)
    size = tuple(batch.shape[2:])
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, tuple | list) else (output_ratio,) * ndim
        if len(ratios) != ndim:
            raise ArgumentError(
                f"{name} requires output_ratio to either be a single Int or tuple of Ints."
            )
        output_size = tuple(int(n * ratio) for n, ratio in zip(size, ratios, strict=True))
    kernel = _each(name, "kernel_size", kernel_size, ndim)
    windows = _each(name, "output_size", output_size, ndim)
    _check(name, input, batch, kernel, windows)
    if samples is None:
        shape = (*batch.shape[:2], ndim)
        samples = new_tensor(streams.default.uniform(shape, input._array.dtype))
    _check_samples(samples, batch, ndim)
    samples = samples[: batch.shape[0]]
    out, indices = fractional_max_pool(batch, samples, kernel, windows)
    return (out, indices) if batch is input else (out.squeeze(0), indices.squeeze(0))


def _check(name: str, input: Any, batch: Any, kernel: Any, windows: Any) -> None:
    if not input.dtype.is_floating_point:
        raise unsupported(name, input._array.dtype)
    for dim, n in enumerate(batch.shape[1:], start=1):
        if n == 0:
            raise ShapeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got"
                f"{list(input.shape)} with dimension {dim} being empty."
            )
    words = ("time", "height", "width")[-len(kernel) :]
    for word, n, k, count in zip(words, batch.shape[2:], kernel, windows, strict=True):
        if k < 1 or count < 0 or count + k - 1 > n:
            raise ShapeError(
                f"{name}(): pool {word} {k} too large relative to input {word} {n}: {count} "
                "windows do not fit"
            )


def _check_samples(samples: Any, batch: Any, ndim: int) -> None:
    if samples.dtype != batch.dtype:
        raise ShapeError("Expect _random_samples to have the same dtype as input")
    if samples.ndim != 3:
        raise ShapeError(f"Expect _random_samples to have 3 dimensions got {samples.ndim}")
    wants = (("no less then input batch size", batch.shape[0]), ("equals to input channel size",
             batch.shape[1]), (f"equals to {ndim}", ndim))  # fmt: skip
    for dim, (words, number) in enumerate(wants):
        have = samples.shape[dim]
        if have < number or (dim and have != number):
            raise ShapeError(f"Expect _random_samples.size({dim}) {words}; got {have}.")


@public("nn.functional.fractional_max_pool2d_with_indices", reads_late=True)
def fractional_max_pool2d_with_indices(
    input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """Pool as `fractional_max_pool2d`, and return the index of each maximum too.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        output_size: Size of the result, as a number or one per spatial dimension.
        output_ratio: Size of the result as a share of the input's, between 0 and 1.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.fractional_max_pool2d_with_indices(torch.ones(1, 4, 4), 2, output_size=2)
    >>> places.shape
    torch.Size([1, 2, 2])
    """
    return _pooled(
        "fractional_max_pool2d", input, kernel_size, output_size, output_ratio, _random_samples, 2
    )


@public("nn.functional.fractional_max_pool2d", reads_late=True)
@autocasts(Autocast.FLOAT32)
def fractional_max_pool2d(
    input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """Take the largest element of windows of ``[N, C, H, W]`` or ``[C, H, W]`` placed at random.

    The number of windows is ``output_size``, or the input's size times ``output_ratio``. Raises
    ValueError without either, RuntimeError where the windows do not fit. B. Graham, "Fractional
    max-pooling" (2014).

    Args: As for `fractional_max_pool2d_with_indices`.

    >>> x = torch.arange(16.0).reshape(1, 4, 4)
    >>> torch.nn.functional.fractional_max_pool2d(x, 2, output_size=1)
    tensor([[[15.]]])
    """
    both = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, _random_samples=_random_samples
    )
    return both if return_indices else both[0]


@public("nn.functional.fractional_max_pool3d_with_indices", reads_late=True)
def fractional_max_pool3d_with_indices(
    input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """Pool as `fractional_max_pool3d`, and return the index of each maximum too.

    Args: As for `fractional_max_pool2d_with_indices`.

    >>> F = torch.nn.functional
    >>> both = F.fractional_max_pool3d_with_indices(torch.ones(1, 4, 4, 4), 2, output_size=2)
    >>> both[1].shape
    torch.Size([1, 2, 2, 2])
    """
    return _pooled(
        "fractional_max_pool3d", input, kernel_size, output_size, output_ratio, _random_samples, 3
    )


@public("nn.functional.fractional_max_pool3d", reads_late=True)
@autocasts(Autocast.FLOAT32)
def fractional_max_pool3d(
    input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """Take the largest element of windows of volumes ``[N, C, D, H, W]`` placed at random.

    Arguments and errors as for `fractional_max_pool2d`.

    Args: As for `fractional_max_pool2d_with_indices`.

    >>> x = torch.arange(8.0).reshape(1, 2, 2, 2)
    >>> torch.nn.functional.fractional_max_pool3d(x, 2, output_size=1)
    tensor([[[[7.]]]])
    """
    both = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, _random_samples=_random_samples
    )
    return both if return_indices else both[0]
