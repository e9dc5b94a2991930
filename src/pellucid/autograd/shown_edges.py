"""Gradients by the edges that PyTorch's nodes have: hooks and callers of nodes see no others."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.node import Node


def of_shown_edges(node: Node, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return those of a value for each edge that belong to the edges which are shown."""
    places = node.shown_edges
    return values if places is None or not values else tuple([values[place] for place in places])


def of_all_edges(node: Node, shown: tuple[Any, ...]) -> list[Any]:
    """Return a value for each edge: None for those that are not shown."""
    return list(with_shown_edges(node, (None,) * len(node.edges), shown))


def with_shown_edges(
    node: Node, values: tuple[Any, ...], shown: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return a value for each edge, those of the edges that are shown replaced."""
    if node.shown_edges is None:
        return shown
    replaced = dict(zip(node.shown_edges, shown, strict=True))
    return tuple([replaced.get(place, value) for place, value in enumerate(values)])
