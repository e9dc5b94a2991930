"""Which part of a tensor each rank of a mesh has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from pellucid.errors import ArgumentError
from pellucid.processes.exchanges import part_of
from pellucid.processes.mesh import DeviceMesh

Placements = tuple[Placement, ...]


class Spec:
    """A tensor's mesh, its placement along each dim of the mesh, and its whole shape.

    A dim of the tensor that several dims of the mesh cut is cut by the first of them into parts,
    each of which the next one cuts again, and so on; those that are `_StridedShard` come last.
    """

    __slots__ = ("mesh", "placements", "shape")

    def __init__(self, mesh: DeviceMesh, placements: Placements, shape: tuple[int, ...]) -> None:
        self.mesh = mesh
        self.placements = placements
        self.shape = shape

    def order(self, dim: int) -> list[int]:
        """Return the dims of the mesh that cut a dim of the tensor, in their order."""
        cutting = [
            (isinstance(each, _StridedShard), number)
            for number, each in enumerate(self.placements)
            if each.is_shard(dim)
        ]
        return [number for _, number in sorted(cutting)]

    def bounds(self, dim: int, upto: int | None = None) -> tuple[int, int]:
        """Return first and last place, exclusively, of this rank's part of a dim of the tensor.

        With ``upto``, a dim of the mesh, those before it and its further dims cut the part.
        """
        start, stop = 0, self.shape[dim]
        at = self.mesh.coordinate
        for number in self.order(dim):
            if number == upto:
                break
            first, last = part_of(stop - start, self.mesh.shape[number], at[number])
            start, stop = start + first, start + last
        return start, stop

    def size(self, dim: int, upto: int | None = None) -> int:
        """Return the size of this rank's part of a dim; see `bounds`."""
        start, stop = self.bounds(dim, upto)
        return stop - start

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this rank's part."""
        return tuple([self.size(dim) for dim in range(len(self.shape))])

    @property
    def local_index(self) -> tuple[slice, ...]:
        """The index of this rank's part in the whole."""
        return tuple([slice(*self.bounds(dim)) for dim in range(len(self.shape))])

    @property
    def is_whole(self) -> bool:
        """Whether this rank has the tensor as it is."""
        return all(each.is_replicate() for each in self.placements)

    def cuts_evenly(self, dim: int) -> bool:
        """Return whether all ranks have equally large parts of a dim."""
        size = self.shape[dim]
        for number in self.order(dim):
            if size % self.mesh.shape[number]:
                return False
            size //= self.mesh.shape[number]
        return True

    def with_placements(self, placements: Placements) -> Spec:
        """Return the layout of the same tensor with other placements."""
        return Spec(self.mesh, placements, self.shape)

    @property
    def of_gradient(self) -> Spec:
        """The layout of the tensor's gradient: what is a sum of summands is whole for each."""
        if not any(each.is_partial() for each in self.placements):
            return self
        return self.with_placements(
            tuple(Replicate() if each.is_partial() else each for each in self.placements)
        )

    def __repr__(self) -> str:
        return f"Spec({self.mesh}, {self.placements}, {self.shape})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Spec)
            and self.placements == other.placements
            and self.shape == other.shape
            and self.mesh == other.mesh
        )

    def __hash__(self) -> int:
        return hash((self.placements, self.shape, self.mesh))


def checked_placements(
    placements: Sequence[Any] | None, mesh: DeviceMesh, ndim: int, *, partial: bool = True
) -> Placements:
    """Return placements, those of whole tensors if None, with dims that count from the front.

    Raises ValueError where there are not as many as the mesh has dims, for a dim that the tensor
    does not have, and for what is not a placement.
    """
    if placements is None:
        return (Replicate(),) * mesh.ndim
    given = tuple(placements)
    if len(given) != mesh.ndim:
        raise ArgumentError(
            "`placements` must have the same length as `device_mesh.ndim`! Found placements "
            f"length: {len(given)}, and device_mesh.ndim: {mesh.ndim}."
        )
    return tuple(_checked(each, ndim, partial) for each in given)


def _checked(placement: Any, ndim: int, partial: bool) -> Placement:
    if not isinstance(placement, Placement):
        raise ArgumentError(
            f"a placement is Shard(dim), Replicate() or Partial(), not {placement!r}"
        )
    if isinstance(placement, Partial) and not partial:
        raise ArgumentError(
            "Can not redistribute to Partial, only redistributing from Partial is allowed! "
            "Shard(dim) and Replicate() are there."
        )
    if not isinstance(placement, Shard):
        return placement
    dim = placement.dim + ndim if placement.dim < 0 else placement.dim
    if not 0 <= dim < ndim:
        raise ArgumentError(
            f"Shard(dim={placement.dim}) of a tensor of {ndim} dims: the dim runs from {-ndim} to "
            f"{ndim - 1}"
        )
    if isinstance(placement, _StridedShard):
        return _StridedShard(dim, split_factor=placement.split_factor)
    return Shard(dim)
