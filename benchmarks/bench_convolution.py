"""Convolution and pooling, forward and back, on images from digits to the middle of a network."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import NamedTuple

from benchmarks.harness import Case, Duel, Program


class Layer(NamedTuple):
    """A convolution with 3 × 3 filters over square images, or a pooling of its input."""

    images: int
    channels: int
    side: int
    filters: int

    def __str__(self) -> str:
        n, c, s, o = self
        return f"{n} × {c} × {s} × {s} → {o}"


WAYS = {False: "", True: ", and back"}
LAYERS = (Layer(64, 1, 8, 16), Layer(64, 16, 8, 32), Layer(32, 3, 32, 64), Layer(8, 64, 56, 64))


def convolution(torch: ModuleType, layer: Layer, back: bool) -> Program:
    """Convolve images with padding; with ``back``, go back to images and filters too."""
    images = torch.randn(layer.images, layer.channels, layer.side, layer.side)
    filters = torch.randn(layer.filters, layer.channels, 3, 3)
    images.requires_grad = filters.requires_grad = back

    def program() -> None:
        out = torch.nn.functional.conv2d(images, filters, padding=1)
        if back:
            out.sum().backward()
            images.grad = filters.grad = None

    return program


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


def cases() -> list[Case]:
    """Return both for every layer, without and with the way back."""
    return [
        Duel(f"{name}{WAYS[back]}: {layer}", functools.partial(run, layer=layer, back=back))
        for layer in LAYERS
        for name, run in (("conv2d", convolution), ("max_pool2d", pooling))
        for back in (False, True)
    ]  # fmt: skip
