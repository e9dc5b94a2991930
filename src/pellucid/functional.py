"""Neural-network functions: the door ``torch.nn.functional``."""

from __future__ import annotations

from pellucid.ops.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from pellucid.ops.loss import mse_loss
from pellucid.ops.matmul import linear
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
