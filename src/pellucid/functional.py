"""Neural-network functions: the door ``torch.nn.functional``."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError, ShapeError
from pellucid.ops import activation
from pellucid.ops.activation import (
    celu,
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
from pellucid.ops.call import wrapped
from pellucid.ops.contract import bilinear
from pellucid.ops.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from pellucid.ops.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from pellucid.ops.embedding import embedding, embedding_bag, one_hot
from pellucid.ops.loss import (
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
from pellucid.ops.matmul import linear
from pellucid.ops.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from pellucid.ops.pad import pad
from pellucid.ops.pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from pellucid.ops.softmax import (
    functional_log_softmax as log_softmax,
)
from pellucid.ops.softmax import (
    functional_softmax as softmax,
)
from pellucid.ops.softmax import (
    implicit_dim,
    softmin,
)
from pellucid.ops.statistics import cosine_similarity, normalize, pairwise_distance
