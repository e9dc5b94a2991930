"""Many pictures in one, and pictures in files, as in ``torchvision.utils``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pellucid.autograd.modes import no_grad
from pellucid.dtypes import uint8
from pellucid.errors import ArgumentTypeError
from pellucid.ops.shape.join import cat, stack
from pellucid.tensors import Tensor
from pellucid.tensors.creation import full
from pellucid.vision.pil import pillow

__all__ = ["make_grid", "save_image"]


@no_grad()
def make_grid(
    tensor: Tensor | Sequence[Tensor], nrow: int = 8, padding: int = 2, normalize: bool = False,
    value_range: tuple[float, float] | None = None, scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:  # fmt: skip
    """Arrange images in a grid, ``nrow`` in a row.

    One channel becomes three. A single image comes back without a border.

    Args:
        tensor: Images ``[N, C, H, W]``, or a list of images ``[C, H, W]`` of one size.
        nrow: The number of images in a row.
        padding: The width of the border between images, in pixels.
        normalize: Whether values are scaled to the range from 0 to 1.
        value_range: The range that is scaled from; that of the values by default.
        scale_each: Whether each image is scaled by its own range.
        pad_value: The value of the border.

    Raises:
        TypeError: If it is neither a tensor nor a list.

    >>> make_grid(torch.ones(10, 1, 4, 4), nrow=5).shape
    torch.Size([3, 14, 32])
    """
    pictures = _as_batch_of_colours(tensor)
    if normalize:
        pictures = _between_zero_and_one(pictures, value_range, scale_each)
    count, channels, height, width = pictures.shape
    if count == 1:
        return pictures[0]
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    cells = full(
        (rows * columns, channels, height + padding, width + padding), pad_value,
        dtype=pictures.dtype,
    )  # fmt: skip
    cells[:count, :, padding:, padding:] = pictures
    table = cells.reshape(rows, columns, *cells.shape[1:]).permute(2, 0, 3, 1, 4)
    table = table.reshape(channels, rows * cells.shape[2], columns * cells.shape[3])
    grid = full(
        (channels, table.shape[1] + padding, table.shape[2] + padding), pad_value,
        dtype=pictures.dtype,
    )  # fmt: skip
    grid[:, : table.shape[1], : table.shape[2]] = table
    return grid


def _as_batch_of_colours(tensor: Any) -> Tensor:
    if not isinstance(tensor, Tensor):
        if not isinstance(tensor, list | tuple) or not all(isinstance(t, Tensor) for t in tensor):
            raise ArgumentTypeError(f"tensor or list of tensors expected, got {type(tensor)}")
        tensor = stack(list(tensor), dim=0)
    if tensor.ndim == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.ndim == 3:
        tensor = tensor.unsqueeze(0)
    return cat([tensor] * 3, dim=1) if tensor.shape[1] == 1 else tensor


def _between_zero_and_one(
    pictures: Tensor, value_range: tuple[float, float] | None, scale_each: bool
) -> Tensor:
    if value_range is not None:
        low, high = value_range
        return (pictures.clamp(low, high) - low) / max(high - low, 1e-5)
    among = (1, 2, 3) if scale_each else (0, 1, 2, 3)
    low = pictures.amin(dim=among, keepdim=True)
    high = pictures.amax(dim=among, keepdim=True)
    return (pictures - low) / (high - low).clamp(min=1e-5)


@no_grad()
def save_image(
    tensor: Tensor | Sequence[Tensor],
    fp: str | Path | BinaryIO,
    format: str | None = None,
    **options: Any,
) -> None:
    """Write pictures with numbers between 0 and 1 to an image file, as one grid.

    Options are those of :func:`make_grid`. Raises ImportError if Pillow is not installed.

    Args:
        tensor: Images with values between 0 and 1, as in `make_grid`.
        fp: A path or a file.
        format: Pillow's name of the format; by default it follows from the path.
        options: Passed to `make_grid`.

    >>> import io
    >>> file = io.BytesIO()
    >>> save_image(torch.zeros(3, 2, 2), file, format="png")
    >>> file.getvalue()[1:4]
    b'PNG'
    """
    image = pillow("save_image")
    grid = make_grid(tensor, **options)
    pixels = (grid * 255 + 0.5).clamp(0, 255).permute(1, 2, 0).to(uint8)
    image.fromarray(pixels.numpy().copy()).save(fp, format=format)
