"""Networks for pictures, with torchvision's names of parameters and first values."""

from __future__ import annotations

from pellucid.vision.models.alexnet import AlexNet, alexnet
from pellucid.vision.models.resnet import ResNet, resnet18, resnet34, resnet50, resnet101, resnet152
from pellucid.vision.models.vgg import (
    VGG,
    vgg11,
    vgg11_bn,
    vgg13,
    vgg13_bn,
    vgg16,
    vgg16_bn,
    vgg19,
    vgg19_bn,
)

__all__ = [
    "VGG", "AlexNet", "ResNet", "alexnet", "resnet101", "resnet152", "resnet18", "resnet34",
    "resnet50", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn",
]  # fmt: skip
