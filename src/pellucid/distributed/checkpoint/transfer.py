"""Saving and loading: which rank writes what, and which parts each rank reads."""

from __future__ import annotations

import concurrent.futures
import copy
import uuid
import weakref
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from pellucid.autograd.sites import user_frame
from pellucid.distributed.checkpoint.filesystem import (
    FileSystemReader,
    FileSystemWriter,
    _StorageInfo,
)
from pellucid.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import UnimplementedError
from pellucid.processes.errors import DistError
from pellucid.processes.groups import ProcessGroup, is_initialized, new_group, resolved
from pellucid.processes.objects import shared
from pellucid.shapes import Size
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
        planner: None; others are not supported.
        process_group: The ranks that save; all ranks if None.
        no_dist: Whether this process saves by itself.
        use_collectives: Accepted for compatibility.

    Returns:
        What the checkpoint holds, and where.

    Raises:
        ValueError: Without a directory.
        NotImplementedError: For a planner.
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
    _refuse(planner)
    members = _members(process_group, no_dist)
    writer = storage_writer or FileSystemWriter(checkpoint_id)
    rank, size = (0, 1) if members is None else (members.rank(), members.size())
    name = f"__{_same_for_all(members, uuid.uuid4().hex[:12])}_{rank}"
    paths: dict[str, tuple[Any, ...]] = {}
    flat = dict(_flattened(state_dict, paths=paths))
    mine = {
        key: value for position, (key, value) in enumerate(sorted(flat.items()))
        if isinstance(value, Tensor) and _writes(value, position, rank, size)
    }  # fmt: skip
    objects = {key: each for key, each in flat.items() if not isinstance(each, Tensor)}
    written = {
        MetadataIndex(key, Size(_offsets(each)), 0): each.held._array for key, each in mine.items()
    }
    if rank == 0:
        written |= {MetadataIndex(key): each for key, each in objects.items()}
    problem, places = None, {}
    try:
        found = writer.write_data(name, written.values())
        places = dict(zip(written, found, strict=True))
    except OSError as error:
        problem = f"rank {rank}: {error}"
    entries = {key: _entry(each) for key, each in mine.items()}
    every = [((entries, places), problem)]
    if members is not None:
        every = members.gathered(((entries, places), problem), "checkpoint.save")
    problems = [each for _, each in every if each is not None]
    if problems:
        raise CheckpointException(f"the checkpoint could not be written: {'; '.join(problems)}")
    metadata = _joined([each for each, _ in every], list(flat), paths)
    if rank == 0:
        writer.write_metadata(metadata)
    _same_for_all(members, None)  # nobody goes on before the checkpoint is there
    return metadata


def _refuse(planner: Any) -> None:
    """Raise for a planner: what is saved and loaded, and by whom, is decided here."""
    if planner is not None:
        raise UnimplementedError(
            f"planner={type(planner).__name__}(...): checkpoints are saved and loaded by one plan. "
            "Leave it out; to save or load a part, give a state dict that has only that part"
        )


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


def _entry(tensor: Any) -> TensorStorageMetadata:
    array = tensor.held._array
    return TensorStorageMetadata(
        TensorProperties(from_numpy_dtype(array.dtype), requires_grad=tensor.requires_grad),
        Size(tensor.shape),
        [ChunkStorageMetadata(Size(_offsets(tensor)), Size(array.shape))],
    )


def _offsets(tensor: Any) -> list[int]:
    """Return where this rank's part begins, along each dim."""
    if isinstance(tensor, DTensor):
        return [each.start for each in tensor._spec.local_index]
    return [0] * tensor.ndim


def _joined(
    parts: list[tuple[dict[str, TensorStorageMetadata], dict[MetadataIndex, _StorageInfo]]],
    keys: list[str], paths: dict[str, tuple[Any, ...]],
) -> Metadata:  # fmt: skip
    """Return what the checkpoint holds, of what each rank has written."""
    found: dict[str, TensorStorageMetadata] = {}
    places: dict[MetadataIndex, _StorageInfo] = {}
    for entries, written in parts:
        places |= written
        for key, entry in entries.items():
            if key in found:
                found[key].chunks.extend(entry.chunks)
            else:
                found[key] = entry
    described = {key: found.get(key, BytesStorageMetadata()) for key in keys}
    return Metadata(described, paths, places, StorageMeta(), "1.0.0")


