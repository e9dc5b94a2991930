"""Process groups: the default one, others made from it, and who is in them."""

from __future__ import annotations

import itertools
import os
import pickle
import warnings
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentError, ArgumentTypeError, UnimplementedError
from pellucid.processes.board import MOST_OF_NOTE
from pellucid.processes.communicator import Agreement, Communicator, SoloCommunicator
from pellucid.processes.environment import launched, required_number
from pellucid.processes.errors import MismatchError
from pellucid.processes.mpi_world import start_mpi
from pellucid.processes.reductions import RedOpType, Reducible
from pellucid.processes.sockets.rendezvous import numbers_in, store_for
from pellucid.processes.sockets.world import SocketWorld
from pellucid.processes.stores import PrefixStore, check_store
from pellucid.processes.work import Action, Work, seconds
from pellucid.processes.world import Transport, World, can_have_many, enter_world
from pellucid.ranks import NOT_INITIALIZED, ranks

Array = np.ndarray[Any, Any]

#: how long a collective may take unless a group says otherwise
DEFAULT_TIMEOUT = timedelta(minutes=30)
_DESCRIBED = 256


class ProcessGroup:
    """Some of the processes, which exchange tensors with one another.

    Args:
        world: The processes that were started together; None outside of the group.
        transport: What connects the members; None for one alone.
        ranks: Global ranks of the members.
        backend: Name of the backend.
        timeout: How long an exchange may take, in seconds.
        name: Name of the group.
    """

    def __init__(
        self, world: World | None, transport: Transport | None, ranks: list[int], backend: str,
        timeout: float, name: str,
    ) -> None:  # fmt: skip
        self.world = world
        self.ranks = ranks
        self.backend = backend
        self.timeout = timeout
        self.group_name = name
        self.group_desc = "default_pg" if name == "0" else "undefined"
        self.is_destroyed = False
        self._transport = transport
        #: how many exchanges of all members have begun, and messages on each way
        self._begun: Counter[tuple[int, int, int] | None] = Counter()
        #: all that were made for the group
        self._made: weakref.WeakSet[Communicator] = weakref.WeakSet()
        me = 0 if world is None else world.rank
        self._rank = ranks.index(me) if me in ranks else -1
        if self._rank < 0:
            return
        #: carries tensors
        self.comm: Communicator = self.another_communicator()
        #: carries what the ranks tell each other about the tensors
        self.side: Communicator = self.another_communicator()

    def rank(self) -> int:
        """Return the rank of this process in the group, -1 if it is not in it."""
        return self._rank

    def size(self) -> int:
        """Return the number of processes in the group."""
        return len(self.ranks)

    def name(self) -> str:
        """Return the name of the backend."""
        return self.backend

    def action(
        self, call: str, peers: list[int] | None = None, way: tuple[int, int, int] | None = None
    ) -> Action:
        """Return what this rank begins to do, for errors to tell.

        Args:
            call: The call.
            peers: Global ranks without which it cannot be completed; all others if None.
            way: Of a message, who sends it to whom, with which tag, where that is known.
        """
        key = None
        if peers is None or way is not None:
            self._begun[way] += 1
            key = self.group_name, way, self._begun[way]
        peers = self.others() if peers is None else peers
        return Action(call, self.world, peers, self.timeout, key)

    def another_communicator(self) -> Communicator:
        """Return a new transport between the members, who all ask for it in the same order.

        What is exchanged over it cannot be mistaken for what is exchanged over another.
        """
        made = SoloCommunicator() if self._transport is None else self._transport.communicator()
        self._made.add(made)
        return made

    def destroy(self) -> None:
        """Free the group's communicators; all members do so."""
        self.is_destroyed = True
        for made in tuple(self._made):
            made.free()

    def summed(self, values: Array, call: str) -> Array:
        """Return the sum of the arrays of all ranks, in the memory of this one's."""
        Work(self.action(call), self.comm.all_reduce(values, RedOpType.SUM)).wait()
        return values

    def gathered(self, value: Any, call: str) -> list[Any]:
        """Return the objects of all ranks, on all ranks; they travel pickled."""
        mine = np.frombuffer(pickle.dumps(value), np.uint8)
        if self.size() == 1:
            return [pickle.loads(mine.tobytes())]
        action = self.action(call)
        agree(self, action)
        lengths = np.empty(self.size(), np.int64)
        length = np.array([mine.size], np.int64)
        Work(action, self.comm.all_gather(lengths, length, None)).wait()
        joined = np.empty(int(lengths.sum()), np.uint8)
        Work(action, self.comm.all_gather(joined, mine, lengths.tolist())).wait()
        parts = np.split(joined, np.cumsum(lengths)[:-1])
        return [pickle.loads(part.tobytes()) for part in parts]

    def others(self) -> list[int]:
        """Return the global ranks of the other members."""
        return [rank for rank in self.ranks if self.world is None or rank != self.world.rank]

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name} of ranks {self.ranks}, backend {self.backend}>"


