"""Checkpoints that all ranks write together, and that any number of ranks can read."""

from __future__ import annotations

from pellucid.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from pellucid.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from pellucid.distributed.checkpoint.transfer import (
    CheckpointException,
    Stateful,
    async_save,
    load,
    save,
)

__all__ = [
    "BytesStorageMetadata", "CheckpointException", "ChunkStorageMetadata", "FileSystemReader",
    "FileSystemWriter", "Metadata", "Stateful", "TensorStorageMetadata", "async_save", "load",
    "save",
]  # fmt: skip
