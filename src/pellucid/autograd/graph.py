"""``torch.autograd.graph``: the graph's nodes and edges, and what may be hooked into them."""

from __future__ import annotations

from pellucid.autograd.backward import GradientEdge, get_gradient_edge, release
from pellucid.autograd.multi_hooks import increment_version, register_multi_grad_hook
from pellucid.autograd.node import (
    AccumulateGrad,
    BackwardRun,
    Node,
    NodeExtra,
    RemovableHandle,
    add_hook,
    leaf_edge,
    node_extra,
    reachable,
)
from pellucid.autograd.saved import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)

__all__ = [
    "AccumulateGrad", "BackwardRun", "GradientEdge", "Node", "NodeExtra", "RemovableHandle",
    "add_hook", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "leaf_edge", "node_extra", "reachable",
    "register_multi_grad_hook", "release", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip
