"""A graph for other programs: plain dictionaries, JSON and networkx."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pellucid.inspect.snapshot import Graph, GraphNode


def graph_as_dict(picture: Graph) -> dict[str, Any]:
    """Return a graph as dictionaries, lists, numbers and text."""
    return {
        "nodes": [{"number": node.number, **_described(node)} for node in picture.nodes],
        "leaves": [asdict(leaf) for leaf in picture.leaves],
        "roots": list(picture.roots),
        "held_bytes": picture.held_bytes,
        "leaf_bytes": picture.leaf_bytes,
    }


def _described(node: GraphNode) -> dict[str, Any]:
    freed = node.freed_by
    return {
        "name": node.name, "op": node.op, "state": node.state, "where": node.where,
        "text": node.text, "module": node.module, "outputs": list(node.outputs),
        "operands": list(node.operands),
        "saved": [{**asdict(value), "shape": list(value.shape)} for value in node.saved],
        "freed_by": None if freed is None else asdict(freed),
    }  # fmt: skip


def graph_to_networkx(picture: Graph) -> Any:
    """Return a graph as a ``networkx.MultiDiGraph``; leaves have negative numbers."""
    import networkx

    graph: Any = networkx.MultiDiGraph(roots=list(picture.roots))
    for node in picture.nodes:
        graph.add_node(node.number, kind="node", **_described(node))
    for leaf in picture.leaves:
        graph.add_node(-leaf.number, kind="leaf", **asdict(leaf))
    for node in picture.nodes:
        for position, operand in enumerate(node.operands):
            if operand is not None:
                graph.add_edge(node.number, operand, operand=position)
    return graph