def async_save(
    state_dict: dict[str, Any], *, process_group: Any = None, no_dist: bool = False, **options: Any
) -> concurrent.futures.Future[Metadata]:
    """Save as `save` does, in a thread, while the program goes on and changes the tensors.

    All ranks call it. The next one, and the end of the program, wait for it.

    Args:
        state_dict: What to save; it is copied before this returns.
        process_group: The ranks that save; all ranks if None.
        no_dist: Whether this process saves by itself.
        **options: The others of `save`.

    Returns:
        A future whose ``result()`` is what the checkpoint holds; it raises what `save` would.

    >>> import tempfile
    >>> import pellucid.distributed.checkpoint as dcp
    >>> state = {"weight": torch.ones(2)}
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     saving = dcp.async_save(state, checkpoint_id=directory)
    ...     _ = state["weight"].zero_()
    ...     _ = saving.result()
    ...     dcp.load(state, checkpoint_id=directory)
    >>> state
    {'weight': tensor([1., 1.])}
    """
    members = _members(process_group, no_dist)
    copied = _copied(state_dict)
    if members is None or members.world is None or members.world.can_use_threads:
        own = None if members is None else _own_group(members)
        return _saving.submit(save, copied, process_group=own, no_dist=members is None, **options)
    done: concurrent.futures.Future[Metadata] = concurrent.futures.Future()
    done.set_result(save(copied, process_group=process_group, no_dist=no_dist, **options))
    return done


#: one thread, so that checkpoints are complete one after the other
_saving = concurrent.futures.ThreadPoolExecutor(1, "pellucid checkpoint")
#: groups whose exchanges are those of the thread alone
_groups: weakref.WeakKeyDictionary[ProcessGroup, ProcessGroup] = weakref.WeakKeyDictionary()


def _own_group(members: ProcessGroup) -> ProcessGroup:
    if members not in _groups:
        _groups[members] = new_group(list(members.ranks), sort_ranks=False)
    return _groups[members]


def _copied(value: Any) -> Any:
    """Return nested dictionaries and lists with copies of their tensors and other objects."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, Stateful):
        value = value.state_dict()
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return copy.deepcopy(value)


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
        planner: None; others are not supported.
        process_group: Accepted for compatibility; ranks read independently of one another.
        no_dist: Accepted for compatibility.

    Raises:
        ValueError: Without a directory.
        NotImplementedError: For a planner.
        FileNotFoundError: If there is no complete checkpoint.
        CheckpointException: If a key is missing, or a tensor has another shape; nothing is loaded.
    """
    _refuse(planner)
    reader = storage_reader or FileSystemReader(checkpoint_id)
    metadata = reader.read_metadata()
    wanted = dict(_flattened(state_dict))
    for key, value in wanted.items():
        _check(key, value, metadata)
    objects = {
        key: reader.read_object(metadata, key)
        for key, value in wanted.items() if not isinstance(value, Tensor)
    }  # fmt: skip
    for key, value in wanted.items():
        if isinstance(value, Tensor):
            reader.read_block(metadata, key, _offsets(value), value.held._array)
            if value._storage is not None:
                value._storage.note_change("checkpoint.load", *user_frame())
    _replace(state_dict, "", objects, wanted)


def _check(key: str, value: Any, metadata: Metadata) -> None:
    saved = metadata.state_dict_metadata.get(key)
    if saved is None or isinstance(saved, TensorStorageMetadata) != isinstance(value, Tensor):
        raise CheckpointException(f"Missing key in checkpoint state_dict: {key}.")
    if isinstance(saved, TensorStorageMetadata) and list(value.shape) != list(saved.size):
        raise CheckpointException(
            f"Size mismatch between saved {list(saved.size)} and current: {list(value.shape)} for "
            f"{key}"
        )


def _flattened(
    value: Any, path: str = "", keys: tuple[Any, ...] = (),
    paths: dict[str, tuple[Any, ...]] | None = None,
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Return the leaves of nested dictionaries and lists, with their paths."""
    for name, each in _items(value):
        key = f"{path}.{name}" if path else str(name)
        if isinstance(each, Stateful) and not isinstance(each, Tensor):
            each = each.state_dict()
        if _is_nested(each):
            yield from _flattened(each, key, (*keys, name), paths)
        else:
            if paths is not None:
                paths[key] = (*keys, name)
            yield key, each


def _is_nested(value: Any) -> bool:
    """Return whether a value is taken apart: a dictionary, or a list with tensors or one inside."""
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(
        isinstance(each, Tensor | dict) or _is_nested(each) for each in value
    )


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items() if isinstance(value, dict) else enumerate(value))


def _replace(value: Any, path: str, objects: dict[str, Any], loaded: dict[str, Any]) -> None:
    """Put loaded objects into nested dictionaries and lists, and give `Stateful` ones theirs."""
    for name, each in list(_items(value)):
        key = f"{path}.{name}" if path else str(name)
        if isinstance(each, Tensor):
            continue
        if isinstance(each, Stateful):
            state = each.state_dict()
            _fill(state, key, loaded)
            _replace(state, key, objects, loaded)
            each.load_state_dict(state)
        elif _is_nested(each):
            _replace(each, key, objects, loaded)
        else:
            value[name] = objects[key]


def _fill(value: Any, path: str, loaded: dict[str, Any]) -> None:
    """Put the tensors that have been loaded where their state dict is made again each time."""
    for name, each in list(_items(value)):
        key = f"{path}.{name}"
        if isinstance(each, Tensor):
            value[name] = loaded[key]
        elif _is_nested(each):
            _fill(each, key, loaded)
