"""Functions of ordinary tensors, called with this rank's parts of spread tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.distributed.tensor.placement_types import Placement
from pellucid.errors import ArgumentError
from pellucid.func.pytree import tree_flatten, tree_unflatten
from pellucid.tensors import Tensor


def local_map(
    func: Callable[..., Any] | None = None, out_placements: Any = None, in_placements: Any = None,
    in_grad_placements: Any = None, device_mesh: Any = None, *, redistribute_inputs: bool = False,
) -> Any:  # fmt: skip
    """Return a function of spread tensors that calls one of ordinary tensors with the parts.

    Exchanges that the parts need are up to the function.

    Args:
        func: The function; None for use as a decorator with the other arguments.
        out_placements: The placements of its result; for several results a tuple of them, None for
            each that is not a tensor.
        in_placements: For each argument, its placements, or None for what is not a `DTensor`; not
            looked at if None.
        in_grad_placements: Like ``in_placements``, of the gradients; the same ones if None.
        device_mesh: The ranks of the results; those of the first `DTensor` if None.
        redistribute_inputs: Whether arguments with other placements are moved, in place of an
            error.

    Raises:
        ValueError: When it is called with other placements, without ``redistribute_inputs``; for
            results that do not match ``out_placements``.

    >>> from pellucid.distributed.tensor import Replicate, Shard, distribute_tensor
    >>> from pellucid.distributed.tensor.experimental import local_map
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> mesh = torch.distributed.init_device_mesh("cpu", (1,))
    >>> x = distribute_tensor(torch.arange(3.0), mesh, [Shard(0)])
    >>> local_map(lambda part: part * 2, out_placements=[Shard(0)])(x).full_tensor()
    tensor([0., 2., 4.])
    >>> torch.distributed.destroy_process_group()
    """
    if func is None:
        return functools.partial(
            local_map, out_placements=out_placements, in_placements=in_placements,
            in_grad_placements=in_grad_placements, device_mesh=device_mesh,
            redistribute_inputs=redistribute_inputs,
        )  # fmt: skip

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        given, structure = tree_flatten(args)
        if in_placements is not None and len(in_placements) != len(given):
            raise ArgumentError(
                f"in_placements has {len(in_placements)} entries for {len(given)} arguments"
            )
        mesh, parts = device_mesh, []
        for position, each in enumerate(given):
            if isinstance(each, DTensor):
                mesh = each.device_mesh if mesh is None else mesh
                wanted = None if in_placements is None else in_placements[position]
                grads = None if in_grad_placements is None else in_grad_placements[position]
                each = _part(each, position, wanted, grads, redistribute_inputs)
            parts.append(each)
        result = func(*tree_unflatten(parts, structure), **kwargs)
        return result if mesh is None else _spread(result, mesh, out_placements)

    return mapped


def _part(tensor: DTensor, position: int, wanted: Any, grads: Any, moves: bool) -> Any:
    """Return this rank's part of an argument that is to have some placements."""
    if wanted is not None and tuple(wanted) != tensor.placements:
        if not moves:
            raise ArgumentError(
                f"argument {position} has the placements {tensor.placements}, but in_placements "
                f"wants {tuple(wanted)}; if redistribute_inputs is wanted, set "
                "redistribute_inputs=True to local_map."
            )
        tensor = tensor.redistribute(tensor.device_mesh, wanted)
    return tensor.to_local(grad_placements=grads)


def _spread(result: Any, mesh: Any, out_placements: Any) -> Any:
    """Return what a function has made of parts as spread tensors."""
    values, structure = tree_flatten(result)
    is_one = len(values) == 1 and (not out_placements or isinstance(out_placements[0], Placement))
    placements = [out_placements] if is_one else list(out_placements)
    if len(placements) != len(values):
        raise ArgumentError(
            f"out_placements has {len(placements)} entries for {len(values)} results"
        )
    spread = []
    for value, wanted in zip(values, placements, strict=True):
        if isinstance(value, Tensor) == (wanted is None):
            raise ArgumentError(f"a result of type {type(value).__name__} cannot have {wanted}")
        if wanted is not None:
            value = DTensor.from_local(value, mesh, list(wanted), run_check=False)
        spread.append(value)
    return tree_unflatten(spread, structure)
