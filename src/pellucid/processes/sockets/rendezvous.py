"""How processes that were started by hand find one another: through a store."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from datetime import timedelta
from multiprocessing import AuthenticationError
from multiprocessing import connection as handshakes
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlparse

from pellucid.errors import ArgumentError
from pellucid.processes.environment import required_number, required_text
from pellucid.processes.errors import DistNetworkError
from pellucid.processes.sockets.board import Place, SocketBoard, answer
from pellucid.processes.sockets.links import Links
from pellucid.processes.sockets.memory import Memory, OwnMemory, mapped_memory
from pellucid.processes.stores import FileStore, Store, TCPStore, is_loopback, secret


class Numbers(NamedTuple):
    """Rank and number of processes, as far as a URL names them; -1 for what it does not."""

    rank: int
    size: int


def numbers_in(url: str | None) -> Numbers:
    """Return the rank and size that the query of an ``init_method`` names."""
    query = parse_qs(urlparse(url or "").query)
    return Numbers(int(query.get("rank", ["-1"])[0]), int(query.get("world_size", ["-1"])[0]))


def store_for(url: str | None, rank: int, size: int, timeout: float) -> Store:
    """Return the store that an ``init_method`` names; that of the environment by default.

    Raises ValueError for a URL that names none.
    """
    found = urlparse(url or "env://")
    limit = timedelta(seconds=timeout)
    if found.scheme == "file":
        path = found.netloc + found.path
        if not path:
            raise ArgumentError(f"{url}: no file: write file:///a/path/that/all/ranks/can/open")
        store: Store = FileStore(path, size)
        store.set_timeout(limit)
        return store
    if found.scheme == "tcp":
        if found.hostname is None or found.port is None:
            raise ArgumentError(f"{url}: port number missing: write tcp://HOST:PORT")
        host, port = found.hostname, found.port
    elif found.scheme == "env":
        host, port = required_text("MASTER_ADDR"), required_number("MASTER_PORT")
    else:
        raise ArgumentError(
            f"No rendezvous handler for {found.scheme}://: there are env://, tcp:// and file://"
        )
    return TCPStore(host, port, size, rank == 0, limit, wait_for_workers=False, multi_tenant=True)


def connect(store: Store, rank: int, size: int, timeout: float) -> tuple[Links, SocketBoard]:
    """Connect this process with all others, which do the same; return connections and board.

    Each waits for those of higher rank, and calls those of lower rank.
    """
    memory = OwnMemory(size)
    try:
        host = _own_host(store)
        with socket.create_server((host, 0), backlog=size) as server:
            place = Place(
                socket.gethostname(), os.getpid(), memory.path, memory.mark,
                answer(memory.slot, host),
            )  # fmt: skip
            store.set(f"rank/{rank}", json.dumps([place, server.getsockname()[:2]]))
            told = [json.loads(store.get(f"rank/{each}")) for each in range(size)]
            connections = {each: _call(tuple(told[each][1]), rank, timeout) for each in range(rank)}
            server.settimeout(timeout)
            while len(connections) < size - 1:
                _accept(server, connections, timeout)
        places = [_place(each[0]) for each in told]
        shared = _shared(store, rank, places)
        _part_from_store(rank, connections, timeout)
    finally:
        memory.hide()
    links = Links(rank, connections, memory, shared)
    return links, SocketBoard(rank, memory.slot, places, shared, links)


def _place(told: list[Any]) -> Place:
    host, pid, file, mark, address = told
    return Place(host, pid, file, mark, (address[0], address[1]))


def _shared(store: Store, rank: int, places: list[Place]) -> dict[int, Memory]:
    """Return the memory of ranks of this machine: those that see it in both directions.

    Processes of one host name may be in containers that do not see each other's.
    """
    seen: dict[int, Memory] = {}
    for each, place in enumerate(places):
        if each != rank and place.host == places[rank].host:
            memory = mapped_memory(place.file, place.mark)
            if memory is not None:
                seen[each] = memory
    store.set(f"sees/{rank}", json.dumps(sorted(seen)))
    by_all = [json.loads(store.get(f"sees/{each}")) for each in range(len(places))]
    return {each: memory for each, memory in seen.items() if rank in by_all[each]}


def _part_from_store(rank: int, connections: dict[int, socket.socket], timeout: float) -> None:
    """Wait on rank 0, which may serve the store, until all have read from it."""
    if rank:
        connections[0].sendall(b".")
        return
    for each, connection in connections.items():
        connection.settimeout(timeout)
        if not connection.recv(1):
            raise DistNetworkError(f"rank {each} has ended while the processes were connected")


def _own_host(store: Store) -> str:
    """Return the address under which the others reach this process: the loopback if they can."""
    underlying = getattr(store, "underlying_store", store)
    if not isinstance(underlying, TCPStore) or is_loopback(underlying.host):
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((underlying.host, underlying.port))  # sends nothing: it only finds the way
        return probe.getsockname()[0]


def _call(address: Any, rank: int, timeout: float) -> socket.socket:
    """Return a connection to a process of lower rank, to which this one has proved itself."""
    try:
        called = socket.create_connection(address, timeout)
    except OSError as error:
        raise DistNetworkError(f"rank {rank} cannot connect to {address}: {error}") from error
    with _proving(called) as proved:
        handshakes.answer_challenge(proved, secret())
        handshakes.deliver_challenge(proved, secret())
        proved.send_bytes(str(rank).encode())
    return called


def _accept(server: socket.socket, connections: dict[int, socket.socket], timeout: float) -> None:
    """Add the connection of a process of higher rank, if it proves to be of the job."""
    try:
        came, _ = server.accept()
    except TimeoutError as error:
        raise DistNetworkError(
            f"after {timeout:.0f} s only {len(connections) + 1} processes have connected"
        ) from error
    came.settimeout(timeout)
    try:
        with _proving(came) as proved:
            handshakes.deliver_challenge(proved, secret())
            handshakes.answer_challenge(proved, secret())
            connections[int(proved.recv_bytes(32))] = came
    except (AuthenticationError, EOFError, OSError):
        came.close()


@contextlib.contextmanager
def _proving(raw: socket.socket) -> Any:
    """Give a connection as the standard library's challenges take it, without taking it away."""
    raw.setblocking(True)
    with handshakes.Connection(os.dup(raw.fileno())) as wrapped:
        yield wrapped
