"""VGG (Simonyan and Zisserman, 2015): small convolutions, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid import nn
from pellucid.tensors import Tensor
from pellucid.vision.models.weights import refuse_weights

#: for every block between two poolings, how many convolutions of which width
_BLOCKS = {
    11: ((1, 64), (1, 128), (2, 256), (2, 512), (2, 512)),
    13: ((2, 64), (2, 128), (2, 256), (2, 512), (2, 512)),
    16: ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)),
    19: ((2, 64), (2, 128), (4, 256), (4, 512), (4, 512)),
}


class VGG(nn.Module):
    """A classifier of images ``[N, 3, H, W]``, H and W at least 32."""

    def __init__(
        self, features: nn.Module, num_classes: int = 1000, init_weights: bool = True,
        dropout: float = 0.5,
    ) -> None:  # fmt: skip
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(dropout),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            for module in self.modules():
                _set_first_values(module)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def _set_first_values(module: nn.Module) -> None:
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.ones_(module.weight)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, 0, 0.01)
        nn.init.zeros_(module.bias)


def convolutions(blocks: Sequence[tuple[int, int]], batch_norm: bool = False) -> nn.Sequential:
    """Return the layers below the classifier: blocks of convolutions, and a pooling after each."""
    layers: list[nn.Module] = []
    width_before = 3
    for count, width in blocks:
        for _ in range(count):
            layers.append(nn.Conv2d(width_before, width, 3, padding=1))
            if batch_norm:
                layers.append(nn.BatchNorm2d(width))
            layers.append(nn.ReLU(inplace=True))
            width_before = width
        layers.append(nn.MaxPool2d(2, stride=2))
    return nn.Sequential(*layers)


def _vgg(depth: int, batch_norm: bool, weights: Any, pretrained: bool, options: Any) -> VGG:
    refuse_weights(f"vgg{depth}", weights, pretrained)
    return VGG(convolutions(_BLOCKS[depth], batch_norm), **options)


def vgg11(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 11 layers, untrained."""
    return _vgg(11, False, weights, pretrained, options)


def vgg11_bn(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 11 layers with batch normalisation, untrained."""
    return _vgg(11, True, weights, pretrained, options)


def vgg13(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 13 layers, untrained."""
    return _vgg(13, False, weights, pretrained, options)


def vgg13_bn(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 13 layers with batch normalisation, untrained."""
    return _vgg(13, True, weights, pretrained, options)


def vgg16(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 16 layers, untrained."""
    return _vgg(16, False, weights, pretrained, options)


def vgg16_bn(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 16 layers with batch normalisation, untrained."""
    return _vgg(16, True, weights, pretrained, options)


def vgg19(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 19 layers, untrained."""
    return _vgg(19, False, weights, pretrained, options)


def vgg19_bn(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> VGG:
    """Make a VGG of 19 layers with batch normalisation, untrained."""
    return _vgg(19, True, weights, pretrained, options)
