"""What leaves are called in the program, read off the lines that use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pellucid.autograd.explanations.saved_values import op_of, operand_name
from pellucid.autograd.explanations.variables import variables_with
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.inspect.survey import Survey


class LeafNames:
    """The names of the leaves of one graph, by number.

    Args:
        uses: Nodes, each with the position of an operand and the number of the leaf that it is; the
            first that tells a name counts.
        variables: By number: what the program's variables call leaves, for those whose lines tell
            no name, or one and the same.
    """

    def __init__(
        self, uses: Iterable[tuple[Node, int, int]], variables: dict[int, str] | None = None
    ) -> None:
        told: dict[int, str] = {}
        for node, position, number in uses:
            name = None if number in told else leaf_name(node, position)
            if name is not None:
                told[number] = name
        times = Counter(told.values())
        variables = variables or {}
        unclear = {number for number, name in told.items() if times[name] > 1}
        self._names: dict[int, str] = {
            number: name for number, name in variables.items() if number not in told
        }
        #: name -> how many leaves go by it
        count: dict[str, int] = {}
        for number, first in told.items():
            name = variables.get(number, first) if number in unclear else first
            count[name] = count.get(name, 0) + 1
            self._names[number] = name if count[name] == 1 else f"{name} ({count[name]})"

    def __getitem__(self, number: int) -> str:
        return self._names.get(number, f"leaf {number}")


def name_leaves(found: Survey, nodes: list[Node], leaves: Iterable[tuple[int, Any]]) -> LeafNames:
    """Return the names of the leaves of a graph; of nodes of one kind, the first is asked.

    Args:
        found: What a survey has found.
        nodes: The nodes that it was made of.
        leaves: The leaves with their numbers.
    """
    return LeafNames(_telling_uses(found, nodes), variables_of(leaves))


def variables_of(leaves: Iterable[tuple[int, Any]]) -> dict[int, str]:
    """Return what the variables of the calls that are running call leaves, by number.

    Args:
        leaves: The leaves with their numbers.
    """
    return variables_with((number, leaf.leaf) for number, leaf in leaves if hasattr(leaf, "leaf"))


def _telling_uses(found: Survey, nodes: list[Node]) -> Iterator[tuple[Node, int, int]]:
    edges = np.flatnonzero(found.targets < 0)
    users = np.searchsorted(found.starts, edges, "right") - 1
    positions = edges - found.starts[users]
    leaves = -found.targets[edges]
    uses = np.stack([leaves, found.kind_of[users], positions])
    first = np.sort(np.unique(uses, axis=1, return_index=True)[1])
    for user, position, leaf in zip(
        users[first].tolist(), positions[first].tolist(), leaves[first].tolist(), strict=True
    ):
        yield nodes[user], position, leaf


def names_along(nodes: Iterable[Node], leaves: dict[Node, int]) -> LeafNames:
    """Return the names of leaves, given with their numbers, where these nodes use them."""
    return LeafNames(
        (node, position, leaves[edge[0]])
        for node in nodes
        for position, edge in enumerate(node.edges)
        if edge is not None and isinstance(edge[0], AccumulateGrad) and edge[0] in leaves
    )


def leaf_name(node: Node, position: int) -> str | None:
    """Return what a leaf is called where the node's line uses it.

    A layer of the library is given a parameter of its own, which goes by the operand's name. A name
    that the same line gives to something else, as in ``x = x * 2``, is not the leaf's any more.
    """
    written = operand_name(node, position)
    if written is not None and node.site is not None and written == node.site.target:
        written = None
    if written is not None and node.scope:
        return f"{node.scope}.{written.removeprefix('self.')}"
    if written is not None:
        return written
    op = op_of(node)
    if (
        node.scope
        and op is not None
        and op.name != "t"
        and not op.variadic
        and position < len(op.operands)
    ):
        return f"{node.scope}.{op.operands[position].name}"
    return None
