"""Fusion of batch normalization with the layer before it, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.ops.elementwise.powers import rsqrt
from pellucid.tensors.creation import ones_like, zeros_like

T = TypeVar("T", bound=Module)

__all__ = [
    "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights",
]  # fmt: skip


def fuse_conv_bn_eval(conv: T, bn: Any, transpose: bool = False) -> T:
    """Return a convolution equivalent to a convolution followed by a batch norm.

    Args:
        conv: The convolution, in evaluation mode.
        bn: The batch norm, in evaluation mode and with running statistics.
        transpose: Whether the convolution is a transposed one.

    Raises:
        AssertionError: If a layer is in training mode or there are no running statistics.

    >>> conv, norm = torch.nn.Conv1d(2, 3, 1).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> x = torch.ones(1, 2, 4)
    >>> torch.allclose(torch.nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-6)
    True
    """
    _check_ready(conv, bn)
    fused: Any = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose,
    )  # fmt: skip
    return fused


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Return weight and bias of a convolution that includes a batch norm.

    Args:
        conv_w: Weight of the convolution.
        conv_b: Bias of the convolution, or None.
        bn_rm: Running mean of the batch norm, ``[C]``.
        bn_rv: Running variance of the batch norm, ``[C]``.
        bn_eps: Its eps.
        bn_w: Its weight, ``[C]``, or None.
        bn_b: Its bias, ``[C]``, or None.
        transpose: Whether the convolution is a transposed one.

    Returns:
        The weight and the bias, both parameters.

    >>> from pellucid.nn.utils.fusion import fuse_conv_bn_weights
    >>> one = torch.ones(1)
    >>> weight, bias = fuse_conv_bn_weights(torch.ones(1, 1, 1), None, one, one, 0.0, None, None)
    >>> bias.item()
    -1.0
    """
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_eval(linear: T, bn: Any) -> T:
    """Return a linear layer equivalent to a linear layer followed by a batch norm.

    Args:
        linear: The linear layer, in evaluation mode.
        bn: The batch norm, in evaluation mode and with running statistics.

    Raises:
        AssertionError: If a layer is in training mode, sizes do not fit, or there are no running
            statistics.

    >>> from pellucid.nn.utils.fusion import fuse_linear_bn_eval
    >>> linear, norm = torch.nn.Linear(2, 3).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> x = torch.ones(4, 2)
    >>> torch.allclose(fuse_linear_bn_eval(linear, norm)(x), norm(linear(x)), atol=1e-6)
    True
    """
    _check_ready(linear, bn)
    fused: Any = copy.deepcopy(linear)
    if fused.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={fused.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a linear layer that includes a batch norm.

    Args:
        linear_w: Weight of the linear layer.
        linear_b: Bias of the linear layer, or None.
        bn_rm: Running mean of the batch norm, ``[C]``.
        bn_rv: Running variance of the batch norm, ``[C]``.
        bn_eps: Its eps.
        bn_w: Its weight, ``[C]``, or None.
        bn_b: Its bias, ``[C]``, or None.

    Returns:
        The weight and the bias, both parameters.

    >>> from pellucid.nn.utils.fusion import fuse_linear_bn_weights
    >>> one = torch.ones(1)
    >>> weight, bias = fuse_linear_bn_weights(torch.ones(1, 1), one, one, one, 0.0, one, one)
    >>> bias.item()
    1.0
    """
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _check_ready(layer: Module, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def _fused(
    weight: Any, bias: Any, mean: Any, variance: Any, eps: float, scale: Any, shift: Any,
    shape: list[int],
) -> tuple[Parameter, Parameter]:  # fmt: skip
    bias = zeros_like(mean) if bias is None else bias
    scale = ones_like(mean) if scale is None else scale
    shift = zeros_like(mean) if shift is None else shift
    factor = scale * rsqrt(variance + eps)
    fused_weight = (weight * factor.reshape(shape)).to(weight.dtype)
    fused_bias = ((bias - mean) * factor + shift).to(bias.dtype)
    return (
        Parameter(fused_weight.detach(), weight.requires_grad),
        Parameter(fused_bias.detach(), bias.requires_grad),
    )
