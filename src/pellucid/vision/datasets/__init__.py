"""Datasets that lie on disk in the formats their authors publish; nothing is downloaded."""

from __future__ import annotations

from pellucid.vision.datasets.base import VisionDataset
from pellucid.vision.datasets.cifar import CIFAR10, CIFAR100
from pellucid.vision.datasets.fake import FakeData
from pellucid.vision.datasets.folder import DatasetFolder, ImageFolder
from pellucid.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = [
    "CIFAR10", "CIFAR100", "DatasetFolder", "FakeData", "FashionMNIST", "ImageFolder", "KMNIST",
    "MNIST", "VisionDataset",
]  # fmt: skip
