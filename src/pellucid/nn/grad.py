"""Gradients of convolutions as functions."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.backward import grad
from pellucid.autograd.modes import enable_grad
from pellucid.docstrings import sections_of
from pellucid.nn.functional import conv1d, conv2d, conv3d
from pellucid.tensors.creation import zeros

__all__ = [
    "conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input",
    "conv3d_weight",
]  # fmt: skip


def _input_gradient(
    convolve: Any, input_size: Any, weight: Any, grad_output: Any, *options: Any
) -> Any:
    # Convolution is linear in its input, so its gradient is the same at any input, such as zero.
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
    """Return the gradient of ``conv1d`` with respect to its input.

    Args:
        input_size: Shape of the input, ``[N, C_in, L]``.
        weight: Weight of shape ``[C_out, C_in / groups, k]``.
        grad_output: Gradient of the output, ``[N, C_out, L_out]``.
        stride: Stride of the convolution.
        padding: Zero padding on both sides.
        dilation: Distance between elements of the kernel.
        groups: Number of groups of channels.

    Returns:
        A tensor of shape ``input_size``.

    >>> weight, grad_output = torch.tensor([[[1.0, 2.0]]]), torch.ones(1, 1, 2)
    >>> torch.nn.grad.conv1d_input((1, 1, 3), weight, grad_output)
    tensor([[[1., 3., 2.]]])
    """
    return _input_gradient(
        conv1d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


@sections_of(conv1d_input)
def conv1d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of ``conv1d`` with respect to its weight.

    Args:
        input: Input of shape ``[N, C_in, L]``.
        weight_size: Shape of the weight, ``[C_out, C_in / groups, k]``.
        grad_output, stride, padding, dilation, groups: As for `conv1d_input`.

    Returns:
        A tensor of shape ``weight_size``.

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
    """Return the gradient of ``conv2d`` with respect to its input.

    Args:
        input_size: Shape of the input, ``[N, C_in, H, W]``.
        weight: Weight of shape ``[C_out, C_in / groups, kH, kW]``.
        grad_output: Gradient of the output, ``[N, C_out, H_out, W_out]``.
        stride: Stride of the convolution.
        padding: Zero padding on all sides.
        dilation: Distance between elements of the kernel.
        groups: Number of groups of channels.

    Returns:
        A tensor of shape ``input_size``.

    >>> weight, g = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1)
    >>> torch.nn.grad.conv2d_input((1, 1, 2, 2), weight, g)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    return _input_gradient(
        conv2d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


@sections_of(conv2d_input)
def conv2d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of ``conv2d`` with respect to its weight.

    Args:
        input: Input of shape ``[N, C_in, H, W]``.
        weight_size: Shape of the weight, ``[C_out, C_in / groups, kH, kW]``.
        grad_output, stride, padding, dilation, groups: As for `conv2d_input`.

    Returns:
        A tensor of shape ``weight_size``.

    >>> x, g = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1)
    >>> torch.nn.grad.conv2d_weight(x, (1, 1, 2, 2), g)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    return _weight_gradient(
        conv2d, input, weight_size, grad_output, stride, padding, dilation, groups
    )


def conv3d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of ``conv3d`` with respect to its input.

    Args:
        input_size: Shape of the input, ``[N, C_in, D, H, W]``.
        weight: Weight of shape ``[C_out, C_in / groups, kD, kH, kW]``.
        grad_output: Gradient of the output, ``[N, C_out, D_out, H_out, W_out]``.
        stride: Stride of the convolution.
        padding: Zero padding on all sides.
        dilation: Distance between elements of the kernel.
        groups: Number of groups of channels.

    Returns:
        A tensor of shape ``input_size``.

    >>> weight, g = torch.ones(1, 1, 1, 1, 2), torch.ones(1, 1, 1, 1, 1)
    >>> torch.nn.grad.conv3d_input((1, 1, 1, 1, 2), weight, g)
    tensor([[[[[1., 1.]]]]])
    """
    return _input_gradient(
        conv3d, input_size, weight, grad_output, stride, padding, dilation, groups
    )


@sections_of(conv3d_input)
def conv3d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of ``conv3d`` with respect to its weight.

    Args:
        input: Input of shape ``[N, C_in, D, H, W]``.
        weight_size: Shape of the weight, ``[C_out, C_in / groups, kD, kH, kW]``.
        grad_output, stride, padding, dilation, groups: As for `conv3d_input`.

    Returns:
        A tensor of shape ``weight_size``.

    >>> x, g = torch.ones(1, 1, 1, 1, 2), torch.ones(1, 1, 1, 1, 1)
    >>> torch.nn.grad.conv3d_weight(x, (1, 1, 1, 1, 2), g)
    tensor([[[[[1., 1.]]]]])
    """
    return _weight_gradient(
        conv3d, input, weight_size, grad_output, stride, padding, dilation, groups
    )
