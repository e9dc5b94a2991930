"""Power-average pooling: the p-norm of each window."""

from __future__ import annotations

from math import prod
from typing import Any

from pellucid.core.definition.public import public
from pellucid.core.errors.arguments import require
from pellucid.ops.elementwise.signs import abs as magnitude
from pellucid.ops.elementwise.signs import sign
from pellucid.ops.nn.activation import relu
from pellucid.ops.nn.conv import tuple_of
from pellucid.ops.nn.pool import avg_pool1d, avg_pool2d, avg_pool3d

_POOLS = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _pooled(
    input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, ndim: int
) -> Any:
    require(f"lp_pool{ndim}d", "tensor", input=input)
    means = _POOLS[ndim](input**norm_type, kernel_size, stride, 0, ceil_mode)
    count = prod(tuple_of("kernel_size", kernel_size, ndim))
    # Odd powers leave a sign; relu keeps the gradient at zero from growing without bound.
    return (sign(means) * relu(magnitude(means)) * count) ** (1.0 / norm_type)


@public("nn.functional.lp_pool1d", reads_late=True)
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return the p-norm of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch.
        norm_type: Order of the norm.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, as a number or one per spatial dimension.
        ceil_mode: Whether the last, incomplete window counts too.

    >>> torch.nn.functional.lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    return _pooled(input, norm_type, kernel_size, stride, ceil_mode, 1)


@public("nn.functional.lp_pool2d", reads_late=True)
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return the p-norm of each window of images.

    Args: As for `lp_pool1d`.

    >>> torch.nn.functional.lp_pool2d(torch.ones(1, 4, 4), 1, 2)
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    return _pooled(input, norm_type, kernel_size, stride, ceil_mode, 2)


@public("nn.functional.lp_pool3d", reads_late=True)
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return the p-norm of each window of volumes.

    Args: As for `lp_pool1d`.

    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 2, 2), 1, 2)
    tensor([[[[8.]]]])
    """
    return _pooled(input, norm_type, kernel_size, stride, ceil_mode, 3)
