"""Where the processes of a job learn of one another: a store; and what keeps them from meeting."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any, NamedTuple, NoReturn

from pellucid.processes.errors import DistStoreError
from pellucid.processes.output import Patience
from pellucid.processes.sockets.tcp_store import TCPStore
from pellucid.processes.stores import FileStore, Store
from pellucid.processes.supervisor import has_ended
from pellucid.processes.work import named_ranks

#: seconds between two looks at the store
_PAUSE = 0.01
#: seconds for which rank 0, who serves the store, lets the others read why there is no job
_STAY = 0.5


class Entry(NamedTuple):
    """What a process says about itself."""

    size: int
    host: str
    pid: int
    rest: Any

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


class Meeting:
    """The processes of a job in their store.

    Args:
        store: The store.
        rank: The rank of this process.
        size: The number of processes.
        timeout: How long to wait for the others, in seconds.
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: float) -> None:
        self._store = store
        self.rank = rank
        self.size = size
        self.timeout = timeout
        self._limit = time.monotonic() + timeout
        self._patience = Patience()
        #: what each rank has said about itself, by rank
        self.entries: list[Entry] = []

    def join(self, about: Any) -> list[Any]:
        """Return what each rank says about itself, when all have done so.

        This process says what it is given, and waits for the others.

        Raises DistStoreError if they do not come in time, if two of them have the same rank, or if
        they do not agree on their number.
        """
        mine = Entry(self.size, socket.gethostname(), os.getpid(), about)
        self._enter(mine)
        for rank in range(self.size):
            entry = Entry(*json.loads(self._awaited("rank", rank)))
            if entry.size != self.size:
                self._refuse(
                    f"the processes do not agree on how many they are: rank {rank}, {entry}, says "
                    f"{entry.size}, and rank {self.rank}, {mine}, {self.size}. Give all ranks "
                    "the same WORLD_SIZE (world_size of init_process_group)."
                )
            self.entries.append(entry)
        return [entry.rest for entry in self.entries]

    def gather(self, what: str, value: Any) -> list[Any]:
        """Return one value of each rank, when all have set theirs."""
        self._store.set(f"{what}/{self.rank}", json.dumps(value))
        return [json.loads(self._awaited(what, rank)) for rank in range(self.size)]

    def _enter(self, mine: Entry) -> None:
        key, text = f"rank/{self.rank}", json.dumps(mine)
        found = self._store.compare_set(key, "", text).decode()
        if found == text:
            return
        other = Entry(*json.loads(found))
        if other.host != mine.host or not has_ended(other.pid):
            self._refuse(
                f"rank {self.rank} is there twice: {other}, and {mine}. Each process of a job has "
                f"a RANK of its own, and each job {self._a_store_of_its_own()}."
            )
        self._store.set(key, text)  # that of a process that has ended, in an older store

    def _awaited(self, what: str, rank: int) -> bytes:
        key = f"{what}/{rank}"
        while not self._store.check([key]):
            if self._store.check(["refused"]):
                self._end(self._store.get("refused").decode())
            if time.monotonic() > self._limit:
                raise DistStoreError(
                    f"Timed out after {self.timeout:.0f} seconds waiting for clients. "
                    f"{self._missing(what)}"
                )
            self._patience.say(lambda: self._missing(what))
            time.sleep(_PAUSE)
        return self._store.get(key)

    def _refuse(self, why: str) -> NoReturn:
        """Raise, and let all others raise the same."""
        self._store.set("refused", why)
        self._end(why)

    def _end(self, why: str) -> NoReturn:
        if self.rank == 0:
            time.sleep(_STAY)
        raise DistStoreError(why)

    def _missing(self, what: str) -> str:
        here = [each for each in range(self.size) if self._store.check([f"{what}/{each}"])]
        absent = [each for each in range(self.size) if each not in here]
        store = self.underlying_store
        strangers = store.about_strangers() if isinstance(store, TCPStore) else ""
        return (
            f"{len(here)}/{self.size} clients joined.\n  rank {self.rank} waits in {self.where} "
            f"for {named_ranks(absent)}: not started, ended before, or waiting elsewhere. Each "
            f"process needs its own RANK, WORLD_SIZE={self.size}, and the same address."
            f"{strangers}"
        )

    def rest(self) -> float:
        """Return the seconds that are left to wait for the others."""
        return max(1.0, self._limit - time.monotonic())

    @property
    def underlying_store(self) -> Store:
        """The store that has the keys, without the prefix of another."""
        return getattr(self._store, "underlying_store", self._store)

    @property
    def where(self) -> str:
        """The store, for messages."""
        store = self.underlying_store
        if isinstance(store, TCPStore):
            return f"the store at ({store.host}, {store.port})"
        return f"the file {store.path}" if isinstance(store, FileStore) else "the store"

    def _a_store_of_its_own(self) -> str:
        store = self.underlying_store
        return {TCPStore: "a MASTER_PORT", FileStore: "a new file"}.get(type(store), "a store")
