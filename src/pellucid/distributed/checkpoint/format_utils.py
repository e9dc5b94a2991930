"""Checkpoints of all ranks made into one file of `torch.save`, and the other way."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import serialization
from pellucid.core.call.call import new_tensor
from pellucid.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from pellucid.distributed.checkpoint.metadata import Metadata, TensorStorageMetadata
from pellucid.distributed.checkpoint.transfer import save
from pellucid.dtypes import to_numpy_dtype

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir: Any, torch_save_path: Any) -> None:
    """Write what a checkpoint holds to one file, with whole tensors; one process does it.

    Args:
        dcp_checkpoint_dir: The directory of the checkpoint.
        torch_save_path: The file, which `torch.load` reads.

    >>> import tempfile
    >>> import pellucid.distributed.checkpoint as dcp
    >>> from pellucid.distributed.checkpoint import format_utils
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     _ = dcp.save({"net": {"w": torch.ones(2)}, "step": 3}, checkpoint_id=directory)
    ...     format_utils.dcp_to_torch_save(directory, f"{directory}/file.pt")
    ...     torch.load(f"{directory}/file.pt")
    {'net': {'w': tensor([1., 1.])}, 'step': 3}
    """
    reader = FileSystemReader(dcp_checkpoint_dir)
    metadata = reader.read_metadata()
    result: dict[str, Any] = {}
    for key in metadata.state_dict_metadata:
        path = metadata.planner_data.get(key, (key,))
        _put(result, path, _read(reader, metadata, key))
    serialization.save(_with_lists(result), torch_save_path)


def _read(reader: FileSystemReader, metadata: Metadata, key: str) -> Any:
    entry = metadata.state_dict_metadata[key]
    if not isinstance(entry, TensorStorageMetadata):
        return reader.read_object(metadata, key)

    array = np.empty(tuple(entry.size), to_numpy_dtype(entry.properties.dtype))
    reader.read_block(metadata, key, [0] * array.ndim, array)
    return new_tensor(array)


def _put(target: dict[Any, Any], path: tuple[Any, ...], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value


def _with_lists(value: Any) -> Any:
    """Return nested dictionaries in which those with the keys 0, 1, 2, ... are lists again."""
    if not isinstance(value, dict):
        return value
    made = {key: _with_lists(each) for key, each in value.items()}
    is_list = made and all(key == number for number, key in enumerate(made))
    return list(made.values()) if is_list else made


def torch_save_to_dcp(torch_save_path: Any, dcp_checkpoint_dir: Any) -> None:
    """Write what a file of `torch.save` holds as a checkpoint; one process does it.

    Args:
        torch_save_path: The file.
        dcp_checkpoint_dir: The directory of the checkpoint.
    """
    state_dict = serialization.load(torch_save_path, weights_only=False)
    save(state_dict, storage_writer=FileSystemWriter(dcp_checkpoint_dir), no_dist=True)
