"""What passes look like, in a few bits for each picture: which squares of the screen are drawn in.

Pictures themselves differ a little from machine to machine, by fonts and versions of Chromium.
These bits hardly do, and squares next to one that is drawn in may differ; boxes that have moved are
noticed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

#: the looks that are kept, by the name of the lesson and the width of the screen
KEPT = Path(__file__).with_name("looks.json")
#: pixels along a side of a square, and how much there has to be in one
_SIDE, _INK = 32, 3


def look_of(picture: Any) -> str:
    """Return the squares of a picture that are drawn in, as hexadecimal digits."""
    from PIL import ImageChops, ImageFilter

    grey = picture.convert("L")
    edges = ImageChops.difference(grey, grey.filter(ImageFilter.GaussianBlur(3)))
    return np.packbits(np.asarray(edges.reduce(_SIDE)) >= _INK).tobytes().hex()


def difference(one: str, other: str, width: int) -> float:
    """Return for which part of the squares only one look has something there, or next to it.

    Args:
        one: A look.
        other: Another one, of a screen of the same size.
        width: The width of the screen in pixels.
    """
    first, second = _squares(one, width), _squares(other, width)
    if first.shape != second.shape:
        return 1.0
    return float(((first & ~_spread(second)) | (second & ~_spread(first))).mean())


def _squares(look: str, width: int) -> np.ndarray:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(look), np.uint8)).astype(bool)
    columns = -(-width // _SIDE)
    rows = len(bits) // columns
    return bits[: rows * columns].reshape(rows, columns)


def _spread(squares: np.ndarray) -> np.ndarray:
    """Return the squares with all those around them."""
    rows, columns = squares.shape
    padded = np.pad(squares, 1)
    shifted = [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
    return np.logical_or.reduce(shifted)


def kept() -> dict[str, list[str]]:
    """Return the looks that are kept."""
    return json.loads(KEPT.read_text("utf-8"))


def write(looks: dict[str, list[str]], path: Path) -> None:
    """Write looks to a file."""
    path.write_text(f"{json.dumps(dict(sorted(looks.items())), indent=0)}\n", "utf-8")
