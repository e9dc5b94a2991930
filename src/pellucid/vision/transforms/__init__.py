"""Transforms of pictures, as programs take them from ``torchvision.transforms``."""

from __future__ import annotations

from pellucid.vision.transforms import functional
from pellucid.vision.transforms.augment import ColorJitter, GaussianBlur, RandomErasing
from pellucid.vision.transforms.compose import Compose, Lambda, RandomApply, RandomChoice
from pellucid.vision.transforms.converting import (
    ConvertImageDtype,
    Grayscale,
    Normalize,
    PILToTensor,
    RandomGrayscale,
    ToPILImage,
    ToTensor,
)
from pellucid.vision.transforms.functional import InterpolationMode
from pellucid.vision.transforms.geometry import (
    CenterCrop,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
)

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype", "GaussianBlur", "Grayscale",
    "InterpolationMode", "Lambda", "Normalize", "PILToTensor", "Pad", "RandomApply",
    "RandomChoice", "RandomCrop", "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip",
    "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "ToPILImage",
    "ToTensor", "functional",
]  # fmt: skip
