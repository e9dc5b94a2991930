"""What the boxes say: a few lines of text for each node, leaf and group, and its size."""

from __future__ import annotations

from typing import NamedTuple

from pellucid.inspect.page.outline import Group
from pellucid.inspect.snapshot import Graph, GraphLeaf, GraphNode, NodeKind
from pellucid.inspect.tables import count_text, size_text
from pellucid.inspect.values_text import sent_text

#: width of a character and height of a line, in pixels
CHARACTER, LINE = 7.3, 17.0
_PADDING = (14.0, 9.0)
_WIDEST = 34


class Look(NamedTuple):
    """The text of a box.

    Attributes:
        lines: The lines, the first in bold.
        mark: ``live``, ``freed``, ``nothing``, ``leaf`` or ``group``: how the box is drawn.
    """

    lines: tuple[str, ...]
    mark: str

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pixels."""
        across, down = _PADDING
        widest = max(map(len, self.lines))
        return (widest * CHARACTER + 2 * across, len(self.lines) * LINE + 2 * down)


_MARKS = {"live": "live", "freed": "freed", "saves nothing": "nothing"}


def node_look(
    node: GraphNode, shows_module: bool, leaves: tuple[str, ...], numbers: tuple[str, ...] = ()
) -> Look:
    """Return the look of a node.

    Args:
        node: The node.
        shows_module: Whether to name the module, which no group around the node does.
        leaves: The names of leaves that have no box of their own.
        numbers: Lines about its result and gradients.
    """
    kind = node.kind
    parameters = ", ".join(name.rpartition(".")[2] for name in leaves)
    lines = [
        kind.op,
        kind.module if shows_module else "",
        parameters and f"with {parameters}",
        _outputs(kind.outputs),
        *numbers,
        kind.where,
        state_line(kind),
    ]
    return Look(_shortened(lines), _MARKS[node.state])


def _outputs(likes: tuple[str, ...]) -> str:
    if len(likes) < 3:
        return ", ".join(likes)
    return f"{likes[0]} and {len(likes) - 1} more"


def state_line(kind: NodeKind) -> str:
    """Return what a node keeps, or which pass freed it."""
    if kind.freed_by is not None:
        return f"freed by {kind.freed_by.passed}"
    return f"keeps {size_text(kind.kept_bytes)}" if kind.kept_bytes else ""


def leaf_look(leaf: GraphLeaf, numbers: tuple[str, ...] = ()) -> Look:
    """Return the look of a leaf: its name, dtype and shape, and lines about its numbers."""
    return Look(_shortened([leaf.name, leaf.like, *numbers]), "leaf")


def number_lines(picture: Graph, number: int) -> tuple[str, ...]:
    """Return what the box of a node or leaf says of its numbers, if the graph has some.

    Args:
        picture: The graph.
        number: The node, or the leaf negated.
    """
    values = picture.values
    if values is None:
        return ()
    name, result = values.names.get(number), values.results.get(number)
    gradient = values.gradients.get(number)
    operands = picture.nodes[number - 1].operands if number > 0 else ()
    return (
        *((f"{name} = {result.short}" if name else f"= {result.short}",) if result else ()),
        *((f"gradient {gradient.short}",) if gradient else ()),
        *(
            sent_text(picture, number, position, short=True)
            for position, operand in enumerate(operands)
            if operand is not None and (number, position) in values.edges
        ),
    )


def group_look(group: Group) -> Look:
    """Return the look of a group: its title and how much there is inside."""
    title = group.title
    inside = count_text(group.nodes, "node")
    if group.sort == "repeat":
        title, inside = f"{group.times:,} × {title}", f"{inside} in all"
    return Look(_shortened([title, inside]), "group")


def _shortened(lines: list[str]) -> tuple[str, ...]:
    return tuple(
        line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…" for line in lines if line
    )
