"""What the environment says about this process: its rank, and how many there are."""

from __future__ import annotations

import os
from typing import NamedTuple

from pellucid.errors import ArgumentError

#: names under which MPI libraries and Slurm announce each number; the first that is set counts
RANK_NAMES = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK")
SIZE_NAMES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS")
LOCAL_RANK_NAMES = (
    "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID",
)  # fmt: skip
LOCAL_SIZE_NAMES = (
    "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE",
)  # fmt: skip


class Launched(NamedTuple):
    """The place that an MPI launcher gave to this process."""

    rank: int
    size: int


def first_number(names: tuple[str, ...]) -> int | None:
    """Return the number in the first of these variables that is set."""
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    return None


def launched() -> Launched | None:
    """Return rank and size if an MPI launcher started this process, else ``None``."""
    rank, size = first_number(RANK_NAMES), first_number(SIZE_NAMES)
    return None if rank is None or size is None else Launched(rank, size)


#: what ``env://`` takes from the environment
_REQUIRED = {
    "RANK": "the rank of this process, from 0",
    "WORLD_SIZE": "the number of processes",
    "MASTER_ADDR": "name or address of the machine of rank 0",
    "MASTER_PORT": "a free port of that machine, the same on all ranks",
}


def required_text(name: str) -> str:
    """Return what ``env://`` takes from the environment; raise ValueError without it."""
    if name not in os.environ:
        raise ArgumentError(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{name} expected, but not set\n  It is {_REQUIRED[name]}. `python -m "
            "pellucid.distributed.run --nproc-per-node 2 SCRIPT` sets all that is needed; by hand, "
            f"set {', '.join(_REQUIRED)} for each process, or pass them to init_process_group."
        )
    return os.environ[name]


def required_number(name: str) -> int:
    """Return a number that ``env://`` takes from the environment; raise ValueError without it."""
    text = required_text(name)
    try:
        return int(text)
    except ValueError as error:
        raise ArgumentError(f"{error}\n  {name}={text}: it is {_REQUIRED[name]}.") from error
