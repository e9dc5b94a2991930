"""What datasets of pictures have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.utils.data.dataset import Dataset
from pellucid.vision.pil import pillow

Transform = Callable[[Any], Any] | None


class VisionDataset(Dataset):
    """A folder of pictures, with transforms of pictures and targets.

    ``transforms`` takes both together; it excludes the other two (ValueError).
    """

    def __init__(
        self, root: str | Path | None = None, transforms: Callable[[Any, Any], Any] | None = None,
        transform: Transform = None, target_transform: Transform = None,
    ) -> None:  # fmt: skip
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ArgumentError(
                "Only transforms or transform/target_transform can be passed as argument"
            )
        self.root = Path(root).expanduser() if root is not None else None
        self.transforms = transforms
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self) -> int:
        raise NotImplementedError

    def transformed(self, picture: Any, target: Any) -> tuple[Any, Any]:
        """Return the sample as the program wants it."""
        if self.transforms is not None:
            return self.transforms(picture, target)
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return picture, target

    def extra_repr(self) -> str:
        """Return lines that a kind of dataset adds to its description."""
        return ""

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"Root location: {self.root}")
        lines += self.extra_repr().splitlines()
        if self.transform is not None:
            lines.append(f"Transform: {self.transform}")
        return "\n".join([f"Dataset {type(self).__name__}", *(f"    {line}" for line in lines)])


def as_image(pixels: np.ndarray) -> Any:
    """Return bytes ``[H, W]`` or ``[H, W, C]`` as an image of Pillow's, or as they are without it.

    Transforms take both.
    """
    if "PIL" in sys.modules or _pillow_is_there():
        return pillow("This").fromarray(pixels)
    return pixels


def _pillow_is_there() -> bool:
    try:
        pillow("This")
    except ImportError:
        return False
    return True


def not_found(name: str, folder: Path, files: Sequence[str]) -> RuntimeError:
    """Return the error of a dataset whose files are not where they should be."""
    return RuntimeError(
        f"Dataset not found or corrupted. pellucid never downloads: put the files of {name} as "
        f"they are published into {folder}: {', '.join(files)}."
    )
