"""Exchanges as functions, by PyTorch's newer names: they return new tensors, and can be derived."""

from __future__ import annotations

from typing import Any

from pellucid.distributed.nn.functional import reduced
from pellucid.errors import ArgumentError
from pellucid.processes import exchanges
from pellucid.processes.groups import ProcessGroup, default_group, resolved
from pellucid.processes.mesh import DeviceMesh
from pellucid.processes.reductions import RedOpType


def _members(group: Any) -> ProcessGroup:
    """Return a group that is given as itself, as a mesh, or as a mesh and one of its dims."""
    if isinstance(group, DeviceMesh):
        return group.get_group()
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1])
    if isinstance(group, list):
        if group == default_group().ranks:
            return default_group()
        raise ArgumentError(
            f"the group of ranks {group}: give a ProcessGroup of new_group, or a DeviceMesh"
        )
    return resolved(group)


def _kind(name: str) -> RedOpType:
    if name.upper() not in RedOpType.__members__:
        raise ArgumentError(f"reduceOp must be the name of a reduction, not {name!r}")
    return RedOpType[name.upper()]


def wait_tensor(tensor: Any) -> Any:
    """Return the tensor: exchanges are over when they return.

    Args:
        tensor: A tensor.
    """
    return tensor


def all_reduce(self: Any, reduceOp: str, group: Any, tag: str = "") -> Any:
    """Return the reduction of all ranks' tensors, on every rank.

    Args:
        self: Any shape and dtype, the same on all ranks.
        reduceOp: ``"sum"``, ``"avg"``, ``"max"``, ``"min"`` or ``"product"``.
        group: A group, a mesh of one dim, or a mesh and a dim of it.
        tag: Accepted for compatibility.

    Returns:
        A new tensor.
    """
    return reduced(self, _kind(reduceOp), _members(group))


def all_reduce_coalesced(
    self: list[Any],
    reduceOp: str,
    group: Any,
    tag: str = "",
) -> list[Any]:
    """Return the reductions of several tensors.

    Args:
        self: The tensors.
        reduceOp, group, tag: As for `all_reduce`.

    Returns:
        New tensors.
    """
    return [all_reduce(each, reduceOp, group) for each in self]


def all_gather_tensor(self: Any, gather_dim: int, group: Any, tag: str = "") -> Any:
    """Return the tensors of all ranks joined along a dim.

    Args:
        self: What this rank gives; of the same shape and dtype on all ranks.
        gather_dim: The dim.
        group, tag: As for `all_reduce`.

    Returns:
        A new tensor.
    """
    members = _members(group)
    dim = gather_dim % self.ndim
    return exchanges.all_gather(self, members, dim, [self.shape[dim]] * members.size())


def all_gather_into_tensor_coalesced(self: list[Any], group: Any, tag: str = "") -> list[Any]:
    """Return, for each of several tensors, those of all ranks joined along the first dim.

    Args:
        self: The tensors.
        group, tag: As for `all_reduce`.

    Returns:
        New tensors.
    """
    return [all_gather_tensor(each, 0, group) for each in self]


def reduce_scatter_tensor(
    self: Any,
    reduceOp: str,
    scatter_dim: int,
    group: Any,
    tag: str = "",
) -> Any:
    """Return this rank's part, along a dim, of the reduction of all ranks' tensors.

    Args:
        self: Any shape and dtype, the same on all ranks.
        scatter_dim: The dim, whose size is a multiple of the number of ranks.
        reduceOp, group, tag: As for `all_reduce`.

    Returns:
        A new tensor.

    Raises:
        AssertionError: If the size is not such a multiple.
    """
    members = _members(group)
    dim, count = scatter_dim % self.ndim, members.size()
    if self.shape[dim] % count:
        raise AssertionError(
            f"input dimension {dim} ({self.shape[dim]}) must be a multiple of group_size {count}"
        )
    kind = _kind(reduceOp)
    sizes = [self.shape[dim] // count] * count
    if kind in (RedOpType.SUM, RedOpType.AVG):
        part = exchanges.reduce_scatter(self, members, dim, sizes)
        return part / count if kind is RedOpType.AVG else part
    return reduced(self, kind, members).split(sizes[0], dim)[members.rank()]


def reduce_scatter_tensor_coalesced(
    inputs: list[Any],
    reduceOp: str,
    scatter_dim: list[int],
    group: Any,
    tag: str = "",
) -> list[Any]:
    """Return this rank's parts of the reductions of several tensors.

    Args:
        inputs: The tensors.
        scatter_dim: The dim of each.
        reduceOp, group, tag: As for `all_reduce`.

    Returns:
        New tensors.
    """
    pairs = zip(inputs, scatter_dim, strict=True)
    return [reduce_scatter_tensor(each, reduceOp, dim, group) for each, dim in pairs]


def broadcast(self: Any, src: int, group: Any, tag: str = "") -> Any:
    """Return the tensor of one rank, on every rank.

    Args:
        self: Any shape and dtype, the same on all ranks.
        src: Rank within the group that sends.
        group, tag: As for `all_reduce`.

    Returns:
        A new tensor.
    """
    return exchanges.broadcast_from(self, _members(group), src)


def all_to_all_single(
    self: Any, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None,
    group: Any, tag: str = "",
) -> Any:  # fmt: skip
    """Send rows to every rank and return the rows that every rank has sent here.

    Args:
        self: The rows, one rank's after the other's.
        output_split_sizes: How many rows come from each rank; equally many if None.
        input_split_sizes: How many rows go to each rank; equally many if None.
        group, tag: As for `all_reduce`.

    Returns:
        A new tensor.
    """
    members = _members(group)
    count = members.size()
    equal = [self.shape[0] // count] * count
    return exchanges.all_to_all(
        self, members, input_split_sizes or equal, output_split_sizes or equal
    )


def permute_tensor(self: Any, src_dst: list[int], group: Any, tag: str = "") -> Any:
    """Send the tensor to one rank and return the one that another has sent here.

    Args:
        self: Any shape and dtype, the same on all ranks.
        src_dst: For each rank, the one that it sends to.
        group, tag: As for `all_reduce`.

    Returns:
        A new tensor.
    """
    members = _members(group)
    me, size = members.rank(), self.numel()
    sent = [size if rank == src_dst[me] else 0 for rank in range(members.size())]
    received = [size if target == me else 0 for target in src_dst]
    moved = exchanges.all_to_all(self.reshape(-1), members, sent, received)
    return moved.reshape(tuple(self.shape))


all_gather_tensor_autograd = all_gather_single = all_gather_single_autograd = all_gather_tensor
reduce_scatter_tensor_autograd = reduce_scatter_single = reduce_scatter_tensor
reduce_scatter_single_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
all_gather_single_coalesced = all_gather_into_tensor_coalesced
reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced
