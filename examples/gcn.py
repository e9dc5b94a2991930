"""A graph network that learns from eight people which of four circles everyone belongs to.

The graph is a stochastic block model that the program draws: 400 people in four circles, who know
each other often within a circle and seldom between circles. What is known about each person says
little about the circle, and the circle itself is known for two people of each. A graph convolution
mixes what is known about a person with what is known about friends. At the end a table compares
the network with the same network without the graph, and a picture shows the friendships: as they
were drawn, and sorted by the circles that the network found.

Run it with ``python examples/gcn.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from pellucid.vision.utils import save_image

CIRCLES, LABELLED = 4, 2

# 1. The data: a graph, what is known about its nodes, and the right answers.


def drawn_graph(
    people: int, within: float = 0.1, between: float = 0.01
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return friendships ``[N, N]``, what is known ``[N, 16]``, and circles ``[N]``."""
    circle = torch.randperm(people) % CIRCLES
    same = circle[:, None] == circle
    friends = torch.bernoulli(torch.where(same, within, between)).triu(diagonal=1)
    known = F.one_hot(circle, 16).float() + 1.5 * torch.randn(people, 16)
    return friends + friends.T, known, circle


def normalized(friends: torch.Tensor) -> torch.Tensor:
    """Return D^-1/2 (A + I) D^-1/2: a mean over oneself and friends (Kipf and Welling, 2016)."""
    reached = friends + torch.eye(len(friends))
    scale = reached.sum(dim=1).rsqrt()
    return scale[:, None] * reached * scale


# 2. The network.


class GraphConvolution(nn.Linear):
    """Transform what is known about each node, then mix it along the edges."""

    def forward(self, known: torch.Tensor, mixing: torch.Tensor) -> torch.Tensor:
        return mixing @ super().forward(known)


class GCN(nn.Module):
    """Give scores ``[N, CIRCLES]`` to the circles that each node may belong to."""

    def __init__(self, features: int = 16, width: int = 16) -> None:
        super().__init__()
        self.first = GraphConvolution(features, width)
        self.second = GraphConvolution(width, CIRCLES)
        self.dropout = nn.Dropout(0.5)

    def forward(self, known: torch.Tensor, mixing: torch.Tensor) -> torch.Tensor:
        hidden = self.first(self.dropout(known), mixing).relu()
        return self.second(self.dropout(hidden), mixing)


# 3. Training on the few whose circle is known.


def train(
    net: GCN, known: torch.Tensor, mixing: torch.Tensor, circle: torch.Tensor, steps: int
) -> list[float]:
    labelled = torch.cat([(circle == each).nonzero()[:LABELLED, 0] for each in range(CIRCLES)])
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2, weight_decay=5e-3)
    losses = []
    for _ in (progress := tqdm(range(steps), desc="training", unit="step")):
        loss = F.cross_entropy(net(known, mixing)[labelled], circle[labelled])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.3f}")
    return losses


@torch.no_grad()
def answers(net: GCN, known: torch.Tensor, mixing: torch.Tensor) -> torch.Tensor:
    return net.eval()(known, mixing).argmax(dim=1)


# 4. The picture: a dot for every friendship.


def dots(friends: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
    order = found.argsort(stable=True)
    return 1 - torch.stack([friends, friends[order][:, order]]).unsqueeze(1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Find out who belongs together.")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--out", type=Path, default=Path("gcn.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    friends, known, circle = drawn_graph(options.people)
    found = {}
    for name, mixing in [
        ("without the graph", torch.eye(options.people)),
        ("with the graph", normalized(friends)),
    ]:
        net = GCN()
        losses = train(net, known, mixing, circle, options.steps)
        found[name] = answers(net, known, mixing)
        print(f"{name}: loss {losses[0]:.3f} at first, {losses[-1]:.3f} now")

    print(f"\nof {options.people} people, {LABELLED} of each circle labelled, in the right circle")
    for name, answer in found.items():
        print(f"  {name:18} {(answer == circle).float().mean().item():6.1%}")
    print("\ncircles (rows) as found with the graph (columns)")
    pairs = torch.bincount(CIRCLES * circle + found["with the graph"], minlength=CIRCLES**2)
    for row in pairs.view(CIRCLES, CIRCLES).tolist():
        print("  " + "".join(f"{count:5}" for count in row))

    save_image(dots(friends, found["with the graph"]), options.out, pad_value=0.5)
    print(f"\n{options.out}: friendships as drawn, and sorted by the circles found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
