"""Exchanges as functions of the graph: they return new tensors, and gradients flow back.

The gradient of what a rank sends is the sum of the gradients of what all ranks got of it. All ranks
of the group call a function together, and go backward through it together.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.errors import ArgumentError
from pellucid.ops.reduce import extremes, scan
from pellucid.ops.shape import join
from pellucid.processes import exchanges
from pellucid.processes.checks import check_splits, check_tensor, check_tensors, root_of
from pellucid.processes.groups import ProcessGroup, resolved
from pellucid.processes.reductions import RedOpType, ReduceOp

#: what reductions that are not linear are of the stacked tensors of all ranks
_OF_ALL = {
    RedOpType.MAX: lambda every: extremes.amax(every, 0),
    RedOpType.MIN: lambda every: extremes.amin(every, 0),
    RedOpType.PRODUCT: lambda every: scan.prod(every, 0),
}


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Return the reduction of all ranks' tensors, on every rank.

    Args:
        tensor: Any shape and dtype, the same on all ranks; it stays as it is.
        op: ``SUM``, ``AVG``, ``MAX``, ``MIN`` or ``PRODUCT`` of `ReduceOp`.
        group: The group; the default one if None.

    Returns:
        A new tensor.

    Raises:
        ValueError: For another reduction.

    >>> import pellucid.distributed.nn.functional as exchanged
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> x = torch.ones(2, requires_grad=True)
    >>> exchanged.all_reduce(x).grad_fn.name()
    'AllReduceBackward0'
    >>> torch.distributed.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    return reduced(tensor, op, resolved(group))


def reduced(tensor: Any, op: Any, members: ProcessGroup) -> Any:
    """Return the reduction of a group's tensors."""
    if op is RedOpType.SUM:
        return exchanges.all_reduce(tensor, members)
    if op is RedOpType.AVG:
        return exchanges.all_reduce(tensor, members) / members.size()
    if op not in _OF_ALL:
        raise ArgumentError(
            f"all_reduce: {op} has no derivative: SUM, AVG, MAX, MIN and PRODUCT are there"
        )
    return _OF_ALL[op](_stacked(tensor, members))


def _stacked(tensor: Any, members: ProcessGroup) -> Any:
    """Return the tensors of all ranks, which have one shape, along a new first dim."""
    return exchanges.all_gather(tensor.unsqueeze(0), members, 0, [1] * members.size())


def all_gather(tensor: Any, group: Any = None) -> tuple[Any, ...]:
    """Return the tensors of all ranks, on every rank.

    Args:
        tensor: What this rank gives; of the same shape and dtype on all ranks.
        group: The group; the default one if None.

    Returns:
        One tensor per rank.
    """
    check_tensor(tensor, "tensor")
    return tuple(_stacked(tensor, resolved(group)).unbind(0))


def reduce_scatter(
    output: Any, input_list: Sequence[Any], op: Any = ReduceOp.SUM, group: Any = None
) -> Any:
    """Return this rank's one of the tensors, reduced over all ranks.

    Args:
        output: Gets the values too.
        input_list: One tensor per rank, of one shape.
        op: As for `all_reduce`.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    check_tensors(input_list, "input_list")
    members = resolved(group)
    given = join.stack(list(input_list))
    if op in (RedOpType.SUM, RedOpType.AVG):
        sizes = [1] * members.size()
        result = exchanges.reduce_scatter(given, members, 0, sizes).squeeze(0)
        result = result / members.size() if op is RedOpType.AVG else result
    else:
        result = reduced(given, op, members)[members.rank()]
    return _written(output, result)


def _written(output: Any, result: Any) -> Any:
    """Return a result whose values are written into a tensor as well."""
    with no_grad():
        output.copy_(result)
    return result


def broadcast(tensor: Any, src: int, group: Any = None) -> Any:
    """Return the tensor of one rank, on every rank.

    Args:
        tensor: Any shape and dtype, the same on all ranks.
        src: Global rank that sends; its gradient is the sum of all ranks', that of others zero.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    check_tensor(tensor, "tensor")
    members = resolved(group)
    return exchanges.broadcast_from(tensor, members, root_of(members, src, None, "src"))


