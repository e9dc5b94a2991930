"""Ranks laid out in a grid, with a group for each of its lines."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.processes.groups import (
    GroupMember,
    ProcessGroup,
    default_group,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)
from pellucid.tensors.creation import as_tensor, tensor


class DeviceMesh:
    """Ranks in a grid of any number of dims, and this rank's group along each dim.

    All ranks of the default group make it together. Raises RuntimeError if ranks are named that do
    not exist.

    Args:
        device_type: Kind of device; ``"cpu"``.
        mesh: Ranks, as nested sequences or a tensor.
        mesh_dim_names: A name for each dim.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> mesh = torch.distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "model"))
    >>> mesh["data"].get_group().size(), mesh.get_coordinate()
    (1, [0, 0])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: Sequence[str] | None = None,
        _groups: list[Any] | None = None, _root: DeviceMesh | None = None,
    ) -> None:  # fmt: skip
        if not is_initialized():
            init_process_group()
        self.device_type = device_type
        #: the mesh that this one is a part of
        self.root = self if _root is None else _root
        #: meshes of one dim that have been made of several dims of this one, by name
        self._flattened: dict[str, DeviceMesh] = {}
        self.mesh = as_tensor(mesh)
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        self._ranks = np.asarray(self.mesh._array, np.int64)
        if self._ranks.size > get_world_size():
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {get_world_size()}, but found "
                f"{self._ranks.size} ranks!"
            )
        found = np.argwhere(self._ranks == get_rank())
        self._coordinate: list[int] | None = found[0].tolist() if len(found) else None
        self._groups = self._lines() if _groups is None else _groups
        _known.add(self)

    def _lines(self) -> list[Any]:
        """Return this rank's group along each dim; all ranks make all groups."""
        mine: list[Any] = []
        for dim in range(self._ranks.ndim):
            lines = np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim])
            groups = [new_group(line.tolist(), sort_ranks=False) for line in lines]
            members = [each for each in groups if each != GroupMember.NON_GROUP_MEMBER]
            mine.append(members[0] if members else None)
        return mine

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of ranks along each dim."""
        return self._ranks.shape

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self._ranks.ndim

    def size(self, mesh_dim: int | None = None) -> int:
        """Return the number of ranks along a dim, or of all."""
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def get_rank(self) -> int:
        """Return the global rank of this process."""
        return get_rank()

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """Return this rank's group along a dim, which may be left out if there is one only."""
        if mesh_dim is None:
            if self.ndim != 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` "
                    "needs to be specified when device_mesh.ndim > 1."
                )
            mesh_dim = 0
        return self._groups[self._dim(mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """Return this rank's groups along all dims."""
        return list(self._groups)

    def get_coordinate(self) -> list[int] | None:
        """Return this rank's place in the grid, ``None`` outside."""
        return self._coordinate

    @property
    def coordinate(self) -> list[int]:
        """This rank's place in the grid; RuntimeError outside."""
        if self._coordinate is None:
            raise RuntimeError(
                f"rank {get_rank()} is not in {self}, and so has no part of what is spread over it"
            )
        return self._coordinate

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return this rank's place along a dim."""
        return self.get_group(mesh_dim).rank()

    def _dim(self, name: int | str) -> int:
        if isinstance(name, int):
            return name
        if self.mesh_dim_names is None or name not in self.mesh_dim_names:
            raise KeyError(
                f"Invalid mesh_dim_name {name!r}: the names of the mesh are {self.mesh_dim_names}"
            )
        return self.mesh_dim_names.index(name)

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        """Return the part of the mesh along some dims that this rank is in."""
        chosen = (names,) if isinstance(names, str) else names
        if len(chosen) == 1 and chosen[0] in self.root._flattened:
            return self.root._flattened[chosen[0]]
        dims = [self._dim(name) for name in chosen]
        at = self.get_coordinate()
        if at is None:
            raise RuntimeError("this rank is not in the mesh, and so has no part of it")
        index = tuple(slice(None) if dim in dims else at[dim] for dim in range(self.ndim))
        part = self._ranks[index]
        order = np.argsort(np.argsort(dims)) if len(dims) > 1 else [0]
        return DeviceMesh(
            self.device_type, tensor(np.transpose(part, np.argsort(order)).tolist()),
            mesh_dim_names=chosen, _groups=[self._groups[dim] for dim in dims], _root=self.root,
        )  # fmt: skip

    def _flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        """Return a mesh of one dim of the ranks of this one; all ranks of the whole mesh call it.

        The whole mesh then has it under its name: by default those of its dims with "_" between.
        """
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        if self.mesh_dim_names == (name,):
            return self
        if name in (self.root.mesh_dim_names or ()):
            raise ArgumentError(
                f"{name} already exists for submesh of the {self.root}. The mesh_dim_names of "
                f"submesh and flattened mesh are {self.root.mesh_dim_names}. Please specify "
                "another valid mesh_dim_name."
            )
        if name in self.root._flattened:
            return self.root._flattened[name]
        groups = self._groups if self.ndim == 1 else [self._group_of_all()]
        made = DeviceMesh(
            self.device_type, tensor(self._ranks.reshape(-1).tolist()), mesh_dim_names=(name,),
            _groups=groups, _root=self.root,
        )  # fmt: skip
        self.root._flattened[name] = made
        return made

    def _group_of_all(self) -> Any:
        """Return the group of this part's ranks; all ranks make those of all parts alike."""
        every = default_group().gathered(self._ranks.reshape(-1).tolist(), "DeviceMesh._flatten")
        mine = None
        for ranks in dict.fromkeys(map(tuple, every)):
            made = new_group(list(ranks), sort_ranks=False)
            if made != GroupMember.NON_GROUP_MEMBER:
                mine = made
        return mine

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup], device_type: str, mesh: Any = None, *,
        mesh_dim_names: tuple[str, ...] | None = None,
    ) -> DeviceMesh:  # fmt: skip
        """Return the mesh of groups that are there: one, or one for each dim with ``mesh``.

        Args:
            group: The group, or a list of this rank's groups along each dim.
            device_type: Kind of device; "cpu".
            mesh: The ranks, for several groups.
            mesh_dim_names: A name for each dim.

        Raises:
            ValueError: For ranks that are not those of the group, or several groups without ranks.

        >>> torch.distributed.init_process_group(world_size=1, rank=0)
        >>> torch.distributed.DeviceMesh.from_group(torch.distributed.group.WORLD, "cpu").size()
        1
        >>> torch.distributed.destroy_process_group()
        """
        if isinstance(group, ProcessGroup):
            if mesh is not None and as_tensor(mesh)._array.reshape(-1).tolist() != group.ranks:
                raise ArgumentError(
                    f"Invalid mesh {mesh} for ProcessGroup with ranks {group.ranks}"
                )
            return DeviceMesh(
                device_type, tensor(group.ranks), mesh_dim_names=mesh_dim_names, _groups=[group]
            )
        groups = list(group)
        if not groups:
            raise ArgumentError("Expects at least one ProcessGroup to be specified")
        if mesh is None:
            raise ArgumentError("Must pass mesh if passing multiple ProcessGroups")
        given = as_tensor(mesh)
        if given.ndim != len(groups):
            raise ArgumentError(
                "Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                f"{given.tolist()} and {len(groups)} ProcessGroups"
            )
        return DeviceMesh(device_type, given, mesh_dim_names=mesh_dim_names, _groups=groups)

    def __repr__(self) -> str:
        names = self.mesh_dim_names
        sizes = (
            tuple(self.shape)
            if names is None
            else "(" + ", ".join(f"{n}={s}" for n, s in zip(names, self.shape, strict=True)) + ")"
        )
        return f"DeviceMesh({sizes}, device: {self.device_type!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeviceMesh)
            and np.array_equal(self._ranks, other._ranks)
            and self.mesh_dim_names == other.mesh_dim_names
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.device_type, self._ranks.tolist(), self.mesh_dim_names)

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceMesh:
        return self

    def __hash__(self) -> int:
        return hash((self._ranks.tobytes(), self._ranks.shape, self.mesh_dim_names))


#: those that have been made, so that what was saved finds the groups that are there
_known: weakref.WeakSet[DeviceMesh] = weakref.WeakSet()


def _restored(device_type: str, ranks: Any, names: Any) -> DeviceMesh:
    """Return the mesh that was saved: one that is there, else a new one, which all ranks make."""
    for each in _known:
        if each._ranks.tolist() == ranks and each.mesh_dim_names == names:
            if all(group is None or not group.is_destroyed for group in each._groups):
                return each
    if ranks == list(range(get_world_size())) and names is None:
        return mesh_of_all()
    return DeviceMesh(device_type, ranks, mesh_dim_names=names)


_of_all: dict[int, tuple[ProcessGroup, DeviceMesh]] = {}


def mesh_of_all() -> DeviceMesh:
    """Return the mesh of one dim of all ranks, which uses the default group."""
    members = default_group()
    held = _of_all.get(0)
    if held is None or held[0] is not members:
        ranks = tensor(list(range(members.size())))
        held = _of_all[0] = (members, DeviceMesh("cpu", ranks, _groups=[members]))
    return held[1]


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *,
    mesh_dim_names: tuple[str, ...] | None = None, backend_override: Any = None,
) -> DeviceMesh:  # fmt: skip
    """Lay all ranks out in a grid of a shape, in their order; return its `DeviceMesh`.

    Raises RuntimeError if the names are not as many as the dims or come twice, or the shape holds
    another number of ranks than there are.

    Args:
        device_type: Name of a device type, without an index.
        mesh_shape: Number of ranks along each dim.
        mesh_dim_names: Names of the dims.
        backend_override: Accepted for compatibility; changes nothing.

    Returns:
        The mesh.
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                f"{mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    if not device_type.isalpha():
        raise ArgumentError(f"Device type with index is not supported but got {device_type}.")
    count = math.prod(mesh_shape)
    return DeviceMesh(
        device_type, tensor(np.arange(count).reshape(mesh_shape).tolist()),
        mesh_dim_names=mesh_dim_names,
    )  # fmt: skip
