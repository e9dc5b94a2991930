"""A graph for other programs: plain dictionaries, JSON and networkx."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pellucid.inspect.progress import Progress
from pellucid.inspect.snapshot import Graph, GraphNode


def graph_as_dict(picture: Graph) -> dict[str, Any]:
    """Return a graph as dictionaries, lists, numbers and text."""
    described = _Descriptions()
    progress = Progress("writing", f"of {len(picture.nodes):,} nodes")
    nodes: list[dict[str, Any]] = []
    for node in picture.nodes:
        nodes.append({"number": node.number, **described.of(node)})
        progress.add(1)
    progress.end()
    return {
        "nodes": nodes,
        "leaves": [asdict(leaf) for leaf in picture.leaves],
        "roots": list(picture.roots),
        "held_bytes": picture.held_bytes,
        "leaf_bytes": picture.leaf_bytes,
    }


class _Descriptions:
    """Nodes as dictionaries; what the nodes of a kind have in common is taken apart once."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Any]] = {}  # by the identity of the kind

    def of(self, node: GraphNode) -> dict[str, Any]:
        """Return what is known of a node, in a dictionary of its own."""
        kind = id(node.kind)
        known = self._known.get(kind) or self._known.setdefault(kind, _common(node))
        freed = known["freed_by"]
        return {
            **known,
            "outputs": list(known["outputs"]),
            "operands": list(node.operands),
            "saved": [{**value, "shape": list(value["shape"])} for value in known["saved"]],
            "freed_by": freed and dict(freed),
        }


def _common(node: GraphNode) -> dict[str, Any]:
    freed = node.freed_by
    return {
        "name": node.name, "op": node.op, "state": node.state, "where": node.where,
        "text": node.text, "module": node.module, "outputs": node.outputs, "operands": [],
        "saved": [asdict(value) for value in node.saved],
        "freed_by": None if freed is None else asdict(freed),
    }  # fmt: skip


def graph_to_networkx(picture: Graph) -> Any:
    """Return a graph as a ``networkx.MultiDiGraph``; leaves have negative numbers."""
    import networkx

    graph: Any = networkx.MultiDiGraph(roots=list(picture.roots))
    described = _Descriptions()
    for node in picture.nodes:
        graph.add_node(node.number, kind="node", **described.of(node))
    for leaf in picture.leaves:
        graph.add_node(-leaf.number, kind="leaf", **asdict(leaf))
    for node in picture.nodes:
        for position, operand in enumerate(node.operands):
            if operand is not None:
                graph.add_edge(node.number, operand, operand=position)
    return graph