class GroupMember:
    """Where the default group, and the mark of groups that one is not in, are found."""

    NON_GROUP_MEMBER = -100
    WORLD: ProcessGroup | None = None


class _GroupMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The default group."""
        return GroupMember.WORLD

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:
        GroupMember.WORLD = value


class group(metaclass=_GroupMeta):  # noqa: N801 - PyTorch's name
    """Where the default group is found: ``group.WORLD``."""


_numbers = itertools.count(1)


def is_available() -> bool:
    """Return True: groups can be made, of one process if there is no MPI.

    >>> torch.distributed.is_available()
    True
    """
    return True


def is_initialized() -> bool:
    """Return whether `init_process_group` has been called."""
    return GroupMember.WORLD is not None


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None,
    world_size: int = -1, rank: int = -1, store: Any = None, group_name: str = "",
    pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Make the default group, of all processes that were started together.

    Processes that MPI has started (by ``mpiexec``, ``srun``, or `pellucid.distributed.run` and
    ``torch.multiprocessing.spawn`` where MPI is installed) are connected by MPI, and
    ``init_method`` is not used. All others, as those of ``torch.multiprocessing.Process`` or of a
    shell's loop, find one another through a store, and are connected by sockets: over the loopback
    only, if the store is there.

    Raises ValueError if size or rank are nowhere, if they are not those of MPI, or if there is a
    group already; NotImplementedError for ``backend="mpi"`` without MPI; RuntimeError if the
    others do not come within the time limit.

    Args:
        backend: "gloo" for MPI or sockets, whichever connects the processes, "mpi" for MPI; "gloo"
            if None.
        init_method: URL of the store: "env://" for MASTER_ADDR and MASTER_PORT, the default;
            "tcp://HOST:PORT" of rank 0; "file://PATH" of a new file.
        timeout: Time limit of an exchange, a timedelta; 30 minutes if None.
        world_size: Number of processes; if -1 that of MPI, of the URL, or of WORLD_SIZE.
        rank: Rank of this process; if -1 that of MPI, of the URL, or of RANK.
        store: A store of the program's own, in place of ``init_method``.
        group_name: Accepted for compatibility; changes nothing.
        pg_options: Accepted for compatibility; changes nothing.
        device_id: Accepted for compatibility; changes nothing.

    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> torch.distributed.get_world_size()
    1
    >>> torch.distributed.destroy_process_group()
    """
    if is_initialized():
        raise ArgumentError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise ArgumentError("Cannot specify both init_method and store.")
    limit = seconds(DEFAULT_TIMEOUT if timeout is None else timeout)
    name = (backend or "gloo").lower()
    by_mpi = can_have_many() and world_size != 1
    rank, world_size = _place(rank, world_size, init_method, by_mpi)
    if world_size == 1:
        made = ProcessGroup(None, None, [0], name, limit, "0")
    else:
        if by_mpi or name == "mpi":
            _check_launched(world_size)
            world = enter_world(start_mpi)
        else:
            world = _connected_world(init_method, store, rank, world_size, limit)
        order, transport = world.join(rank)
        made = ProcessGroup(world, transport, order, name, limit, "0")
    GroupMember.WORLD = made


