"""Definitions of networks and steps on pictures, run on PyTorch, give what they give here."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.vision.models import resnet, vgg

torch = pytest.importorskip("torch")

# The package has a function of the same name.
alexnet = importlib.import_module("pellucid.vision.models.alexnet")


def on_pytorch(module: ModuleType) -> ModuleType:
    """Return the module with its layers taken from PyTorch."""
    source = inspect.getsource(module)
    source = source.replace("from pellucid import nn", "from torch import nn")
    source = source.replace("from pellucid.tensors import", "from torch import")
    copied = ModuleType(module.__name__.replace("pellucid", "copied"))
    exec(compile(source, copied.__name__, "exec"), vars(copied))
    return copied


def small_resnet(module: Any) -> Any:
    return module.ResNet(module.Bottleneck, [1, 1, 1, 1], num_classes=3, groups=2)


def small_vgg(module: Any) -> Any:
    net = module.convolutions([(1, 4), (2, 8)], batch_norm=True)
    for layer in net:
        module._set_first_values(layer)
    return net


def small_alexnet(module: Any) -> Any:
    return module.AlexNet(num_classes=2).features


@pytest.mark.parametrize(
    ("module", "make"), [(resnet, small_resnet), (vgg, small_vgg), (alexnet, small_alexnet)]
)
def test_first_values_and_training_agree_for_a_seed(module: ModuleType, make: Any) -> None:
    image = np.random.default_rng(0).standard_normal((2, 3, 64, 64)).astype(np.float32)
    results = []
    for namespace, source in ((pellucid, module), (torch, on_pytorch(module))):
        namespace.manual_seed(3)
        net = make(source)
        first = {name: value.detach().numpy().copy() for name, value in net.state_dict().items()}
        output = net(namespace.from_numpy(image))
        output.square().mean().backward()
        gradients = [parameter.grad.numpy() for parameter in net.parameters()]
        results.append((first, output.detach().numpy(), gradients))
    (ours, output, gradients), (theirs, expected, expected_gradients) = results
    assert list(ours) == list(theirs)
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-4)
    for gradient, other in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-2, atol=1e-4)


def test_fake_pictures_are_what_pytorch_makes_of_the_noise() -> None:
    from pellucid.vision.datasets import FakeData

    torch.manual_seed(2 + 5)
    noise, target = torch.randn(3, 6, 4), int(torch.randint(0, 10, (1,)))
    picture, label = FakeData(image_size=(3, 6, 4), random_offset=5)[2]
    assert label == target
    np.testing.assert_array_equal(
        np.asarray(picture), noise.mul(255).byte().numpy().transpose(1, 2, 0)
    )


@pytest.mark.parametrize("size", [(4, 3), (9, 13), (6, 20)])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest"])
def test_pictures_are_scaled_as_by_pytorch(mode: str, size: tuple[int, int]) -> None:
    functional = importlib.import_module("pellucid.vision.transforms.functional")
    picture = np.random.default_rng(1).random((3, 6, 8)).astype(np.float32)
    ours = functional.resize(
        pellucid.from_numpy(picture), list(size), functional.InterpolationMode(mode)
    )
    options = {} if mode == "nearest" else {"antialias": True, "align_corners": False}
    theirs = torch.nn.functional.interpolate(
        torch.from_numpy(picture)[None], size=size, mode=mode, **options
    )
    np.testing.assert_allclose(ours, theirs[0], atol=1e-6)
