"""Batches cut into parts that pass through a pipeline one after another, and joined again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.splitting import tensor_split
from pellucid.tensors import Tensor


class TensorChunkSpec:
    """The dim along which a tensor is cut.

    Args:
        split_dim: The dim.
    """

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"


def cut(value: Any, spec: TensorChunkSpec | None, count: int) -> list[Any]:
    """Return the parts of an argument, which is the same for all parts unless it is a tensor."""
    if not isinstance(value, Tensor):
        return [value] * count
    dim = 0 if spec is None else spec.split_dim
    if value.ndim <= dim or value.shape[dim] < count:
        raise ArgumentError(
            f"a tensor of shape {tuple(value.shape)} cannot be cut along dim {dim} into {count} "
            "microbatches: give a larger batch, or fewer of them"
        )
    return list(tensor_split(value, count, dim))


def cut_arguments(
    args: Sequence[Any], kwargs: dict[str, Any], arg_specs: Sequence[Any] | None,
    kwarg_specs: dict[str, Any] | None, count: int,
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:  # fmt: skip
    """Return the arguments of each part."""
    specs = [None] * len(args) if arg_specs is None else arg_specs
    cut_args = [cut(value, spec, count) for value, spec in zip(args, specs, strict=True)]
    cut_kwargs = {
        name: cut(value, (kwarg_specs or {}).get(name), count) for name, value in kwargs.items()
    }
    return [
        (
            tuple(parts[number] for parts in cut_args),
            {name: parts[number] for name, parts in cut_kwargs.items()},
        )
        for number in range(count)
    ]


def joined(parts: Sequence[tuple[Any, ...]], is_single: bool) -> Any:
    """Return the outputs of all parts as those of the whole batch."""
    whole = tuple(
        cat(each) if isinstance(each[0], Tensor) and each[0].ndim else each
        for each in zip(*parts, strict=True)
    )
    return whole[0] if is_single else whole
