"""Exchanges as ops: nodes of the graph, each of whose derivative is the exchange the other way.

Note [Exchanges and their transposes]
    A program of several ranks is one function of the tensors of all ranks. An exchange is linear
    in them, so its derivative is its transpose, an exchange as well. What is received by every rank
    has a gradient on every rank; there are two readings of "the same tensor on all ranks".

    Where each rank's copy is a tensor of its own, used in its own way, the gradient of what was
    sent is the sum of the copies' gradients: `all_gather` and `reduce_scatter` are transposes of
    each other, `all_reduce` and `all_to_all` their own, `broadcast_from` and `reduce_to`,
    `gather_to` and `scatter_from` again each other's. This is what
    ``torch.distributed.nn.functional`` has.

    Where the copies are one tensor, which all ranks use in the same way, as a replicated `DTensor`,
    its gradient is one, too, and is whole on every rank. `gather_parts` (parts to whole) and
    `cut_part` are transposes; so are `sum_parts` (summands to whole) and `use_in_parts`, which does
    nothing but say that from here on each rank does something else with its copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.op import OpFunction, registry
from pellucid.core.families import linear
from pellucid.processes.checks import described
from pellucid.processes.communicator import Request
from pellucid.processes.groups import ProcessGroup, agree, agreed_reduction
from pellucid.processes.reductions import RedOpType, Reducible
from pellucid.processes.work import Work
from pellucid.shapes import Like

Array = Any


def _exchange(body: Any) -> OpFunction:
    """Define an exchange, which is none of the operations that can be tried on samples."""
    function = linear(half="bitwise")(body)
    del registry[function.op.name]
    return function


def part_of(size: int, count: int, rank: int) -> tuple[int, int]:
    """Return first and last place, exclusively, of a rank's part of this many elements."""
    step = -(-size // count)
    return min(rank * step, size), min((rank + 1) * step, size)


def sizes_of_parts(size: int, count: int) -> list[int]:
    """Return the sizes of the parts of all ranks."""
    bounds = [part_of(size, count, rank) for rank in range(count)]
    return [stop - start for start, stop in bounds]


def _run(group: ProcessGroup, call: str, array: Array, begin: Any) -> None:
    """Start an exchange that all ranks of the group agree on, and wait for it."""
    action = group.action(f"{call}({described(array)})")
    agree(group, action)
    requests: list[Request] = begin()
    Work(action, requests).wait()


def _in_front(array: Array, dim: int) -> Array:
    """Return contiguous memory in which a dim comes first."""
    return np.ascontiguousarray(np.moveaxis(array, dim, 0))


def _back(array: Array, dim: int) -> Array:
    return np.moveaxis(array, 0, dim)


# ---- arrays -----------------------------------------------------------------------------------


def reduced(array: Array, group: ProcessGroup, kind: RedOpType) -> Array:
    """Return the reduction of the arrays of all ranks, on all of them."""
    result = np.array(array, order="C")
    each = Reducible(result, kind, group.size())
    action = group.action(f"all_reduce({described(result)})")
    together = agreed_reduction(group, action, each, each.restore) if group.size() > 1 else None
    if together is not None:
        together.wait()
        return result
    agree(group, action)
    Work(action, group.comm.all_reduce_agreed(each.array, each.op), each.restore).wait()
    return result


def gathered(array: Array, group: ProcessGroup, dim: int, sizes: list[int]) -> Array:
    """Return the arrays of all ranks joined along a dim, along which they have these sizes."""
    mine = _in_front(array, dim)
    rest = mine.shape[1:]
    out = np.empty((sum(sizes), *rest), mine.dtype)
    row = int(np.prod(rest)) * mine.dtype.itemsize
    counts = None if len(set(sizes)) == 1 else [size * row for size in sizes]
    whole = np.broadcast_to(np.empty((), mine.dtype), out.shape)
    _run(group, "all_gather", whole, lambda: group.comm.all_gather(out, mine, counts))
    return _back(out, dim)


def reduced_part(array: Array, group: ProcessGroup, dim: int, sizes: list[int]) -> Array:
    """Return this rank's part, along a dim, of the sum of the arrays of all ranks."""
    whole = _in_front(array, dim)
    rows = max(sizes)
    padded = np.zeros((len(sizes) * rows, *whole.shape[1:]), whole.dtype)
    start = 0
    for rank, size in enumerate(sizes):
        padded[rank * rows : rank * rows + size] = whole[start : start + size]
        start += size
    source = Reducible(padded, RedOpType.SUM, 1)
    out = np.empty((rows, *whole.shape[1:]), source.array.dtype)
    _run(
        group, "reduce_scatter", whole,
        lambda: group.comm.reduce_scatter(out, source.array, source.op),
    )  # fmt: skip
    part = out[: sizes[group.rank()]].astype(array.dtype, copy=False)
    return _back(part, dim)


def exchanged(array: Array, group: ProcessGroup, sent: list[int], received: list[int]) -> Array:
    """Return the rows that the ranks have for this one; ``sent`` and ``received`` say how many."""
    mine = np.ascontiguousarray(array)
    row = int(np.prod(mine.shape[1:])) * mine.dtype.itemsize
    out = np.empty((sum(received), *mine.shape[1:]), mine.dtype)
    action = group.action(f"all_to_all of {described(mine[:0])}")
    agree(group, action)
    counts = [size * row for size in received], [size * row for size in sent]
    Work(action, group.comm.all_to_all(out, counts[0], mine, counts[1])).wait()
    return out


# ---- copies that are tensors of their own -----------------------------------------------------


@_exchange
def all_reduce(be, input, /, group):
    """Return the sum of the tensors of all ranks, of which each rank has a copy of its own."""
    return reduced(input, group, RedOpType.SUM)


@all_reduce.vjp("input")
def all_reduce_input(g, group):
    return all_reduce(g, group)


@_exchange
def all_gather(be, input, /, group, dim, sizes):
    """Return the tensors of all ranks joined along a dim, a copy of its own on each rank."""
    return gathered(input, group, dim, sizes)


@all_gather.vjp("input")
def all_gather_input(g, group, dim, sizes):
    return reduce_scatter(g, group, dim, sizes)


@_exchange
def reduce_scatter(be, input, /, group, dim, sizes):
    """Return this rank's part along a dim of the sum of the tensors of all ranks."""
    return reduced_part(input, group, dim, sizes)


@reduce_scatter.vjp("input")
def reduce_scatter_input(g, group, dim, sizes):
    return all_gather(g, group, dim, sizes)


@_exchange
def all_to_all(be, input, /, group, sent, received):
    """Return the rows that every rank has for this one, one after the other."""
    return exchanged(input, group, sent, received)


@all_to_all.vjp("input")
def all_to_all_input(g, group, sent, received):
    return all_to_all(g, group, received, sent)


@_exchange
def broadcast_from(be, input, /, group, root):
    """Return the tensor of the root, a copy of its own on each rank."""
    result = np.array(input, order="C")
    _run(group, f"broadcast from {root}", result, lambda: group.comm.broadcast(result, root))
    return result


@broadcast_from.vjp("input")
def broadcast_from_input(g, group, root):
    return reduce_to(g, group, root)


@_exchange
def reduce_to(be, input, /, group, root):
    """Return the sum of the tensors of all ranks on the root, and zeros on the others."""
    result = np.array(input, order="C")
    each = Reducible(result, RedOpType.SUM, group.size())
    _run(
        group, f"reduce to {root}", result,
        lambda: group.comm.reduce(each.array, each.op, root),
    )  # fmt: skip
    if group.rank() != root:
        return np.zeros_like(result)
    each.restore()
    return result


@reduce_to.vjp("input")
def reduce_to_input(g, group, root):
    return broadcast_from(g, group, root)


@_exchange
def gather_to(be, input, /, group, root):
    """Return the tensors of all ranks stacked on the root, and zeros on the others."""
    mine = np.ascontiguousarray(input)
    out = np.zeros((group.size(), *mine.shape), mine.dtype)
    target = out if group.rank() == root else None
    _run(group, f"gather to {root}", mine, lambda: group.comm.gather(target, mine, root))
    return out


@gather_to.vjp("input")
def gather_to_input(g, group, root):
    return scatter_from(g, group, root)


@_exchange
def scatter_from(be, input, /, group, root):
    """Return this rank's part of the root's tensor, which has one for each rank."""
    parts = np.ascontiguousarray(input)
    out = np.empty(parts.shape[1:], parts.dtype)
    source = parts if group.rank() == root else None
    _run(group, f"scatter from {root}", out, lambda: group.comm.scatter(out, source, root))
    return out


@scatter_from.vjp("input")
def scatter_from_input(g, group, root):
    return gather_to(g, group, root)


# ---- copies that are one tensor ---------------------------------------------------------------


@_exchange
def sum_parts(be, input, /, group):
    """Return the sum of the ranks' summands, the same tensor on all ranks."""
    return reduced(input, group, RedOpType.SUM)


@sum_parts.vjp("input")
def sum_parts_input(g, group):
    return use_in_parts(g, group)


@_exchange
def use_in_parts(be, input, /, group):
    """Return a tensor that all ranks have, for each to do something else with."""
    return input.copy()


@use_in_parts.vjp("input")
def use_in_parts_input(g, group):
    return sum_parts(g, group)


@_exchange
def as_summand(be, input, /, group):
    """Return a tensor that all ranks have as summands: itself on the first rank, else zeros."""
    return np.zeros_like(input) if group.rank() else input.copy()


@as_summand.vjp("input")
def as_summand_input(g):
    return g


@_exchange
def gather_parts(be, input, /, group, dim, size):
    """Return the ranks' parts joined along a dim, the same tensor on all ranks."""
    return gathered(input, group, dim, sizes_of_parts(size, group.size()))


@gather_parts.vjp("input")
def gather_parts_input(g, group, dim):
    return cut_part(g, group, dim)


@_exchange
def cut_part(be, input, /, group, dim):
    """Return this rank's part along a dim of a tensor that all ranks have."""
    start, stop = part_of(input.shape[dim], group.size(), group.rank())
    return input[(*(slice(None),) * dim, slice(start, stop))].copy()


@cut_part.vjp("input")
def cut_part_input(g, group, dim, input: Like):
    return gather_parts(g, group, dim, input.shape[dim])


@_exchange
def sum_to_parts(be, input, /, group, dim):
    """Return this rank's part along a dim of the sum of the ranks' summands."""
    return reduced_part(input, group, dim, sizes_of_parts(input.shape[dim], group.size()))


@sum_to_parts.vjp("input")
def sum_to_parts_input(g, group, dim, input: Like):
    return all_gather(g, group, dim, sizes_of_parts(input.shape[dim], group.size()))


@_exchange
def move_parts(be, input, /, group, source, target, size):
    """Return this rank's part along another dim than the one along which it has one."""
    count, rank = group.size(), group.rank()
    sizes = sizes_of_parts(input.shape[target], count)
    front = _in_front(input, target)
    pieces = np.split(front, np.cumsum(sizes)[:-1])
    flat = np.concatenate([piece.reshape(-1) for piece in pieces])
    theirs = sizes_of_parts(size, count)
    around = [n for dim, n in enumerate(input.shape) if dim not in (source, target)]
    rest = int(np.prod(around))
    sent = [each * input.shape[source] * rest for each in sizes]
    received = [sizes[rank] * each * rest for each in theirs]
    out = exchanged(flat, group, sent, received)
    shape = [n for dim, n in enumerate(input.shape) if dim != target]
    place = source - (source > target)
    parts = []
    for each, piece in zip(theirs, np.split(out, np.cumsum(received)[:-1]), strict=True):
        shape[place] = each
        parts.append(piece.reshape(sizes[rank], *shape))
    return np.ascontiguousarray(_back(np.concatenate(parts, 1 + place), target))


@move_parts.vjp("input")
def move_parts_input(g, group, source, target, input: Like):
    return move_parts(g, group, target, source, input.shape[target])
