"""Truncated backpropagation through time: learn from a stream that has no end.

The stream is a Mackey-Glass series, which is chaotic: the program integrates it. A recurrent
network reads it in chunks, and hands its state from one chunk to the next. So the loss of a chunk
leads back through all chunks before it, unless the state is cut off with ``detach``. The program
shows what happens without that: first how the graph grows, then the two errors that come of it, one
after the other. Then it learns with ``detach``. At the end a table compares the forecasts with two
plain guesses, and a picture shows them.

Run it with ``python examples/unrolled.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.inspect import graph
from pellucid.nn import functional as F
from pellucid.vision.utils import save_image

CHUNK, AHEAD = 25, 6

# 1. The data: several stretches of one series, side by side.


def mackey_glass(length: int, streams: int, delay: int = 17) -> torch.Tensor:
    """Return ``[length, streams, 1]``, with dx/dt = 0.2 x(t-d) / (1 + x(t-d)^10) - 0.1 x.

    Something like the mean is subtracted: Mackey and Glass (1977) have values around 0.9.
    """
    series = list(1.2 + 0.2 * torch.rand(delay + 1, streams, 1))
    for _ in range(length + 100):
        late = series[-delay - 1]
        series.append(series[-1] + 0.2 * late / (1 + late**10) - 0.1 * series[-1])
    return torch.stack(series[-length:]) - 0.9


# 2. The network.


class Reader(nn.Module):
    """Read a chunk ``[T, N, 1]``, and say after each value what comes AHEAD values later."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.gru = nn.GRU(1, width)
        self.say = nn.Linear(width, 1)

    def forward(
        self, chunk: torch.Tensor, state: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        seen, after = self.gru(chunk, state)
        return self.say(seen), after


def loss_of(
    net: Reader, stream: torch.Tensor, chunk: int, state: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the loss of the chunk with a number, and the state after it."""
    start = chunk * CHUNK
    said, after = net(stream[start : start + CHUNK], state)
    return F.mse_loss(said, stream[start + AHEAD : start + AHEAD + CHUNK]), after


# 3. Without detach.


def show_growth(stream: torch.Tensor) -> None:
    """Print how much the loss of each chunk leads back to, with the state handed on or cut off."""
    print("chunk   nodes and bytes held, state handed on      state cut off")
    net, on, off = Reader(), None, None
    for chunk in range(5):
        long, on = loss_of(net, stream, chunk, on)
        short, off = loss_of(net, stream, chunk, off)
        off = off.detach()
        sizes = [(len(picture.nodes), picture.held_bytes) for picture in map(graph, (long, short))]
        print(f"  {chunk + 1:3}" + "".join(f"{nodes:14,} {held:14,}" for nodes, held in sizes))


def train_without_detach(stream: torch.Tensor, retain_graph: bool) -> str:
    """Return what the error says that the second step ends with."""
    net, state = Reader(), None
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    try:
        for chunk in range(2):
            loss, state = loss_of(net, stream, chunk, state)
            optimizer.zero_grad()
            loss.backward(retain_graph=retain_graph)
            optimizer.step()
    except RuntimeError as error:
        return str(error)
    return "no error"


# 4. With detach: each chunk is learned from, and let go of.


def train(net: Reader, stream: torch.Tensor, steps: int) -> list[float]:
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    chunks = (len(stream) - AHEAD) // CHUNK
    losses, state = [], None
    for step in (progress := tqdm(range(steps), desc="training", unit="chunk")):
        if step % chunks == 0:
            state = None  # the stretch begins again
        loss, state = loss_of(net, stream, step % chunks, state)
        state = state.detach()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.1e}")
    return losses


def drawn(lines: list[torch.Tensor], height: int = 120) -> torch.Tensor:
    """Draw two lines ``[T]`` into a picture ``[3, H, W]``, the first blue and the second red."""
    rows = torch.linspace(0.6, -0.6, height).view(-1, 1)
    blue, red = ((rows - line.repeat_interleave(3)).abs() < 0.012 for line in lines)
    return 1 - torch.stack([blue & ~red, blue | red, red & ~blue]).float()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Learn from a stream that has no end.")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=Path("unrolled.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    stream = mackey_glass(2000, streams=16)
    show_growth(stream)
    print(f"\nwithout detach:\n{train_without_detach(stream, retain_graph=False)}")
    print(f"\nwith retain_graph=True instead:\n{train_without_detach(stream, retain_graph=True)}\n")

    net = Reader()
    losses = train(net, stream, options.steps)
    print(f"\nwith detach: loss {losses[0]:.1e} at first, {losses[-1]:.1e} now")

    new = mackey_glass(500, streams=16)
    with torch.no_grad():
        said, _ = net(new[:-AHEAD], None)
    past, now, true = new[100 - AHEAD : -2 * AHEAD], new[100:-AHEAD], new[100 + AHEAD :]
    print(f"\nmean error {AHEAD} values ahead, on a new stretch")
    for name, guess in [("GRU", said[100:]), ("same again", now), ("straight on", 2 * now - past)]:
        print(f"  {name:12} {(guess - true).abs().mean().item():.4f}")

    save_image(drawn([true[:200, 0, 0], said[100:300, 0, 0]]), options.out)
    print(f"\n{options.out}: the series in blue, the forecast in red, purple where they meet")
    return 0


if __name__ == "__main__":
    sys.exit(main())
