"""The connections of processes with one another, once they have met in a store."""

from __future__ import annotations

import contextlib
import os
import socket
from multiprocessing import AuthenticationError
from typing import Any

from pellucid.processes.errors import DistNetworkError
from pellucid.processes.sockets.board import Place, SocketBoard, answer
from pellucid.processes.sockets.handshake import bounded, call, examine
from pellucid.processes.sockets.links import Links
from pellucid.processes.sockets.meeting import Meeting
from pellucid.processes.sockets.memory import Memory, OwnMemory, mapped_memory
from pellucid.processes.sockets.tcp_store import RECEIVED_NOTHING, TCPStore, is_loopback
from pellucid.processes.stores import Store, secret
from pellucid.processes.work import named_ranks


def connect(store: Store, rank: int, size: int, timeout: float) -> tuple[Links, SocketBoard]:
    """Connect this process with all others, which do the same; return connections and board.

    Each waits for those of higher rank, and calls those of lower rank.
    """
    memory = OwnMemory(size)
    meeting = Meeting(store, rank, size, timeout)
    try:
        host = _own_host(meeting.underlying_store)
        with socket.create_server((host, 0), backlog=size) as server:
            place = Place(
                socket.gethostname(), os.getpid(), memory.path, memory.mark,
                answer(memory.slot, host),
            )  # fmt: skip
            members = meeting.join([place, server.getsockname()[:2]])
            connections = {each: _call(meeting, each, members[each][1]) for each in range(rank)}
            while len(connections) < size - 1:
                _accept(server, connections, meeting)
        places = [_place(place) for place, _ in members]
        shared = _shared(meeting, places)
        _part_from_store(connections, meeting)
    finally:
        memory.hide()
    links = Links(rank, connections, memory, shared)
    return links, SocketBoard(rank, memory.slot, places, shared, links)


def _place(values: list[Any]) -> Place:
    host, pid, file, mark, address = values
    return Place(host, pid, file, mark, (address[0], address[1]))


def _shared(meeting: Meeting, places: list[Place]) -> dict[int, Memory]:
    """Return the memory of ranks of this machine: those that see it in both directions.

    Processes of one host name may be in containers that do not see each other's.
    """
    seen: dict[int, Memory] = {}
    for each, place in enumerate(places):
        if each != meeting.rank and place.host == places[meeting.rank].host:
            memory = mapped_memory(place.file, place.mark)
            if memory is not None:
                seen[each] = memory
    by_all = meeting.gather("sees", sorted(seen))
    return {each: memory for each, memory in seen.items() if meeting.rank in by_all[each]}


def _part_from_store(connections: dict[int, socket.socket], meeting: Meeting) -> None:
    """Wait on rank 0, which may serve the store, until all have read from it."""
    if meeting.rank:
        with contextlib.suppress(OSError):  # of what has become of rank 0 the board tells
            connections[0].sendall(b".")
        return
    for each, connection in connections.items():
        connection.settimeout(meeting.rest())
        try:
            parted = connection.recv(1)
        except OSError:
            parted = b""
        if not parted:
            raise DistNetworkError(
                f"{RECEIVED_NOTHING}\n  rank {each}, {meeting.entries[each]}, was being connected "
                "with the others, and has ended or does not answer: look there first."
            )


def _own_host(store: Store) -> str:
    """Return the address under which the others reach this process: the loopback if they can."""
    if not isinstance(store, TCPStore) or is_loopback(store.host):
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((store.host, store.port))  # sends nothing: it only finds the way
        return probe.getsockname()[0]


def _call(meeting: Meeting, rank: int, address: Any) -> socket.socket:
    """Return a connection to a process of lower rank."""
    try:
        called = call(tuple(address), meeting.rest())
        with bounded(called) as connection:
            connection.send_bytes(str(meeting.rank).encode())
    except (OSError, AuthenticationError) as error:
        raise DistNetworkError(
            f"rank {meeting.rank} cannot connect to rank {rank} at {tuple(address)}: {error}\n  "
            f"It has come to {meeting.where} as {meeting.entries[rank]}, and has ended since then, "
            "if it is not one of an earlier job in the same store; or a firewall is between them."
        ) from error
    return called


def _accept(server: socket.socket, connections: dict[int, socket.socket], meeting: Meeting) -> None:
    """Add the connection of a process of higher rank, if it proves to be of the job."""
    server.settimeout(meeting.rest())
    try:
        came, _ = server.accept()
    except TimeoutError as error:
        absent = sorted({*range(meeting.rank + 1, meeting.size)} - {*connections})
        raise DistNetworkError(
            f"Timed out after {meeting.timeout:.0f} seconds waiting for clients. "
            f"{len(connections) + 1}/{meeting.size} clients joined.\n  {named_ranks(absent)} came "
            f"to {meeting.where}, but did not call rank {meeting.rank} at {server.getsockname()}: "
            f"{', '.join(str(meeting.entries[each]) for each in absent)}. Have they ended, or is a "
            "firewall between them?"
        ) from error
    try:
        with bounded(came) as connection:
            examine(connection, secret())
            connections[int(connection.recv_bytes(32))] = came
    except (AuthenticationError, EOFError, OSError):
        came.close()
