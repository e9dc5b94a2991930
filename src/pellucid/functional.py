"""Functions made of several operations: the door ``torch.functional``."""

from __future__ import annotations

import sys
from typing import Any

# ruff: noqa: F822 - they are looked up when asked for
# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes",
    "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu",
    "meshgrid", "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot", "unique",
    "unique_consecutive", "unravel_index",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(sys.modules["pellucid"], name)
    raise AttributeError(f"module 'pellucid.functional' has no attribute '{name}'")
