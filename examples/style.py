"""Paint one generated picture in the manner of another, as Gatys, Ecker and Bethge did (2015).

Content is a disc and a bar, style is a pattern of waves; the program makes both. A small network
with random filters looks at them in four layers, one behind the other. What its layers see of
the content should stay; how what they see goes together (their Gram matrices) should be as in the
style. What L-BFGS changes is the picture itself.

There are six losses at different depths of one network, and each is run backward by itself. From
the deepest to the shallowest, a pass need only keep the part of the graph that the losses still to
come will use: ``loss.backward(retain_graph=rest)``. The last keeps nothing. The table at the end
says what that holds after each pass, beside what ``retain_graph=True`` holds.

Run it with ``python examples/style.py``; ``--steps 2`` is the short form.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.inspect import graph
from pellucid.nn import functional as F
from pellucid.vision.utils import save_image

CONTENT_WEIGHT, STYLE_WEIGHT, SMOOTH_WEIGHT = 200.0, 300.0, 6000.0

# 1. The data: two pictures [1, 3, side, side] with values from 0 to 1.


def pictures(side: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the content, a disc and a bar, and the style, a pattern of waves."""
    y, x = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="ij")
    disc = ((x + 0.3) ** 2 + (y + 0.2) ** 2 < 0.2).float()
    bar = ((x - 0.5).abs() < 0.2).float() * (y.abs() < 0.8).float()
    content = torch.stack([0.2 + 0.7 * disc, 0.2 + 0.6 * bar, 0.5 - 0.3 * disc + 0.2 * bar])
    wave = torch.sin(22 * x + 5 * torch.sin(5 * y))
    across = torch.sin(26 * y + 4 * torch.sin(4 * x))
    style = torch.stack([0.5 + 0.5 * wave, 0.5 + 0.3 * wave * across, 0.4 - 0.4 * across])
    return content.clamp(0, 1).unsqueeze(0), style.clamp(0, 1).unsqueeze(0)


# 2. The network that looks; its filters stay as they were drawn.


class Eye(nn.Module):
    """Return what four layers see of a picture, each layer looking at what the last one saw."""

    def __init__(self, widths: tuple[int, ...] = (3, 32, 48, 64, 64)) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv2d(seen, width, 5, padding=2, padding_mode="reflect")
            for seen, width in pairwise(widths)
        )
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, gain=2.0)
        self.requires_grad_(False)

    def forward(self, picture: torch.Tensor) -> list[torch.Tensor]:
        seen = [2 * picture - 1]
        for layer in self.layers:
            seen.append(F.avg_pool2d(layer(seen[-1]).relu(), 2))
        return seen[1:]


def gram(seen: torch.Tensor) -> torch.Tensor:
    """Return how strongly the channels of ``[1, C, H, W]`` go together: ``[C, C]``."""
    channels = seen[0].flatten(1)
    return channels @ channels.T / channels.shape[1]


class Losses:
    """Compare what the eye sees of a picture with what it saw of the content and the style."""

    def __init__(self, eye: Eye, content: torch.Tensor, style: torch.Tensor) -> None:
        self.eye = eye
        self.content = eye(content)[2]
        self.grams = [gram(seen) for seen in eye(style)]

    def __call__(self, picture: torch.Tensor) -> list[torch.Tensor]:
        """Return the losses, the deepest first."""
        layers = self.eye(picture)
        style = [
            STYLE_WEIGHT * F.mse_loss(gram(seen), wanted) / wanted.square().mean()
            for seen, wanted in zip(layers, self.grams, strict=True)
        ]
        content = (
            CONTENT_WEIGHT * F.mse_loss(layers[2], self.content) / self.content.square().mean()
        )
        down, across = picture.diff(dim=2), picture.diff(dim=3)
        smooth = SMOOTH_WEIGHT * (down.square().mean() + across.square().mean())
        return [style[3], style[2], content, style[1], style[0], smooth]


NAMES = ["style 4", "style 3", "content", "style 2", "style 1", "smooth"]


def backward(losses: list[torch.Tensor]) -> None:
    """Run the losses backward one by one; each keeps what the rest will use, and no more."""
    for number, loss in enumerate(losses, 1):
        loss.backward(retain_graph=losses[number:])


# 3. Painting.


def paint(losses: Losses, start: torch.Tensor, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the picture, and the losses ``[times asked, 6]``."""
    picture = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([picture], max_iter=10, line_search_fn="strong_wolfe")
    history = []

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        parts = losses(picture)
        backward(parts)
        history.append(torch.stack(parts).detach())
        return history[-1].sum()

    for _ in (progress := tqdm(range(steps), desc="painting", unit="step")):
        loss = optimizer.step(closure)
        progress.set_postfix(loss=f"{loss.item():.2f}")
    history.append(torch.stack(losses(picture)).detach())
    return picture.detach().clamp(0, 1), torch.stack(history)


# 4. What came of it.


def bytes_held(losses: list[torch.Tensor], keep_all: bool) -> list[int]:
    """Return how much the graph still holds after each of the backward passes."""
    held = []
    for number, loss in enumerate(losses, 1):
        loss.backward(retain_graph=keep_all or losses[number:])
        held.append(graph(*losses).held_bytes)
    return held


def show_bytes_held(losses: Losses, content: torch.Tensor) -> None:
    picture = content.clone().requires_grad_()
    just_the_rest = bytes_held(losses(picture), keep_all=False)
    everything = bytes_held(losses(picture), keep_all=True)
    print("\nbytes held after the pass of   retain_graph=rest   retain_graph=True")
    for name, rest, every in zip(NAMES, just_the_rest, everything, strict=True):
        print(f"  {name:28} {rest:17,} {every:19,}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Paint a picture in the manner of another.")
    parser.add_argument("--steps", type=int, default=40, help="of up to ten iterations")
    parser.add_argument("--side", type=int, default=96, help="of the picture, in pixels")
    parser.add_argument("--out", type=Path, default=Path("style.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    content, style = pictures(options.side)
    losses = Losses(Eye(), content, style)
    painted, history = paint(losses, content, options.steps)

    print("\nloss          at first      now")
    for name, first, last in zip(NAMES, history[0].tolist(), history[-1].tolist(), strict=True):
        print(f"  {name:10} {first:9.2f} {last:8.2f}")
    show_bytes_held(losses, content)

    save_image(F.interpolate(torch.cat([content, style, painted]), scale_factor=3), options.out)
    print(f"\n{options.out}: the content, the style, and what came of them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
