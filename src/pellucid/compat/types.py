"""Names for annotations."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

from pellucid.device import device
from pellucid.dtypes import dtype
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["Device", "Number", "Storage", "_bool", "_device", "_dtype", "_float", "_int", "_size"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
Storage: TypeAlias = Any

_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_complex = builtins.complex
_device = device
_dtype = dtype
_size: TypeAlias = Size | Sequence[int]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
