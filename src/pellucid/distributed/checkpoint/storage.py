"""The files of a checkpoint.

# Note [Files of a checkpoint]

Each rank writes its tensors, one after the other, to one data file; what is where is written to
``.metadata`` as JSON by the first rank, when all data files are complete. Data files have names
that no earlier checkpoint has used, and ``.metadata`` is replaced in one step: a job that dies
while it saves leaves the checkpoint that was there before whole. Data files that are not named any
more are then removed.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from pellucid.dtypes import to_numpy_dtype
from pellucid.errors import ArgumentError

_METADATA = ".metadata"
_SUFFIX = ".distcp"


class Chunk(TypedDict):
    """A block of a tensor in a data file: where it is there, and where in the tensor it begins."""

    file: str
    start: int
    offsets: list[int]
    shape: list[int]


class TensorEntry(TypedDict):
    """A tensor of a checkpoint: its shape and dtype, and where its blocks are."""

    shape: list[int]
    dtype: str
    chunks: list[Chunk]


class Metadata(TypedDict):
    """What a checkpoint holds: tensors, and other objects as pickles in hexadecimal."""

    tensors: dict[str, TensorEntry]
    objects: dict[str, str]


def _directory(checkpoint_id: Any) -> Path:
    if checkpoint_id is None:
        raise ArgumentError("checkpoint_id, or a storage writer or reader with a path, is needed")
    return Path(os.fspath(checkpoint_id))


class FileSystemWriter:
    """Writer of a checkpoint to a directory that all ranks see.

    Args:
        path: The directory; it is made if it is not there.
        **options: Accepted for compatibility.
    """

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = _directory(path)

    def write_data(self, name: str, arrays: Iterable[np.ndarray[Any, Any]]) -> list[int]:
        """Write arrays to a new data file.

        Args:
            name: The name of the file, without its ending.
            arrays: The arrays.

        Returns:
            Where each array starts in the file.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        starts = []
        path = self.path / f"{name}{_SUFFIX}"
        try:
            with open(path, "wb") as file:
                for array in arrays:
                    starts.append(file.tell())
                    file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)  # a full disk would stay full
            raise
        return starts

    def write_metadata(self, metadata: Metadata) -> None:
        """Replace the metadata in one step, and remove data files that are not named any more.

        Args:
            metadata: What the checkpoint holds.
        """
        new = self.path / f"{_METADATA}.new"
        with open(new, "w") as file:
            json.dump(metadata, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path / _METADATA)
        named = {chunk["file"] for each in metadata["tensors"].values() for chunk in each["chunks"]}
        for path in self.path.glob(f"*{_SUFFIX}"):
            if path.name not in named:
                path.unlink()


class FileSystemReader:
    """Reader of a checkpoint from a directory.

    Args:
        path: The directory.
        **options: Accepted for compatibility.
    """

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = _directory(path)
        self._files: dict[str, Any] = {}

    def read_metadata(self) -> Metadata:
        """Return what the checkpoint holds.

        Returns:
            Tensors, with their places, and other objects.

        Raises:
            FileNotFoundError: If the directory holds no complete checkpoint.
        """
        with open(self.path / _METADATA) as file:
            return json.load(file)

    def read_block(
        self, entry: TensorEntry, offsets: list[int], target: np.ndarray[Any, Any]
    ) -> None:
        """Read a block of a tensor, which may lie in several data files.

        Args:
            entry: The tensor in the metadata.
            offsets: Where the block begins, along each dim.
            target: The array that gets the block.
        """
        for chunk in entry["chunks"]:
            there, here = [], []
            for at, size, begin, count in zip(
                offsets, target.shape, chunk["offsets"], chunk["shape"], strict=True
            ):
                start, stop = max(at, begin), min(at + size, begin + count)
                there.append(slice(start - begin, max(stop - begin, start - begin)))
                here.append(slice(start - at, max(stop - at, start - at)))
            if all(each.start < each.stop for each in here):
                target[(*here, ...)] = self._chunk(entry, chunk)[(*there, ...)]

    def _chunk(self, entry: TensorEntry, chunk: Chunk) -> np.ndarray[Any, Any]:
        dtype = numpy_dtype(entry["dtype"])
        count = int(np.prod(chunk["shape"]))
        if not count:
            return np.empty(chunk["shape"], dtype)
        memory = self._files.get(chunk["file"])
        if memory is None:
            memory = np.memmap(self.path / chunk["file"], np.uint8, "r")
            self._files[chunk["file"]] = memory
        part = memory[chunk["start"] : chunk["start"] + count * dtype.itemsize]
        return part.view(dtype).reshape(chunk["shape"])


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return the NumPy dtype of a dtype's name."""
    from pellucid import dtypes

    return to_numpy_dtype(getattr(dtypes, "bool_" if name == "bool" else name))


def packed(value: Any) -> str:
    """Return an object as text."""
    return pickle.dumps(value).hex()


def unpacked(text: str) -> Any:
    """Return the object that `packed` has made text of."""
    return pickle.loads(bytes.fromhex(text))
