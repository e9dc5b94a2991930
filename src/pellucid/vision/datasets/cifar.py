"""CIFAR-10 and CIFAR-100, as published for Python: pickled dictionaries of bytes.

A pickle may run anything; here it may build arrays, and nothing else.
"""

from __future__ import annotations

import io
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.vision.datasets.base import Transform, VisionDataset, as_image, not_found

_ARRAYS = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("numpy._core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("_codecs", "encode"): lambda text, encoding: text.encode(encoding),
}


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ARRAYS[module, name]
        except KeyError:
            raise pickle.UnpicklingError(
                f"The file asks for {module}.{name}, which a file of CIFAR's has no use for"
            ) from None


def read_batch(content: bytes) -> dict[str, Any]:
    """Return the dictionary in a file of CIFAR's; raise UnpicklingError if it is anything else."""
    batch = _ArraysOnly(io.BytesIO(content), encoding="latin1").load()
    if not isinstance(batch, dict):
        raise pickle.UnpicklingError(f"A dictionary was expected, not {type(batch).__name__}")
    return batch


class CIFAR10(VisionDataset):
    """Pictures of 32 by 32 in ten classes: 50,000 to learn from, and 10,000 to test with.

    Reads ``root/cifar-10-batches-py/``, or the published archive ``root/cifar-10-python.tar.gz``
    without unpacking it. ``download=True`` is accepted where the files are there. Raises
    RuntimeError that says where to put which files if they are not.
    """

    base_folder = "cifar-10-batches-py"
    filename = "cifar-10-python.tar.gz"
    train_list = [f"data_batch_{number}" for number in range(1, 6)]
    test_list = ["test_batch"]
    meta = ("batches.meta", "label_names")
    label_key = "labels"

    def __init__(
        self, root: str | Path, train: bool = True, transform: Transform = None,
        target_transform: Transform = None, download: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, None, transform, target_transform)
        self.train = train
        names = self.train_list if train else self.test_list
        contents = self._contents([*names, self.meta[0]])
        *batches, about = (read_batch(content) for content in contents)
        pixels = np.concatenate([batch["data"] for batch in batches])
        self.data = np.ascontiguousarray(pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.targets: list[int] = [int(k) for batch in batches for k in batch[self.label_key]]
        self.classes: list[str] = about[self.meta[1]]
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}

    def _contents(self, names: list[str]) -> list[bytes]:
        root = Path(self.root or ".")
        folder, archive = root / self.base_folder, root / self.filename
        if all((folder / name).is_file() for name in names):
            return [(folder / name).read_bytes() for name in names]
        if not archive.is_file():
            raise not_found(type(self).__name__, folder, names)
        with tarfile.open(archive) as tar:
            files = [tar.extractfile(f"{self.base_folder}/{name}") for name in names]
            return [file.read() for file in files if file is not None]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(as_image(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """Pictures of 32 by 32 in a hundred classes, in ``root/cifar-100-python/`` or its archive."""

    base_folder = "cifar-100-python"
    filename = "cifar-100-python.tar.gz"
    train_list = ["train"]
    test_list = ["test"]
    meta = ("meta", "fine_label_names")
    label_key = "fine_labels"
