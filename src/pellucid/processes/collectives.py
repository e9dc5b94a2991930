"""Collectives: exchanges of tensors that all ranks of a group enter together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_frame
from pellucid.docstrings import sections_of
from pellucid.processes.checks import (
    check_count,
    check_dtypes,
    check_shapes,
    check_size,
    check_splits,
    check_tensor,
    check_tensors,
    described,
    root_of,
)
from pellucid.processes.communicator import Request
from pellucid.processes.groups import (
    ProcessGroup,
    agreed_reduction,
    agreement,
    member_group,
    resolved,
)
from pellucid.processes.reductions import ReduceOp, Reducible, check_reduction
from pellucid.processes.work import Action, Work, seconds
from pellucid.tensors import Tensor

Array = np.ndarray[Any, Any]


def start(
    members: ProcessGroup, action: Action, begin: Callable[[], list[Request]],
    finish: Callable[[], Any] | None, written: Sequence[Tensor], async_op: bool,
) -> Work | None:  # fmt: skip
    """Run a collective when all members agree on it; with ``async_op`` return it as Work."""
    note(action.name, written)
    if members.size() == 1:
        return finished(Work(action, begin(), finish, list(written)), async_op)
    checking = agreement(members, action)
    if async_op:
        work = Work(action, begin(), finish, list(written), guard=checking)
        action.end()
        return work
    checking.wait()
    return finished(Work(action, begin(), finish, list(written)), async_op)


def finished(work: Work, async_op: bool) -> Work | None:
    """Wait for an exchange that has been started; with ``async_op`` return it."""
    if async_op:
        return work
    work.wait()
    return None


def note(name: str, written: Sequence[Tensor]) -> None:
    """Count the change of each tensor whose values may have been saved."""
    for each in written:
        if each._storage is not None:
            each._storage.note_change(f"distributed.{name}", *user_frame())


def contiguous(tensor: Tensor) -> Array:
    """Return a tensor's elements in contiguous memory: its own if it is."""
    return np.ascontiguousarray(tensor._array)


class Target:
    """Contiguous memory that is received into, and the tensor that gets it."""

    def __init__(self, tensor: Tensor) -> None:
        self._array = tensor._array
        self.memory = contiguous(tensor)

    def restore(self) -> None:
        """Copy what was received to the tensor, if it could not be received there."""
        if not np.may_share_memory(self.memory, self._array):
            self._array[...] = self.memory.reshape(self._array.shape)


