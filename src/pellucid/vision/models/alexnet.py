"""AlexNet, in its version for one device (Krizhevsky, 2014)."""

from __future__ import annotations

from typing import Any

from pellucid import nn
from pellucid.tensors import Tensor
from pellucid.vision.models.weights import refuse_weights


class AlexNet(nn.Module):
    """A classifier of images ``[N, 3, H, W]``, H and W at least 63."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, stride=4, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(64, 192, 5, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(192, 384, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(256 * 6 * 6, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def alexnet(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> AlexNet:
    """Make an AlexNet, untrained."""
    refuse_weights("alexnet", weights, pretrained)
    return AlexNet(**options)
