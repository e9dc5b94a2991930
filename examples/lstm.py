"""An LSTM that watches a wave, and then goes on alone.

Every wave is the sum of two sines whose frequencies and phases are drawn, so no wave is seen twice:
the network has to find out, while it watches, which wave it is. It learns to say the next value,
and to go on for a while from what it has said itself: gradients flow back through all of that. Then
it continues new waves, three times as far as it has practised. At the end a table says how far off
it is, the longer it is alone, beside two plain guesses, and a picture shows some of the waves.

Run it with ``python examples/lstm.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from pellucid.vision.utils import save_image

WATCHED, PRACTISED, ALONE = 60, 20, 60

# 1. The data: as many waves as wanted.


def waves(count: int, length: int = WATCHED + ALONE) -> torch.Tensor:
    """Return waves ``[count, length, 1]`` with values between -1 and 1."""
    frequency = torch.empty(count, 1, 2).uniform_(0.1, 0.5)
    phase = torch.empty(count, 1, 2).uniform_(0, 2 * math.pi)
    time = torch.arange(length).view(1, -1, 1)
    return torch.sin(frequency * time + phase).mean(dim=2, keepdim=True)


# 2. The network: it says by how much the wave will change.


class Forecaster(nn.Module):
    """A network that predicts, after each value of a wave, what the next will be."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, width, batch_first=True)
        self.change = nn.Linear(width, 1)

    def forward(
        self, values: torch.Tensor, before: torch.Tensor, state: tuple | None = None
    ) -> tuple[torch.Tensor, tuple]:
        """Take values ``[N, T, 1]`` and the ones before each; return the next and the state."""
        seen, after = self.lstm(torch.cat([values, 5 * (values - before)], dim=2), state)
        return values + (values - before) + 0.1 * self.change(seen), after

    def go_on(self, watched: torch.Tensor, steps: int) -> torch.Tensor:
        """Return the next of each value watched, and ``steps - 1`` more from what was said."""
        forecasts, state = self(watched[:, 1:], watched[:, :-1])
        said = [watched[:, -1:], forecasts[:, -1:]]
        while len(said) <= steps:
            following, state = self(said[-1], said[-2], state)
            said.append(following)
        return torch.cat([forecasts, *said[2:]], dim=1)


# 3. Training: first the next value of each that is watched, then on alone.


def train(net: Forecaster, steps: int) -> list[float]:
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    losses = []
    for _ in (progress := tqdm(range(steps), desc="training", unit="step")):
        wave = waves(32, WATCHED + PRACTISED)
        loss = F.mse_loss(net.go_on(wave[:, :WATCHED], PRACTISED), wave[:, 2:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.2e}")
    return losses


# 4. The picture: the true wave in blue, the forecast in red from where the network is alone.


def drawn(true: torch.Tensor, forecast: torch.Tensor, height: int = 64) -> torch.Tensor:
    """Draw waves ``[N, T]`` and their last values as forecast; return pictures ``[N, 3, H, W]``."""
    watched = true[:, : -forecast.shape[1]]
    lines = torch.stack([true, torch.cat([watched, forecast], dim=1)], dim=1)
    lines = lines.repeat_interleave(3, dim=2).unsqueeze(2)
    rows = torch.linspace(1.2, -1.2, height).view(-1, 1)
    blue, red = (1 - 20 * (rows - lines).abs()).clamp(min=0).unbind(1)
    red[..., : 3 * watched.shape[1]] = 0
    return 1 - torch.stack([blue, (blue + red) / 1.5, red], dim=1).clamp(0, 1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Watch a wave, then continue it.")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--out", type=Path, default=Path("lstm.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    net = Forecaster()
    losses = train(net, options.steps)
    print(f"mean squared error of the next value: {losses[0]:.1e} at first, {losses[-1]:.1e} now")

    new = waves(200)
    watched, true = new[:, :WATCHED], new[:, WATCHED:]
    with torch.no_grad():
        forecast = net.go_on(watched, ALONE)[:, -ALONE:]
    last, slope = watched[:, -1:], watched[:, -1:] - watched[:, -2:-1]
    straight = last + slope * torch.arange(1, ALONE + 1).view(1, -1, 1)
    guesses = {"LSTM": forecast, "same again": last.expand_as(true), "straight on": straight}
    print("\nmean error, the longer it is alone")
    print("  values ahead" + "".join(f"{name:>14}" for name in guesses))
    for ahead in [1, 5, 10, 20, 40, 60]:
        errors = [(guess - true)[:, ahead - 1].abs().mean().item() for guess in guesses.values()]
        print(f"  {ahead:12}" + "".join(f"{error:14.4f}" for error in errors))

    save_image(drawn(new[:8, :, 0], forecast[:8, :, 0]), options.out, nrow=1)
    print(f"\n{options.out}: eight waves in blue, the network's continuation in red")
    return 0


if __name__ == "__main__":
    sys.exit(main())