class Targets:
    """Contiguous memory for the tensors of all ranks, and the tensors that get its parts."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors = tensors
        self.memory = np.empty((len(tensors), *tensors[0].shape), tensors[0]._array.dtype)

    def restore(self) -> None:
        """Copy what was received to the tensors."""
        for tensor, part in zip(self._tensors, self.memory, strict=True):
            tensor._array[...] = part


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Replace the tensor, on each rank, by the reduction of all ranks' tensors.

    Shape and dtype are the same on all ranks. Half precision is reduced in float32. With
    ``async_op`` return a Work to wait for. Raises RuntimeError on all ranks if their calls differ,
    or if one of them has failed or left.

    Args:
        tensor: Any shape and dtype, the same on all ranks; it is replaced.
        op: How to combine; one of `ReduceOp`.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> x = torch.ones(2)
    >>> torch.distributed.all_reduce(x, op=torch.distributed.ReduceOp.SUM)
    >>> x
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "all_reduce")
    if members is None:
        return None
    kind = check_reduction("all_reduce", op, tensor._array.dtype)
    reducible = Reducible(tensor._array, kind, members.size())
    action = members.action(f"all_reduce({described(tensor._array)}, {kind.name})")
    return _start_reduction(members, action, reducible, reducible.restore, [tensor], async_op)


def _start_reduction(
    members: ProcessGroup, action: Action, reducible: Reducible, finish: Callable[[], Any],
    written: list[Tensor], async_op: bool,
) -> Work | None:  # fmt: skip
    """Run a reduction to all ranks: together with their agreement on it, where that can be."""
    if members.size() > 1:
        work = agreed_reduction(members, action, reducible, finish, written)
        if work is not None:
            note(action.name, written)
            if async_op:
                action.end()
            return finished(work, async_op)

    def begin() -> list[Request]:
        comm = members.comm
        reduce = comm.all_reduce if async_op else comm.all_reduce_agreed
        return reduce(reducible.array, reducible.op)

    return start(members, action, begin, finish, written, async_op)


def all_reduce_coalesced(
    tensors: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce several tensors of one dtype in one exchange; see `all_reduce`.

    Args:
        tensors: Tensors of one dtype, of the same shapes on all ranks; they are replaced.
        op: How to combine; one of `ReduceOp`.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    check_tensors(tensors, "tensors")
    check_dtypes(*tensors)
    members = member_group(group, "all_reduce_coalesced")
    if members is None:
        return None
    flat = np.concatenate([each._array.reshape(-1) for each in tensors])
    kind = check_reduction("all_reduce", op, flat.dtype)
    reducible = Reducible(flat, kind, members.size())
    shapes = ", ".join(described(each._array) for each in tensors)
    action = members.action(f"all_reduce_coalesced({shapes}, {kind.name})")

    def finish() -> None:
        reducible.restore()
        cuts = np.cumsum([each.numel() for each in tensors])[:-1]
        for each, part in zip(tensors, np.split(flat, cuts), strict=True):
            each._array[...] = part.reshape(each.shape)

    return _start_reduction(members, action, reducible, finish, tensors, async_op)


def broadcast(
    tensor: Any, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Copy the tensor of rank ``src`` to all ranks, where shape and dtype are the same.

    ``group_src`` is a rank of the group, ``src`` a global one.

    Args:
        tensor: What is sent on rank ``src``, and what is replaced on the others.
        src: Global rank that sends.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.
        group_src: Rank within the group, in place of ``src``.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "broadcast")
    if members is None:
        return None
    root = root_of(members, src, group_src, "src")
    target = Target(tensor)
    action = members.action(f"broadcast({described(tensor._array)}, from {members.ranks[root]})")
    return start(
        members, action, lambda: members.comm.broadcast(target.memory, root), target.restore,
        [tensor], async_op,
    )  # fmt: skip


def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Replace the tensor of rank ``dst`` by the reduction of all ranks' tensors.

    The tensors of the other ranks stay as they are.

    Args:
        tensor: Any shape and dtype, the same on all ranks; replaced on rank ``dst``.
        dst: Global rank that receives.
        op: How to combine; one of `ReduceOp`.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.
        group_dst: Rank within the group, in place of ``dst``.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "reduce")
    if members is None:
        return None
    root = root_of(members, dst, group_dst, "dst")
    kind = check_reduction("reduce", op, tensor._array.dtype)
    reducible = Reducible(tensor._array, kind, members.size())
    at_root = members.rank() == root
    action = members.action(
        f"reduce({described(tensor._array)}, {kind.name}, to {members.ranks[root]})"
    )
    return start(
        members, action, lambda: members.comm.reduce(reducible.array, reducible.op, root),
        reducible.restore if at_root else None, [tensor] if at_root else [], async_op,
    )  # fmt: skip


def all_gather(
    tensor_list: Any, tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy the tensor of each rank into the list, on all ranks.

    The list holds one tensor per rank, of the shape and dtype of ``tensor``.

    Args:
        tensor_list: One tensor per rank; they are replaced.
        tensor: What this rank gives.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_dtypes(tensor, *tensor_list)
    members = member_group(group, "all_gather")
    if members is None:
        return None
    check_count(tensor_list, members, "all_gather", "output tensor")
    check_shapes(tensor_list, tensor, "all_gather", "tensor_list")
    source, targets = contiguous(tensor), Targets(tensor_list)
    action = members.action(f"all_gather({described(tensor._array)})")
    return start(
        members, action, lambda: members.comm.all_gather(targets.memory, source, None),
        targets.restore, tensor_list, async_op,
    )  # fmt: skip


def all_gather_coalesced(
    output_tensor_lists: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of each rank into that rank's list, on all ranks.

    Args:
        output_tensor_lists: For each rank, one tensor per input; they are replaced.
        input_tensor_list: What this rank gives.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    tensors = list(input_tensor_list)
    members = member_group(group, "all_gather_coalesced")
    if members is None:
        return None
    check_count(output_tensor_lists, members, "all_gather_coalesced", "list of output tensors")
    gathered = [
        _gathered_into([each[position] for each in output_tensor_lists], tensor)
        for position, tensor in enumerate(tensors)
    ]
    shapes = ", ".join(described(each._array) for each in tensors)
    action = members.action(f"all_gather_coalesced({shapes})")

    def begin() -> list[Request]:
        return [
            request
            for source, targets in gathered
            for request in members.comm.all_gather(targets.memory, source, None)
        ]

    def finish() -> None:
        for _, targets in gathered:
            targets.restore()

    written = [each for tensors in output_tensor_lists for each in tensors]
    return start(members, action, begin, finish, written, async_op)


def _gathered_into(outputs: list[Any], tensor: Any) -> tuple[Array, Targets]:
    """Return what a rank gives to an all_gather, and what its outputs are received in."""
    check_tensors(outputs, "output_tensor_lists")
    check_tensor(tensor, "input_tensor_list")
    check_dtypes(tensor, *outputs)
    check_shapes(outputs, tensor, "all_gather_coalesced", "output_tensor_lists")
    return contiguous(tensor), Targets(outputs)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Join the tensors of all ranks into one, concatenated or stacked along the first dim.

    ``output_tensor`` has as many elements as those of all ranks together.

    Args:
        output_tensor: Is replaced.
        input_tensor: What this rank gives.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    check_dtypes(output_tensor, input_tensor)
    members = member_group(group, "all_gather_into_tensor")
    if members is None:
        return None
    count = input_tensor.numel() * members.size()
    check_size(output_tensor, count, "all_gather", "the output holds the input of each rank")
    source, target = contiguous(input_tensor), Target(output_tensor)
    action = members.action(f"all_gather_into_tensor({described(input_tensor._array)})")
    return start(
        members, action, lambda: members.comm.all_gather(target.memory, source, None),
        target.restore, [output_tensor], async_op,
    )  # fmt: skip


@sections_of(reduce)
def gather(
    tensor: Any, gather_list: Any = None, dst: int | None = None, group: Any = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Copy the tensor of each rank into the list of rank ``dst``, by default rank 0.

    The other ranks give no list.

    Args:
        tensor: What this rank gives.
        gather_list: On rank ``dst``, one tensor per rank; they are replaced.
        dst, group, async_op, group_dst: As for `reduce`.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "gather")
    if members is None:
        return None
    root = _root_or_first(members, dst, group_dst, "dst")
    at_root = members.rank() == root
    _check_list(gather_list, at_root, "gather_list", "dst")
    if at_root:
        check_tensors(gather_list, "gather_list")
        check_dtypes(tensor, *gather_list)
        check_count(gather_list, members, "gather", "output tensor")
        check_shapes(gather_list, tensor, "gather", "gather_list")
    source, targets = contiguous(tensor), Targets(gather_list) if at_root else None
    memory = None if targets is None else targets.memory
    action = members.action(f"gather({described(tensor._array)}, to {members.ranks[root]})")
    return start(
        members, action, lambda: members.comm.gather(memory, source, root),
        None if targets is None else targets.restore, gather_list or [], async_op,
    )  # fmt: skip


def _root_or_first(members: ProcessGroup, rank: Any, group_rank: Any, name: str) -> int:
    if rank is None and group_rank is None:
        return 0
    return root_of(members, rank, group_rank, name)


def _check_list(values: Any, at_root: bool, name: str, rank: str) -> None:
    if at_root and not values:
        raise ValueError(f"Argument ``{name}`` must be specified on {_END[rank]} rank.")
    if not at_root and values:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{_END[rank]} ranks.")


_END = {"dst": "destination", "src": "source"}


@sections_of(broadcast)
def scatter(
    tensor: Any, scatter_list: Any = None, src: int | None = None, group: Any = None,
    async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Copy to each rank its tensor of the list of rank ``src``, by default rank 0.

    The other ranks give no list.

    Args:
        tensor: Is replaced.
        scatter_list: On rank ``src``, one tensor per rank.
        src, group, async_op, group_src: As for `broadcast`.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "scatter")
    if members is None:
        return None
    root = _root_or_first(members, src, group_src, "src")
    at_root = members.rank() == root
    _check_list(scatter_list, at_root, "scatter_list", "src")
    parts = None
    if at_root:
        check_tensors(scatter_list, "scatter_list")
        check_dtypes(tensor, *scatter_list)
        check_count(scatter_list, members, "scatter", "input tensor")
        check_shapes(scatter_list, tensor, "scatter", "scatter_list")
        parts = np.stack([each._array for each in scatter_list])
    target = Target(tensor)
    action = members.action(f"scatter({described(tensor._array)}, from {members.ranks[root]})")
    return start(
        members, action, lambda: members.comm.scatter(target.memory, parts, root), target.restore,
        [tensor], async_op,
    )  # fmt: skip


def reduce_scatter(
    output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce lists of one tensor per rank; rank i gets the reduction of the i-th tensors.

    Args:
        output: Is replaced.
        input_list: One tensor per rank, of the shape of ``output``.
        op: How to combine; one of `ReduceOp`.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    check_dtypes(output, *input_list)
    members = member_group(group, "reduce_scatter")
    if members is None:
        return None
    check_count(input_list, members, "reduce_scatter", "input tensor")
    check_shapes(input_list, output, "reduce_scatter", "input_list")
    joined = np.stack([each._array for each in input_list])
    return _reduce_scatter(members, output, joined, op, async_op, "reduce_scatter")


@sections_of(reduce_scatter)
def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all ranks, of which each gets its part along the first dim.

    ``input`` has as many elements as the outputs of all ranks together.

    Args:
        output, op, group, async_op: As for `reduce_scatter`.
        input: What this rank gives.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_dtypes(output, input)
    members = member_group(group, "reduce_scatter_tensor")
    if members is None:
        return None
    count = output.numel() * members.size()
    check_size(input, count, "reduce_scatter_tensor", "the input holds the output of each rank")
    return _reduce_scatter(
        members, output, contiguous(input), op, async_op, "reduce_scatter_tensor"
    )


def _reduce_scatter(
    members: ProcessGroup, output: Any, joined: Array, op: Any, async_op: bool, name: str
) -> Work | None:
    kind = check_reduction(name, op, joined.dtype)
    source = Reducible(joined, kind, 1)
    result = Reducible(output._array, kind, members.size())
    action = members.action(f"{name}({described(joined)}, {kind.name})")
    return start(
        members, action,
        lambda: members.comm.reduce_scatter(result.array, source.array, source.op),
        result.restore, [output], async_op,
    )  # fmt: skip


def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Send the i-th tensor to rank i, and receive from rank i into the i-th output.

    Tensors may differ in size; that which rank i sends here has the size of the i-th output.

    Args:
        output_tensor_list: One tensor per rank; they are replaced.
        input_tensor_list: One tensor per rank.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    check_dtypes(*output_tensor_list, *input_tensor_list)
    members = member_group(group, "all_to_all")
    if members is None:
        return None
    check_count(output_tensor_list, members, "all_to_all", "output tensor")
    check_count(input_tensor_list, members, "all_to_all", "input tensor")
    source = np.concatenate([each._array.reshape(-1) for each in input_tensor_list])
    sizes = [each.numel() for each in output_tensor_list]
    target = np.empty(sum(sizes), source.dtype)

    def finish() -> None:
        parts = np.split(target, np.cumsum(sizes)[:-1])
        for each, part in zip(output_tensor_list, parts, strict=True):
            each._array[...] = part.reshape(each.shape)

    return _all_to_all(
        members, "all_to_all", (target, sizes, 1),
        (source, [each.numel() for each in input_tensor_list], 1), finish, output_tensor_list,
        async_op,
    )  # fmt: skip


@sections_of(reduce_scatter_tensor)
def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None, group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Send a part of the rows of a tensor to each rank, and join those that come from each.

    Split sizes are the numbers of rows per rank; by default all are equal.

    Args:
        output, input, group, async_op: As for `reduce_scatter_tensor`.
        output_split_sizes: Rows that come from each rank; equally many if None.
        input_split_sizes: Rows that go to each rank; equally many if None.

    Returns:
        A Work with ``async_op``, else None.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_dtypes(output, input)
    members = member_group(group, "all_to_all_single")
    if members is None:
        return None
    out_rows = check_splits(output_split_sizes, output, members, "output")
    rows = check_splits(input_split_sizes, input, members, "input")
    target = Target(output)
    return _all_to_all(
        members, "all_to_all_single",
        (target.memory, out_rows, output.numel() // max(sum(out_rows), 1)),
        (contiguous(input), rows, input.numel() // max(sum(rows), 1)),
        target.restore, [output], async_op,
    )  # fmt: skip


def _all_to_all(
    members: ProcessGroup, name: str, out: tuple[Array, list[int], int],
    source: tuple[Array, list[int], int], finish: Callable[[], Any], written: Sequence[Tensor],
    async_op: bool,
) -> Work | None:  # fmt: skip
    """Exchange parts of an array with all ranks, each of the given numbers of rows."""
    array, rows, width = source
    target, out_rows, out_width = out
    counts = [each * width * array.itemsize for each in rows]
    out_counts = [each * out_width * target.itemsize for each in out_rows]
    # Parts may differ between ranks, so the agreement is about the dtype alone.
    action = members.action(f"{name}({described(array).partition('[')[0]})")
    return start(
        members, action, lambda: members.comm.all_to_all(target, out_counts, array, counts), finish,
        written, async_op,
    )  # fmt: skip


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: Any = None
) -> Work | None:
    """Wait until all ranks of the group are here; ``device_ids`` is not used.

    Args:
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.
        device_ids: Accepted for compatibility; changes nothing.
        timeout: Time limit, a timedelta; that of the group if None.

    Returns:
        A Work with ``async_op``, else None.
    """
    members = member_group(group, "barrier")
    if members is None:
        return None
    action = members.action("barrier")
    if timeout is not None:
        action.limit = seconds(timeout)
    return start(members, action, list, None, [], async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait until all ranks are here; name those that are not when ``timeout`` is over.

    The default time limit is that of the group. All ranks that are missing are named, with or
    without ``wait_all_ranks``.

    Args:
        group: The group; the default one if None.
        timeout: Time limit, a timedelta; that of the group if None.
        wait_all_ranks: Accepted for compatibility; all missing ranks are named.
    """
    members = resolved(group)
    if member_group(group, "monitored_barrier") is None:
        return
    action = members.action("monitored_barrier")
    if timeout is not None:
        action.limit = seconds(timeout)
    start(members, action, list, None, [], False)
