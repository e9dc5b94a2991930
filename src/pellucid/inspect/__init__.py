"""Views of a graph that do not change it: nothing is unpacked, run or kept alive.

>>> from pellucid.inspect import graph
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> len(graph((x * x).sum()).nodes)
2
"""

from pellucid.autograd.modes import in_python
from pellucid.inspect.account import Block, LeafMemory, Memory, NodeMemory, Share, memory
from pellucid.inspect.checks import Finding, Findings, check, checking
from pellucid.inspect.comparing import Comparison, compare
from pellucid.inspect.compiled_calls import CallsOf, compiled_calls
from pellucid.inspect.compiled_functions import compiled
from pellucid.inspect.cutting import CutReport, cut
from pellucid.inspect.difference import GraphDiff, diff
from pellucid.inspect.forecast import BackwardPlan, PlannedError, PlannedLeaf, PlannedNode, plan
from pellucid.inspect.history import History, ParameterStep, history
from pellucid.inspect.layer_table import LayerRow, LayerTable, summary
from pellucid.inspect.live import LiveMemory, LiveShare, live
from pellucid.inspect.owners import OwnerChain, Owners, why_alive
from pellucid.inspect.paths import Line, NoGradReason, why_no_grad
from pellucid.inspect.provenance import Origin, Provenance
from pellucid.inspect.ranks import RankDifferences, RankTotals, over_ranks, ranks_differ
from pellucid.inspect.recording import Recording, record
from pellucid.inspect.shapes import shapes
from pellucid.inspect.snapshot import Graph, GraphLeaf, GraphNode, SavedValue, graph
from pellucid.inspect.what_if import Cost, Foretold, what_if
from pellucid.inspect.where_from import where_from
from pellucid.inspect.why import explain, why

__all__ = [
    "BackwardPlan", "Block", "CallsOf", "Comparison", "Cost", "CutReport", "Finding", "Findings",
    "Foretold", "Graph", "GraphDiff", "GraphLeaf", "GraphNode", "History", "LayerRow", "LayerTable",
    "LeafMemory", "Line", "LiveMemory", "LiveShare", "Memory", "NoGradReason", "NodeMemory",
    "Origin", "OwnerChain", "Owners", "ParameterStep", "PlannedError", "PlannedLeaf", "PlannedNode",
    "Provenance", "RankDifferences", "RankTotals", "Recording", "SavedValue", "Share", "check",
    "checking", "compare", "compiled", "compiled_calls", "cut", "diff", "explain", "graph",
    "history", "in_python", "live", "memory", "over_ranks", "plan", "ranks_differ", "record",
    "shapes", "summary", "what_if", "where_from", "why", "why_alive", "why_no_grad",
]  # fmt: skip
