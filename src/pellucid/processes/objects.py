"""Exchanges of Python objects, which travel pickled."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.processes.checks import root_of
from pellucid.processes.collectives import finished
from pellucid.processes.communicator import Request
from pellucid.processes.groups import ProcessGroup, agree, default_group, member_group
from pellucid.processes.work import Action, Work


def _pickled(value: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(pickle.dumps(value), np.uint8)


def _run(action: Action, requests: list[Request]) -> None:
    finished(Work(action, requests), async_op=False)


def shared(members: ProcessGroup, value: Any, root: int, call: str) -> Any:
    """Return the root's object, on all ranks."""
    if members.size() == 1:
        return value
    action = members.action(call)
    agree(members, action)
    at_root = members.rank() == root
    mine = _pickled(value) if at_root else np.empty(0, np.uint8)
    length = np.array([mine.size], np.int64)
    _run(action, members.comm.broadcast(length, root))
    memory = mine if at_root else np.empty(int(length[0]), np.uint8)
    _run(action, members.comm.broadcast(memory, root))
    return value if at_root else pickle.loads(memory.tobytes())


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the object of each rank into the list, on all ranks.

    Args:
        object_list: One place per rank; they are replaced.
        obj: What this rank gives; anything that can be pickled.
        group: The group; the default one if None.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> objects = [None]
    >>> torch.distributed.all_gather_object(objects, {"rank": 0})
    >>> objects
    [{'rank': 0}]
    >>> torch.distributed.destroy_process_group()
    """
    members = member_group(group, "all_gather_object")
    if members is None:
        return
    _check_length(object_list, members, "object_list")
    object_list[: members.size()] = members.gathered(obj, "all_gather_object")


def _check_length(objects: Any, members: ProcessGroup, name: str) -> None:
    if len(objects) < members.size():
        raise ArgumentError(
            f"{name} has {len(objects)} places for the objects of {members.size()} ranks"
        )


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None,
    group: Any = None, group_dst: int | None = None,
) -> None:  # fmt: skip
    """Put the object of each rank into the list of rank ``dst``, by default rank 0.

    Args:
        obj: What this rank gives; anything that can be pickled.
        object_gather_list: On rank ``dst``, one place per rank; they are replaced.
        dst: Global rank that receives.
        group: The group; the default one if None.
        group_dst: Rank within the group, in place of ``dst``.
    """
    members = member_group(group, "gather_object")
    if members is None:
        return
    root = 0 if dst is None and group_dst is None else root_of(members, dst, group_dst, "dst")
    at_root = members.rank() == root
    if at_root and not object_gather_list:
        raise ArgumentError("Argument ``gather_list`` must be specified on destination rank.")
    if not at_root and object_gather_list:
        raise ArgumentError(
            "Argument ``gather_list`` must NOT be specified on non-destination ranks."
        )
    every = members.gathered(obj, f"gather_object(to {members.ranks[root]})")
    if object_gather_list is not None and at_root:
        _check_length(object_gather_list, members, "object_gather_list")
        object_gather_list[: members.size()] = every


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """Replace the objects of the list by those of rank ``src``, by default rank 0.

    Args:
        object_list: Objects that are sent on rank ``src``, and replaced on the others.
        src: Global rank that sends.
        group: The group; the default one if None.
        device: Accepted for compatibility; changes nothing.
        group_src: Rank within the group, in place of ``src``.
    """
    members = member_group(group, "broadcast_object_list")
    if members is None:
        return
    root = 0 if src is None and group_src is None else root_of(members, src, group_src, "src")
    call = f"broadcast_object_list({len(object_list)} objects, from {members.ranks[root]})"
    object_list[:] = shared(members, list(object_list), root, call)


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Put into the first place of the output list this rank's object of the list of ``src``.

    Args:
        scatter_object_output_list: A list whose first object is replaced.
        scatter_object_input_list: On rank ``src``, one object per rank.
        src: Global rank that sends.
        group: The group; the default one if None.
        group_src: Rank within the group, in place of ``src``.
    """
    members = member_group(group, "scatter_object_list")
    if members is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ArgumentError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    root = 0 if src is None and group_src is None else root_of(members, src, group_src, "src")
    given = scatter_object_input_list if members.rank() == root else None
    if members.rank() == root:
        if given is None:
            raise ArgumentError("source rank must provide non-None scatter_object_input_list")
        _check_length(given, members, "scatter_object_input_list")
    call = f"scatter_object_list(from {members.ranks[root]})"
    scatter_object_output_list[0] = shared(members, given, root, call)[members.rank()]


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Send the objects of a list to rank ``dst``.

    Args:
        object_list: Objects that can be pickled.
        dst: Global rank that receives.
        group: The group; the default one if None.
        device: Accepted for compatibility; changes nothing.
        group_dst: Rank within the group, in place of ``dst``.
        use_batch: Accepted for compatibility; changes nothing.
    """
    members = member_group(group, "send_object_list")
    if members is None:
        return
    to = root_of(members, dst, group_dst, "dst")
    peer = members.ranks[to]
    action = members.action(f"send_object_list({len(object_list)} objects, to {peer})", [peer])
    memory = _pickled(list(object_list))
    length = np.array([memory.size], np.int64)
    _run(action, [members.side.send(length, to, 0)])
    _run(action, [members.side.send(memory, to, 0)])


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """Replace the objects of a list by those sent by rank ``src``, by default by any.

    Returns the global rank that they came from, -1 outside the group.

    Args:
        object_list: Is replaced by as many objects as are sent.
        src: Global rank that sends; any if None.
        group: The group; the default one if None.
        device: Accepted for compatibility; changes nothing.
        group_src: Rank within the group, in place of ``src``.
        use_batch: Accepted for compatibility; changes nothing.

    Returns:
        The global rank that has sent, -1 outside the group.
    """
    members = member_group(group, "recv_object_list")
    if members is None:
        return -1
    anyone = src is None and group_src is None
    source = None if anyone else root_of(members, src, group_src, "src")
    peers = members.others() if source is None else [members.ranks[source]]
    action = members.action(f"recv_object_list({len(object_list)} objects)", peers)
    length = np.empty(1, np.int64)
    first: Any = members.side.receive(length, source, 0)
    _run(action, [first])
    memory = np.empty(int(length[0]), np.uint8)
    _run(action, [members.side.receive(memory, first.source, 0)])
    object_list[:] = pickle.loads(memory.tobytes())
    return default_group().ranks.index(members.ranks[first.source])
