"""MNIST and the datasets that come in its format: idx, plain or compressed with gzip.

The format (LeCun, Cortes, Burges, 1998): two zero bytes, the kind of number, the count of
dimensions, the sizes as big-endian 32-bit integers, then the numbers.
"""

from __future__ import annotations

import gzip
import math
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.dtypes import int64
from pellucid.tensors.creation import from_numpy
from pellucid.vision.datasets.base import Transform, VisionDataset, as_image, not_found

_KINDS = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(path: Path) -> np.ndarray:
    """Return the array in an idx file; raise ValueError if it is not one, or is cut off."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as file:
            content = file.read()
    except (EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is cut off or is not a gzip file: {error}") from error
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _KINDS:
        raise ValueError(f"{path} is not in the idx format: it starts with {content[:4]!r}")
    dtype, dimensions = np.dtype(_KINDS[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if len(content) < start:
        raise ValueError(f"{path} is cut off within its head")
    shape = struct.unpack(f">{dimensions}I", content[4:start])
    if len(content) != start + math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{path} should hold numbers of shape {shape}, but has another length")
    return (
        np.frombuffer(content, dtype, offset=start).reshape(shape).astype(dtype.newbyteorder("="))
    )


def _old_name(before: str, now: str) -> Any:
    """Return a property that gives an attribute by its name in old programs, and says so."""

    def read(self: Any) -> Any:
        warnings.warn(f"{before} has been renamed {now}", stacklevel=2)
        return getattr(self, now)

    return property(read, doc=f"``{now}``, by its name in old programs.")


class MNIST(VisionDataset):
    """Handwritten digits: 60,000 pictures of 28 by 28 to learn from, and 10,000 to test with.

    Reads ``root/MNIST/raw/train-images-idx3-ubyte`` and its three siblings, with ``.gz`` or
    without. ``download=True`` is accepted where the files are there. Raises RuntimeError that says
    where to put which files if they are not.
    """

    classes = [
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six",
        "7 - seven", "8 - eight", "9 - nine",
    ]  # fmt: skip

    def __init__(
        self, root: str | Path, train: bool = True, transform: Transform = None,
        target_transform: Transform = None, download: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, None, transform, target_transform)
        self.train = train
        part = "train" if train else "t10k"
        files = [f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"]
        found = [self._path(name) for name in files]
        if not all(path.is_file() for path in found):
            raise not_found(type(self).__name__, Path(self.raw_folder), files)
        pictures, targets = (read_idx(path) for path in found)
        self.data = from_numpy(pictures)
        self.targets = from_numpy(targets).to(int64)

    @property
    def raw_folder(self) -> str:
        """The folder that the files lie in."""
        return str(Path(self.root or ".") / type(self).__name__ / "raw")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of every class."""
        return {name: number for number, name in enumerate(self.classes)}

    train_data = _old_name("train_data", "data")
    test_data = _old_name("test_data", "data")
    train_labels = _old_name("train_labels", "targets")
    test_labels = _old_name("test_labels", "targets")

    def _path(self, name: str) -> Path:
        plain = Path(self.raw_folder, name)
        return plain if plain.is_file() else plain.with_name(f"{name}.gz")

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(as_image(self.data[index].numpy()), int(self.targets[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """Pieces of clothing in the format of MNIST, in ``root/FashionMNIST/raw``."""

    classes = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
        "Ankle boot",
    ]  # fmt: skip


class KMNIST(MNIST):
    """Cursive Japanese characters in the format of MNIST, in ``root/KMNIST/raw``."""

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
