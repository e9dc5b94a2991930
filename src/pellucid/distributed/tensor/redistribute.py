"""From one layout of a tensor to another: which exchanges that takes, each a node of the graph."""

from __future__ import annotations

from typing import Any

from pellucid.core.call.call import new_tensor
from pellucid.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from pellucid.distributed.tensor.spec import Placements, Spec
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.processes import exchanges
from pellucid.processes.reductions import RedOpType

#: what the reductions are called that have no derivative here
_PLAIN_REDUCTIONS = {
    "product": RedOpType.PRODUCT, "max": RedOpType.MAX, "min": RedOpType.MIN,
}  # fmt: skip


def redistributed(local: Any, spec: Spec, target: Placements) -> Any:
    """Return this rank's part of a tensor in another layout; all ranks of the mesh ask for it."""
    if spec.placements == target:
        return local
    return _Moving(local, spec, target).run()


class _Moving:
    """A tensor on its way to another layout.

    What cuts a dim of the tensor is undone from the inside to the outside, and done from the
    outside to the inside; what both layouts begin with stays.
    """

    def __init__(self, local: Any, spec: Spec, target: Placements) -> None:
        self.local = local
        self.spec = spec
        self.target = spec.with_placements(target)
        self.staying = self._staying()

    def _staying(self) -> set[int]:
        now, then = self.spec.placements, self.target.placements
        staying = {m for m, each in enumerate(now) if not each.is_shard() and each == then[m]}
        for dim in range(len(self.spec.shape)):
            for old, new in zip(self.spec.order(dim), self.target.order(dim), strict=False):
                if old != new:
                    break
                staying.add(old)
        return staying

    def run(self) -> Any:
        dims = range(len(self.spec.shape))
        for dim in dims:
            for number in reversed(self.spec.order(dim)):
                if number not in self.staying:
                    self._undo_cut(number, dim)
        for number, each in enumerate(self.spec.placements):
            if each.is_partial() and number not in self.staying:
                self._reduce(number, each)
        for number, each in enumerate(self.target.placements):
            if each.is_partial() and number not in self.staying:
                self._make_summands(number, each)
        for dim in dims:
            for number in self.target.order(dim):
                if not self.spec.placements[number].is_shard(dim):
                    self._cut(number, dim)
        return self.local

    def _set(self, number: int, placement: Placement) -> None:
        changed = list(self.spec.placements)
        changed[number] = placement
        self.spec = self.spec.with_placements(tuple(changed))

    def _may_cut(self, number: int) -> bool:
        """Return whether the target cuts a dim by this dim of the mesh next, as things are."""
        placement = self.target.placements[number]
        if not isinstance(placement, Shard):
            return False
        wanted = self.target.order(placement.dim)
        return self.spec.order(placement.dim) == wanted[: wanted.index(number)]

    def _undo_cut(self, number: int, dim: int) -> None:
        group = self.spec.mesh.get_group(number)
        size = self.spec.size(dim, upto=number)
        wanted = self.target.placements[number]
        if isinstance(wanted, Shard) and wanted.dim != dim and self._may_cut(number):
            if group.size() > 1:
                self.local = exchanges.move_parts(self.local, group, dim, wanted.dim, size)
            self._set(number, wanted)
            return
        if group.size() > 1:
            self.local = exchanges.gather_parts(self.local, group, dim, size)
        self._set(number, Replicate())

    def _reduce(self, number: int, placement: Any) -> None:
        group = self.spec.mesh.get_group(number)
        wanted = self.target.placements[number]
        if placement.reduce_op in _PLAIN_REDUCTIONS:
            self.local = _reduced_plainly(self.local, group, placement.reduce_op)
        elif isinstance(wanted, Shard) and self._may_cut(number):
            if group.size() > 1:
                self.local = exchanges.sum_to_parts(self.local, group, wanted.dim)
            self._set(number, wanted)
        elif group.size() > 1:
            self.local = exchanges.sum_parts(self.local, group)
        if self.spec.placements[number].is_partial():
            self._set(number, Replicate())
        if placement.reduce_op == "avg":
            self.local = self.local / group.size()

    def _cut(self, number: int, dim: int) -> None:
        group = self.spec.mesh.get_group(number)
        if group.size() > 1:
            self.local = exchanges.cut_part(self.local, group, dim)
        self._set(number, self.target.placements[number])

    def _make_summands(self, number: int, placement: Any) -> None:
        """Keep the tensor on the first rank, and let the others add nothing."""
        if placement.reduce_op == "sum":
            self.local = exchanges.as_summand(self.local, self.spec.mesh.get_group(number))
        self._set(number, placement)


def _reduced_plainly(local: Any, group: Any, reduce_op: str) -> Any:
    if local.requires_grad:
        raise UnimplementedError(
            f"the derivative of Partial({reduce_op}) tensors is not there: detach() them, or "
            "reduce on each rank first"
        )
    return new_tensor(exchanges.reduced(local._array, group, _PLAIN_REDUCTIONS[reduce_op]))


def used_in_parts(local: Any, spec: Spec, results: list[Placements]) -> Any:
    """Return a whole tensor as each rank uses it by itself, wherever results are not whole."""
    for number, each in enumerate(spec.placements):
        if not each.is_replicate() or all(placed[number].is_replicate() for placed in results):
            continue
        group = spec.mesh.get_group(number)
        if group.size() > 1 and local.requires_grad:
            local = exchanges.use_in_parts(local, group)
    return local


def with_gradient_in(part: Any, spec: Spec, gradient: Placements) -> Any:
    """Return a part whose gradients, on all ranks, are to be read as these placements say."""
    for number, (own, wanted) in enumerate(zip(spec.of_gradient.placements, gradient, strict=True)):
        if wanted.is_partial() and own.is_replicate():
            part = exchanges.use_in_parts(part, spec.mesh.get_group(number))
        elif wanted != own:
            raise ArgumentError(
                f"the gradient of a part of {spec.placements} can be {own!r}"
                f"{' or Partial()' if own.is_replicate() else ''}, not {wanted!r}"
            )
    return part


def summand(placement: Placement) -> bool:
    """Return whether a placement is one of summands, which linear ops leave as they are."""
    return isinstance(placement, Partial) and placement.reduce_op == "sum"
