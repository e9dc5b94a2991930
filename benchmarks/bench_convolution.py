"""Convolution and pooling, forward and back, on images from digits to the middle of a network."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.harness import Case, Duel, Program


class Layer(NamedTuple):
    """A convolution of square images, or a pooling of its input."""

    images: int
    channels: int
    side: int
    filters: int
    kernel: int = 3
    stride: int = 1

    def __str__(self) -> str:
        n, c, s, o, kernel, stride = self
        usual = "" if kernel == 3 else f", {kernel} × {kernel}"
        return f"{n} × {c} × {s} × {s} → {o}{usual}{f', stride {stride}' if stride > 1 else ''}"


WAYS = {False: "", True: ", and back"}
LAYERS = (Layer(64, 1, 8, 16), Layer(64, 16, 8, 32), Layer(32, 3, 32, 64), Layer(8, 64, 56, 64))
#: small images with many filters, strides, and filters of one element
DEEP = (
    Layer(16, 64, 16, 128, stride=2), Layer(16, 128, 8, 256, stride=2), Layer(16, 256, 4, 256),
    Layer(16, 256, 4, 512, stride=2), Layer(16, 512, 2, 512), Layer(4, 256, 14, 64, kernel=1),
)  # fmt: skip
#: layers whose gradient by the filters is taken in tiles
TILED = (
    Layer(16, 128, 8, 128), Layer(16, 64, 16, 64), Layer(8, 64, 16, 64),
    Layer(64, 32, 28, 64), Layer(8, 128, 28, 128),
)  # fmt: skip


def operands(torch: ModuleType, layer: Layer) -> tuple[Any, Any]:
    """Return random images and filters of a layer."""
    images = torch.randn(layer.images, layer.channels, layer.side, layer.side)
    filters = torch.randn(layer.filters, layer.channels, layer.kernel, layer.kernel)
    return images, filters


def convolve(torch: ModuleType, layer: Layer, images: Any, filters: Any) -> Any:
    """Convolve images with padding."""
    padding = layer.kernel // 2
    return torch.nn.functional.conv2d(images, filters, stride=layer.stride, padding=padding)


def convolution(torch: ModuleType, layer: Layer, back: bool) -> Program:
    """Convolve images with padding; with ``back``, go back to images and filters too."""
    images, filters = operands(torch, layer)
    images.requires_grad = filters.requires_grad = back

    def program() -> None:
        out = convolve(torch, layer, images, filters)
        if back:
            out.sum().backward()
            images.grad = filters.grad = None

    return program


def filter_gradient(torch: ModuleType, layer: Layer) -> Program:
    """Go back from the results of a convolution with padding to its filters."""
    images, filters = operands(torch, layer)
    filters.requires_grad = True
    out = convolve(torch, layer, images, filters)
    gradient = torch.randn(*out.shape)
    return lambda: torch.autograd.grad(out, filters, gradient, retain_graph=True)


def pooling(torch: ModuleType, layer: Layer, back: bool) -> Program:
    """Take the largest of each 2 × 2 elements; with ``back``, go back to the images too."""
    images = torch.randn(layer.images, layer.channels, layer.side, layer.side)
    images.requires_grad = back

    def program() -> None:
        out = torch.nn.functional.max_pool2d(images, 2)
        if back:
            out.sum().backward()
            images.grad = None

    return program


CONVOLUTION, POOLING = ("conv2d", convolution), ("max_pool2d", pooling)


def cases() -> list[Case]:
    """Return every layer without and with the way back, and poolings of the first ones' input.

    Gradients by filters alone come last.
    """
    kinds = [(layer, each) for layer in LAYERS for each in (CONVOLUTION, POOLING)]
    kinds += [(layer, CONVOLUTION) for layer in DEEP]
    found: list[Case] = [
        Duel(f"{name}{WAYS[back]}: {layer}", functools.partial(run, layer=layer, back=back))
        for layer, (name, run) in kinds
        for back in (False, True)
    ]
    return found + [
        Duel(f"by the filters: {layer}", functools.partial(filter_gradient, layer=layer))
        for layer in TILED
    ]
