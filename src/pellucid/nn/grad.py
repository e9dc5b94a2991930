"""Gradients of convolutions as functions, for those who write backward passes by hand."""

from __future__ import annotations

from typing import Any

from pellucid import functional
from pellucid.autograd.backward import grad
from pellucid.autograd.modes import enable_grad
from pellucid.creation import zeros


def _input_gradient(
    ndim: int, input_size: Any, weight: Any, grad_output: Any, options: tuple[Any, ...]
) -> Any:
    convolve = getattr(functional, f"conv{ndim}d")
    with enable_grad():
        start = zeros(tuple(input_size), dtype=weight.dtype, requires_grad=True)
        return grad(convolve(start, weight, None, *options), start, grad_output)[0]


def _weight_gradient(
    ndim: int, input: Any, weight_size: Any, grad_output: Any, options: tuple[Any, ...]
) -> Any:
    convolve = getattr(functional, f"conv{ndim}d")
    with enable_grad():
        start = zeros(tuple(weight_size), dtype=input.dtype, requires_grad=True)
        return grad(convolve(input, start, None, *options), start, grad_output)[0]


def conv1d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` with respect to an input of the given size."""
    options = (stride, padding, dilation, groups)
    return _input_gradient(1, input_size, weight, grad_output, options)


def conv1d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` with respect to a weight of the given size."""
    options = (stride, padding, dilation, groups)
    return _weight_gradient(1, input, weight_size, grad_output, options)


def conv2d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` with respect to an input of the given size."""
    options = (stride, padding, dilation, groups)
    return _input_gradient(2, input_size, weight, grad_output, options)


def conv2d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` with respect to a weight of the given size."""
    options = (stride, padding, dilation, groups)
    return _weight_gradient(2, input, weight_size, grad_output, options)


def conv3d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` with respect to an input of the given size."""
    options = (stride, padding, dilation, groups)
    return _input_gradient(3, input_size, weight, grad_output, options)


def conv3d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` with respect to a weight of the given size."""
    options = (stride, padding, dilation, groups)
    return _weight_gradient(3, input, weight_size, grad_output, options)
