"""What the arguments of collectives must be, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.processes.groups import ProcessGroup, default_group
from pellucid.tensors import Tensor


def check_tensor(value: Any, name: str) -> None:
    """Raise TypeError for what is not a tensor."""
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def check_tensors(values: Any, name: str) -> None:
    """Raise TypeError for anything but a list of tensors."""
    if not isinstance(values, list | tuple) or not all(isinstance(x, Tensor) for x in values):
        raise ArgumentTypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(values)} with elements of type "
            f"{[type(x).__name__ for x in values] if isinstance(values, list) else None}."
        )


def check_dtypes(*tensors: Tensor) -> None:
    """Raise ValueError unless all tensors have one dtype."""
    for each in tensors[1:]:
        if each.dtype is not tensors[0].dtype:
            raise ArgumentError(
                f"Invalid usage of tensors with different dtypes"
                f"Found {each.dtype} and  {tensors[0].dtype}"
            )


def check_count(values: Sequence[Any], members: ProcessGroup, call: str, name: str) -> None:
    """Raise RuntimeError unless there is one tensor per rank."""
    if len(values) != members.size():
        raise ShapeError(
            f"{call}: invalid {name} list (expected length {members.size()}, one tensor per rank, "
            f"got {len(values)})"
        )


def check_shapes(values: Sequence[Tensor], like: Tensor, call: str, name: str) -> None:
    """Raise RuntimeError unless all tensors of a list have the shape of another."""
    for position, each in enumerate(values):
        if each.shape != like.shape:
            raise ShapeError(
                f"{call}: invalid tensor size at index {position} of {name} (expected "
                f"{tuple(like.shape)}, got {tuple(each.shape)})"
            )


def check_size(tensor: Tensor, count: int, call: str, why: str) -> None:
    """Raise RuntimeError unless a tensor has this many elements."""
    if tensor.numel() != count:
        raise ShapeError(
            f"{call}: the tensor of shape {list(tensor.shape)} has {tensor.numel()} elements, not "
            f"{count}: {why}"
        )


def root_of(members: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """Return the group's rank that is meant by a global rank, or by a rank of the group."""
    if group_rank is not None:
        if rank is not None:
            raise ArgumentError(f"Can't specify both group_{name} and {name}")
        if not 0 <= group_rank < members.size():
            raise ArgumentError(f"Global rank {group_rank} is not part of group {members}")
        return group_rank
    if rank is None:
        raise ArgumentError(f"Must specify either {name} or group_{name}")
    order = default_group().ranks
    if not 0 <= rank < len(order) or order[rank] not in members.ranks:
        raise ArgumentError(f"Global rank {rank} is not part of group {members}")
    return members.ranks.index(order[rank])


def described(array: np.ndarray[Any, Any]) -> str:
    """Return dtype and shape, as errors show them."""
    return f"{from_numpy_dtype(array.dtype).name}{list(array.shape)}"


def check_splits(
    splits: Sequence[int] | None, tensor: Tensor, members: ProcessGroup, name: str
) -> list[int]:
    """Return how many rows each rank gets; raise RuntimeError if they are not those there are."""
    rows = tensor.shape[0] if tensor.dim() else 1
    if splits is None or not len(splits):
        if rows % members.size():
            raise ShapeError(
                f"Tensor's dim 0 does not divide equally across group size: {rows} rows of the "
                f"{name} among {members.size()} ranks"
            )
        return [rows // members.size()] * members.size()
    if len(splits) != members.size():
        raise ShapeError(
            f"Number of tensor splits not equal to group size: {len(splits)} splits of the {name} "
            f"for {members.size()} ranks"
        )
    if sum(splits) != rows:
        raise ShapeError(
            f"Split sizes doesn't match total dim 0 size: {list(splits)} of the {name} add up to "
            f"{sum(splits)}, not {rows}"
        )
    return [int(each) for each in splits]
