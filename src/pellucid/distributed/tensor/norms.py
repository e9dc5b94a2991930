"""The norm of many tensors that are spread, with one exchange for all that are spread alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.nn.utils.clip_grad import norm_of_array
from pellucid.processes.exchanges import gathered


def norm_of_all(tensors: list[Any], order: float) -> float:
    """Return the norm of several DTensors, taken together as one vector."""
    alike: dict[Any, list[Any]] = {}
    for each in tensors:
        settled = each._moved(each._spec.of_gradient.placements)
        key = (settled.device_mesh, tuple(p.is_shard() for p in settled.placements))
        alike.setdefault(key, []).append(settled)
    return float(
        np.linalg.norm([_norm_of_parts(mesh, cut, each, order)
                        for (mesh, cut), each in alike.items()], order)
    )  # fmt: skip


def _norm_of_parts(mesh: Any, cut: tuple[bool, ...], tensors: list[Any], order: float) -> float:
    arrays = [each._local._array for each in tensors if each._local._array.size]
    norms = np.array([float(norm_of_array(array, order)) for array in arrays], np.float64)
    if not norms.size:
        norms = np.array([np.inf if order < 0 else 0.0])
    value = np.array([np.linalg.norm(norms, order)], np.float64)
    for number, is_cut in enumerate(cut):
        group = mesh.get_group(number)
        if is_cut and group.size() > 1:
            value = gathered(value, group, 0, [1] * group.size())
            value = np.array([np.linalg.norm(value, order)], np.float64)
    return float(value[0])
