"""Gradients of convolutions as functions, for those who write backward passes by hand."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.backward import grad
from pellucid.autograd.modes import enable_grad
from pellucid.nn.functional import conv1d, conv2d, conv3d
from pellucid.tensors.creation import zeros

__all__ = [
    "conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input",
    "conv3d_weight",
]  # fmt: skip


def _input_gradient(
    convolve: Any, input_size: Any, weight: Any, grad_output: Any, *options: Any
) -> Any:
    # Convolution is linear in its input, so that the gradient is the same at any: at zero too.
    with enable_grad():
        start = zeros(tuple(input_size), dtype=weight.dtype, requires_grad=True)
        return grad(convolve(start, weight, None, *options), start, grad_output)[0]


def _weight_gradient(
    convolve: Any, input: Any, weight_size: Any, grad_output: Any, *options: Any
) -> Any:
    with enable_grad():
        start = zeros(tuple(weight_size), dtype=input.dtype, requires_grad=True)
        return grad(convolve(input, start, None, *options), start, grad_output)[0]


def conv1d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` with respect to an input of the given size.

    >>> import pellucid as torch
    >>> weight, grad_output = torch.tensor([[[1.0, 2.0]]]), torch.ones(1, 1, 2)
    >>> torch.nn.grad.conv1d_input((1, 1, 3), weight, grad_output)
    tensor([[[1., 3., 2.]]])
    """
    return _input_gradient(
        conv1d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


def conv1d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` with respect to a weight of the given size.

    >>> import pellucid as torch
    >>> input, grad_output = torch.tensor([[[1.0, 2.0, 3.0]]]), torch.ones(1, 1, 2)
    >>> torch.nn.grad.conv1d_weight(input, (1, 1, 2), grad_output)
    tensor([[[3., 5.]]])
    """
    return _weight_gradient(
        conv1d, input, weight_size, grad_output, stride, padding, dilation, groups
    )


def conv2d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` with respect to an input of the given size."""
    return _input_gradient(
        conv2d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


def conv2d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` with respect to a weight of the given size."""
    return _weight_gradient(
        conv2d, input, weight_size, grad_output, stride, padding, dilation, groups
    )


def conv3d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` with respect to an input of the given size."""
    return _input_gradient(
        conv3d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


def conv3d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` with respect to a weight of the given size."""
    return _weight_gradient(
        conv3d, input, weight_size, grad_output, stride, padding, dilation, groups
    )
