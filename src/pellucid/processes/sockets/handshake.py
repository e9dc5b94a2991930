"""Connections of processes that prove to each other that they belong to the same job."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from pellucid.processes.stores import secret

#: seconds that one who has connected has for the proof; strangers may connect and say nothing
PROOF = 10.0


class StrangerError(ConnectionError):
    """What listens at an address is not a process of a job."""


class _Bounded(Connection):
    """A connection whose messages are waited for no longer than until a moment."""

    def __init__(self, handle: int, seconds: float) -> None:
        super().__init__(handle)
        self._limit = time.monotonic() + seconds

    def recv_bytes(self, maxlength: int | None = None) -> bytes:
        """Return the next message; raise TimeoutError if none comes in time."""
        if not self.poll(max(0.0, self._limit - time.monotonic())):
            raise TimeoutError("it says nothing")
        return super().recv_bytes(maxlength)


@contextlib.contextmanager
def bounded(raw: socket.socket, seconds: float) -> Iterator[Connection]:
    """Give a connection for messages of bytes, each awaited so long, without taking it away."""
    raw.setblocking(True)
    with _Bounded(os.dup(raw.fileno()), seconds) as wrapped:
        yield wrapped


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