def reduce(tensor: Any, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """Return the reduction of all ranks' tensors on one rank, and zeros on the others.

    Args:
        tensor: Any shape and dtype, the same on all ranks.
        dst: Global rank that receives.
        op: As for `all_reduce`.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    check_tensor(tensor, "tensor")
    members = resolved(group)
    root = root_of(members, dst, None, "dst")
    if op in (RedOpType.SUM, RedOpType.AVG):
        total = exchanges.reduce_to(tensor, members, root)
        return total / members.size() if op is RedOpType.AVG else total
    result = reduced(tensor, op, members)
    return result if members.rank() == root else result * 0


def gather(tensor: Any, dst: int = 0, group: Any = None) -> tuple[Any, ...]:
    """Return the tensors of all ranks on one rank, and zeros on the others.

    Args:
        tensor: What this rank gives; of the same shape and dtype on all ranks.
        dst: Global rank that receives.
        group: The group; the default one if None.

    Returns:
        One tensor per rank.
    """
    check_tensor(tensor, "tensor")
    members = resolved(group)
    every = exchanges.gather_to(tensor, members, root_of(members, dst, None, "dst"))
    return tuple(every.unbind(0))


def scatter(tensors: Sequence[Any], src: int = 0, group: Any = None) -> Any:
    """Return this rank's one of the tensors of one rank.

    Args:
        tensors: One tensor per rank, of one shape, on all ranks; those of ``src`` are sent.
        src: Global rank that sends.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    check_tensors(tensors, "tensors")
    members = resolved(group)
    root = root_of(members, src, None, "src")
    return exchanges.scatter_from(join.stack(list(tensors)), members, root)


def all_to_all(
    output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: Any = None
) -> tuple[Any, ...]:
    """Send a tensor to every rank and return what every rank has sent here.

    Args:
        output_tensor_list: One tensor per rank, of the shapes that come; get the values too.
        input_tensor_list: One tensor per rank.
        group: The group; the default one if None.

    Returns:
        One new tensor per rank.
    """
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    members = resolved(group)
    flat = join.cat([each.reshape(-1) for each in input_tensor_list])
    sent = [each.numel() for each in input_tensor_list]
    received = [each.numel() for each in output_tensor_list]
    parts = exchanges.all_to_all(flat, members, sent, received).split(received)
    pairs = zip(output_tensor_list, parts, strict=True)
    return tuple(_written(output, part.reshape(tuple(output.shape))) for output, part in pairs)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None,
    group: Any = None,
) -> Any:  # fmt: skip
    """Send rows to every rank and return the rows that every rank has sent here.

    Args:
        output: Of the shape that is received; gets the values too.
        input: The rows, one rank's after the other's.
        output_split_sizes: How many rows come from each rank; equally many if None.
        input_split_sizes: How many rows go to each rank; equally many if None.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    members = resolved(group)
    sent = check_splits(input_split_sizes, input, members, "input")
    received = check_splits(output_split_sizes, output, members, "output")
    return _written(output, exchanges.all_to_all(input, members, sent, received))


def _all_gather_base(output_tensor: Any, input_tensor: Any, group: Any = None) -> Any:
    """Return the tensors of all ranks joined along the first dim.

    Args:
        output_tensor: Gets the values too.
        input_tensor: What this rank gives; of the same shape and dtype on all ranks.
        group: The group; the default one if None.

    Returns:
        A new tensor.
    """
    members = resolved(group)
    rows = input_tensor.shape[0] if input_tensor.ndim else 1
    given = input_tensor if input_tensor.ndim else input_tensor.reshape(1)
    joined = exchanges.all_gather(given, members, 0, [rows] * members.size())
    if prod(output_tensor.shape) == joined.numel():
        joined = joined.reshape(tuple(output_tensor.shape))
    return _written(output_tensor, joined)
