"""Stores: what processes tell one another before they are connected."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

import pellucid.distributed as dist

SOON = timedelta(seconds=0.05)


@pytest.fixture(params=["hash", "file", "tcp", "prefix"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> dist.Store:
    """Return an empty store of each kind."""
    if request.param == "file":
        return dist.FileStore(str(tmp_path / "store"), 1)
    if request.param == "tcp":
        return dist.TCPStore("127.0.0.1", 0, is_master=True)
    made = dist.HashStore()
    return made if request.param == "hash" else dist.PrefixStore("inside", made)


def test_a_store_keeps_bytes_by_name(store: dist.Store) -> None:
    store.set("text", "abc")
    store.set("bytes", b"\x00\xff")
    assert store.get("text") == b"abc"
    assert store.get("bytes") == b"\x00\xff"
    assert store.check(["text", "bytes"])
    assert not store.check(["text", "neither"])
    assert store.num_keys() == 2
    assert store.delete_key("text")
    assert not store.delete_key("text")
    assert store.multi_get(["bytes"]) == [b"\x00\xff"]


def test_a_store_counts(store: dist.Store) -> None:
    assert store.add("n", 2) == 2
    assert store.add("n", -3) == -1
    assert store.get("n") == b"-1"


def test_a_value_is_exchanged_for_another_only_if_it_is_the_expected_one(
    store: dist.Store,
) -> None:
    assert store.compare_set("k", "", "first") == b"first"
    assert store.compare_set("k", "other", "second") == b"first"
    assert store.compare_set("k", "first", "second") == b"second"
    assert store.get("k") == b"second"


def test_who_asks_for_a_key_waits_until_it_is_there(store: dist.Store) -> None:
    threading.Timer(0.05, store.set, ("late", "here")).start()
    assert store.get("late") == b"here"


def test_waiting_ends_with_the_time_limit(store: dist.Store) -> None:
    with pytest.raises(dist.DistStoreError, match="wait timeout after 50ms, keys: never"):
        store.wait(["never"], SOON)


def test_two_stores_of_one_server_share_their_keys() -> None:
    served = dist.TCPStore("127.0.0.1", 0, world_size=2, is_master=True, wait_for_workers=False)
    other = dist.TCPStore("127.0.0.1", served.port, world_size=2, is_master=False)
    other.set("a", "1")
    assert served.get("a") == b"1"


def test_without_a_server_the_time_limit_tells_whom_to_start() -> None:
    with pytest.raises(dist.DistNetworkError, match="is the process of rank 0 running there"):
        dist.TCPStore("127.0.0.1", 1, timeout=SOON)


def test_who_does_not_know_the_secret_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_JOB_TOKEN", "one")
    served = dist.TCPStore("127.0.0.1", 0, is_master=True)
    monkeypatch.setenv("PELLUCID_JOB_TOKEN", "another")
    with pytest.raises(dist.DistNetworkError, match="PELLUCID_JOB_TOKEN"):
        dist.TCPStore("127.0.0.1", served.port, timeout=SOON)


def test_values_are_taken_out_of_a_queue_in_their_order(store: dist.Store) -> None:
    store.queue_push("q", b"\xff")
    store.queue_push("q", "second")
    assert store.queue_len("q") == 2
    assert [store.queue_pop("q"), store.queue_pop("q", block=False)] == [b"\xff", b"second"]
    assert store.queue_len("q") == store.num_keys() == 0
    with pytest.raises(dist.QueueEmptyError, match="queue is empty"):
        store.queue_pop("q", block=False)
    store.set_timeout(SOON)
    with pytest.raises(dist.DistStoreError, match="queue: q"):
        store.queue_pop("q")


def test_a_barrier_of_a_store_lets_all_pass_when_all_are_there(store: dist.Store) -> None:
    with pytest.raises(dist.DistStoreError, match="wait timeout"):
        store.barrier("b", 2, SOON)
    store.clone().barrier("b", 2)
