"""The kernels in use: for arrays in memory those chosen at import, others for those of meta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.kernels.meta import any_meta
from pellucid.kernels.native import chosen

cpu = chosen()


def kernels_for(arrays: Iterable[Any]) -> Any:
    """Return the kernels that compute with these arrays."""
    if any_meta(arrays):
        from pellucid.kernels.meta.backend import meta_kernels

        return meta_kernels
    return cpu
