"""Private functions of ``torch.func`` that packages build on: how `vmap` takes tensors apart.

Containers of tensors that know themselves how their samples are taken, as tensordict's, call them.
"""

from __future__ import annotations

from typing import Any

from pellucid.compat.absent import constant_function
from pellucid.func.mapping import name_of as _get_name
from pellucid.func.mapping import unwrapped, vmap
from pellucid.func.pytree import tree_flatten, tree_unflatten
from pellucid.func.trees import broadcast_leaves as _broadcast_to_and_flatten
from pellucid.interpreters.vmap.batched import Level, batched_along, level_of
from pellucid.tensors import Tensor

__all__ = [
    "Tensor", "_add_batch_dim", "_broadcast_to_and_flatten", "_get_name", "_maybe_remove_batch_dim",
    "_remove_batch_dim", "get_unwrapped", "is_batchedtensor", "tree_flatten", "tree_unflatten",
    "vmap",
]  # fmt: skip

is_gradtrackingtensor = constant_function(False, "Return False: no tensor is wrapped.")


def is_batchedtensor(tensor: Any) -> bool:
    """Return whether a tensor stands for one sample of several.

    >>> def ask(x):
    ...     return x * is_batchedtensor(x)
    >>> torch.vmap(ask)(torch.ones(2))
    tensor([1., 1.])
    """
    return level_of(tensor) is not None


is_functorch_wrapped_tensor = is_batchedtensor


def get_unwrapped(tensor: Any) -> Any:
    """Return the tensor of all samples, of the innermost `vmap`; one that has none as it is."""
    return tensor.value if is_batchedtensor(tensor) else tensor


def maybe_get_bdim(tensor: Any) -> int:
    """Return the dimension of the samples, which is the first; -1 for a tensor that has none."""
    return 0 if is_batchedtensor(tensor) else -1


def maybe_get_level(tensor: Any) -> int:
    """Return the depth of the innermost `vmap`, from 1; -1 for a tensor that has no samples."""
    level = level_of(tensor)
    return -1 if level is None else level.depth


def _add_batch_dim(tensor: Tensor, in_dim: int, level: Level) -> Any:
    """Return a tensor with its samples along a dimension as one that stands for one of them."""
    return batched_along(tensor, level, in_dim % max(1, tensor.dim()))


def _remove_batch_dim(tensor: Any, level: Level, batch_size: int, out_dim: int) -> Any:
    """Undo `_add_batch_dim`; a tensor that is the same for all samples is repeated."""
    return unwrapped("function", tensor, level, out_dim)


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, level: Level, batch_size: int, out_dim: int | None
) -> Any:
    """Return a result of a mapped function with its samples along a dimension."""
    return unwrapped(name, batched_output, level, out_dim)
