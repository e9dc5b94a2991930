"""What the graphs of all ranks hold, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pellucid.inspect.snapshot import Graph, size_text
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
