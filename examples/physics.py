"""A network that solves the heat equation by being wrong about it as little as possible.

A rod with its ends kept at zero cools down: u_t = a u_xx, and at first u = sin(pi x). The network
is a function u(x, t); nobody shows it the solution. Its loss asks for u_t and u_xx, derivatives of
the network by its inputs, taken with ``grad(..., create_graph=True)``: so the loss is made of
second derivatives, and training takes one more. At the end a table compares the network with the
known solution, exp(-a pi² t) sin(pi x), and a picture shows both over x and t.

Run it with ``python examples/physics.py``; ``--steps 5`` is the short form.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.inspect import graph
from pellucid.vision.utils import save_image

DIFFUSIVITY = 0.1

# 1. The equation.


def solution(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.exp(-DIFFUSIVITY * math.pi**2 * t) * torch.sin(math.pi * x)


def derivative(u: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """Return du/dby at each point, as a tensor that can be differentiated further."""
    (found,) = torch.autograd.grad(u.sum(), by, create_graph=True)
    return found


# 2. The network.


class Rod(nn.Module):
    """Return the temperature of the rod at positions ``[N, 1]`` and times ``[N, 1]``."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1),
        )  # fmt: skip

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([x, t], dim=1))


# 3. The loss: the equation inside, and what is known at the start and at the ends.


class Losses:
    """Ask a network about fixed points, drawn once."""

    def __init__(self, inside: int, border: int) -> None:
        self.x = torch.rand(inside, 1, requires_grad=True)
        self.t = torch.rand(inside, 1, requires_grad=True)
        self.start = torch.rand(border, 1)
        self.ends = torch.randint(2, (border, 1)).double()
        self.times = torch.rand(border, 1)

    def equation(self, net: Rod) -> torch.Tensor:
        u = net(self.x, self.t)
        u_t = derivative(u, by=self.t)
        u_xx = derivative(derivative(u, by=self.x), by=self.x)
        return (u_t - DIFFUSIVITY * u_xx).square().mean()

    def border(self, net: Rod) -> torch.Tensor:
        never = torch.zeros_like(self.start)
        at_first = net(self.start, never) - solution(self.start, never)
        return at_first.square().mean() + net(self.ends, self.times).square().mean()

    def show_graphs(self, net: Rod) -> None:
        """Print how the graph grows with every derivative."""
        u = net(self.x, self.t)
        u_x = derivative(u, by=self.x)
        u_xx = derivative(u_x, by=self.x)
        print("the graph of   nodes   bytes held")
        for name, value in [("u", u), ("u_x", u_x), ("u_xx", u_xx)]:
            picture = graph(value)
            print(f"  {name:10} {len(picture.nodes):7} {picture.held_bytes:12,}")


def train(net: Rod, losses: Losses, steps: int) -> list[float]:
    optimizer = torch.optim.LBFGS(
        net.parameters(), max_iter=10, history_size=50, line_search_fn="strong_wolfe"
    )
    history = []

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = losses.equation(net) + 10 * losses.border(net)
        loss.backward()
        return loss

    for _ in (progress := tqdm(range(steps), desc="training", unit="step")):
        history.append(optimizer.step(closure).item())
        progress.set_postfix(loss=f"{history[-1]:.1e}")
    return history


# 4. What came of it, over x and t.


def compared(net: Rod, side: int = 101) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the solution and the network's, ``[side, side]`` each: a row for every time."""
    t, x = torch.meshgrid(torch.linspace(0, 1, side), torch.linspace(0, 1, side), indexing="ij")
    with torch.no_grad():
        found = net(x.reshape(-1, 1), t.reshape(-1, 1)).view(side, side)
    return solution(x, t), found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Solve the heat equation with a network.")
    parser.add_argument("--steps", type=int, default=300, help="of up to ten iterations")
    parser.add_argument("--points", type=int, default=1000, help="inside the rod")
    parser.add_argument("--out", type=Path, default=Path("physics.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # L-BFGS goes further with more digits
    try:
        net = Rod()
        losses = Losses(options.points, options.points // 10)
        losses.show_graphs(net)
        history = train(net, losses, options.steps)
        true, found = compared(net)
    finally:
        torch.set_default_dtype(usual)
    print(f"\nloss: {history[0]:.1e} at first, {history[-1]:.1e} now")

    print("\n     t   warmest   largest error   relative error")
    for row in range(0, 101, 20):
        wrong = found[row] - true[row]
        relative = (wrong.norm() / true[row].norm()).item()
        largest = wrong.abs().max().item()
        print(f"  {row / 100:4.1f} {true[row].max().item():9.4f} {largest:15.1e} {relative:16.1e}")

    wrong = (found - true).abs()
    maps = torch.stack([true, found, wrong / wrong.max()]).unsqueeze(1)
    save_image(maps, options.out, pad_value=0.5)
    print(f"\n{options.out}: the solution, the network, and where they differ (x to the right)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
