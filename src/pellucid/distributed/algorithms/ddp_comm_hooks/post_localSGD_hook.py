"""Gradients that are averaged over all ranks at first, and then within a machine only.

Lin et al., "Don't use large mini-batches, use local SGD", 2020. A model averager, which averages
parameters every few steps, takes over what is left out.
"""

from __future__ import annotations

from typing import Any

from pellucid.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from pellucid.distributed.algorithms.ddp_comm_hooks.default_hooks import averaged
from pellucid.futures import Future
from pellucid.nn.parallel.reducer import GradBucket
from pellucid.processes.groups import new_subgroups


class PostLocalSGDState:
    """The options of `post_localSGD_hook`, and how many steps it has counted.

    Args:
        process_group: The ranks of the first steps; all if None.
        subgroup: The ranks of the later ones; those of this machine if None.
        start_localSGD_iter: How many steps are the first ones.
        post_local_gradient_allreduce: Whether later gradients are averaged at all.
    """

    def __init__(
        self, process_group: Any, subgroup: Any, start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:  # fmt: skip
        self.process_group = process_group
        self.subgroup = subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0


def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> Future[Any]:
    """Average the gradients over the ranks that `PostLocalSGDState` names for this step."""
    if state.iter < state.start_localSGD_iter:
        state.iter += bucket.is_last()
        return averaged(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        return noop_hook(state, bucket)
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return averaged(state.subgroup, bucket.buffer())