def _place(rank: int, world_size: int, url: str | None, by_mpi: bool) -> tuple[int, int]:
    """Return rank and size: as given, else as MPI, the URL or the environment has them."""
    given = launched() if by_mpi else numbers_in(url)
    if rank < 0 and given is not None:
        rank = given.rank
    if world_size < 0 and given is not None:
        world_size = given.size
    rank = required_number("RANK") if rank < 0 else rank
    world_size = required_number("WORLD_SIZE") if world_size < 0 else world_size
    if not 0 <= rank < world_size:
        raise ArgumentError(
            f"Invalid rank {rank}: ranks of a group of {world_size} run from 0 to {world_size - 1}"
        )
    return rank, world_size


def _connected_world(
    url: str | None, store: Any, rank: int, world_size: int, limit: float
) -> World:
    """Return the world of processes that find one another through a store."""

    def start() -> World:
        found = store_for(url, rank, world_size, limit) if store is None else check_store(store)
        return SocketWorld(PrefixStore("pellucid", found), rank, world_size, limit)

    world = enter_world(start)
    if (world.rank, world.size) != (rank, world_size):
        raise ArgumentError(
            f"this process has been rank {world.rank} of {world.size}: it cannot become rank "
            f"{rank} of {world_size} in another job"
        )
    return world


def _check_launched(world_size: int) -> None:
    given = launched()
    if given is None:
        raise UnimplementedError(
            f'backend="mpi" for {world_size} processes: MPI has not started this process. Start '
            f"the program by `mpiexec -n {world_size} python SCRIPT` (pip install "
            "'pellucid[mpi]'), or take backend=\"gloo\", which needs no MPI."
        )
    if given.size != world_size:
        raise ArgumentError(
            f"world_size is {world_size}, but MPI has started {given.size} processes: start "
            f"{world_size}, or leave world_size out"
        )


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Leave a group, by default all groups; raise AssertionError if there is none.

    Args:
        group: The group to leave; all groups if None.
    """
    if group is None or group is GroupMember.WORLD:
        if GroupMember.WORLD is None:
            raise AssertionError("Process group cannot be None")
        GroupMember.WORLD = None
    elif isinstance(group, ProcessGroup):
        group.destroy()


def default_group() -> ProcessGroup:
    """Return the default group; raise ValueError if there is none."""
    if GroupMember.WORLD is None:
        raise ArgumentError(NOT_INITIALIZED)
    return GroupMember.WORLD


def resolved(group: Any) -> ProcessGroup:
    """Return a group, the default one for ``None``."""
    default = default_group()
    if group is None:
        return default
    if not isinstance(group, ProcessGroup):
        raise ArgumentTypeError(
            f"group must be a ProcessGroup, not {type(group).__name__}: new_group gives "
            "GroupMember.NON_GROUP_MEMBER to ranks that are not in the group"
        )
    if group.is_destroyed:
        raise ArgumentError("Invalid process group specified: it has been destroyed")
    return group


def _notes(note: bytes | None) -> list[bytes]:
    world = None if GroupMember.WORLD is None else GroupMember.WORLD.world
    if world is None:
        return []
    if note is not None:
        world.board.write_note(note[:MOST_OF_NOTE])
    return [world.board.note_of(rank) for rank in range(world.size)]


ranks.is_initialized, ranks.resolved, ranks.notes = is_initialized, resolved, _notes


def member_group(group: Any, call: str) -> ProcessGroup | None:
    """Return a group that this process is in; warn and return ``None`` if it is not."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return _warn_outside(call)
    found = resolved(group)
    return found if found.rank() >= 0 else _warn_outside(call)


def _warn_outside(call: str) -> None:
    warnings.warn(
        f"Running {call} on global rank {default_group().rank()} which does not belong to the "
        "given group.",
        stacklevel=4,
    )


