"""Tensors to other libraries, and from them, without a copy."""

from __future__ import annotations

from typing import Any

from pellucid.tensors.dlpack import DLDeviceType, from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Any) -> Any:
    """Return a capsule of the DLPack protocol that shares memory with a tensor.

    Args:
        tensor: Tensor that does not require grad.

    >>> import numpy as np
    >>> from pellucid.utils.dlpack import to_dlpack
    >>> type(to_dlpack(torch.ones(2))).__name__
    'PyCapsule'
    """
    return tensor.__dlpack__(max_version=(1, 0))
