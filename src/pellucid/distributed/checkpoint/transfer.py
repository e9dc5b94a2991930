"""Saving and loading: which rank writes what, and which parts each rank reads."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from pellucid.autograd.sites import user_frame
from pellucid.distributed.checkpoint.storage import (
    FileSystemReader,
    FileSystemWriter,
    Metadata,
    TensorEntry,
    packed,
    unpacked,
)
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.dtypes import from_numpy_dtype
from pellucid.futures import Future
from pellucid.processes.errors import DistError
from pellucid.processes.groups import ProcessGroup, is_initialized, resolved
from pellucid.processes.objects import shared
from pellucid.tensors import Tensor


class CheckpointException(DistError):
    """A checkpoint that does not hold what is to be loaded, or could not be written."""


@runtime_checkable
class Stateful(Protocol):
    """Objects that say what to save of them, and take it up again."""

    def state_dict(self) -> dict[str, Any]:
        """Return what is to be saved."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what has been saved."""
        ...


def save(
    state_dict: dict[str, Any], *, checkpoint_id: Any = None, storage_writer: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Save a state dict that all ranks have: shards by the ranks that hold them, the rest once.

    A checkpoint that is there already stays whole until the new one is complete.

    Args:
        state_dict: Tensors, objects that can be pickled, and `Stateful` objects, in nested
            dictionaries; of a `DTensor` each rank saves its part.
        checkpoint_id: The directory, which all ranks see.
        storage_writer: A `FileSystemWriter`, in place of a directory.
        planner: Not supported.
        process_group: The ranks that save; all ranks if None.
        no_dist: Whether this process saves by itself.
        use_collectives: Accepted for compatibility.

    Returns:
        What the checkpoint holds, and where.

    Raises:
        ValueError: Without a directory.
        CheckpointException: On all ranks, if one of them could not write.

    >>> import tempfile
    >>> import pellucid.distributed.checkpoint as dcp
    >>> state = {"weight": torch.ones(2), "step": 3}
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     _ = dcp.save(state, checkpoint_id=directory)
    ...     loaded = {"weight": torch.zeros(2), "step": 0}
    ...     dcp.load(loaded, checkpoint_id=directory)
    >>> loaded
    {'weight': tensor([1., 1.]), 'step': 3}
    """
    members = _members(process_group, no_dist)
    writer = storage_writer or FileSystemWriter(checkpoint_id)
    rank, size = (0, 1) if members is None else (members.rank(), members.size())
    name = f"__{_same_for_all(members, uuid.uuid4().hex[:12])}_{rank}"
    flat = dict(_flattened(state_dict))
    mine = {
        key: value for position, (key, value) in enumerate(sorted(flat.items()))
        if isinstance(value, Tensor) and _writes(value, position, rank, size)
    }  # fmt: skip
    problem = None
    try:
        starts = writer.write_data(name, [each.held._array for each in mine.values()])
    except OSError as error:
        problem, starts = f"rank {rank}: {error}", []
    entries = {
        key: _entry(value, f"{name}.distcp", start)
        for (key, value), start in zip(mine.items(), starts, strict=False)
    }
    every = [(entries, problem)]
    if members is not None:
        every = members.gathered((entries, problem), "checkpoint.save")
    problems = [each for _, each in every if each is not None]
    if problems:
        raise CheckpointException(f"the checkpoint could not be written: {'; '.join(problems)}")
    metadata = _joined([each for each, _ in every], flat)
    if rank == 0:
        writer.write_metadata(metadata)
    _same_for_all(members, None)  # nobody goes on before the checkpoint is there
    return metadata


def _members(group: Any, alone: bool) -> ProcessGroup | None:
    if alone or not is_initialized():
        return None
    members = resolved(group)
    return members if members.size() > 1 else None


def _same_for_all(members: ProcessGroup | None, value: Any) -> Any:
    return value if members is None else shared(members, value, 0, "checkpoint")


def _writes(tensor: Any, position: int, rank: int, size: int) -> bool:
    """Return whether this rank writes a tensor: its part, or one of those that all have."""
    if not isinstance(tensor, DTensor):
        return position % size == rank
    at = tensor.device_mesh.get_coordinate()
    if at is None or not tensor.held._array.size:
        return False
    copies = zip(tensor.placements, at, strict=True)
    return all(place == 0 for placement, place in copies if not placement.is_shard())


def _entry(tensor: Any, file: str, start: int) -> TensorEntry:
    array = tensor.held._array
    return {
        "shape": list(tensor.shape),
        "dtype": from_numpy_dtype(array.dtype).name,
        "chunks": [
            {"file": file, "start": start, "offsets": _offsets(tensor), "shape": list(array.shape)}
        ],
    }


def _offsets(tensor: Any) -> list[int]:
    """Return where this rank's part begins, along each dim."""
    if isinstance(tensor, DTensor):
        return [each.start for each in tensor._spec.local_index]
    return [0] * tensor.ndim


def _joined(parts: list[dict[str, TensorEntry]], flat: dict[str, Any]) -> Metadata:
    tensors: dict[str, TensorEntry] = {}
    for part in parts:
        for key, entry in part.items():
            if key in tensors:
                tensors[key]["chunks"] += entry["chunks"]
            else:
                tensors[key] = entry
    objects = {key: packed(value) for key, value in flat.items() if not isinstance(value, Tensor)}
    return {"tensors": tensors, "objects": objects}


def async_save(state_dict: dict[str, Any], **options: Any) -> Future[Any]:
    """Save as `save` does; the checkpoint is complete when this returns.

    Args:
        state_dict: What to save.
        **options: Those of `save`.

    Returns:
        A future that is done, of what the checkpoint holds.
    """
    future: Future[Any] = Future()
    future.set_result(save(state_dict, **options))
    return future


def load(
    state_dict: dict[str, Any], *, checkpoint_id: Any = None, storage_reader: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False,
) -> None:  # fmt: skip
    """Load a checkpoint into the tensors of a state dict; each rank reads its own parts only.

    The number of ranks may be another than when the checkpoint was saved.

    Args:
        state_dict: Has the keys that are to be loaded. Tensors are written in place, other objects
            replaced, and `Stateful` objects given theirs.
        checkpoint_id: The directory.
        storage_reader: A `FileSystemReader`, in place of a directory.
        planner: Not supported.
        process_group: Accepted for compatibility; ranks read independently of one another.
        no_dist: Accepted for compatibility.

    Raises:
        ValueError: Without a directory.
        FileNotFoundError: If there is no complete checkpoint.
        CheckpointException: If a key is missing, or a tensor has another shape; nothing is loaded.
    """
    reader = storage_reader or FileSystemReader(checkpoint_id)
    metadata = reader.read_metadata()
    wanted = dict(_flattened(state_dict))
    for key, value in wanted.items():
        _check(key, value, metadata)
    for key, value in wanted.items():
        if isinstance(value, Tensor):
            reader.read_block(metadata["tensors"][key], _offsets(value), value.held._array)
            if value._storage is not None:
                value._storage.note_change("checkpoint.load", *user_frame())
    _replace(state_dict, "", metadata, wanted)


def _check(key: str, value: Any, metadata: Metadata) -> None:
    if not isinstance(value, Tensor):
        if key not in metadata["objects"]:
            raise CheckpointException(f"Missing key in checkpoint state_dict: {key}.")
        return
    if key not in metadata["tensors"]:
        raise CheckpointException(f"Missing key in checkpoint state_dict: {key}.")
    shape = list(value.shape)
    saved = metadata["tensors"][key]["shape"]
    if shape != saved:
        raise CheckpointException(
            f"Size mismatch between saved {saved} and current: {shape} for {key}"
        )


def _flattened(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return the leaves of nested dictionaries and lists, with their paths."""
    for name, each in _items(value):
        key = f"{path}.{name}" if path else str(name)
        if isinstance(each, Stateful) and not isinstance(each, Tensor):
            each = each.state_dict()
        if isinstance(each, dict | list) and len(each):
            yield from _flattened(each, key)
        else:
            yield key, each


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items() if isinstance(value, dict) else enumerate(value))


def _replace(value: Any, path: str, metadata: Metadata, loaded: dict[str, Any]) -> None:
    """Put loaded objects into nested dictionaries and lists, and give `Stateful` ones theirs."""
    for name, each in list(_items(value)):
        key = f"{path}.{name}" if path else str(name)
        if isinstance(each, Tensor):
            continue
        if isinstance(each, Stateful):
            state = each.state_dict()
            _fill(state, key, loaded)
            _replace(state, key, metadata, loaded)
            each.load_state_dict(state)
        elif isinstance(each, dict | list) and len(each):
            _replace(each, key, metadata, loaded)
        else:
            value[name] = unpacked(metadata["objects"][key])


def _fill(value: Any, path: str, loaded: dict[str, Any]) -> None:
    """Put the tensors that have been loaded where their state dict is made again each time."""
    for name, each in list(_items(value)):
        key = f"{path}.{name}"
        if isinstance(each, Tensor):
            value[name] = loaded[key]
        elif isinstance(each, dict | list):
            _fill(each, key, loaded)
