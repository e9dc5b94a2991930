"""The store that a URL names, by which processes that were started by hand find one another."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple
from urllib.parse import ParseResult, parse_qs, urlparse

from pellucid.errors import ArgumentError
from pellucid.processes.environment import required_number, required_text
from pellucid.processes.sockets.tcp_store import TCPStore
from pellucid.processes.stores import FileStore, Store


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
