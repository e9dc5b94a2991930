"""A graph in the language of Graphviz."""

from __future__ import annotations

from pellucid.inspect.snapshot import Graph
from pellucid.inspect.tables import size_text


def write_dot(picture: Graph) -> str:
    """Return the picture as a ``digraph``: boxes are nodes, ellipses leaves."""
    lines = ["digraph {", "  node [shape=box, fontname=monospace];"]
    for node in picture.nodes:
        label = "\n".join(filter(None, [node.name, ", ".join(node.outputs), node.where, node.text]))
        style = ", style=dashed" if node.freed_by is not None else ""
        lines.append(f"  n{node.number} [label={quoted(label)}{style}];")
    for leaf in picture.leaves:
        label = f"{leaf.name}\n{leaf.like} {size_text(leaf.bytes)}"
        lines.append(f"  l{leaf.number} [label={quoted(label)}, shape=ellipse];")
    for node in picture.nodes:
        for operand in node.operands:
            if operand is not None:
                end = f"n{operand}" if operand > 0 else f"l{-operand}"
                lines.append(f"  n{node.number} -> {end};")
    return "\n".join([*lines, "}"])


def quoted(text: str) -> str:
    """Return a text as Graphviz writes texts."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
