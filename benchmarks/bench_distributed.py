"""Two processes: all_reduce next to gloo, data-parallel steps, and a model for many ranks."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Row, duration

PROGRAM = Path(__file__).with_name("processes.py")
SOURCE = Path(__file__).resolve().parents[1] / "src"
SETTINGS = {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SIZES = [4, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26]
#: how often both libraries are measured, one after the other
RUNS = 3
#: what an all_reduce may take of gloo's time, and from how many bytes on
MOST_OF_GLOO = {"MPI": 0.5, "sockets": 1.0}
JUDGED_FROM = {"MPI": 1 << 16, "sockets": 4}
#: what a data-parallel step may take of PyTorch's
MOST_OF_STEP = 0.6
NETWORKS = ("MLP", "GPT", "CNN")
#: a network between machines: seconds per message, bytes per second
LATENCY, BANDWIDTH = 5e-6, 10e9
#: bytes of the bucket that is filled last, as DistributedDataParallel deals out gradients
LAST_BUCKET = 1 << 20
#: numbers of processes with which the model is compared here
CHECKED = (2, 4)
#: ranks of a machine, which share its network card
PER_MACHINE = 32


def cases() -> list[Case]:
    """Return what is measured here."""
    exchanges = [Exchanges("MPI"), Exchanges("sockets")]
    return [*exchanges, Hidden("MPI"), Hidden("sockets"), *(Step(name) for name in NETWORKS)]


def ours_over_mpi(arguments: list[str], count: int = 2) -> Any:
    """Run the program with pellucid as so many processes; None without MPI."""
    from pellucid.processes.launching import can_launch, find_mpiexec

    if not can_launch():
        return None
    command = [str(find_mpiexec()), "-n", str(count), sys.executable, "-m", "pellucid", "run"]
    return _result([*command, str(PROGRAM), *arguments], {})


def ours_over_sockets(arguments: list[str]) -> Any:
    """Run the program with pellucid as two processes that sockets connect."""
    return _by_hand([sys.executable, "-m", "pellucid", "run", str(PROGRAM), *arguments])


def ours_alone(arguments: list[str]) -> Any:
    """Run the program with pellucid as one process."""
    return _result([sys.executable, "-m", "pellucid", "run", str(PROGRAM), *arguments], {})


def theirs_together(arguments: list[str]) -> Any:
    """Run the program with PyTorch and gloo as two processes.

    It is run once more if a signal ends it, as happens now and then where gloo is left.
    """
    command = [sys.executable, str(PROGRAM), *arguments]
    try:
        return _by_hand(command)
    except subprocess.CalledProcessError as error:
        if error.returncode >= 0:
            raise
        return _by_hand(command)


def _by_hand(command: list[str]) -> Any:
    """Run a command as two processes, which find each other by a file."""
    with tempfile.TemporaryDirectory() as directory:
        shared = {"INIT_METHOD": f"file://{directory}/meeting", "WORLD_SIZE": "2"}
        settings = os.environ | SETTINGS | shared
        other = subprocess.Popen(command, env=settings | {"RANK": "1"})
        result = _result(command, shared | {"RANK": "0"})
        other.wait()
    return result


def theirs_alone(arguments: list[str]) -> Any:
    """Run the program with PyTorch as one process."""
    return _result([sys.executable, str(PROGRAM), *arguments], {})


def _result(command: list[str], settings: dict[str, str]) -> Any:
    finished = subprocess.run(
        command, env=os.environ | SETTINGS | settings, capture_output=True, text=True, check=True
    )
    lines = [line for line in finished.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1])


@dataclass(frozen=True, slots=True)
class Exchanges:
    """The time of one all_reduce, by size: over MPI or over sockets."""

    transport: str

    @property
    def name(self) -> str:
        """What is measured."""
        return f"all_reduce over {self.transport}"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Measure all sizes in a run of each library, and again: the best times are compared."""
        arguments = ["exchange", *map(str, SIZES)]
        together = ours_over_mpi if self.transport == "MPI" else ours_over_sockets
        mine, other = {}, {}
        for _ in range(RUNS):
            found = together(arguments)
            if found is None:
                return
            mine = _better(mine, found)
            if theirs is not None:
                other = _better(other, theirs_together(arguments))
        most = MOST_OF_GLOO[self.transport]
        for size, seconds in mine.items():
            reference = other.get(size)
            ratio = None if reference is None else seconds / reference
            judged = ratio is not None and int(size) >= JUDGED_FROM[self.transport]
            yield Row(
                name=f"{self.name}, {int(size):,} bytes, 2 processes",
                ours=duration(seconds),
                reference="" if reference is None else f"gloo {duration(reference)}",
                ratio=ratio,
                target=f"≤ {most}" if judged else "",
                reached=ratio <= most if judged and ratio is not None else None,
            )


