"""ResNet (He, Zhang, Ren and Sun, 2016): every block adds to what it was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid import nn
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor
from pellucid.vision.models.weights import refuse_weights

NormLayer = Callable[[int], nn.Module]


def conv3x3(
    in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1
) -> nn.Conv2d:
    """Return a 3 by 3 convolution that keeps the size, up to the stride."""
    return nn.Conv2d(
        in_planes, out_planes, 3, stride, padding=dilation, groups=groups, bias=False,
        dilation=dilation,
    )  # fmt: skip


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    """Return a convolution of single pixels."""
    return nn.Conv2d(in_planes, out_planes, 1, stride, bias=False)


class BasicBlock(nn.Module):
    """Two 3 by 3 convolutions whose result is added to their input."""

    expansion = 1

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None,
        groups: int = 1, base_width: int = 64, dilation: int = 1,
        norm_layer: NormLayer = nn.BatchNorm2d,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups != 1 or base_width != 64:
            raise ArgumentError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    """A strided 3 by 3 convolution between two of single pixels, added to the input."""

    expansion = 4

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None,
        groups: int = 1, base_width: int = 64, dilation: int = 1,
        norm_layer: NormLayer = nn.BatchNorm2d,
    ) -> None:  # fmt: skip
        super().__init__()
        width = int(planes * (base_width / 64)) * groups
        self.conv1 = conv1x1(inplanes, width)
        self.bn1 = norm_layer(width)
        self.conv2 = conv3x3(width, width, stride, groups, dilation)
        self.bn2 = norm_layer(width)
        self.conv3 = conv1x1(width, planes * self.expansion)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


Block = type[BasicBlock] | type[Bottleneck]


class ResNet(nn.Module):
    """A classifier of images ``[N, 3, H, W]``."""

    def __init__(
        self, block: Block, layers: Sequence[int], num_classes: int = 1000,
        zero_init_residual: bool = False, groups: int = 1, width_per_group: int = 64,
        replace_stride_with_dilation: Sequence[bool] | None = None,
        norm_layer: NormLayer | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.inplanes = 64
        self.dilation = 1
        self.groups = groups
        self.base_width = width_per_group
        self._norm_layer = norm_layer or nn.BatchNorm2d
        dilated = replace_stride_with_dilation or (False, False, False)
        if len(dilated) != 3:
            raise ArgumentError(
                "replace_stride_with_dilation should be None or a 3-element tuple, got "
                f"{replace_stride_with_dilation}"
            )
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = self._norm_layer(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self._stage(block, 64, layers[0])
        self.layer2 = self._stage(block, 128, layers[1], 2, dilated[0])
        self.layer3 = self._stage(block, 256, layers[2], 2, dilated[1])
        self.layer4 = self._stage(block, 512, layers[3], 2, dilated[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        for module in self.modules():
            _set_first_values(module)
        if zero_init_residual:
            for module in self.modules():
                _let_block_add_nothing(module)

    def _stage(
        self, block: Block, planes: int, blocks: int, stride: int = 1, dilate: bool = False
    ) -> nn.Sequential:
        dilation_before = self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        width = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != width:
            downsample = nn.Sequential(
                conv1x1(self.inplanes, width, stride), self._norm_layer(width)
            )
        shared = (self.groups, self.base_width)
        first = block(
            self.inplanes, planes, stride, downsample, *shared, dilation_before, self._norm_layer
        )
        self.inplanes = width
        rest = [
            block(width, planes, 1, None, *shared, self.dilation, self._norm_layer)
            for _ in range(1, blocks)
        ]
        return nn.Sequential(first, *rest)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


def _set_first_values(module: nn.Module) -> None:
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    elif isinstance(module, nn.BatchNorm2d | nn.GroupNorm):
        nn.init.ones_(module.weight)
        nn.init.zeros_(module.bias)


def _let_block_add_nothing(module: nn.Module) -> None:
    """Start with blocks that are the identity (Goyal et al., 2017)."""
    last = {BasicBlock: "bn2", Bottleneck: "bn3"}.get(type(module))
    if last is not None:
        nn.init.zeros_(getattr(module, last).weight)


def _resnet(
    block: Block, layers: Sequence[int], weights: Any, pretrained: bool, options: Any
) -> ResNet:
    refuse_weights("A ResNet", weights, pretrained)
    return ResNet(block, layers, **options)


def resnet18(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> ResNet:
    """Make a ResNet of 18 layers, untrained."""
    return _resnet(BasicBlock, (2, 2, 2, 2), weights, pretrained, options)


def resnet34(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> ResNet:
    """Make a ResNet of 34 layers, untrained."""
    return _resnet(BasicBlock, (3, 4, 6, 3), weights, pretrained, options)


def resnet50(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> ResNet:
    """Make a ResNet of 50 layers, untrained."""
    return _resnet(Bottleneck, (3, 4, 6, 3), weights, pretrained, options)


def resnet101(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> ResNet:
    """Make a ResNet of 101 layers, untrained."""
    return _resnet(Bottleneck, (3, 4, 23, 3), weights, pretrained, options)


def resnet152(
    *, weights: Any = None, pretrained: bool = False, progress: bool = True, **options: Any
) -> ResNet:
    """Make a ResNet of 152 layers, untrained."""
    return _resnet(Bottleneck, (3, 8, 36, 3), weights, pretrained, options)