def get_rank(group: Any = None) -> int:
    """Return the rank of this process in a group, -1 outside it; ValueError without a group.

    Args:
        group: The group; the default one if None.

    Returns:
        The rank.
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    return resolved(group).rank()


def get_world_size(group: Any = None) -> int:
    """Return the number of processes in a group, -1 outside it; ValueError without a group.

    Args:
        group: The group; the default one if None.

    Returns:
        The number.
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    found = resolved(group)
    return found.size() if found.rank() >= 0 else -1


def get_backend(group: Any = None) -> str:
    """Return the name of the backend that was asked for; ValueError without a group.

    Args:
        group: The group; the default one if None.

    Returns:
        The name, in lower case.
    """
    return resolved(group).backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """Return the global ranks of a group's members, in the group's order.

    Args:
        group: The group; the default one if None.

    Returns:
        The ranks.
    """
    return [default_group().ranks.index(each) for each in resolved(group).ranks]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the rank in a group of a global rank; raise ValueError if it is not in it.

    Args:
        group: The group.
        global_rank: A rank of the default group.

    Returns:
        The rank in the group.
    """
    ranks = get_process_group_ranks(group)
    if global_rank not in ranks:
        raise ArgumentError(
            f"Global rank {global_rank} is not part of group {group}: its ranks are {ranks}"
        )
    return ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the global rank of a group's rank; raise ValueError if it has no such rank.

    Args:
        group: The group.
        group_rank: A rank of the group.

    Returns:
        The rank in the default group.
    """
    ranks = get_process_group_ranks(group)
    if not 0 <= group_rank < len(ranks):
        raise ArgumentError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank among the processes of this machine, from LOCAL_RANK.

    Args:
        fallback_rank: What to return where LOCAL_RANK is not set.

    Returns:
        The rank.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context"
    )


def new_group(
    ranks: Sequence[int] | None = None, timeout: Any = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None,
    device_id: Any = None, sort_ranks: bool = True,
) -> Any:  # fmt: skip
    """Make a group of some processes of the default one, by default all; return it.

    All processes call it, in the same order, members or not; with ``use_local_synchronization``
    the members alone. Those outside get ``GroupMember.NON_GROUP_MEMBER``. Raises ValueError for
    ranks that do not exist or come twice.

    Args:
        ranks: Global ranks; all if None.
        timeout: Time limit of an exchange, a timedelta; that of the default group if None.
        backend: Name of the backend, which `get_backend` returns.
        pg_options: Accepted for compatibility; changes nothing.
        use_local_synchronization: Whether the members alone call it.
        group_desc: Description of the group.
        device_id: Accepted for compatibility; changes nothing.
        sort_ranks: Whether ranks are put in order.

    Returns:
        The group, or ``GroupMember.NON_GROUP_MEMBER``.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> torch.distributed.get_process_group_ranks(torch.distributed.new_group([0]))
    [0]
    >>> torch.distributed.destroy_process_group()
    """
    parent = default_group()
    chosen = list(range(parent.size())) if ranks is None else [int(each) for each in ranks]
    _check_ranks(chosen, parent.size())
    chosen = sorted(chosen) if sort_ranks else chosen
    if not use_local_synchronization:
        agree(parent, parent.action(f"new_group({chosen})"))
    number = next(_numbers)
    if parent.rank() not in chosen:
        return GroupMember.NON_GROUP_MEMBER
    world_ranks = [parent.ranks[each] for each in chosen]
    transport = None
    if parent.world is not None:
        transport = parent.world.transport(world_ranks, str(chosen))
    limit = parent.timeout if timeout is None else seconds(timeout)
    made = ProcessGroup(
        parent.world,
        transport,
        world_ranks,
        (backend or parent.backend).lower(),
        limit,
        str(number),
    )
    made.group_desc = group_desc or "undefined"
    return made


def _check_ranks(ranks: list[int], size: int) -> None:
    if len(ranks) > size:
        raise ArgumentError(
            f"the new group's world size should be less or equal to the world size set by "
            f"init_process_group: {len(ranks)} of {size}"
        )
    for rank in ranks:
        if not 0 <= rank < size:
            raise ArgumentError(
                f"The new group's rank should be within the world_size set by init_process_group: "
                f"rank {rank} of {size}"
            )
    if len(set(ranks)) != len(ranks):
        raise ArgumentError(f"the new group's ranks {ranks} name a rank twice")


