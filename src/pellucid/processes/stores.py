"""Stores: small dictionaries that several processes share, by which they find one another."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.processes.errors import DistStoreError, QueueEmptyError

#: how long `get` and `wait` wait for a key unless told otherwise
DEFAULT_TIMEOUT = timedelta(seconds=300)
#: seconds between two looks at a file
_PAUSE = 0.01
#: variable of the secret that the launcher shares with its processes
TOKEN = "PELLUCID_JOB_TOKEN"


def secret() -> bytes:
    """Return what processes of one job prove to each other that they know."""
    return os.environ.get(TOKEN, "pellucid").encode()


class Store:
    """A dictionary from names to bytes that several processes share.

    Args:
        timeout: How long `get` and `wait` wait for a key, a timedelta.
    """

    def __init__(self, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        self._timeout = timeout

    @property
    def timeout(self) -> timedelta:
        """How long `get` and `wait` wait for a key."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long `get` and `wait` wait for a key."""
        self._timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Give a key a value."""
        text = value.encode() if isinstance(value, str) else bytes(value)
        self._change(_put, key, text)

    def get(self, key: str) -> bytes:
        """Return the value of a key, when it has one; DistStoreError after the time limit."""
        self.wait([key])
        return self._change(_value, key)

    def add(self, key: str, amount: int) -> int:
        """Add to the number under a key, 0 at first, and return the sum."""
        return self._change(_added, key, amount)

    def append(self, key: str, value: str | bytes) -> None:
        """Put bytes at the end of a key's value."""
        text = value.encode() if isinstance(value, str) else bytes(value)
        self._change(_appended, key, text)

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Give a key a value if it has the expected one, or none and "" is expected.

        Returns the value that the key has afterwards.
        """
        return self._change(_compared, key, expected_value.encode(), desired_value.encode())

    def check(self, keys: list[str]) -> bool:
        """Return whether all these keys have values."""
        return self._change(_has, keys)

    def delete_key(self, key: str) -> bool:
        """Take a key out; return whether it was there."""
        return self._change(_deleted, key)

    def num_keys(self) -> int:
        """Return the number of keys."""
        return self._change(_count)

    def list_keys(self) -> list[str]:
        """Return all keys."""
        return self._change(_keys)

    def multi_get(self, keys: list[str]) -> list[bytes]:
        """Return the values of several keys, when all of them have one."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: list[str], values: list[str]) -> None:
        """Give several keys values."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Wait until all these keys have values; raise DistStoreError after the time limit."""
        seconds = (timeout or self._timeout).total_seconds()
        limit = time.monotonic() + seconds
        while not self.check(keys):
            if time.monotonic() > limit:
                raise DistStoreError(
                    f"wait timeout after {1000 * seconds:.0f}ms, keys: {', '.join(keys)}: no "
                    "process has set them; are all processes of the job running?"
                )
            self._pause()

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Put a value at the end of a queue."""
        text = value.encode() if isinstance(value, str) else bytes(value)
        self._change(_pushed, key, text)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value out of a queue, and wait for one if ``block``.

        Raises QueueEmptyError for an empty queue without ``block``, DistStoreError after the time
        limit.
        """
        limit = time.monotonic() + self._timeout.total_seconds()
        while True:
            found = self._change(_popped, key)
            if found:
                return found[0]
            if not block:
                raise QueueEmptyError("queue is empty")
            if time.monotonic() > limit:
                raise DistStoreError(f"wait timeout after {self._timeout}, queue: {key}")
            self._pause()

    def queue_len(self, key: str) -> int:
        """Return how many values are in a queue."""
        return self._change(_length, key)

    def barrier(self, key: str, world_size: int, timeout: timedelta | None = None) -> None:
        """Wait until this many processes have called this with the key."""
        if self.add(f"{key}/arrived", 1) % world_size == 0:
            self.set(f"{key}/all", "")
        self.wait([f"{key}/all"], timeout)

    def clone(self) -> Store:
        """Return a store of the same keys, which is this one: several threads may use it."""
        return self

    def has_extended_api(self) -> bool:
        """Return True: values can be appended, and several read and written at once."""
        return True

    def _change(self, what: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the dictionary and the arguments, while nobody else changes it."""
        raise NotImplementedError

    def _pause(self) -> None:
        time.sleep(_PAUSE)


# What can be done with the dictionary. These are functions of the module, as they travel by name.


def _put(values: dict[str, bytes], key: str, value: bytes) -> None:
    values[key] = value


def _value(values: dict[str, bytes], key: str) -> bytes:
    return values.get(key, b"")


def _added(values: dict[str, bytes], key: str, amount: int) -> int:
    total = int(values.get(key, b"0")) + amount
    values[key] = str(total).encode()
    return total


def _appended(values: dict[str, bytes], key: str, value: bytes) -> None:
    values[key] = values.get(key, b"") + value


def _compared(values: dict[str, bytes], key: str, expected: bytes, desired: bytes) -> bytes:
    if key not in values:
        if expected:
            return expected
        values[key] = desired
    elif values[key] == expected:
        values[key] = desired
    return values[key]


def _has(values: dict[str, bytes], keys: list[str]) -> bool:
    return all(key in values for key in keys)


def _deleted(values: dict[str, bytes], key: str) -> bool:
    return values.pop(key, None) is not None


def _count(values: dict[str, bytes]) -> int:
    return len(values)


def _keys(values: dict[str, bytes]) -> list[str]:
    return list(values)


def _pushed(values: dict[str, bytes], key: str, value: bytes) -> None:
    queue = json.loads(values.get(key, b"[]"))
    values[key] = json.dumps([*queue, value.decode("latin-1")]).encode()


def _popped(values: dict[str, bytes], key: str) -> list[bytes]:
    """Return the first value of a queue, or nothing, and take it out."""
    queue = json.loads(values.pop(key, b"[]"))
    if len(queue) > 1:
        values[key] = json.dumps(queue[1:]).encode()
    return [each.encode("latin-1") for each in queue[:1]]


def _length(values: dict[str, bytes], key: str) -> int:
    return len(json.loads(values.get(key, b"[]")))


#: what can be asked for, by name
changes: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        _put, _value, _added, _appended, _compared, _has, _deleted, _count, _keys, _pushed,
        _popped, _length,
    )
}  # fmt: skip


# Stores travel and are kept as JSON, in which nobody can hide code as in a pickle.


def as_text(value: Any) -> bytes:
    """Return numbers, text and bytes as JSON."""
    return json.dumps(value, default=lambda data: {"bytes": data.decode("latin-1")}).encode()


def from_text(text: bytes) -> Any:
    """Return what `as_text` has written."""
    return json.loads(text, object_hook=_bytes_of)


def _bytes_of(found: dict[str, Any]) -> Any:
    return found["bytes"].encode("latin-1") if isinstance(found.get("bytes"), str) else found


class HashStore(Store):
    """A store within one process, for its threads.

    >>> store = torch.distributed.HashStore()
    >>> store.set("a", "1")
    >>> store.get("a"), store.add("n", 2), store.num_keys()
    (b'1', 2, 2)
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def _change(self, what: Callable[..., Any], *args: Any) -> Any:
        with self._lock:
            return what(self._values, *args)


class FileStore(Store):
    """A store in a file, which all processes can open.

    Args:
        file_name: The file; it is made if it is not there.
        world_size: Number of processes, for `world_size`; -1 if it is not known.
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self._path = os.fspath(file_name)
        self.world_size = world_size

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Any]:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise DistStoreError(
                f"{error.strerror}\n  FileStore cannot open {self._path}: name a new file in a "
                "folder that is there, and in which all ranks can write."
            ) from error
        with open(descriptor, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _change(self, what: Callable[..., Any], *args: Any) -> Any:
        with self._locked() as file:
            text = file.read()
            values: dict[str, bytes] = from_text(text) if text else {}
            result = what(values, *args)
            changed = as_text(values)
            if changed != text:
                file.seek(0)
                file.write(changed)
                file.truncate()
        return result


class PrefixStore(Store):
    """A store whose keys get a prefix in another one.

    Args:
        prefix: The prefix.
        store: The other one.
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__(store.timeout)
        self.prefix = prefix
        self._store = store

    @property
    def underlying_store(self) -> Store:
        """The store that has the keys."""
        return self._store

    def _change(self, what: Callable[..., Any], *args: Any) -> Any:
        if what in (_count, _keys):
            return self._store._change(what)
        first, *rest = args
        named = [self._named(each) for each in first] if what is _has else self._named(first)
        return self._store._change(what, named, *rest)

    def _named(self, key: str) -> str:
        return f"{self.prefix}/{key}"


def check_store(store: Any) -> Store:
    """Return a store that a program has given; raise ValueError for anything else."""
    if not isinstance(store, Store):
        raise ArgumentError(f"store must be a torch.distributed.Store, not {type(store).__name__}")
    return store
