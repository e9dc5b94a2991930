"""Activation functions with PyTorch's argument ``inplace``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import torch_overloads
from pellucid.core.call.call import new_tensor
from pellucid.core.call.checked import explaining
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.public import public
from pellucid.ops.aliasing.inplace import inplace as in_place
from pellucid.ops.nn import activation
from pellucid.ops.nn.activation import SELU_ALPHA, SELU_SCALE
from pellucid.ops.nn.softmax import softmax_along
from pellucid.ops.random.sampling import stream_of

_relu_in_place = in_place(activation.relu)
_leaky_relu_in_place = in_place(activation.leaky_relu)
_elu_in_place = in_place(activation.elu)
_silu_in_place = in_place(activation.silu)
_mish_in_place = in_place(activation.mish)
_hardtanh_in_place = in_place(activation.hardtanh)
_hardsigmoid_in_place = in_place(activation.hardsigmoid)
_hardswish_in_place = in_place(activation.hardswish)
_threshold_in_place = in_place(activation.threshold)


def _relu(input: Any, inplace: bool) -> Any:
    return _relu_in_place(input) if inplace else activation.relu(input)


_checked_relu = explaining(_relu, "pellucid.nn.functional", "relu")


@public("nn.functional.relu", checked=False)
@replayable
def relu(input: Any, inplace: bool = False) -> Any:
    """Apply the rectified linear unit: max(x, 0).

    Args:
        input: Real tensor of any shape.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    # the op checks its operand: the usual call is not checked twice
    return activation.relu(input) if inplace is False else _checked_relu(input, inplace)


@public("nn.functional.relu6")
@replayable
def relu6(input: Any, inplace: bool = False) -> Any:
    """Apply the rectified linear unit with an upper bound: min(max(x, 0), 6).

    Args: As for `relu`.

    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _hardtanh_in_place(input, 0.0, 6.0) if inplace else activation.relu6(input)


@public("nn.functional.hardtanh")
@replayable
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Clamp the elements to [min_val, max_val].

    Args:
        input: Real tensor of any shape.
        min_val: Lower bound.
        max_val: Upper bound.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.hardtanh(torch.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])
    """
    return (
        _hardtanh_in_place(input, min_val, max_val)
        if inplace
        else activation.hardtanh(input, min_val, max_val)
    )


@public("nn.functional.leaky_relu")
@replayable
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Apply the leaky ReLU: x if x > 0, otherwise ``negative_slope * x``.

    Args:
        input: Floating-point tensor of any shape.
        negative_slope: Slope for negative numbers.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return (
        _leaky_relu_in_place(input, negative_slope)
        if inplace
        else activation.leaky_relu(input, negative_slope)
    )


@public("nn.functional.elu")
@replayable
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Apply the exponential linear unit: x if x > 0, otherwise alpha (exp(x) - 1).

    Source: Clevert, Unterthiner and Hochreiter, "Fast and accurate deep network learning by
    exponential linear units", 2016.

    Args:
        input: Floating-point tensor of any shape.
        alpha: Factor of the negative part.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return _elu_in_place(input, alpha) if inplace else activation.elu(input, alpha)


@public("nn.functional.silu")
@replayable
def silu(input: Any, inplace: bool = False) -> Any:
    """Apply the sigmoid linear unit: x times the sigmoid of x.

    Args:
        input, inplace: As for `leaky_relu`.

    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return _silu_in_place(input) if inplace else activation.silu(input)


@public("nn.functional.mish")
@replayable
def mish(input: Any, inplace: bool = False) -> Any:
    """Apply the Mish activation: x tanh(softplus(x)).

    Source: Misra, "Mish: a self regularized non-monotonic neural activation function", 2019.

    Args: As for `silu`.

    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return _mish_in_place(input) if inplace else activation.mish(input)


@public("nn.functional.hardsigmoid")
@replayable
def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """Apply a piecewise linear approximation of the sigmoid: min(max(x + 3, 0), 6) / 6.

    Args: As for `silu`.

    >>> torch.nn.functional.hardsigmoid(torch.tensor([-1.0, 2.0]))
    tensor([0.3333, 0.8333])
    """
    return _hardsigmoid_in_place(input) if inplace else activation.hardsigmoid(input)


@public("nn.functional.hardswish")
@replayable
def hardswish(input: Any, inplace: bool = False) -> Any:
    """Multiply by a piecewise linear approximation of the sigmoid, ``hardsigmoid``.

    Args: As for `silu`.

    >>> torch.nn.functional.hardswish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3333,  1.6667])
    """
    return _hardswish_in_place(input) if inplace else activation.hardswish(input)


@public("nn.functional.threshold")
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """Replace elements up to a threshold by a value.

    Args:
        input: Real tensor of any shape.
        threshold: Elements above it are kept.
        value: Replacement of the others.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.threshold(torch.tensor([-1.0, 2.0]), 0.0, 5.0)
    tensor([5., 2.])
    """
    return (
        _threshold_in_place(input, threshold, value)
        if inplace
        else activation.threshold(input, threshold, value)
    )


@public("nn.functional.selu")
@replayable
def selu(input: Any, inplace: bool = False) -> Any:
    """Apply the scaled ELU, which preserves mean 0 and variance 1.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.

    Args: As for `silu`.

    >>> torch.nn.functional.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return _elu_in_place(input, SELU_ALPHA, SELU_SCALE) if inplace else activation.selu(input)


@public("nn.functional.celu")
@replayable
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Apply the continuously differentiable ELU: x if x > 0, otherwise alpha (exp(x / alpha) - 1).

    Source: Barron, "Continuously differentiable exponential linear units", 2017.

    Args:
        input: Floating-point tensor of any shape.
        alpha: Scale of the negative part.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.celu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    if inplace:
        return _elu_in_place(input, alpha, 1.0, 1 / alpha)
    return activation.celu(input, alpha)


@public("nn.functional.rrelu")
def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    inplace: bool = False,
) -> Any:  # fmt: skip
    """Apply the randomized leaky ReLU, whose slope of negative numbers is random in training.

    Source: Xu et al., "Empirical evaluation of rectified activations in convolutional network",
    2015.

    Args:
        input: Floating-point tensor of any shape.
        lower: Lower bound of the slope.
        upper: Upper bound of the slope.
        training: Whether slopes are random, instead of the mean of the bounds.
        inplace: Whether to write the result into the input.

    >>> torch.nn.functional.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    draw = torch_overloads.rrelu_ if inplace else torch_overloads.rrelu
    return draw(input, lower, upper, training)


@public("nn.functional.gumbel_softmax", reads_late=True)
def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """Draw samples of the relaxed categorical distribution, which have gradients.

    Source: Jang, Gu and Poole, "Categorical reparameterization with Gumbel-softmax", 2017.

    Args:
        logits: Unnormalized log-probabilities, a floating-point tensor of any shape.
        tau: Temperature.
        hard: Whether to return one-hot vectors, with the gradients of the soft samples.
        eps: Deprecated; changes nothing.
        dim: The dim of the categories.

    Returns:
        A tensor of the shape of ``logits`` that sums to 1 along ``dim``.

    >>> torch.nn.functional.gumbel_softmax(torch.zeros(3), hard=True).sum()
    tensor(1.)
    """
    stream = stream_of(None, logits.is_meta)
    draws = stream.exponential(logits._array.shape, logits._array.dtype, 1.0)
    noise = new_tensor(-np.log(draws))
    soft = softmax_along((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.detach().argmax(dim, True)
    chosen = (soft.detach() * 0).scatter(dim, index, 1.0)
    return chosen - soft.detach() + soft
