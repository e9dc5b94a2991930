"""Connections of processes that prove to each other that they belong to the same job."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from pellucid.processes.stores import secret

#: seconds that one who has connected has for the proof; strangers may connect and say nothing
PROOF = 10.0


class StrangerError(ConnectionError):
    """What listens at an address is not a process of a job."""


@contextlib.contextmanager
def bounded(raw: socket.socket, seconds: float = PROOF) -> Iterator[Connection]:
    """Give a connection for messages of bytes, without taking the socket away.

    Raises TimeoutError if the next part of a message does not come within so many seconds.
    """
    raw.setblocking(True)
    _limit_reading(raw, seconds)
    try:
        with Connection(os.dup(raw.fileno())) as wrapped:
            yield wrapped
    except BlockingIOError as error:
        raise TimeoutError("it says nothing") from error
    finally:
        _limit_reading(raw, 0.0)


def _limit_reading(raw: socket.socket, seconds: float) -> None:
    """Set after how many seconds a read of any part of a message fails; 0 for never."""
    whole = int(seconds)
    limit = struct.pack("ll", whole, int(1e6 * (seconds - whole)))
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)


def call(address: Any, seconds: float) -> socket.socket:
    """Return a connection to a process of the job.

    Raises OSError if nobody answers, StrangerError if it does not answer like one, and
    AuthenticationError if it has another secret.
    """
    called = socket.create_connection(address, seconds)
    try:
        with bounded(called, min(PROOF, seconds)) as connection:
            answer_challenge(connection, secret())
            deliver_challenge(connection, secret())
    except (OSError, EOFError, AssertionError) as error:
        called.close()
        raise StrangerError(str(error) or "it has hung up") from error
    except AuthenticationError:
        called.close()
        raise
    return called


def examine(connection: Connection, key: bytes) -> None:
    """Check that one who has called knows the secret; raise AuthenticationError if not."""
    deliver_challenge(connection, key)
    answer_challenge(connection, key)


class Server:
    """What answers those who call, once they have proved that they are of the job.

    Each has a thread of its own: one who says nothing keeps nobody waiting.

    Args:
        listening: The socket that is called.
        answer: What is done with a connection, which is closed afterwards.
        name: The name of the threads.
    """

    def __init__(
        self, listening: socket.socket, answer: Callable[[Connection], None], name: str
    ) -> None:
        self._listening = listening
        self._answer = answer
        self._name = name
        self._secret = secret()
        #: addresses of those who have another secret
        self.strangers: list[str] = []
        threading.Thread(target=self._accept, daemon=True, name=name).start()

    def _accept(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                caller, address = self._listening.accept()
                threading.Thread(
                    target=self._serve, args=(caller, str(address[0])), daemon=True,
                    name=f"{self._name} client",
                ).start()  # fmt: skip

    def _serve(self, raw: socket.socket, address: str) -> None:
        with contextlib.suppress(EOFError, OSError), raw:
            try:
                with bounded(raw) as newcomer:
                    examine(newcomer, self._secret)
            except AuthenticationError:
                self.strangers.append(address)
                return
            with Connection(raw.detach()) as caller:
                self._answer(caller)
