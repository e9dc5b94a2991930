"""What ranks have, side by side: their graphs, parameters, buffers and random numbers."""

from __future__ import annotations

import pickle
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.errors import ArgumentTypeError
from pellucid.inspect.snapshot import Graph
from pellucid.inspect.tables import size_text
from pellucid.nn import Module
from pellucid.random import get_rng_state
from pellucid.ranks import ranks


@dataclass(frozen=True)
class RankTotals:
    """Nodes, leaves and held bytes of each rank's graph.

    Args:
        rows: For each rank of the group, these three numbers.

    >>> torch.inspect.RankTotals(((3, 1, 8), (4, 1, 8))).differing
    (1,)
    """

    rows: tuple[tuple[int, int, int], ...]

    @property
    def total_bytes(self) -> int:
        """The bytes that the graphs of all ranks hold."""
        return sum(held for _, _, held in self.rows)

    @property
    def differing(self) -> tuple[int, ...]:
        """The ranks whose graph has another number of nodes or leaves than that of rank 0."""
        return tuple(rank for rank, row in enumerate(self.rows) if row[:2] != self.rows[0][:2])

    def __str__(self) -> str:
        lines = [
            f"rank {rank}: {nodes} nodes, {leaves} leaves, holds {size_text(held)}"
            for rank, (nodes, leaves, held) in enumerate(self.rows)
        ]
        return "\n".join([*lines, f"all ranks hold {size_text(self.total_bytes)}"])


def over_ranks(picture: Graph, group: Any = None) -> RankTotals:
    """Sum up the graphs of all ranks of a group; all of them call it.

    Args:
        picture: This rank's graph, from `graph`.
        group: The group; the default one if None.

    Returns:
        The totals, the same on all ranks; they print as a table.

    Raises:
        ValueError: Without a process group.

    >>> from pellucid.inspect import graph, over_ranks
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> x = torch.ones(2, requires_grad=True)
    >>> print(over_ranks(graph((x * x).sum())))
    rank 0: 2 nodes, 1 leaves, holds 8 B
    all ranks hold 8 B
    >>> torch.distributed.destroy_process_group()
    """
    mine = len(picture.nodes), len(picture.leaves), picture.total_bytes
    return RankTotals(tuple(ranks.resolved(group).gathered(mine, "inspect.over_ranks")))


@dataclass(frozen=True)
class RankDifferences:
    """Parameters, buffers and streams of random numbers that are not the same on all ranks.

    Args:
        rows: For each of them its kind, its name and the ranks that differ from the first.

    >>> print(torch.inspect.RankDifferences((("buffer", "mean", (1,)),)))
    buffer mean: rank 1 differs from rank 0
    """

    rows: tuple[tuple[str, str, tuple[int, ...]], ...]

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __str__(self) -> str:
        if not self.rows:
            return "all ranks have the same parameters, buffers and streams of random numbers"
        return "\n".join(
            f"{kind} {name}: rank{'s' * (len(differing) > 1)} {', '.join(map(str, differing))} "
            f"differ{'s' * (len(differing) == 1)} from rank 0"
            for kind, name, differing in self.rows
        )


def ranks_differ(module: Any, group: Any = None) -> RankDifferences:
    """Compare parameters, buffers and streams of random numbers of all ranks; all of them call it.

    Each rank sends a number for each of them. Parts of spread parameters are not compared, as they
    are meant to differ.

    Args:
        module: The module, the same on all ranks.
        group: The group; the default one if None.

    Returns:
        What differs, the same on all ranks; it is false if nothing does, and prints as a list.

    Raises:
        ValueError: Without a process group.
        TypeError: For a module of PyTorch's.

    >>> from pellucid.inspect import ranks_differ
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> print(ranks_differ(torch.nn.Linear(2, 1)))
    all ranks have the same parameters, buffers and streams of random numbers
    >>> torch.distributed.destroy_process_group()
    """
    if not isinstance(module, Module):
        raise ArgumentTypeError(
            f"ranks_differ() takes a module of pellucid's, not {type(module).__name__}, as it asks "
            "pellucid's processes; what PyTorch's ranks have is compared by watch --with torch"
        )
    mine = dict(_digests(module))
    every = ranks.resolved(group).gathered(mine, "inspect.ranks_differ")
    keys = dict.fromkeys(key for each in every for key in each)
    found = []
    for kind, name in keys:
        told = [each.get((kind, name)) for each in every]
        differing = tuple(rank for rank, each in enumerate(told) if each != told[0])
        if differing:
            found.append((kind, name, differing))
    return RankDifferences(tuple(found))


def _digests(module: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Return a number for each parameter, buffer and stream of random numbers, by kind and name."""
    kinds = (("parameter", module.named_parameters()), ("buffer", module.named_buffers()))
    for kind, named in kinds:
        for name, tensor in named:
            if tensor.held is tensor:
                array = np.ascontiguousarray(tensor._array)
                about = (array.shape, array.dtype.str, zlib.crc32(array.view(np.uint8).data))
                yield (kind, name), about
    for name, checksum in zip(("torch", "random"), stream_checksums(), strict=True):
        yield ("random numbers of", name), checksum


def stream_checksums() -> tuple[int, int]:
    """Return a number for the state of torch's stream of random numbers, and for Python's."""
    states = get_rng_state()._array.tobytes(), pickle.dumps(random.getstate())
    return zlib.crc32(states[0]), zlib.crc32(states[1])
