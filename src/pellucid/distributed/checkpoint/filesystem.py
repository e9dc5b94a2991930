"""The files of a checkpoint.

# Note [Files of a checkpoint]

Files are PyTorch's, and PyTorch reads them: each rank writes its tensors, each as `torch.save`
does, one after the other to one data file, and the first rank also other objects. What is where is
written to ``.metadata`` by the first rank, when all data files are complete. Data files have
names that no earlier checkpoint has used, and ``.metadata`` is replaced in one step: a job that
dies while it saves leaves the checkpoint that was there before whole. Data files that are not named
any more are then removed.
"""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pellucid import serialization
from pellucid.core.call.call import new_tensor
from pellucid.distributed.checkpoint.metadata import (
    Metadata,
    MetadataIndex,
    TensorStorageMetadata,
)
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.interop.reading import no_storage, run_trusted
from pellucid.interop.writing import pickled
from pellucid.shapes import Size
from pellucid.tensors import Tensor

_METADATA = ".metadata"
_SUFFIX = ".distcp"


@dataclass
class _StorageInfo:
    """Where a block or an object is.

    Args:
        relative_path: The data file.
        offset: Where it begins there.
        length: The number of its bytes.
        transform_descriptors: What has been done to the bytes.
    """

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


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

    def write_data(self, name: str, values: Iterable[Any]) -> list[_StorageInfo]:
        """Write arrays and other objects to a new data file.

        Args:
            name: The name of the file, without its ending.
            values: Arrays, which become tensors, and other objects.

        Returns:
            Where each of them is.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        places = []
        path = self.path / f"{name}{_SUFFIX}"
        try:
            with open(path, "wb") as file:
                for value in values:
                    start, saved = file.tell(), io.BytesIO()
                    if isinstance(value, np.ndarray):
                        value = new_tensor(value.copy())  # whose memory is no larger
                    serialization.save(value, saved)
                    file.write(saved.getbuffer())
                    places.append(_StorageInfo(path.name, start, file.tell() - start))
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)  # a full disk would stay full
            raise
        return places

    def write_metadata(self, metadata: Metadata) -> None:
        """Replace the metadata in one step, and remove data files that are not named any more.

        Args:
            metadata: What the checkpoint holds.
        """
        new = self.path / f"{_METADATA}.new"
        with open(new, "wb") as file:
            file.write(pickled(metadata, 2)[0])
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path / _METADATA)
        named = {each.relative_path for each in metadata.storage_data.values()}
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
            Tensors and other objects, with their places.

        Raises:
            FileNotFoundError: If the directory holds no complete checkpoint.
        """
        content = (self.path / _METADATA).read_bytes()
        return run_trusted(io.BytesIO(content), no_storage, pickle, {})

    def read_object(self, metadata: Metadata, key: str) -> Any:
        """Return what is not a tensor.

        Args:
            metadata: What the checkpoint holds.
            key: Its name.
        """
        return self._loaded(metadata.storage_data[MetadataIndex(key)])

    def read_block(
        self, metadata: Metadata, key: str, offsets: list[int], target: np.ndarray[Any, Any]
    ) -> None:
        """Read a block of a tensor, which may lie in several data files.

        Args:
            metadata: What the checkpoint holds.
            key: The name of the tensor.
            offsets: Where the block begins, along each dim.
            target: The array that gets the block.
        """
        entry = metadata.state_dict_metadata[key]
        assert isinstance(entry, TensorStorageMetadata)
        for chunk in entry.chunks:
            there, here = [], []
            for at, size, begin, count in zip(
                offsets, target.shape, chunk.offsets, chunk.sizes, strict=True
            ):
                start, stop = max(at, begin), min(at + size, begin + count)
                there.append(slice(start - begin, max(stop - begin, start - begin)))
                here.append(slice(start - at, max(stop - at, start - at)))
            if all(each.start < each.stop for each in here):
                place = metadata.storage_data[MetadataIndex(key, Size(chunk.offsets))]
                saved: Any = self._loaded(place)
                assert isinstance(saved, Tensor)
                target[(*here, ...)] = saved._array[(*there, ...)]

    def _loaded(self, place: _StorageInfo) -> Any:
        if place.transform_descriptors:
            raise UnimplementedError(
                f"{place.relative_path}: bytes that were changed by "
                f"{', '.join(place.transform_descriptors)} are not read"
            )
        memory = self._files.get(place.relative_path)
        if memory is None:
            memory = np.memmap(self.path / place.relative_path, np.uint8, "r")
            self._files[place.relative_path] = memory
        saved = memory[place.offset : place.offset + place.length].tobytes()
        return serialization.load(io.BytesIO(saved), weights_only=False)
