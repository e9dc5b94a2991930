"""Operations on boxes, and layers, as in ``torchvision.ops``."""

from __future__ import annotations

from pellucid.vision.ops.boxes import (
    batched_nms,
    box_area,
    box_convert,
    box_iou,
    clip_boxes_to_image,
    generalized_box_iou,
    nms,
    remove_small_boxes,
)
from pellucid.vision.ops.focal_loss import sigmoid_focal_loss
from pellucid.vision.ops.misc import FrozenBatchNorm2d
from pellucid.vision.ops.stochastic_depth import StochasticDepth, stochastic_depth

__all__ = [
    "FrozenBatchNorm2d", "StochasticDepth", "batched_nms", "box_area", "box_convert", "box_iou",
    "clip_boxes_to_image", "generalized_box_iou", "nms", "remove_small_boxes",
    "sigmoid_focal_loss", "stochastic_depth",
]  # fmt: skip