@sections_of(new_group)
def new_subgroups(
    group_size: int | None = None, group: Any = None, timeout: Any = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Cut the processes into groups of equal size; return this process's group and all of them.

    By default a group is a machine's processes. Raises ValueError if the size does not divide
    their number.

    Args:
        group_size: Ranks per group; those of a machine if None.
        group: Accepted for compatibility; changes nothing.
        timeout, backend, pg_options, group_desc: As for `new_group`.

    Returns:
        This rank's group, and all groups.
    """
    total = default_group().size()
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", total))
    if total < group_size:
        raise ArgumentError("The arg 'group_size' must not exceed the world size")
    if total % group_size:
        raise ArgumentError(
            f"The world size must be divisible by 'group_size={group_size}', not {total}"
        )
    parts = [list(range(at, at + group_size)) for at in range(0, total, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


@sections_of(new_group)
def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]], timeout: Any = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Make the groups whose ranks are given; return this process's group and all of them.

    Raises ValueError if a rank is in two of them.

    Args:
        ranks_per_subgroup_list: The global ranks of each group.
        timeout, backend, pg_options, group_desc: As for `new_group`.

    Returns:
        This rank's group, and all groups.
    """
    flat = [rank for part in ranks_per_subgroup_list for rank in part]
    if len(flat) != len(set(flat)):
        raise ArgumentError("a rank is in two of the subgroups")
    groups = [
        new_group(part, timeout, backend, pg_options, group_desc=group_desc)
        for part in ranks_per_subgroup_list
    ]
    mine = next((each for each in groups if each != GroupMember.NON_GROUP_MEMBER), None)
    return mine, groups


# ---- agreement --------------------------------------------------------------------------------


def agree(members: ProcessGroup, action: Action) -> None:
    """Check that all members begin the same action; raise on all of them if they do not."""
    if members.size() > 1:
        agreement(members, action).wait()


def agreement(members: ProcessGroup, action: Action) -> Work:
    """Start to check that all members begin the same action."""
    return _checked(members, action, members.side.agree(_number(action)), lambda: None)


def agreed_reduction(
    members: ProcessGroup, action: Action, reducible: Reducible, finish: Callable[[], Any],
    result: Any = None,
) -> Work | None:  # fmt: skip
    """Start to reduce an array and to check the same in one exchange; None if that cannot be."""
    array, op = reducible.array, reducible.op
    found = members.side.agree_and_reduce(_number(action), array, op)
    return None if found is None else _checked(members, action, found, finish, result)


def _number(action: Action) -> int:
    return zlib.crc32(action.call.encode())


def _checked(
    members: ProcessGroup, action: Action, found: Agreement, finish: Callable[[], Any],
    result: Any = None,
) -> Work:  # fmt: skip
    def check() -> None:
        if not found.is_reached:
            raise MismatchError(_mismatch(members, action))
        finish()

    return Work(action, found.requests, check, result)


def _mismatch(members: ProcessGroup, action: Action) -> str:
    """Return what each member began; all of them ask, as all have seen that they differ."""
    mine = np.zeros(_DESCRIBED, np.uint8)
    text = str(action).encode()[:_DESCRIBED]
    mine[: len(text)] = np.frombuffer(text, np.uint8)
    every = np.zeros((members.size(), _DESCRIBED), np.uint8)
    Work(members.action(action.call), members.side.all_gather(every, mine, None)).wait()
    doing: dict[str, list[int]] = {}
    for rank, row in zip(members.ranks, every, strict=True):
        doing.setdefault(row.tobytes().rstrip(b"\0").decode(errors="replace"), []).append(rank)
    listed = "; ".join(
        f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks[:8]))}"
        f"{' ...' * (len(ranks) > 8)}: {what}"
        for what, ranks in doing.items()
    )
    return (
        f"Detected mismatch between collectives on ranks: {listed}. All ranks of a group must "
        "enter the same collective with the same shape, dtype and options. Nothing was written."
    )
