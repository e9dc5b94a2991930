"""Views of a graph that do not change it: nothing is unpacked, run or kept alive.

>>> import pellucid as torch
>>> from pellucid.inspect import graph
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> len(graph((x * x).sum()).nodes)
2
"""

from pellucid.inspect.account import Block, LeafMemory, Memory, NodeMemory, Share, memory
from pellucid.inspect.checks import Finding, Findings, check, checking
from pellucid.inspect.difference import GraphDiff, diff
from pellucid.inspect.forecast import BackwardPlan, PlannedError, PlannedLeaf, PlannedNode, plan
from pellucid.inspect.ranks import RankTotals, over_ranks
from pellucid.inspect.recording import Recording, record
from pellucid.inspect.snapshot import Graph, GraphLeaf, GraphNode, SavedValue, graph

__all__ = [
    "BackwardPlan", "Block", "Finding", "Findings", "Graph", "GraphDiff", "GraphLeaf", "GraphNode",
    "LeafMemory", "Memory", "NodeMemory", "PlannedError", "PlannedLeaf", "PlannedNode",
    "RankTotals", "Recording", "SavedValue", "Share", "check", "checking", "diff", "graph",
    "memory", "over_ranks", "plan", "record",
]  # fmt: skip
