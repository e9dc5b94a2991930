"""Where functions of ``torch.nn.functional`` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pellucid.nn.inplace_activations import celu as celu
    from pellucid.nn.inplace_activations import elu as elu
    from pellucid.nn.inplace_activations import gumbel_softmax as gumbel_softmax
    from pellucid.nn.inplace_activations import hardsigmoid as hardsigmoid
    from pellucid.nn.inplace_activations import hardswish as hardswish
    from pellucid.nn.inplace_activations import hardtanh as hardtanh
    from pellucid.nn.inplace_activations import leaky_relu as leaky_relu
    from pellucid.nn.inplace_activations import mish as mish
    from pellucid.nn.inplace_activations import relu as relu
    from pellucid.nn.inplace_activations import relu6 as relu6
    from pellucid.nn.inplace_activations import rrelu as rrelu
    from pellucid.nn.inplace_activations import selu as selu
    from pellucid.nn.inplace_activations import silu as silu
    from pellucid.nn.inplace_activations import threshold as threshold
    from pellucid.ops.elementwise.trigonometric import tanh as tanh
    from pellucid.ops.linalg.contract import bilinear as bilinear
    from pellucid.ops.linalg.distances import pdist as pdist
    from pellucid.ops.linalg.matmul import linear as linear
    from pellucid.ops.nn.activation import elu as elu_
    from pellucid.ops.nn.activation import gelu as gelu
    from pellucid.ops.nn.activation import glu as glu
    from pellucid.ops.nn.activation import hardshrink as hardshrink
    from pellucid.ops.nn.activation import hardtanh as hardtanh_
    from pellucid.ops.nn.activation import leaky_relu as leaky_relu_
    from pellucid.ops.nn.activation import logsigmoid as logsigmoid
    from pellucid.ops.nn.activation import prelu as prelu
    from pellucid.ops.nn.activation import relu as relu_
    from pellucid.ops.nn.activation import sigmoid as sigmoid
    from pellucid.ops.nn.activation import softplus as softplus
    from pellucid.ops.nn.activation import softshrink as softshrink
    from pellucid.ops.nn.activation import softsign as softsign
    from pellucid.ops.nn.activation import tanhshrink as tanhshrink
    from pellucid.ops.nn.activation import threshold as threshold_
    from pellucid.ops.nn.attention import (
        scaled_dot_product_attention as scaled_dot_product_attention,
    )
    from pellucid.ops.nn.channels import channel_shuffle as channel_shuffle
    from pellucid.ops.nn.channels import native_channel_shuffle as native_channel_shuffle
    from pellucid.ops.nn.channels import pixel_shuffle as pixel_shuffle
    from pellucid.ops.nn.channels import pixel_unshuffle as pixel_unshuffle
    from pellucid.ops.nn.conv import conv1d as conv1d
    from pellucid.ops.nn.conv import conv2d as conv2d
    from pellucid.ops.nn.conv import conv3d as conv3d
    from pellucid.ops.nn.conv import conv_transpose1d as conv_transpose1d
    from pellucid.ops.nn.conv import conv_transpose2d as conv_transpose2d
    from pellucid.ops.nn.conv import conv_transpose3d as conv_transpose3d
    from pellucid.ops.nn.conv_time import conv_tbc as conv_tbc
    from pellucid.ops.nn.cross_entropy import binary_cross_entropy as binary_cross_entropy
    from pellucid.ops.nn.cross_entropy import (
        binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    )
    from pellucid.ops.nn.cross_entropy import cross_entropy as cross_entropy
    from pellucid.ops.nn.cross_entropy import nll_loss as nll_loss
    from pellucid.ops.nn.ctc import ctc_loss as ctc_loss
    from pellucid.ops.nn.dropout import alpha_dropout as alpha_dropout
    from pellucid.ops.nn.dropout import dropout as dropout
    from pellucid.ops.nn.dropout import dropout1d as dropout1d
    from pellucid.ops.nn.dropout import dropout2d as dropout2d
    from pellucid.ops.nn.dropout import dropout3d as dropout3d
    from pellucid.ops.nn.dropout import feature_alpha_dropout as feature_alpha_dropout
    from pellucid.ops.nn.embedding import embedding as embedding
    from pellucid.ops.nn.embedding import embedding_bag as embedding_bag
    from pellucid.ops.nn.embedding import one_hot as one_hot
    from pellucid.ops.nn.fractional_pool import fractional_max_pool2d as fractional_max_pool2d
    from pellucid.ops.nn.fractional_pool import (
        fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices,
    )
    from pellucid.ops.nn.fractional_pool import fractional_max_pool3d as fractional_max_pool3d
    from pellucid.ops.nn.fractional_pool import (
        fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices,
    )
    from pellucid.ops.nn.grid import affine_grid as affine_grid
    from pellucid.ops.nn.grid import grid_sample as grid_sample
    from pellucid.ops.nn.likelihood_loss import gaussian_nll_loss as gaussian_nll_loss
    from pellucid.ops.nn.likelihood_loss import kl_div as kl_div
    from pellucid.ops.nn.likelihood_loss import poisson_nll_loss as poisson_nll_loss
    from pellucid.ops.nn.linear_loss import linear_cross_entropy as linear_cross_entropy
    from pellucid.ops.nn.loss import huber_loss as huber_loss
    from pellucid.ops.nn.loss import l1_loss as l1_loss
    from pellucid.ops.nn.loss import mse_loss as mse_loss
    from pellucid.ops.nn.loss import smooth_l1_loss as smooth_l1_loss
    from pellucid.ops.nn.margin_loss import cosine_embedding_loss as cosine_embedding_loss
    from pellucid.ops.nn.margin_loss import hinge_embedding_loss as hinge_embedding_loss
    from pellucid.ops.nn.margin_loss import margin_ranking_loss as margin_ranking_loss
    from pellucid.ops.nn.margin_loss import multi_margin_loss as multi_margin_loss
    from pellucid.ops.nn.margin_loss import (
        multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    )
    from pellucid.ops.nn.margin_loss import soft_margin_loss as soft_margin_loss
    from pellucid.ops.nn.margin_loss import triplet_margin_loss as triplet_margin_loss
    from pellucid.ops.nn.margin_loss import (
        triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
    )
    from pellucid.ops.nn.multihead import (
        multi_head_attention_forward as multi_head_attention_forward,
    )
    from pellucid.ops.nn.multilabel import multilabel_margin_loss as multilabel_margin_loss
    from pellucid.ops.nn.norm import batch_norm as batch_norm
    from pellucid.ops.nn.norm import group_norm as group_norm
    from pellucid.ops.nn.norm import instance_norm as instance_norm
    from pellucid.ops.nn.norm import layer_norm as layer_norm
    from pellucid.ops.nn.norm import local_response_norm as local_response_norm
    from pellucid.ops.nn.norm import rms_norm as rms_norm
    from pellucid.ops.nn.pad import pad as pad
    from pellucid.ops.nn.patches import fold as fold
    from pellucid.ops.nn.patches import unfold as unfold
    from pellucid.ops.nn.pool import adaptive_avg_pool1d as adaptive_avg_pool1d
    from pellucid.ops.nn.pool import adaptive_avg_pool2d as adaptive_avg_pool2d
    from pellucid.ops.nn.pool import adaptive_avg_pool3d as adaptive_avg_pool3d
    from pellucid.ops.nn.pool import adaptive_max_pool1d as adaptive_max_pool1d
    from pellucid.ops.nn.pool import (
        adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
    )
    from pellucid.ops.nn.pool import adaptive_max_pool2d as adaptive_max_pool2d
    from pellucid.ops.nn.pool import (
        adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    )
    from pellucid.ops.nn.pool import adaptive_max_pool3d as adaptive_max_pool3d
    from pellucid.ops.nn.pool import (
        adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
    )
    from pellucid.ops.nn.pool import avg_pool1d as avg_pool1d
    from pellucid.ops.nn.pool import avg_pool2d as avg_pool2d
    from pellucid.ops.nn.pool import avg_pool3d as avg_pool3d
    from pellucid.ops.nn.pool import max_pool1d as max_pool1d
    from pellucid.ops.nn.pool import max_pool1d_with_indices as max_pool1d_with_indices
    from pellucid.ops.nn.pool import max_pool2d as max_pool2d
    from pellucid.ops.nn.pool import max_pool2d_with_indices as max_pool2d_with_indices
    from pellucid.ops.nn.pool import max_pool3d as max_pool3d
    from pellucid.ops.nn.pool import max_pool3d_with_indices as max_pool3d_with_indices
    from pellucid.ops.nn.power_pool import lp_pool1d as lp_pool1d
    from pellucid.ops.nn.power_pool import lp_pool2d as lp_pool2d
    from pellucid.ops.nn.power_pool import lp_pool3d as lp_pool3d
    from pellucid.ops.nn.resize import interpolate as interpolate
    from pellucid.ops.nn.resize import upsample as upsample
    from pellucid.ops.nn.resize import upsample_bilinear as upsample_bilinear
    from pellucid.ops.nn.resize import upsample_nearest as upsample_nearest
    from pellucid.ops.nn.softmax import log_softmax_along as log_softmax
    from pellucid.ops.nn.softmax import softmax_along as softmax
    from pellucid.ops.nn.softmax import softmin as softmin
    from pellucid.ops.nn.unpool import max_unpool1d as max_unpool1d
    from pellucid.ops.nn.unpool import max_unpool2d as max_unpool2d
    from pellucid.ops.nn.unpool import max_unpool3d as max_unpool3d
    from pellucid.ops.reduce.statistics import cosine_similarity as cosine_similarity
    from pellucid.ops.reduce.statistics import normalize as normalize
    from pellucid.ops.reduce.statistics import pairwise_distance as pairwise_distance
    from pellucid.tensors.inplace_methods import celu_ as celu_
    from pellucid.tensors.inplace_methods import selu_ as selu_
