"""A folder for each class, with the class's files in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.vision.datasets.base import Transform, VisionDataset
from pellucid.vision.pil import pillow

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


class DatasetFolder(VisionDataset):
    """The samples in ``root/class/.../file``, read by the given loader.

    Which files are samples is said by their extensions or by a function, not by both (ValueError).
    Raises FileNotFoundError for a folder without classes, and for classes without samples.
    """

    def __init__(
        self, root: str | Path, loader: Callable[[str], Any],
        extensions: Sequence[str] | None = None, transform: Transform = None,
        target_transform: Transform = None, is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, None, transform, target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ArgumentError(
                "Both extensions and is_valid_file cannot be None or not None at the same time"
            )
        self.loader = loader
        self.extensions = extensions
        self.classes, self.class_to_idx = self.find_classes(root)
        suffixes = tuple(extensions or ())
        is_sample = is_valid_file or (lambda path: path.lower().endswith(suffixes))
        self.samples: list[tuple[str, int]] = [
            (str(path), number)
            for name, number in self.class_to_idx.items()
            for path in sorted(Path(root, name).rglob("*"))
            if path.is_file() and is_sample(str(path))
        ]
        self.targets = [target for _, target in self.samples]
        empty = sorted(set(self.class_to_idx) - {self.classes[target] for target in self.targets})
        if empty and not allow_empty:
            raise FileNotFoundError(f"Found no valid file for the classes {', '.join(empty)}.")

    def find_classes(self, directory: str | Path) -> tuple[list[str], dict[str, int]]:
        """Return the classes, sorted by name, and their numbers."""
        classes = sorted(entry.name for entry in Path(directory).iterdir() if entry.is_dir())
        if not classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
        return classes, {name: number for number, name in enumerate(classes)}

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """The images in ``root/class/.../file.png``, read by Pillow."""

    def __init__(
        self, root: str | Path, transform: Transform = None, target_transform: Transform = None,
        loader: Callable[[str], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None, allow_empty: bool = False,
    ) -> None:  # fmt: skip
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(
            root, loader or default_loader, extensions, transform, target_transform, is_valid_file,
            allow_empty,
        )  # fmt: skip
        self.imgs = self.samples


def default_loader(path: str) -> Any:
    """Return the image in a file, in red, green and blue."""
    with pillow("Reading images").open(path) as image:
        return image.convert("RGB")
