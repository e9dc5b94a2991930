"""Files of the safetensors format, through its own library, which has to be installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.creation import from_numpy
from pellucid.errors import ArgumentTypeError
from pellucid.interop.errors import FileError
from pellucid.interop.files import written_whole
from pellucid.tensor import Tensor


def load_safetensors(path: Any) -> dict[str, Any]:
    """Return the tensors of a file by name.

    Raises RuntimeError if the safetensors library is not installed, or cannot read the file.
    """
    library = _library("load")
    with open(path, "rb") as file:
        content = file.read()
    try:
        arrays = library.load(content)
    except Exception as error:
        raise FileError(f"safetensors cannot read '{path}': {error}") from error
    # The library's arrays look into the bytes that were read, which nobody may change.
    return {name: from_numpy(np.array(array)) for name, array in arrays.items()}


def save_safetensors(
    tensors: Mapping[str, Any], path: Any, metadata: dict[str, str] | None = None
) -> None:
    """Write tensors by name; an interrupted call leaves the old file.

    Raises TypeError for what is not a tensor, and RuntimeError if the safetensors library is not
    installed.
    """
    library = _library("save")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}: "
                "safetensors holds tensors by name and nothing else; use torch.save instead."
            )
    # The library writes memory as it lies there, so it has to be without gaps.
    arrays = {name: np.ascontiguousarray(each._array) for name, each in tensors.items()}
    content = library.save(arrays, metadata)
    with written_whole(path) as file:
        file.write(content)


def _library(purpose: str) -> Any:
    try:
        import safetensors.numpy as library  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise FileError(
            f"Attempting to {purpose} a safetensors file but safetensors is not installed. Please "
            "install safetensors with: pip install safetensors"
        ) from error
    return library
