"""Files of the safetensors format, through its own library, which has to be installed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from pellucid import dtypes
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError
from pellucid.interop.errors import FileError
from pellucid.interop.files import written_whole
from pellucid.tensors import Tensor

#: what the format calls the dtypes
_DTYPES: Final = {
    "BOOL": dtypes.bool_, "U8": dtypes.uint8, "I8": dtypes.int8, "I16": dtypes.int16,
    "U16": dtypes.uint16, "I32": dtypes.int32, "U32": dtypes.uint32, "I64": dtypes.int64,
    "U64": dtypes.uint64, "F16": dtypes.float16, "BF16": dtypes.bfloat16, "F32": dtypes.float32,
    "F64": dtypes.float64, "C64": dtypes.complex64,
}  # fmt: skip


@public("load_file", checked=False)
def load_file(path: Any) -> dict[str, Any]:
    """Return the tensors of a file in the format safetensors by name.

    Args:
        path: Path of the file.

    Raises:
        RuntimeError: If the library safetensors is not installed, or cannot read the file.
        TypeError: If the path is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     torch.save_file({"x": torch.ones(2)}, f"{folder}/model.safetensors")
    ...     torch.load_file(f"{folder}/model.safetensors")
    {'x': tensor([1., 1.])}
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise ArgumentTypeError(f"load_file() takes a path, not {type(path).__name__}")
    library = _library("load")
    with open(path, "rb") as file:
        content = file.read()
    try:
        described = library.deserialize(content)
    except Exception as error:
        raise FileError(f"safetensors cannot read '{path}': {error}") from error
    return {name: _tensor(path, name, **each) for name, each in described}


def _tensor(path: Any, name: str, dtype: str, shape: list[int], data: Any) -> Any:
    """Return a tensor with a copy of the bytes, which nobody else may change."""
    known = _DTYPES.get(dtype)
    if known is None:
        raise FileError(
            f"safetensors cannot read '{path}': '{name}' is of dtype {dtype}, which is not here"
        )
    return new_tensor(np.frombuffer(data, known.numpy).reshape(shape).copy())


@public("save_file", checked=False)
def save_file(
    tensors: Mapping[str, Any], path: Any, metadata: dict[str, str] | None = None
) -> None:
    """Write tensors by name in the format safetensors; an interrupted call leaves the old file.

    Args:
        tensors: Tensors of any shape and of the dtypes that the format has, by name.
        path: Path of the file.
        metadata: Texts by name that are stored beside them.

    Raises:
        TypeError: If there is no mapping, or a value is not a tensor.
        RuntimeError: If the library safetensors is not installed, or knows no such dtype.

    >>> import tempfile
    >>> model = torch.nn.Linear(1, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     torch.save_file(model.state_dict(), f"{folder}/model.safetensors")
    ...     model.load_state_dict(torch.load_file(f"{folder}/model.safetensors"))
    <All keys matched successfully>
    """
    library = _library("save")
    if not isinstance(tensors, Mapping):
        raise ArgumentTypeError(f"save_file() takes tensors by name, not {type(tensors).__name__}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}: "
                "safetensors holds tensors by name and nothing else; use torch.save instead."
            )
    # The library writes memory as it lies there, so it has to be without gaps.
    arrays = {name: np.asarray(each._array, order="C") for name, each in tensors.items()}
    try:
        content = library.numpy.save(arrays, metadata)
    except Exception as error:
        raise FileError(f"safetensors cannot write '{path}': {error}") from error
    with written_whole(path) as file:
        file.write(content)


def _library(purpose: str) -> Any:
    try:
        import safetensors as library
        import safetensors.numpy
    except ImportError as error:
        raise FileError(
            f"Attempting to {purpose} a safetensors file but safetensors is not installed. Please "
            "install safetensors with: pip install safetensors"
        ) from error
    return library
