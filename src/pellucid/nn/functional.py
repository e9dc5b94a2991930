"""Neural-network functions: the door ``torch.nn.functional``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import torch_overloads
from pellucid.core.call import new_tensor
from pellucid.core.out import public_functions
from pellucid.ops.aliasing.inplace import inplace as in_place
from pellucid.ops.elementwise import trigonometric
from pellucid.ops.linalg.contract import bilinear
from pellucid.ops.linalg.distances import pdist
from pellucid.ops.linalg.matmul import linear
from pellucid.ops.nn import activation
from pellucid.ops.nn.activation import (
    SELU_ALPHA,
    SELU_SCALE,
    gelu,
    glu,
    hardshrink,
    logsigmoid,
    prelu,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
)
from pellucid.ops.nn.attention import scaled_dot_product_attention
from pellucid.ops.nn.channels import (
    channel_shuffle,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
)
from pellucid.ops.nn.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from pellucid.ops.nn.conv_time import conv_tbc
from pellucid.ops.nn.ctc import ctc_loss
from pellucid.ops.nn.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from pellucid.ops.nn.embedding import embedding, embedding_bag, one_hot
from pellucid.ops.nn.fractional_pool import (
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
)
from pellucid.ops.nn.grid import affine_grid, grid_sample
from pellucid.ops.nn.linear_loss import linear_cross_entropy
from pellucid.ops.nn.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from pellucid.ops.nn.multihead import multi_head_attention_forward
from pellucid.ops.nn.multilabel import multilabel_margin_loss
from pellucid.ops.nn.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from pellucid.ops.nn.pad import pad
from pellucid.ops.nn.patches import fold, unfold
from pellucid.ops.nn.pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from pellucid.ops.nn.power_pool import lp_pool1d, lp_pool2d, lp_pool3d
from pellucid.ops.nn.resize import interpolate, upsample, upsample_bilinear, upsample_nearest
from pellucid.ops.nn.softmax import (
    functional_log_softmax as log_softmax,
)
from pellucid.ops.nn.softmax import (
    functional_softmax as softmax,
)
from pellucid.ops.nn.softmax import (
    softmin,
)
from pellucid.ops.nn.unpool import max_unpool1d, max_unpool2d, max_unpool3d
from pellucid.ops.random.sampling import stream_of
from pellucid.ops.reduce.statistics import cosine_similarity, normalize, pairwise_distance

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "native_channel_shuffle",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

sigmoid = activation.sigmoid
tanh = trigonometric.tanh

_relu_in_place = in_place(activation.relu)
_leaky_relu_in_place = in_place(activation.leaky_relu)
_elu_in_place = in_place(activation.elu)
_silu_in_place = in_place(activation.silu)
_mish_in_place = in_place(activation.mish)
_hardtanh_in_place = in_place(activation.hardtanh)
_hardsigmoid_in_place = in_place(activation.hardsigmoid)
_hardswish_in_place = in_place(activation.hardswish)
_threshold_in_place = in_place(activation.threshold)


def relu(input: Any, inplace: bool = False) -> Any:
    """Set negative elements to zero.

    >>> import pellucid as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _relu_in_place(input) if inplace else activation.relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """Clamp to the interval from 0 to 6.

    >>> import pellucid as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _hardtanh_in_place(input, 0.0, 6.0) if inplace else activation.relu6(input)


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


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Replace negative elements by ``alpha * (exp(x) - 1)``.

    >>> import pellucid as torch
    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return _elu_in_place(input, alpha) if inplace else activation.elu(input, alpha)


def silu(input: Any, inplace: bool = False) -> Any:
    """Multiply by the sigmoid.

    >>> import pellucid as torch
    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return _silu_in_place(input) if inplace else activation.silu(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """Multiply by ``tanh(softplus(x))``.

    >>> import pellucid as torch
    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return _mish_in_place(input) if inplace else activation.mish(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """Approximate the sigmoid by straight lines.

    >>> import pellucid as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-1.0, 2.0]))
    tensor([0.3333, 0.8333])
    """
    return _hardsigmoid_in_place(input) if inplace else activation.hardsigmoid(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """Multiply by `hardsigmoid`.

    >>> import pellucid as torch
    >>> torch.nn.functional.hardswish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3333,  1.6667])
    """
    return _hardswish_in_place(input) if inplace else activation.hardswish(input)


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


def selu(input: Any, inplace: bool = False) -> Any:
    """Apply the scaled elu that keeps mean 0 and variance 1.

    >>> import pellucid as torch
    >>> torch.nn.functional.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return _elu_in_place(input, SELU_ALPHA, SELU_SCALE) if inplace else activation.selu(input)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Replace negative elements by ``alpha * (exp(x / alpha) - 1)``.

    >>> import pellucid as torch
    >>> torch.nn.functional.celu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    if inplace:
        return _elu_in_place(input, alpha, 1.0, 1 / alpha)
    return activation.celu(input, alpha)


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
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    places = soft.detach().argmax(dim, True)
    chosen = (soft.detach() * 0).scatter(dim, places, 1.0)
    return chosen - soft.detach() + soft


globals().update(public_functions(globals(), __name__))


def relu_(input: Any) -> Any:
    """Do as `relu` does, in place."""
    return relu(input, inplace=True)


def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Do as `hardtanh` does, in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """Do as `leaky_relu` does, in place."""
    return leaky_relu(input, negative_slope, inplace=True)


def elu_(input: Any, alpha: float = 1.0) -> Any:
    """Do as `elu` does, in place."""
    return elu(input, alpha, inplace=True)


def threshold_(input: Any, threshold: float, value: float) -> Any:
    """Do as `threshold` does, in place."""
    return _threshold_in_place(input, threshold, value)


def selu_(input: Any) -> Any:
    """Do as `selu` does, in place."""
    return selu(input, inplace=True)


def celu_(input: Any, alpha: float = 1.0) -> Any:
    """Do as `celu` does, in place."""
    return celu(input, alpha, inplace=True)


def rrelu_(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """Do as `rrelu` does, in place."""
    return rrelu(input, lower, upper, training, inplace=True)
