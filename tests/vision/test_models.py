"""Networks against what is known of torchvision's: counts of parameters, names, first values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid as torch
from pellucid.vision import models
from pellucid.vision.models.resnet import BasicBlock, Bottleneck
from pellucid.vision.models.vgg import _BLOCKS, convolutions


def parameter_count(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def draw_at_most(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave larger tensors undrawn: a hundred million first values take seconds."""
    for name in ("uniform_", "normal_"):
        draw = getattr(torch.Tensor, name)

        def drawn(tensor, *args, draw=draw, **options):
            return draw(tensor, *args, **options) if tensor.numel() <= count else tensor

        monkeypatch.setattr(torch.Tensor, name, drawn)


# As published in torchvision's documentation.
@pytest.mark.parametrize(
    ("make", "count"),
    [
        (models.resnet18, 11_689_512), (models.resnet34, 21_797_672),
        (models.resnet50, 25_557_032), (models.resnet101, 44_549_160),
        (models.resnet152, 60_192_808), (models.alexnet, 61_100_840),
    ],
)  # fmt: skip
def test_a_model_has_as_many_parameters_as_published(make, count: int, monkeypatch) -> None:
    draw_at_most(0, monkeypatch)
    assert parameter_count(make()) == count


# The classifier of every VGG has 123,642,856 of the published parameters.
@pytest.mark.parametrize(
    ("depth", "batch_norm", "count"),
    [
        (11, False, 132_863_336), (13, False, 133_047_848), (16, False, 138_357_544),
        (19, False, 143_667_240), (11, True, 132_868_840), (13, True, 133_053_736),
        (16, True, 138_365_992), (19, True, 143_678_248),
    ],
)  # fmt: skip
def test_the_layers_of_vgg_have_as_many_parameters_as_published(
    depth, batch_norm, count, monkeypatch
) -> None:
    draw_at_most(0, monkeypatch)
    assert parameter_count(convolutions(_BLOCKS[depth], batch_norm)) == count - 123_642_856


def test_vgg_has_the_names_and_the_classifier_that_files_of_weights_expect(monkeypatch) -> None:
    draw_at_most(0, monkeypatch)
    model = models.vgg11(init_weights=False, num_classes=7)
    names = list(model.state_dict())
    assert names[:3] == ["features.0.weight", "features.0.bias", "features.3.weight"]
    assert names[-2:] == ["classifier.6.weight", "classifier.6.bias"]
    assert parameter_count(model.classifier) == 123_642_856 - 993 * (4096 + 1)


def test_the_first_values_of_vgg_are_those_of_its_authors(monkeypatch) -> None:
    draw_at_most(4096 * 4096, monkeypatch)
    torch.manual_seed(0)
    layers = convolutions([(1, 64)])
    model = models.VGG(layers, num_classes=2)
    assert model.classifier[3].weight.std().item() == pytest.approx(0.01, rel=0.01)
    assert model.classifier[3].bias.abs().sum().item() == 0
    assert layers[0].weight.std().item() == pytest.approx(math.sqrt(2 / (64 * 9)), rel=0.1)


def test_resnet_has_the_names_that_files_of_weights_expect(monkeypatch) -> None:
    draw_at_most(0, monkeypatch)
    names = set(models.resnet50(num_classes=2).state_dict())
    assert {
        "conv1.weight", "bn1.running_mean", "layer1.0.conv3.weight", "layer1.0.downsample.0.weight",
        "layer1.0.downsample.1.num_batches_tracked", "layer4.2.bn3.bias", "fc.weight",
    } <= names  # fmt: skip


def test_resnet_learns() -> None:
    torch.manual_seed(0)
    model = models.ResNet(BasicBlock, [1, 1, 1, 1], num_classes=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(4, 3, 32, 32), torch.tensor([0, 1, 0, 1])
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_blocks_that_start_at_zero_add_nothing() -> None:
    model = models.ResNet(Bottleneck, [2, 1, 1, 1], num_classes=2, zero_init_residual=True)
    block = model.layer1[1]
    x = torch.rand(2, 256, 4, 4)
    np.testing.assert_allclose(block(x).detach(), x, rtol=1e-6)


def test_dilation_keeps_the_size_that_strides_would_halve() -> None:
    model = models.ResNet(
        Bottleneck, [1, 1, 1, 1], replace_stride_with_dilation=(False, True, True)
    )
    x = model.maxpool(model.conv1(torch.rand(1, 3, 32, 32)))
    for stage in (model.layer1, model.layer2, model.layer3, model.layer4):
        x = stage(x)
    assert x.shape == (1, 2048, 4, 4)


def test_alexnet_classifies(monkeypatch) -> None:
    draw_at_most(1_000_000, monkeypatch)
    assert models.alexnet(num_classes=3)(torch.rand(1, 3, 64, 64)).shape == (1, 3)


@pytest.mark.parametrize("asked", [{"weights": "DEFAULT"}, {"pretrained": True}])
def test_trained_weights_are_refused_with_a_way_out(asked: dict[str, object]) -> None:
    with pytest.raises(NotImplementedError, match=r"never downloads.*load_state_dict"):
        models.resnet18(**asked)
