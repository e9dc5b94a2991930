"""Files of TensorBoard's projector: points, their labels and pictures, and the list of them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError

Array = np.ndarray[Any, Any]


def write_embedding(
    directory: Path, tag: str, step: int, points: Array, labels: Sequence[Any] | None,
    header: Sequence[str] | None, pictures: Array | None,
) -> None:  # fmt: skip
    """Write points with what belongs to them, and enter them into the directory's list."""
    _check(points, labels, pictures)
    part = Path(f"{step:05}", *tag.split("/"))
    folder = directory / part
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "tensors.tsv", points, fmt="%.8g", delimiter="\t")
    entry = {
        "tensor_name": f"{tag}:{step:05}", "tensor_path": (part / "tensors.tsv").as_posix(),
    }  # fmt: skip
    if labels is not None:
        _write_labels(folder / "metadata.tsv", labels, header)
        entry["metadata_path"] = (part / "metadata.tsv").as_posix()
    sprite = ""
    if pictures is not None:
        _write_sprite(folder / "sprite.png", pictures)
        height, width = pictures.shape[2:]
        sprite = (
            f"  sprite {{\n    image_path: {json.dumps((part / 'sprite.png').as_posix())}\n"
            f"    single_image_dim: {width}\n    single_image_dim: {height}\n  }}\n"
        )
    lines = "".join(f"  {name}: {json.dumps(value)}\n" for name, value in entry.items())
    with (directory / "projector_config.pbtxt").open("a", encoding="utf-8") as listed:
        listed.write(f"embeddings {{\n{lines}{sprite}}}\n")


def _check(points: Array, labels: Sequence[Any] | None, pictures: Array | None) -> None:
    if points.ndim != 2:
        raise ArgumentError(f"add_embedding(): mat should be 2D, but it has {points.ndim} dims")
    if labels is not None and len(labels) != len(points):
        raise ArgumentError(
            f"add_embedding(): #labels should equal with #data points, but there are {len(labels)} "
            f"and {len(points)}"
        )
    if pictures is not None and (pictures.ndim != 4 or len(pictures) != len(points)):
        raise ArgumentError(
            "add_embedding(): #images should equal with #data points, each of shape [C, H, W], but "
            f"label_img is {list(pictures.shape)} for {len(points)} points"
        )


def _write_labels(file: Path, labels: Sequence[Any], header: Sequence[str] | None) -> None:
    rows = labels if header is None else [header, *labels]
    texts = ([row] if header is None else row for row in rows)
    lines = ("\t".join(str(each) for each in row) for row in texts)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write_sprite(file: Path, pictures: Array) -> None:
    """Write the pictures side by side, in a square of as many rows as columns."""
    from PIL import Image

    count, channels, height, width = pictures.shape
    side = math.ceil(math.sqrt(count))
    square = np.zeros((side * side, channels, height, width), np.float64)
    square[:count] = pictures
    grid = square.reshape(side, side, channels, height, width).transpose(0, 3, 1, 4, 2)
    sheet = grid.reshape(side * height, side * width, channels)
    scaled = sheet if pictures.dtype == np.uint8 else sheet * 255
    pixels = np.clip(scaled, 0, 255).astype(np.uint8)
    Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels[:, :, :3]).save(file)
