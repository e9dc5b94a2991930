"""The exchanges as methods of a process group, as communication hooks call them.

Each takes one tensor or a list of one, begins the exchange and returns what to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.processes import collectives, point_to_point
from pellucid.processes.groups import ProcessGroup
from pellucid.processes.reductions import RedOpType, ReduceOp
from pellucid.processes.work import Work
from pellucid.tensors import Tensor


class _Options:
    """The options of an exchange."""

    timeout: timedelta | None = None
    asyncOp = True  # noqa: N815 - PyTorch's name


class AllreduceOptions(_Options):
    """The options of ``group.allreduce``: ``reduceOp``."""

    reduceOp = ReduceOp.SUM  # noqa: N815


class AllreduceCoalescedOptions(AllreduceOptions):
    """The options of ``group.allreduce_coalesced``: ``reduceOp``."""


class ReduceScatterOptions(AllreduceOptions):
    """The options of ``group.reduce_scatter``: ``reduceOp``."""


class BroadcastOptions(_Options):
    """The options of ``group.broadcast``: ``rootRank``, a rank of the group."""

    rootRank = 0  # noqa: N815
    rootTensor = 0  # noqa: N815


class ReduceOptions(BroadcastOptions):
    """The options of ``group.reduce``: ``rootRank`` and ``reduceOp``."""

    reduceOp = ReduceOp.SUM  # noqa: N815


class GatherOptions(BroadcastOptions):
    """The options of ``group.gather``: ``rootRank``."""


class ScatterOptions(BroadcastOptions):
    """The options of ``group.scatter``: ``rootRank``."""


class AllToAllOptions(_Options):
    """The options of ``group.alltoall``."""


class BarrierOptions(_Options):
    """The options of ``group.barrier``."""


def _one(tensors: Any, call: str) -> Any:
    """Return the only tensor of a list, or a tensor; raise ValueError for several."""
    if isinstance(tensors, Tensor):
        return tensors
    if len(tensors) != 1:
        raise ArgumentError(f"{call}: a rank gives one tensor, not {len(tensors)}")
    return tensors[0]


def _list(tensors: Sequence[Any]) -> Sequence[Any]:
    """Return the tensors of the ranks, which may be in a list of one list."""
    return tensors if not tensors or isinstance(tensors[0], Tensor) else tensors[0]


def _op(opts: Any) -> Any:
    return opts if isinstance(opts, RedOpType) else getattr(opts, "reduceOp", ReduceOp.SUM)


def _root(opts: Any) -> int:
    return opts if isinstance(opts, int) else getattr(opts, "rootRank", 0)


def allreduce(self: ProcessGroup, tensors: Any, opts: Any = None) -> Work | None:
    """Begin `all_reduce`; ``opts`` are options or a `ReduceOp`."""
    return collectives.all_reduce(_one(tensors, "allreduce"), _op(opts), self, async_op=True)


def allreduce_coalesced(self: ProcessGroup, tensors: Any, opts: Any = None) -> Work | None:
    """Begin `all_reduce` of several tensors; ``opts`` are options or a `ReduceOp`."""
    return collectives.all_reduce_coalesced(tensors, _op(opts), self, async_op=True)


def broadcast(self: ProcessGroup, tensors: Any, opts: Any = None) -> Work | None:
    """Begin `broadcast`; ``opts`` are options or the rank of the group that sends."""
    tensor = _one(tensors, "broadcast")
    return collectives.broadcast(tensor, None, self, async_op=True, group_src=_root(opts))


def reduce(self: ProcessGroup, tensors: Any, opts: Any = None) -> Work | None:
    """Begin `reduce` to the rank of the group that the options name."""
    tensor = _one(tensors, "reduce")
    return collectives.reduce(tensor, None, _op(opts), self, async_op=True, group_dst=_root(opts))


def allgather(
    self: ProcessGroup, output_tensors: Any, input_tensors: Any, opts: Any = None
) -> Work | None:
    """Begin `all_gather`."""
    tensor = _one(input_tensors, "allgather")
    return collectives.all_gather(_list(output_tensors), tensor, self, async_op=True)


def gather(
    self: ProcessGroup, output_tensors: Any, input_tensors: Any, opts: Any = None
) -> Work | None:
    """Begin `gather` to the rank of the group that the options name."""
    tensor, outputs = _one(input_tensors, "gather"), _list(output_tensors) or None
    return collectives.gather(tensor, outputs, None, self, async_op=True, group_dst=_root(opts))


def scatter(
    self: ProcessGroup, output_tensors: Any, input_tensors: Any, opts: Any = None
) -> Work | None:
    """Begin `scatter` from the rank of the group that the options name."""
    tensor, inputs = _one(output_tensors, "scatter"), _list(input_tensors) or None
    return collectives.scatter(tensor, inputs, None, self, async_op=True, group_src=_root(opts))


def reduce_scatter(
    self: ProcessGroup, output_tensors: Any, input_tensors: Any, opts: Any = None
) -> Work | None:
    """Begin `reduce_scatter`; ``opts`` are options or a `ReduceOp`."""
    tensor = _one(output_tensors, "reduce_scatter")
    inputs = list(_list(input_tensors))
    return collectives.reduce_scatter(tensor, inputs, _op(opts), self, async_op=True)


def alltoall(
    self: ProcessGroup, output_tensors: Any, input_tensors: Any, opts: Any = None
) -> Work | None:
    """Begin `all_to_all`."""
    return collectives.all_to_all(output_tensors, input_tensors, self, async_op=True)


def alltoall_base(
    self: ProcessGroup, output: Any, input: Any, output_split_sizes: Any = None,
    input_split_sizes: Any = None, opts: Any = None,
) -> Work | None:  # fmt: skip
    """Begin `all_to_all_single`; an empty list of sizes stands for equal parts."""
    sizes = output_split_sizes or None, input_split_sizes or None
    return collectives.all_to_all_single(output, input, *sizes, self, async_op=True)


def barrier(self: ProcessGroup, opts: Any = None) -> Work | None:
    """Begin `barrier`."""
    return collectives.barrier(self, async_op=True)


def monitored_barrier(
    self: ProcessGroup, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """Wait for all ranks, as `torch.distributed.monitored_barrier` does."""
    collectives.monitored_barrier(self, timeout, wait_all_ranks)


def send(self: ProcessGroup, tensors: Any, dst: int, tag: int = 0) -> Work | None:
    """Begin to send to a rank of the group."""
    tensor = _one(tensors, "send")
    return point_to_point.isend(tensor, None, self, tag, group_dst=dst)


def recv(self: ProcessGroup, tensors: Any, src: int, tag: int = 0) -> Work | None:
    """Begin to receive from a rank of the group."""
    tensor = _one(tensors, "recv")
    return point_to_point.irecv(tensor, None, self, tag, group_src=src)


def recv_anysource(self: ProcessGroup, tensors: Any, tag: int = 0) -> Work | None:
    """Begin to receive from whichever rank sends first."""
    return point_to_point.irecv(_one(tensors, "recv_anysource"), None, self, tag)


for _method in (
    allreduce, allreduce_coalesced, broadcast, reduce, allgather, gather, scatter, reduce_scatter,
    alltoall, alltoall_base, barrier, monitored_barrier, send, recv, recv_anysource,
):  # fmt: skip
    setattr(ProcessGroup, _method.__name__, _method)
