"""Time convolution and pooling, and their gradients, against PyTorch if it is installed.

    python benchmarks/bench_convolution.py

Prints microseconds, and how many times PyTorch's time that is. Set OMP_NUM_THREADS and
OPENBLAS_NUM_THREADS to the same number for a fair comparison.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from pellucid.backends.numpy import cpu as be

try:
    import torch
except ImportError:
    torch = None


class Layer(NamedTuple):
    """A convolution with 3 x 3 filters over square images."""

    images: int
    channels: int
    side: int
    filters: int

    def __str__(self) -> str:
        n, c, s, o = self
        return f"{n} x {c} x {s} x {s} -> {o}"


LAYERS = [Layer(64, 1, 8, 16), Layer(64, 16, 8, 32), Layer(32, 3, 32, 64), Layer(8, 64, 56, 64)]
SAME = ((1, 1), (1, 1), (1, 1), 1)
HALVING = ((2, 2), (2, 2), (0, 0))


def microseconds(function: Callable[[], Any]) -> float:
    """Take the best of five runs of about a tenth of a second each."""
    timer = timeit.Timer(function)
    once = min(timer.timeit(1) for _ in range(2))
    number = max(1, int(0.1 / once))
    return min(timer.repeat(5, number)) / number * 1e6


def kernels(layer: Layer) -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((layer.images, layer.channels, layer.side, layer.side), np.float32)
    w = rng.standard_normal((layer.filters, layer.channels, 3, 3), np.float32)
    g = be.convolve(x, w, *SAME)
    largest, indices = be.max_pool(x, *HALVING, (1, 1))
    return {
        "convolution": lambda: be.convolve(x, w, *SAME),
        "  to input": lambda: be.convolve_to_input(g, w, x.shape, *SAME),
        "  to weight": lambda: be.convolve_to_weight(g, x, w.shape, *SAME),
        "max pool": lambda: be.max_pool(x, *HALVING, (1, 1)),
        "  to input ": lambda: be.max_pool_to_input(largest, indices, x.shape),
        "average pool": lambda: be.avg_pool(x, *HALVING),
        "  to input  ": lambda: be.avg_pool_to_input(largest, x.shape, *HALVING),
    }


def counterparts(layer: Layer) -> dict[str, Callable[[], Any]]:
    from torch.nn import functional

    x = torch.randn(layer.images, layer.channels, layer.side, layer.side)
    w = torch.randn(layer.filters, layer.channels, 3, 3)

    def backward(out: Any, source: Any) -> Callable[[], Any]:
        g = torch.ones_like(out)
        return lambda: torch.autograd.grad(out, source, g, retain_graph=True)

    xg, wg = x.clone().requires_grad_(), w.clone().requires_grad_()
    return {
        "convolution": lambda: functional.conv2d(x, w, padding=1),
        "  to input": backward(functional.conv2d(xg, w, padding=1), xg),
        "  to weight": backward(functional.conv2d(x, wg, padding=1), wg),
        "max pool": lambda: functional.max_pool2d(x, 2, return_indices=True),
        "  to input ": backward(functional.max_pool2d(xg, 2), xg),
        "average pool": lambda: functional.avg_pool2d(x, 2),
        "  to input  ": backward(functional.avg_pool2d(xg, 2), xg),
    }


def report(layer: Layer) -> Iterator[str]:
    yield f"{layer}, filters 3 x 3, pooling 2 x 2"
    theirs = counterparts(layer) if torch else {}
    for name, kernel in kernels(layer).items():
        ours = microseconds(kernel)
        line = f"  {name:<14}{ours:10.0f}"
        if name in theirs:
            other = microseconds(theirs[name])
            line += f"   PyTorch {other:8.0f}   ratio {ours / other:5.2f}"
        yield line


def main() -> None:
    for layer in LAYERS:
        for line in report(layer):
            print(line)


if __name__ == "__main__":
    main()
