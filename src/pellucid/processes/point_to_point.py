"""Exchanges between two ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentError
from pellucid.processes.checks import check_tensor, described, root_of
from pellucid.processes.collectives import Target, contiguous, note
from pellucid.processes.communicator import Request
from pellucid.processes.errors import DistBackendError
from pellucid.processes.groups import ProcessGroup, member_group, resolved
from pellucid.processes.work import Action, Work


class Received(Work):
    """A tensor on its way here."""

    def __init__(
        self, action: Action, request: Any, finish: Callable[[], Any], result: Any,
        members: ProcessGroup,
    ) -> None:  # fmt: skip
        super().__init__(action, [request], finish, result)
        self._request = request
        self._members = members

    def source_rank(self) -> int:
        """Return the global rank that the tensor came from."""
        self.wait()
        return resolved(None).ranks.index(self._members.ranks[self._request.source])


def isend(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Start to send a tensor to a rank, which receives it with the same tag; return a Work.

    The tensor must not be changed before the Work is done. Raises ValueError for this rank itself.

    Args:
        tensor: What is sent.
        dst: Global rank that receives.
        group: The group; the default one if None.
        tag: Number that must be the same on both sides.
        group_dst: Rank within the group, in place of ``dst``.

    Returns:
        A Work; None outside the group.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "isend")
    if members is None:
        return None
    to = root_of(members, dst, group_dst, "dst")
    _refuse_self(members, to, "destination")
    peer = members.ranks[to]
    way = members.ranks[members.rank()], peer, tag
    call = f"send({described(tensor._array)}, to {peer}, tag {tag})"
    action = members.action(call, [peer], way)
    source = contiguous(tensor)
    work = Work(action, [_Keeping(members.comm.send(source, to, tag), source)], None, [tensor])
    action.end()
    return work


class _Keeping:
    """A request together with the memory that it works on."""

    __slots__ = ("_memory", "_request")

    def __init__(self, request: Request, memory: Any) -> None:
        self._request = request
        self._memory = memory

    def Test(self) -> bool:
        return self._request.Test()


def _refuse_self(members: ProcessGroup, rank: int, name: str) -> None:
    if rank == members.rank():
        raise ArgumentError(
            f"Invalid {name} rank: {name} rank should not be the same as the rank of the current "
            "process."
        )


def irecv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> Received | None:  # fmt: skip
    """Start to receive a tensor from a rank, by default from any; return a Work.

    Shape and dtype are those of the tensor that is sent. Its ``source_rank()`` says who sent it.

    Args:
        tensor: Is replaced.
        src: Global rank that sends; any if None.
        group: The group; the default one if None.
        tag: Number that must be the same on both sides.
        group_src: Rank within the group, in place of ``src``.

    Returns:
        A Work; None outside the group.
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "irecv")
    if members is None:
        return None
    anyone = src is None and group_src is None
    source = None if anyone else root_of(members, src, group_src, "src")
    if source is not None:
        _refuse_self(members, source, "source")
    peers = members.others() if source is None else [members.ranks[source]]
    target = Target(tensor)
    whom = "anyone" if source is None else members.ranks[source]
    call = f"recv({described(tensor._array)}, from {whom}, tag {tag})"
    way = None if source is None else (peers[0], members.ranks[members.rank()], tag)
    action = members.action(call, peers, way)
    request: Any = members.comm.receive(target.memory, source, tag)

    def finish() -> None:
        if request.nbytes != target.memory.nbytes:
            raise DistBackendError(
                f"rank {members.ranks[members.rank()]} has received {request.nbytes} bytes from "
                f"rank {members.ranks[request.source]} where {call} at {action.place} takes "
                f"{target.memory.nbytes}: send and recv take tensors of one shape and dtype"
            )
        target.restore()

    note("recv", [tensor])
    work = Received(action, request, finish, [tensor], members)
    action.end()
    return work


@sections_of(isend)
def send(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Send a tensor to a rank, which receives it with the same tag.

    Raises ValueError for this rank itself, and RuntimeError if the other has failed or left.

    Args: As for `isend`.
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


@sections_of(irecv)
def recv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> int:  # fmt: skip
    """Receive a tensor from a rank, by default from any; return the global rank it came from.

    Returns -1 outside the group. Raises RuntimeError if what is sent has another size.

    Args: As for `irecv`.

    Returns:
        The global rank that has sent, -1 outside the group.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """One of several sends and receives for `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`.
        tensor: Tensor that is sent or written.
        peer: Global rank of the other process.
        group: Group of both; all processes if None.
        tag: Number that tells messages apart.
        group_peer: Rank of the other in the group, in place of ``peer``.
    """

    def __init__(
        self, op: Callable[..., Any], tensor: Any, peer: int | None = None, group: Any = None,
        tag: int = 0, group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ArgumentError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Start several sends and receives; return their Works.

    Raises ValueError for anything but a list of `P2POp`.

    Args:
        p2p_op_list: One `P2POp` per send or receive.

    Returns:
        Their Works, in the same order.
    """
    if not p2p_op_list or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ArgumentError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type "
            "``torch.distributed.P2POp``."
        )
    # Receives first, so that what is sent finds its place.
    ordered = sorted(enumerate(p2p_op_list), key=lambda pair: pair[1].op is isend)
    works: dict[int, Any] = {}
    for position, each in ordered:
        works[position] = each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
    return [works[position] for position in sorted(works) if works[position] is not None]
