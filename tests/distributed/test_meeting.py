"""How processes find one another, and which errors they raise where they do not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid.distributed as dist
from pellucid.distributed import run as launcher
from pellucid.distributed.rendezvous import rendezvous
from pellucid.processes.board import SLOT, State
from pellucid.processes.sockets.board import Place, SocketBoard, answer
from pellucid.processes.sockets.handshake import bounded, examine
from pellucid.processes.sockets.meeting import Meeting
from pellucid.processes.stores import Store, secret

SOON = timedelta(seconds=0.3)


def at_once(*calls: Callable[[], object]) -> list[str]:
    """Make calls in threads, and return their errors, or what they return, as text."""

    def outcome(call: Callable[[], object]) -> str:
        try:
            return str(call())
        except dist.DistStoreError as error:
            return str(error)

    with ThreadPoolExecutor(len(calls)) as several:
        return list(several.map(outcome, calls))


def coming(store: Store, rank: int, size: int, about: str = "") -> Callable[[], object]:
    return lambda: Meeting(store, rank, size, 20.0).join(about)


def test_each_rank_learns_what_the_others_say() -> None:
    store = dist.HashStore()
    said = at_once(coming(store, 0, 2, "a"), coming(store, 1, 2, "b"))
    assert said == ["['a', 'b']"] * 2


def test_ranks_that_do_not_agree_on_their_number_all_say_so_at_once() -> None:
    store = dist.HashStore()
    for outcome in at_once(coming(store, 0, 2), coming(store, 1, 3), coming(store, 2, 3)):
        assert "the processes do not agree on how many they are" in outcome
        assert "Give all ranks the same WORLD_SIZE" in outcome


def test_a_rank_that_two_processes_have_is_reported_to_all() -> None:
    store = dist.HashStore()
    for outcome in at_once(coming(store, 0, 3), coming(store, 1, 3, "a"), coming(store, 1, 3, "b")):
        assert f"rank 1 is there twice: process {os.getpid()} on " in outcome


def test_a_process_takes_the_place_of_one_that_has_ended() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    store = dist.HashStore()
    store.set("rank/0", json.dumps([1, socket.gethostname(), ended.pid, "old"]))
    assert Meeting(store, 0, 1, 1.0).join("new") == ["new"]


def test_who_does_not_come_is_named_with_where_it_was_awaited(tmp_path: Path) -> None:
    store = dist.FileStore(str(tmp_path / "store"))
    with pytest.raises(
        dist.DistStoreError,
        match=r"^Timed out after 0 seconds waiting for clients. 1/3 clients joined.\n  rank 1 "
        r"waits in the file \S+store for ranks 0, 2: .*WORLD_SIZE=3",
    ):
        Meeting(store, 1, 3, 0.1).join("")


def test_a_process_that_was_refused_is_named_to_whom_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served = dist.TCPStore("127.0.0.1", 0, is_master=True)
    monkeypatch.setenv("PELLUCID_JOB_TOKEN", "another")
    with pytest.raises(dist.DistNetworkError, match="PELLUCID_JOB_TOKEN"):
        dist.TCPStore("127.0.0.1", served.port, timeout=SOON)
    with pytest.raises(dist.DistStoreError, match=r"at 127.0.0.1 have called and were refused"):
        Meeting(served, 0, 2, 0.1).join("")


def test_a_port_that_another_program_has_is_reported() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(
            dist.DistNetworkError,
            match=r"^The server socket has failed to listen on any local network address. port: "
            r"\d+, useIpv6: false, code: -\d+, name: EADDRINUSE, message: address already in use\n"
            r"  .*another MASTER_PORT",
        ),
    ):
        dist.TCPStore("127.0.0.1", taken.getsockname()[1], is_master=True, timeout=SOON)


def test_what_listens_and_is_no_store_is_reported() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(dist.DistNetworkError, match=r"timed out after 300ms.*\n.* is no store"),
    ):
        dist.TCPStore("127.0.0.1", silent.getsockname()[1], timeout=SOON)


def test_a_name_that_no_machine_has_is_reported() -> None:
    with pytest.raises(dist.DistNetworkError, match=r"\n  The name no.invalid cannot be resolved"):
        dist.TCPStore("no.invalid", 29500, timeout=SOON)


def test_a_store_whose_process_has_ended_is_reported() -> None:
    def end_after_the_proof() -> None:
        came, _ = server.accept()
        with came, bounded(came, 10.0) as connection:
            examine(connection, secret())

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=end_after_the_proof).start()
        store = dist.TCPStore("127.0.0.1", server.getsockname()[1])
        with pytest.raises(
            dist.DistNetworkError, match=r"^Failed to recv, got 0 bytes. Connection was likely "
        ):
            store.get("key")


def test_strangers_who_say_nothing_keep_nobody_from_the_store() -> None:
    served = dist.TCPStore("127.0.0.1", 0, is_master=True)
    with socket.create_connection(("127.0.0.1", served.port)):
        other = dist.TCPStore("127.0.0.1", served.port, timeout=timedelta(seconds=20))
        other.set("a", "1")
    assert served.get("a") == b"1"


def test_strangers_who_say_nothing_keep_nobody_from_the_board() -> None:
    slot = np.zeros(SLOT, np.uint8)
    address = answer(slot, "127.0.0.1")
    places = [Place(host, 1, "", "", address) for host in ("there", "here")]
    links: Any = None
    SocketBoard(0, slot, places, {}, links).write(State.WAITING, b"all_reduce")
    with socket.create_connection(address):
        entry = SocketBoard(1, np.zeros(SLOT, np.uint8), places, {}, links).read(0)
    assert entry is not None
    assert (entry.state, entry.text) == (State.WAITING, "all_reduce")


def test_a_rank_that_does_not_answer_is_waited_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pellucid.processes.sockets.board.READING", 0.1)
    links: Any = None
    with socket.create_server(("127.0.0.1", 0)) as silent:
        places = [Place(host, 1, "", "", silent.getsockname()) for host in ("there", "here")]
        assert SocketBoard(1, np.zeros(SLOT, np.uint8), places, {}, links).read(0) is None


def test_half_of_a_message_is_not_awaited_for_ever() -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b"\0\0")
        with pytest.raises(TimeoutError), bounded(here, 0.1) as connection:
            connection.recv_bytes()
        there.sendall(b"\0\1a")
        assert here.recv(8) == b"\0\1a"


def test_a_file_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    with pytest.raises(dist.DistStoreError, match=r"^No such file or directory\n  .*/none/store"):
        dist.FileStore(str(tmp_path / "none" / "store")).get("key")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file://", "using file:// rendezvous: path missing"),
        ("tcp://a?rank=0&world_size=1", "using tcp:// rendezvous: port number missing"),
        ("tcp://a:b?rank=0&world_size=1", "Port could not be cast to integer value as 'b'\n"),
        ("tcp://a:77777?rank=0&world_size=1", "Port out of range 0-65535"),
        ("tcp://a:1?rank=x&world_size=1", "invalid literal for int.*: 'x'\n  tcp://a:1"),
        ("env://?rank=0&world_size=1", "'abc'\n  MASTER_PORT=abc"),
        ("env://?world_size=1", "'zero'\n  RANK=zero"),
    ],
)
def test_an_address_that_is_none_is_reported(
    url: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("RANK", "zero"), ("MASTER_ADDR", "localhost"), ("MASTER_PORT", "abc")):
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=why):
        next(rendezvous(url, *((0, 1) if url == "file://" else ())))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--hostfile", "FILE"], "FILE names no machine\n  Write one per line, as `node1`"),
        (["--hostfile", "NONE"], "NONE: No such file or directory\n  Write a file with"),
        (["--hosts", "a,,b"], "'a,,b': a name is missing\n"),
        (["--hosts", "a,b", "--nnodes", "3"], "--nnodes 3, but 2 named: a, b\n"),
        (["--nnodes", "2", "--node-rank", "2"], "--node-rank 2: of 2 machines"),
    ],
)
def test_machines_that_are_none_are_reported(options: list[str], why: str, tmp_path: Path) -> None:
    hostfile = tmp_path / "FILE"
    hostfile.write_text("# no machine\n\n")
    places = {"FILE": str(hostfile), "NONE": str(tmp_path / "NONE")}
    with pytest.raises(ValueError, match=why):
        launcher.main([*(places.get(each, each) for each in options), "script.py"])
