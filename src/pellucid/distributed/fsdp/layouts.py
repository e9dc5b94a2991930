"""How `fully_shard` lays a parameter out: over which mesh, and cut by whom before."""

from __future__ import annotations

from typing import Any

from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.distributed.tensor.placement_types import (
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from pellucid.distributed.tensor.spec import Spec
from pellucid.errors import ArgumentError
from pellucid.processes.mesh import DeviceMesh


def shard_spec(param: Any, mesh: DeviceMesh, dim: int = 0) -> Spec:
    """Return how the shards of a parameter, on the mesh's last dim, make it up.

    Raises ValueError where a parameter is spread over a mesh of another family.

    Args:
        param: The parameter.
        mesh: The ranks.
        dim: Along which dim it is cut.
    """
    own: list[Placement] = [Replicate()] * (mesh.ndim - 1)
    if not isinstance(param, DTensor):
        return Spec(mesh, (*own, Shard(dim)), tuple(param.shape))
    inner = param.device_mesh
    names = (*(mesh.mesh_dim_names or ()), *(inner.mesh_dim_names or ()))
    if mesh.root is mesh or inner.root is not mesh.root or len(names) != mesh.ndim + inner.ndim:
        raise ArgumentError(
            "FSDP requires the DP and model parallel TP/EP mesh to have the same parent mesh: "
            f"take both from one mesh with names, as mesh['dp'] and mesh['tp']; the parameter is "
            f"spread over {inner}, and fully_shard was given {mesh}"
        )
    cut = [p for p in param.placements if isinstance(p, Shard) and p.dim == dim]
    factor = 1
    for number, each in enumerate(param.placements):
        if isinstance(each, Shard) and each.dim == dim:
            factor *= inner.shape[number]
    first: Placement = _StridedShard(dim, split_factor=factor) if cut else Shard(dim)
    placements = (*own, first, *param.placements)
    return Spec(mesh.root[names], placements, tuple(param.shape))