def _better(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    """Return the smaller times of two runs."""
    return {size: min(one.get(size, seconds), seconds) for size, seconds in other.items()}


@dataclass(frozen=True, slots=True)
class Hidden:
    """How much of the exchange of three large layers is done when backward ends."""

    transport: str

    @property
    def name(self) -> str:
        """What is measured."""
        return f"three large layers over {self.transport}"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Count the buckets that have been exchanged when backward ends."""
        found = (ours_over_mpi if self.transport == "MPI" else ours_over_sockets)(["overlap"])
        if found is not None:
            yield Row(
                name=f"{self.name}: buckets done when backward ends",
                ours=f"{found['hidden']:.0f} of {found['buckets']}",
                target="≥ 2",
                reached=found["hidden"] >= 2,
            )


@dataclass(frozen=True, slots=True)
class Step:
    """The time of a data-parallel step of two processes, next to one process's."""

    network: str

    @property
    def name(self) -> str:
        """What is measured."""
        return f"{self.network} step"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Measure the step, and say what the model makes of it for more ranks."""
        arguments = ["train", self.network]
        together = ours_over_mpi(arguments)
        if together is None:
            return
        alone = ours_alone(arguments)
        name = f"{self.name}, {together['bytes']:,} bytes of gradients per rank"
        yield Row(
            name=f"{name}, 2 processes",
            ours=duration(together["seconds"]),
            reference=f"1 process {duration(alone['seconds'])}",
            ratio=together["seconds"] / alone["seconds"],
        )
        if theirs is not None:
            others = theirs_together(arguments)["seconds"]
            yield Row(
                name=f"{name}, 2 processes of each library",
                ours=duration(together["seconds"]),
                reference=f"PyTorch {duration(others)}",
                ratio=together["seconds"] / others,
                target=f"≤ {MOST_OF_STEP}",
                reached=together["seconds"] / others <= MOST_OF_STEP,
            )
            other = others / theirs_alone(arguments)["seconds"]
            yield Row(name=f"{name}, PyTorch's ratio", ours="", ratio=other)
        for count in CHECKED:
            measured = together if count == 2 else ours_over_mpi(arguments, count)
            yield self._checked(count, alone["seconds"], measured)
        yield from modelled_rows(self.name, alone["seconds"], together["bytes"])
        yield from simulated_rows(self.name, alone["seconds"], together["bytes"])

    def _checked(self, count: int, computing: float, measured: dict[str, float]) -> Row:
        """Compare the model with what so many processes took, which may share the cores."""
        nbytes = measured["bytes"]
        here = ours_over_mpi(["exchange", "4", str(nbytes)], count)
        latency = here["4"] / _rounds(count)
        moved = 2 * (count - 1) / count * nbytes
        bandwidth = moved / max(here[str(nbytes)] - here["4"], 1e-9)
        sharing = max(1.0, count / (os.cpu_count() or 1))
        step = modelled_step(computing * sharing, nbytes, count, latency, bandwidth)
        return Row(
            name=f"{self.name}, {count} processes, as modelled from all_reduce",
            ours=duration(step),
            reference=f"measured {duration(measured['seconds'])}",
            ratio=step / measured["seconds"],
        )


def modelled_rows(name: str, computing: float, nbytes: float) -> Iterator[Row]:
    """Say what the model makes of a step for more ranks: each with a card, or many sharing one."""
    for ranks, sharing in ((8, 1), (64, 1), (64, PER_MACHINE), (1024, 1), (1024, PER_MACHINE)):
        time = modelled_step(computing, nbytes, ranks, LATENCY, BANDWIDTH, sharing)
        yield Row(
            name=f"{_of_ranks(name, ranks, sharing)}, modelled",
            ours=duration(time),
            reference=f"1/{ranks} of one process's {duration(computing / ranks)}",
            ratio=time * ranks / computing,
        )


def simulated_rows(name: str, computing: float, nbytes: float) -> Iterator[Row]:
    """Compare the model with a step whose messages are simulated, one by one."""
    for ranks, sharing in ((64, 1), (1024, 1), (1024, PER_MACHINE)):
        modelled = modelled_step(computing, nbytes, ranks, LATENCY, BANDWIDTH, sharing)
        time = simulated_step(computing, nbytes, ranks, LATENCY, BANDWIDTH, sharing)
        yield Row(
            name=f"{_of_ranks(name, ranks, sharing)}, simulated",
            ours=duration(time),
            reference=f"modelled {duration(modelled)}",
            ratio=time / modelled,
        )


def _of_ranks(name: str, ranks: int, sharing: int) -> str:
    """Return what a row is about: a step, how many ranks take it, and how many share a card."""
    cards = "a network card each" if sharing == 1 else f"{sharing} to a card"
    return f"{name}, {ranks} ranks, {cards}"


def simulated_step(
    computing: float, nbytes: float, ranks: int, latency: float, bandwidth: float,
    sharing: int = 1, overlapped: float = 0.5,
) -> float:  # fmt: skip
    """Return the seconds after which the last rank has taken a step, whose messages are simulated.

    The first bucket is complete when the gradients begin to come, the last one when backward ends;
    the exchange of a bucket begins when that of the one before has ended.
    """
    own, last = computing / ranks, min(nbytes, LAST_BUCKET)
    buckets = [((1 - overlapped) * own, nbytes - last)] if nbytes > last else []
    clocks = [0.0] * ranks
    for complete, size in [*buckets, (own, last)]:
        clocks = [max(clock, complete) for clock in clocks]
        clocks = simulated_all_reduce(clocks, size, latency, bandwidth, sharing)
    return max(clocks)


def simulated_all_reduce(
    clocks: list[float], nbytes: float, latency: float, bandwidth: float, sharing: int
) -> list[float]:
    """Return when each rank, a power of two of them, has the sum, from when each has begun.

    Rabenseifner's algorithm, message by message: ranks swap a half with the one half of all away, a
    quarter with the one a quarter away, and so on, and then the sums the same way back. The ranks
    of a machine share its card where they swap with another machine's, and within it do not.
    """
    ranks = len(clocks)
    halvings = [ranks >> step for step in range(1, ranks.bit_length())]
    for distance in [*halvings, *reversed(halvings)]:
        share = sharing if distance >= sharing else 1
        seconds = latency + nbytes * distance / ranks * share / bandwidth
        clocks = [
            max(clock, clocks[rank ^ distance]) + seconds for rank, clock in enumerate(clocks)
        ]
    return clocks


def modelled_all_reduce(
    nbytes: float, ranks: int, latency: float, bandwidth: float, sharing: int = 1
) -> float:
    """Return the seconds of an all_reduce: Rabenseifner's algorithm, 2004, over p ranks.

    2 ⌈log₂ p⌉ messages one after the other, and 2 (p - 1) / p of the bytes through each rank. Of
    these, 2 (p - k) / p go to other machines, through a card that the k ranks of a machine use at
    once; the rest goes to ranks of the same machine, as fast as through a card of one's own.
    """
    crossing = max(0, ranks - sharing) / ranks
    within = (ranks - 1) / ranks - crossing
    moved = 2 * nbytes * (crossing * sharing + within)
    return _rounds(ranks) * latency + moved / bandwidth


def _rounds(ranks: int) -> int:
    """Return how many messages of an all_reduce follow one another."""
    return 2 * (ranks - 1).bit_length()


def modelled_step(
    computing: float, nbytes: float, ranks: int, latency: float, bandwidth: float,
    sharing: int = 1, overlapped: float = 0.5,
) -> float:  # fmt: skip
    """Return the seconds of a step whose batch the ranks share out.

    That is their part of the computing, and what of the exchange it cannot hide. ``overlapped`` is
    the part of the computing during which gradients can be on their way: backward is about two
    thirds of a step, and its first gradients come when some of it is done. The last bucket, of at
    most `LAST_BUCKET` bytes, is complete when backward ends, and nothing hides it.
    """
    own, last = computing / ranks, min(nbytes, LAST_BUCKET)
    exchange = functools.partial(
        modelled_all_reduce, ranks=ranks, latency=latency, bandwidth=bandwidth, sharing=sharing
    )
    early = exchange(nbytes - last) if nbytes > last else 0.0
    return own + max(0.0, early - overlapped * own) + exchange(last)
