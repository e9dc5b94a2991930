"""How processes that were started by hand find one another: through a store."""

from __future__ import annotations

import contextlib
import os
import socket
from datetime import timedelta
from multiprocessing import AuthenticationError
from typing import Any, NamedTuple
from urllib.parse import ParseResult, parse_qs, urlparse

from pellucid.errors import ArgumentError
from pellucid.processes.environment import required_number, required_text
from pellucid.processes.errors import DistNetworkError
from pellucid.processes.sockets.board import Place, SocketBoard, answer
from pellucid.processes.sockets.handshake import PROOF, bounded, call, examine
from pellucid.processes.sockets.links import Links
from pellucid.processes.sockets.meeting import Meeting
from pellucid.processes.sockets.memory import Memory, OwnMemory, mapped_memory
from pellucid.processes.sockets.tcp_store import RECEIVED_NOTHING, TCPStore, is_loopback
from pellucid.processes.stores import FileStore, Store, secret
from pellucid.processes.work import named_ranks


class Numbers(NamedTuple):
    """Rank and number of processes, as far as a URL names them; -1 for what it does not."""

    rank: int
    size: int


def numbers_in(url: str | None) -> Numbers:
    """Return the rank and size that the query of an ``init_method`` names."""
    query = parse_qs(urlparse(url or "").query)
    try:
        return Numbers(int(query.get("rank", ["-1"])[0]), int(query.get("world_size", ["-1"])[0]))
    except ValueError as error:
        raise ArgumentError(f"{error}\n  {url}: write ?rank=0&world_size=2") from error


def store_for(url: str | None, rank: int, size: int, timeout: float) -> Store:
    """Return the store that an ``init_method`` names; that of the environment by default.

    Raises ValueError for a URL that names none.
    """
    found = urlparse(url or "env://")
    limit = timedelta(seconds=timeout)
    if found.scheme == "file":
        store: Store = FileStore(_file_in(found), size)
        store.set_timeout(limit)
        return store
    if found.scheme == "tcp":
        host, port = _address_in(found)
    elif found.scheme == "env":
        host, port = required_text("MASTER_ADDR"), required_number("MASTER_PORT")
    else:
        raise ArgumentError(
            f"No rendezvous handler for {found.scheme}://: there are env://, tcp:// and file://"
        )
    return TCPStore(host, port, size, rank == 0, limit, wait_for_workers=False, multi_tenant=True)


def _file_in(url: ParseResult) -> str:
    if not (path := url.netloc + url.path):
        raise ArgumentError(
            "Error initializing torch.distributed using file:// rendezvous: path missing\n  Write "
            "file:///PATH of a new file that all ranks can open"
        )
    return path


def _address_in(url: ParseResult) -> tuple[str, int]:
    wrong = "Error initializing torch.distributed using tcp:// rendezvous: "
    try:
        host, port = url.hostname, url.port
    except ValueError as error:
        raise ArgumentError(f"{error}\n  {url.geturl()}: write tcp://HOST:PORT") from error
    if host is None or port is None:
        missing = "port number" if host else "host"
        raise ArgumentError(f"{wrong}{missing} missing\n  {url.geturl()}: write tcp://HOST:PORT")
    return host, port


def connect(store: Store, rank: int, size: int, timeout: float) -> tuple[Links, SocketBoard]:
    """Connect this process with all others, which do the same; return connections and board.

    Each waits for those of higher rank, and calls those of lower rank.
    """
    memory = OwnMemory(size)
    meeting = Meeting(store, rank, size, timeout)
    try:
        host = _own_host(store)
        with socket.create_server((host, 0), backlog=size) as server:
            place = Place(
                socket.gethostname(), os.getpid(), memory.path, memory.mark,
                answer(memory.slot, host),
            )  # fmt: skip
            told = meeting.tell([place, server.getsockname()[:2]])
            connections = {each: _call(meeting, each, told[each][1]) for each in range(rank)}
            while len(connections) < size - 1:
                _accept(server, connections, meeting)
        places = [_place(each[0]) for each in told]
        shared = _shared(meeting, places)
        _part_from_store(connections, meeting)
    finally:
        memory.hide()
    links = Links(rank, connections, memory, shared)
    return links, SocketBoard(rank, memory.slot, places, shared, links)


def _place(told: list[Any]) -> Place:
    host, pid, file, mark, address = told
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
    by_all = meeting.tell_more("sees", sorted(seen))
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
    underlying = getattr(store, "underlying_store", store)
    if not isinstance(underlying, TCPStore) or is_loopback(underlying.host):
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((underlying.host, underlying.port))  # sends nothing: it only finds the way
        return probe.getsockname()[0]


def _call(meeting: Meeting, rank: int, address: Any) -> socket.socket:
    """Return a connection to a process of lower rank."""
    try:
        called = call(tuple(address), meeting.rest())
        with bounded(called, PROOF) as connection:
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
        with bounded(came, PROOF) as connection:
            examine(connection, secret())
            connections[int(connection.recv_bytes(32))] = came
    except (AuthenticationError, EOFError, OSError):
        came.close()
