"""The numbers of a graph as text."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.inspect.snapshot import Graph


def values_lines(picture: Graph, limit: int | None) -> Iterator[str]:
    """Yield the numbers of a graph as lines: a node, then each operand with its gradient.

    Args:
        picture: A graph that has numbers.
        limit: The most nodes.
    """
    values = picture.values
    assert values is not None
    if values.missing:
        yield f"values; no gradients, since {values.missing}:"
    else:
        yield "values, the gradient g that arrived, and those that were sent on:"
    for number in range(1, min(len(picture.nodes), limit or len(picture.nodes)) + 1):
        node, name = picture.nodes[number - 1], values.names.get(number)
        result, arrived = values.results.get(number), values.gradients.get(number)
        known = "not kept" if result is None else result.text
        yield f"  #{number} {node.op}  {f'{name} = ' if name else ''}{known}"
        if arrived is not None:
            yield f"      g = {arrived.text}"
        for position, operand in enumerate(node.operands):
            if operand is not None and (
                not values.missing or (number, position) in values.derivatives
            ):
                yield f"      {sent_text(picture, number, position)}"
    for leaf in picture.leaves:
        arrived = values.gradients.get(-leaf.number)
        gradient = "" if arrived is None else f"  gradient {arrived.text}"
        yield f"  {leaf.name} = {values.results[-leaf.number].text}{gradient}"


def sent_text(picture: Graph, number: int, position: int, short: bool = False) -> str:
    """Return the gradient of an operand: where it goes, its formula, its value.

    Args:
        picture: A graph that has numbers.
        number: The node.
        position: The position of the operand.
        short: Whether a few numbers stand for a large value.
    """
    values, operand = picture.values, picture.nodes[number - 1].operands[position]
    assert values is not None
    assert operand is not None
    target = f"#{operand}" if operand > 0 else picture.leaves[-operand - 1].name
    sent, formula = values.edges.get((number, position)), values.derivatives.get((number, position))
    shown = "" if sent is None else sent.short if short else sent.text
    return f"→ {target}: {' = '.join(each for each in (formula, shown) if each)}"
