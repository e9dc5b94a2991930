"""What a checkpoint says of itself: tensors, the blocks that they are in, and where these are.

Classes, attributes and the module's name are those of PyTorch's files.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from pellucid.core.memory import memory_formats
from pellucid.dtypes import dtype as Dtype
from pellucid.shapes import Size


@dataclass
class ChunkStorageMetadata:
    """A block of a tensor.

    Args:
        offsets: Where it begins along each dim.
        sizes: Its shape.
    """

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(enum.Enum):  # noqa: N801 - PyTorch's name
    """Memory formats by number."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


@dataclass
class TensorProperties:
    """What a tensor is besides its shape.

    Args:
        dtype: Its dtype.
        layout: Its layout.
        requires_grad: Whether it requires grad.
        memory_format: The order of its elements.
        pin_memory: Whether its memory is pinned.
    """

    dtype: Dtype
    layout: Any = memory_formats.strided
    requires_grad: bool = False
    memory_format: Any = memory_formats.contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        encoded = _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT
        return self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, _, self.pin_memory = state
        self.memory_format = memory_formats.contiguous_format


@dataclass
class TensorStorageMetadata:
    """A tensor of a checkpoint.

    Args:
        properties: Its dtype and the like.
        size: Its shape.
        chunks: The blocks that it is in.
    """

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """An object of a checkpoint that is not a tensor."""


@dataclass(frozen=True)
class MetadataIndex:
    """A block of a tensor, or an object, by name.

    Args:
        fqn: The name.
        offset: Where the block begins; None for an object.
        index: Its number among the tensor's blocks, as a hint.
    """

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)


@dataclass
class StorageMeta:
    """What a storage writer says of itself.

    Args:
        checkpoint_id: The name of the checkpoint.
        save_id: The name of what has saved it.
        load_id: The name of what has loaded it.
        modules: Names of modules.
    """

    checkpoint_id: Any = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """What a checkpoint holds.

    Args:
        state_dict_metadata: Tensors and objects by name.
        planner_data: The keys that lead to each in nested dictionaries.
        storage_data: Where each block and object is.
        storage_meta: What the writer says of itself.
        version: The version of the format.
    """

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None
