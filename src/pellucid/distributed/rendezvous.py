"""How processes that were started by hand find one another: rank, size and a store, by URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.processes.environment import required_number
from pellucid.processes.groups import DEFAULT_TIMEOUT
from pellucid.processes.sockets.rendezvous import numbers_in, store_for
from pellucid.processes.stores import Store
from pellucid.processes.work import seconds

__all__ = ["rendezvous"]


def rendezvous(
    url: str, rank: int = -1, world_size: int = -1, **kwargs: Any
) -> Iterator[tuple[Store, int, int]]:
    """Yield the store that a URL names, the rank of this process, and their number.

    Args:
        url: ``env://``, ``tcp://HOST:PORT`` or ``file://PATH``.
        rank: The rank; that of the URL or of RANK if -1.
        world_size: The number of processes; that of the URL or of WORLD_SIZE if -1.
        **kwargs: ``timeout``, a timedelta: how long keys of the store are waited for.

    Raises:
        ValueError: For a URL that names no store.

    >>> from pellucid.distributed.rendezvous import rendezvous
    >>> store, rank, size = next(rendezvous("tcp://127.0.0.1:0?rank=0&world_size=1"))
    >>> store.set("a", "1")
    >>> store.get("a"), rank, size
    (b'1', 0, 1)
    """
    given = numbers_in(url)
    rank = given.rank if rank < 0 else rank
    rank = required_number("RANK") if rank < 0 else rank
    world_size = given.size if world_size < 0 else world_size
    world_size = required_number("WORLD_SIZE") if world_size < 0 else world_size
    limit = seconds(kwargs.get("timeout", DEFAULT_TIMEOUT))
    yield store_for(url, rank, world_size, limit), rank, world_size
