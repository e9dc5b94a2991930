"""The ranks of PyTorch's processes, which leave each other notes in the store that joined them.

Nothing is exchanged and no rank waits for another: the store has what each wants to show.
"""

from __future__ import annotations

import importlib
import pickle
import random
import zlib
from typing import Any

from pellucid.ranks import Ranks

torch: Any = importlib.import_module("torch")
dist: Any = importlib.import_module("torch.distributed")

_PREFIX = "pellucid/"
#: ranks whose notes are read, at most
_MOST = 64


class TorchRanks(Ranks):
    """What `pellucid.ranks` says of pellucid's processes, of those of an installed PyTorch."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.is_initialized = _is_initialized
        self.resolved = lambda group: dist.group.WORLD
        self.notes, self.exchanges, self.streams = _notes, _exchanges, _streams
        self.is_first = _is_first


def _is_initialized() -> bool:
    return dist.is_available() and dist.is_initialized()


def _store() -> Any:
    return dist.distributed_c10d._get_default_store()


def _notes(note: bytes | None) -> list[bytes]:
    store = _store()
    if note is not None:
        store.set(f"{_PREFIX}{dist.get_rank()}", note)
    keys = [f"{_PREFIX}{rank}" for rank in range(min(dist.get_world_size(), _MOST))]
    return [store.get(key) if store.check([key]) else b"" for key in keys]


def _exchanges() -> int:
    try:
        return dist.group.WORLD._get_sequence_number_for_group()
    except RuntimeError:  # not every backend counts
        return 0


def _streams() -> int:
    return zlib.crc32(pickle.dumps(random.getstate()), zlib.crc32(torch.get_rng_state().numpy()))


def _is_first(said: str) -> bool:
    if not _is_initialized():
        return True
    try:
        return _store().add(f"{_PREFIX}said/{zlib.crc32(said.encode())}", 1) == 1
    except RuntimeError:  # the process that has the store is gone
        return True
