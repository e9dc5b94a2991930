"""Tensors that are spread over the ranks of a mesh, and look whole on each of them."""

from __future__ import annotations

from pellucid.distributed.tensor import rules_images as _rules_images
from pellucid.distributed.tensor import rules_nn as _rules_nn
from pellucid.distributed.tensor import rules_products as _rules_products
from pellucid.distributed.tensor import rules_reductions as _rules_reductions
from pellucid.distributed.tensor import rules_shapes as _rules_shapes
from pellucid.distributed.tensor import rules_systems as _rules_systems
from pellucid.distributed.tensor import rules_whole as _rules_whole
from pellucid.distributed.tensor.api import (
    distribute_module,
    distribute_tensor,
    empty,
    full,
    ones,
    rand,
    randn,
    zeros,
)
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from pellucid.processes.mesh import DeviceMesh, init_device_mesh

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module",
    "distribute_tensor", "empty", "full", "init_device_mesh", "ones", "rand", "randn", "zeros",
]  # fmt: skip

_ = (
    _rules_images, _rules_nn, _rules_products, _rules_reductions, _rules_shapes, _rules_systems,
    _rules_whole,
)  # fmt: skip
