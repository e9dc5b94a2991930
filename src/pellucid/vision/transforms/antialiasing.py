"""Scaling pictures so that, where they shrink, every pixel counts.

Each side is scaled by a matrix: row ``i`` holds the weights that output pixel ``i`` gives to the
input's pixels, a filter about its centre that widens by the factor of shrinking. The filters are
those of PyTorch's ``interpolate(antialias=True)`` and of Pillow: the triangle, and Keys's cubic
with a = -1/2.
"""

from __future__ import annotations

import numpy as np

from pellucid.creation import from_numpy
from pellucid.tensor import Tensor


def scaled(picture: Tensor, height: int, width: int, mode: str) -> Tensor:
    """Return floats ``[..., H, W]`` scaled to another height and width.

    >>> import pellucid as torch
    >>> scaled(torch.tensor([[1.0, 3.0]]), 1, 1, "bilinear")
    tensor([[2.]])
    """
    down = from_numpy(_weights(picture.shape[-2], height, mode)).to(picture.dtype)
    across = from_numpy(_weights(picture.shape[-1], width, mode)).to(picture.dtype)
    return down @ (picture @ across.mT)


def _weights(old: int, new: int, mode: str) -> np.ndarray:
    scale = old / new
    centres = (np.arange(new)[:, None] + 0.5) * scale
    distances = np.abs(np.arange(old) + 0.5 - centres) / max(scale, 1.0)
    weights = _triangle(distances) if mode == "bilinear" else _cubic(distances)
    return weights / weights.sum(axis=1, keepdims=True)


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(1 - x, 0)


def _cubic(x: np.ndarray) -> np.ndarray:
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))
