"""Graphs that the tests of drawings share."""

from __future__ import annotations

from typing import Any

import pellucid as torch
from pellucid.inspect import Graph, graph


def heads() -> Graph:
    """Return the graph of two losses on one trunk."""
    w = torch.ones(2, requires_grad=True)
    trunk = w.exp()
    first = trunk.sin().sum()
    second = trunk.cos().sum()
    return graph(first, second)


def loop(rounds: int) -> Graph:
    """Return the graph of a loop of five operations."""
    w = torch.ones(2, requires_grad=True)
    h, total = torch.ones(2), torch.zeros(())
    for _ in range(rounds):
        h = torch.tanh(h * w + 1)
        total = total + h.sum()
    return graph(total)


def encoder(blocks: int) -> Graph:
    """Return the graph of a small transformer."""
    block = torch.nn.TransformerEncoderLayer(8, 2, 8, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(block, blocks, enable_nested_tensor=False)
    return graph(model(torch.ones(1, 3, 8)).sum())


def tangle(count: int, seed: int) -> Graph:
    """Return a graph in which each operation takes two random results of those before."""
    import random

    draw = random.Random(seed)
    values: list[Any] = [torch.ones(2, requires_grad=True)]
    for _ in range(count):
        a, b = draw.choice(values[-9:]), draw.choice(values[-30:])
        values.append(draw.choice([torch.add, torch.mul, torch.maximum])(a, b))
    return graph(*values[-5:])
