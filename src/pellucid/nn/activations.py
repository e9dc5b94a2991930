"""Activation functions with PyTorch's argument ``inplace``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import torch_overloads
from pellucid.core.call import new_tensor
from pellucid.core.public import public
from pellucid.ops.aliasing.inplace import inplace as in_place
from pellucid.ops.nn import activation
from pellucid.ops.nn.activation import SELU_ALPHA, SELU_SCALE
from pellucid.ops.nn.softmax import functional_softmax
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


@public("nn.functional.relu", checked=False)
def relu(input: Any, inplace: bool = False) -> Any:
    """Set negative elements to zero.

    >>> import pellucid as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _relu_in_place(input) if inplace else activation.relu(input)


@public("nn.functional.relu6")
def relu6(input: Any, inplace: bool = False) -> Any:
    """Clamp to the interval from 0 to 6.

    >>> import pellucid as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _hardtanh_in_place(input, 0.0, 6.0) if inplace else activation.relu6(input)


@public("nn.functional.hardtanh", checked=False)
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Clamp to an interval.

    >>> import pellucid as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])
    """
    return (
        _hardtanh_in_place(input, min_val, max_val)
        if inplace
        else activation.hardtanh(input, min_val, max_val)
    )


@public("nn.functional.leaky_relu", checked=False)
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Multiply negative elements by a small slope.

    >>> import pellucid as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return (
        _leaky_relu_in_place(input, negative_slope)
        if inplace
        else activation.leaky_relu(input, negative_slope)
    )


@public("nn.functional.elu", checked=False)
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Replace negative elements by ``alpha * (exp(x) - 1)``.

    >>> import pellucid as torch
    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return _elu_in_place(input, alpha) if inplace else activation.elu(input, alpha)


@public("nn.functional.silu", checked=False)
def silu(input: Any, inplace: bool = False) -> Any:
    """Multiply by the sigmoid.

    >>> import pellucid as torch
    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return _silu_in_place(input) if inplace else activation.silu(input)


@public("nn.functional.mish", checked=False)
def mish(input: Any, inplace: bool = False) -> Any:
    """Multiply by ``tanh(softplus(x))``.

    >>> import pellucid as torch
    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return _mish_in_place(input) if inplace else activation.mish(input)


@public("nn.functional.hardsigmoid", checked=False)
def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """Approximate the sigmoid by straight lines.

    >>> import pellucid as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-1.0, 2.0]))
    tensor([0.3333, 0.8333])
    """
    return _hardsigmoid_in_place(input) if inplace else activation.hardsigmoid(input)


@public("nn.functional.hardswish", checked=False)
def hardswish(input: Any, inplace: bool = False) -> Any:
    """Multiply by `hardsigmoid`.

    >>> import pellucid as torch
    >>> torch.nn.functional.hardswish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3333,  1.6667])
    """
    return _hardswish_in_place(input) if inplace else activation.hardswish(input)


@public("nn.functional.threshold")
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """Replace elements that are not above a threshold by a value.

    >>> import pellucid as torch
    >>> torch.nn.functional.threshold(torch.tensor([-1.0, 2.0]), 0.0, 5.0)
    tensor([5., 2.])
    """
    return (
        _threshold_in_place(input, threshold, value)
        if inplace
        else activation.threshold(input, threshold, value)
    )


@public("nn.functional.selu")
def selu(input: Any, inplace: bool = False) -> Any:
    """Apply the scaled elu that keeps mean 0 and variance 1.

    >>> import pellucid as torch
    >>> torch.nn.functional.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return _elu_in_place(input, SELU_ALPHA, SELU_SCALE) if inplace else activation.selu(input)


@public("nn.functional.celu")
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Replace negative elements by ``alpha * (exp(x / alpha) - 1)``.

    >>> import pellucid as torch
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
    """Multiply negative elements by slopes drawn at random while training, else by their mean.

    >>> import pellucid as torch
    >>> torch.nn.functional.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    draw = torch_overloads.rrelu_ if inplace else torch_overloads.rrelu
    return draw(input, lower, upper, training)


@public("nn.functional.gumbel_softmax", reads_late=True)
def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """Draw from a categorical distribution in a way that has a gradient.

    ``hard`` gives rows with a single one, and the gradient of the soft ones. Jang, Gu and Poole,
    "Categorical reparameterization with Gumbel-softmax" (2017).

    >>> import pellucid as torch
    >>> torch.nn.functional.gumbel_softmax(torch.zeros(3), hard=True).sum()
    tensor(1.)
    """
    draws = stream_of(None).exponential(logits._array.shape, logits._array.dtype, 1.0)
    noise = new_tensor(-np.log(draws))
    soft = functional_softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    places = soft.detach().argmax(dim, True)
    chosen = (soft.detach() * 0).scatter(dim, places, 1.0)
    return chosen - soft.detach() + soft


@public("nn.functional.relu_")
def relu_(input: Any) -> Any:
    """Do as `relu` does, in place."""
    return relu(input, inplace=True)


@public("nn.functional.hardtanh_")
def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Do as `hardtanh` does, in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


@public("nn.functional.leaky_relu_")
def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """Do as `leaky_relu` does, in place."""
    return leaky_relu(input, negative_slope, inplace=True)


@public("nn.functional.elu_")
def elu_(input: Any, alpha: float = 1.0) -> Any:
    """Do as `elu` does, in place."""
    return elu(input, alpha, inplace=True)


@public("nn.functional.threshold_")
def threshold_(input: Any, threshold: float, value: float) -> Any:
    """Do as `threshold` does, in place."""
    return _threshold_in_place(input, threshold, value)


@public("nn.functional.selu_")
def selu_(input: Any) -> Any:
    """Do as `selu` does, in place."""
    return selu(input, inplace=True)


@public("nn.functional.celu_")
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """Do as `celu` does, in place."""
    return celu(input, alpha, inplace=True)


@public("nn.functional.rrelu_")
def rrelu_(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """Do as `rrelu` does, in place."""
    return rrelu(input, lower, upper, training, inplace=True)
