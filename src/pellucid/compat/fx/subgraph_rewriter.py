"""Replacing parts of a graph that look like a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pellucid.compat.fx._symbolic_trace import symbolic_trace
from pellucid.compat.fx.graph import Graph
from pellucid.compat.fx.graph_module import GraphModule
from pellucid.compat.fx.node import Node, map_arg


class Match(NamedTuple):
    """A part of a graph that looked like the pattern.

    Args:
        anchor: The node that the pattern's result was.
        nodes_map: The node of the graph for each node of the pattern.
    """

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace what a graph has of a pattern, in place; return the places.

    Args:
        gm: The module whose graph is changed.
        pattern: A function, or a traced module, whose arguments stand for anything.
        replacement: A function of the same arguments.

    >>> traced = torch.fx.symbolic_trace(lambda x: torch.sin(x) * 2)
    >>> matches = torch.fx.replace_pattern(traced, lambda x: torch.sin(x), lambda x: torch.cos(x))
    >>> len(matches), traced(torch.tensor(0.0))
    (1, tensor(2.))
    """
    wanted, new = _graph_of(pattern), _graph_of(replacement)
    matches: list[Match] = []
    taken: set[Node] = set()
    for node in list(gm.graph.nodes):
        found = _match(wanted, node)
        if found is None or taken & _inside(found):
            continue
        taken |= _inside(found)
        matches.append(Match(node, found))
    for match in matches:
        _replace(gm.graph, match, wanted, new)
    gm.recompile()
    return matches


def _graph_of(given: Any) -> Graph:
    return given.graph if isinstance(given, GraphModule) else symbolic_trace(given).graph


def _inside(found: dict[Node, Node]) -> set[Node]:
    return {node for pattern, node in found.items() if pattern.op != "placeholder"}


def _match(pattern: Graph, anchor: Node) -> dict[Node, Node] | None:
    """Return the node for each of the pattern's if its result is this one; else None."""
    found: dict[Node, Node] = {}
    (result,) = pattern.output_node().args
    if not isinstance(result, Node) or not _fits(result, anchor, found):
        return None
    inside = _inside(found)
    escapes = any(user not in inside for node in inside - {anchor} for user in node.users)
    return None if escapes else found


def _fits(pattern: Any, value: Any, found: dict[Node, Node]) -> bool:
    """Return whether an argument or node is what the pattern has there."""
    if isinstance(pattern, Node):
        if pattern in found:
            return found[pattern] is value
        if not isinstance(value, Node):
            return False
        found[pattern] = value
        if pattern.op == "placeholder":
            return True
        same = pattern.op == value.op and pattern.target == value.target
        return same and _fits((pattern.args, pattern.kwargs), (value.args, value.kwargs), found)
    if type(pattern) is not type(value):
        return False
    if isinstance(pattern, tuple | list):
        pairs = zip(pattern, value, strict=False)
        return len(pattern) == len(value) and all(_fits(*pair, found) for pair in pairs)
    if isinstance(pattern, dict):
        return pattern.keys() == value.keys() and all(
            _fits(each, value[name], found) for name, each in pattern.items()
        )
    return bool(pattern == value)


def _replace(graph: Graph, match: Match, pattern: Graph, new: Graph) -> None:
    """Put the nodes of the replacement in the place of those of the pattern."""
    arguments = zip(_arguments(new), _arguments(pattern), strict=True)
    mapped = {mine: match.nodes_map[theirs] for mine, theirs in arguments}
    with graph.inserting_before(match.anchor):
        for node in new.nodes:
            if node.op == "output":
                match.anchor.replace_all_uses_with(map_arg(node.args[0], mapped.__getitem__))
            elif node not in mapped:
                mapped[node] = graph.node_copy(node, mapped.__getitem__)
    inside = _inside(match.nodes_map)
    for node in reversed(graph.nodes):
        if node in inside:
            graph.erase_node(node)


def _arguments(graph: Graph) -> Iterator[Node]:
    return iter(graph.find_nodes(op="placeholder"))
