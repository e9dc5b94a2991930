"""The store that one process serves to the others over TCP."""

from __future__ import annotations

import errno
import functools
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.processes.errors import DistNetworkError, DistStoreError
from pellucid.processes.output import Patience
from pellucid.processes.sockets.handshake import Server, StrangerError, call
from pellucid.processes.stores import (
    DEFAULT_TIMEOUT,
    TOKEN,
    HashStore,
    Store,
    as_text,
    changes,
    from_text,
)

_LARGEST_PORT = 65535
#: how an error begins when the other end of a connection is gone
RECEIVED_NOTHING = (
    "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or "
    "crash?"
)
#: ports below it are the system's
_FIRST_OF_USERS = 1024


def is_loopback(host: str) -> bool:
    """Return whether a name or address means this machine, and is reached from nowhere else."""
    return host == "localhost" or host.startswith("127.")


class _Dictionary:
    """The dictionary of a TCPStore, in the process that serves it."""

    def __init__(self, host: str, port: int) -> None:
        listening = _listening(host, port)
        self.port: int = listening.getsockname()[1]
        self._values = HashStore()
        self.server = Server(listening, self._answer, "TCPStore")

    def _answer(self, client: Connection) -> None:
        while True:
            name, args = from_text(client.recv_bytes())
            client.send_bytes(as_text(self._values._change(changes[name], *args)))


def _listening(host: str, port: int) -> socket.socket:
    """Return the socket of a server; raise DistNetworkError if it cannot have the port."""
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError as error:
        number = error.errno or 0
        why = {
            errno.EADDRINUSE: "Another program has the port, or another process that has been "
            "given rank 0, too: end it, or give all ranks of this job another MASTER_PORT.",
            errno.EACCES: f"Ports below {_FIRST_OF_USERS} are the system's: give all ranks a "
            f"MASTER_PORT from {_FIRST_OF_USERS} to {_LARGEST_PORT}.",
        }.get(number, "MASTER_ADDR has to be an address of the machine of rank 0.")
        raise DistNetworkError(
            "The server socket has failed to listen on any local network address. "
            f"port: {port}, useIpv6: false, code: -{number}, name: {errno.errorcode.get(number)}, "
            f"message: {os.strerror(number).lower()}\n  This process was to serve the store to the "
            f"others{f' at {host}' if host else ''}, as rank 0 does. {why}"
        ) from error


class TCPStore(Store):
    """A store that one process serves to the others over TCP.

    Args:
        host_name: Where the serving process is.
        port: Its port; for the serving process 0 means any that is free.
        world_size: Number of processes; with ``wait_for_workers`` the serving one waits for them.
        is_master: Whether this process serves.
        timeout: How long to wait for keys and for the serving process, a timedelta.
        wait_for_workers: Whether to wait for ``world_size`` processes.
        multi_tenant: Whether a store that this process serves already at the port is used again.
        master_listen_fd: Accepted for compatibility; changes nothing.
        use_libuv: Accepted for compatibility; changes nothing.

    Raises ValueError for a port that there is not, DistNetworkError if the serving process cannot
    have the port, or cannot be reached.

    >>> store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    >>> store.set("a", "1")
    >>> store.get("a")
    b'1'
    """

    _served: dict[int, _Dictionary] = {}

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT, wait_for_workers: bool = True,
        multi_tenant: bool = False, master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(timeout)
        if not 0 <= port <= _LARGEST_PORT:
            raise ArgumentError(f"port must have value from 0 to {_LARGEST_PORT} but was {port}.")
        self.host = host_name
        if is_master:
            port = self._serve(host_name, port, multi_tenant)
        self.port = port
        self.world_size = world_size
        self._lock = threading.Lock()
        self._client = _connected(host_name, port, timeout.total_seconds(), is_master)
        if world_size is not None and wait_for_workers and self.add("init/", 1) and is_master:
            self._await(world_size)

    def _serve(self, host: str, port: int, again: bool) -> int:
        if again and port in self._served:
            return port
        served = _Dictionary(host if is_loopback(host) else "", port)
        self._served[served.port] = served
        return served.port

    def _await(self, count: int) -> None:
        limit = time.monotonic() + self._timeout.total_seconds()
        while (here := self.add("init/", 0)) < count:
            if time.monotonic() > limit:
                raise DistStoreError(
                    f"Timed out after {self._timeout.total_seconds():.0f} seconds waiting for "
                    f"clients. {here}/{count} clients joined.\n  This process serves the store at "
                    f"({self.host}, {self.port}); the others have to connect to that address."
                    f"{self.about_strangers()}"
                )
            self._pause()

    def about_strangers(self) -> str:
        """Return who was refused by this process, for messages."""
        served = self._served.get(self.port)
        strangers = served.server.strangers if served is not None else []
        if not strangers:
            return ""
        return (
            f" Processes at {', '.join(dict.fromkeys(strangers))} have called and were "
            f"refused, as their {TOKEN} is another: set it to the same secret for all ranks."
        )

    def _change(self, what: Callable[..., Any], *args: Any) -> Any:
        try:
            with self._lock:
                self._client.send_bytes(as_text([what.__name__, args]))
                return from_text(self._client.recv_bytes())
        except (EOFError, OSError) as error:
            raise DistNetworkError(
                f"{RECEIVED_NOTHING}\n  The store at ({self.host}, {self.port}) is served by "
                "another process, as a rule that of rank 0, which has ended: look there first."
            ) from error


def _connected(host: str, port: int, seconds: float, serves: bool) -> Connection:
    """Return a connection to the process that serves, as soon as it does."""
    limit = time.monotonic() + seconds
    patience = Patience()
    while True:
        rest = limit - time.monotonic()
        try:
            return Connection(call((host, port), max(0.1, rest)).detach())
        except AuthenticationError as error:
            raise DistNetworkError(
                f"({host}, {port}) is served by a process of another job: its {TOKEN} differs from "
                "this one's. Set it to the same secret for all processes of the job."
            ) from error
        except OSError as error:
            why = f"to connect to ({host}, {port}).\n  {_why_not(error, host, serves)}"
            if time.monotonic() > limit:
                raise DistNetworkError(
                    f"The client socket has timed out after {1000 * seconds:.0f}ms while trying "
                    + why
                ) from error
            patience.say(functools.partial(str, why))
        time.sleep(0.05)


def _why_not(error: OSError, host: str, serves: bool) -> str:
    """Return why nobody has answered, and what to do."""
    same = "MASTER_ADDR and MASTER_PORT have to be the same on all ranks."
    if isinstance(error, socket.gaierror):
        return (
            f"The name {host} cannot be resolved ({error.strerror}): write a name or an address "
            "under which all ranks find the machine of rank 0."
        )
    if serves:
        return (
            "This process serves the store itself, but does not reach itself there "
            f"({error}): the address has to be one of the machine of rank 0."
        )
    if isinstance(error, ConnectionRefusedError):
        return (
            "The machine answers, but nobody listens at the port: is the process of rank 0 running "
            f"there? It may have ended, or not have been started. {same}"
        )
    if isinstance(error, StrangerError):
        return f"What listens there is no store, or of a process that has ended ({error}). {same}"
    return f"The machine does not answer ({error}): is there a firewall between? {same}"
