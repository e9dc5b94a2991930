"""A variational autoencoder that finds the map on which handwritten digits lie.

The data are the 1,797 digits of scikit-learn, 8×8 pixels each. The encoder says where on a plane a
digit may lie, as a normal distribution; the decoder draws the digit for a point. Points are drawn
with ``rsample``, so that gradients flow through the drawing, and the distance to the prior is
``kl_divergence``'s. At the end a table follows the two parts of the loss, and a picture shows what
the decoder draws all over the plane.

Run it with ``python examples/vae.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sklearn.datasets import load_digits
from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.distributions import Independent, Normal, kl_divergence
from pellucid.nn import functional as F
from pellucid.utils.data import DataLoader, RandomSampler, TensorDataset, random_split
from pellucid.vision.utils import save_image

# 1. The data: images [N, 64] with values from 0 to 1.


def digits() -> TensorDataset:
    return TensorDataset(torch.tensor(load_digits().data, dtype=torch.float32) / 16)


# 2. The network.


class VAE(nn.Module):
    """Turn an image into a distribution over a plane, and a point of the plane into an image."""

    def __init__(self, width: int = 256, dimensions: int = 2) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 2 * dimensions),
        )  # fmt: skip
        self.decoder = nn.Sequential(
            nn.Linear(dimensions, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 64),
        )  # fmt: skip
        self.prior = Independent(Normal(torch.zeros(dimensions), torch.ones(dimensions)), 1)

    def where(self, images: torch.Tensor) -> Independent:
        """Return where on the plane the images ``[N, 64]`` may lie."""
        mean, log_scale = self.encoder(images).chunk(2, dim=1)
        return Independent(Normal(mean, log_scale.exp()), 1)

    def draw(self, points: torch.Tensor) -> torch.Tensor:
        """Return images ``[N, 1, 8, 8]`` for points ``[N, 2]``."""
        return self.decoder(points).sigmoid().view(-1, 1, 8, 8)

    def losses(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return, for one image on average, how badly it is drawn and what its place costs."""
        place = self.where(images)
        drawn = self.decoder(place.rsample())
        wrong = F.binary_cross_entropy_with_logits(drawn, images, reduction="sum") / len(images)
        return wrong, kl_divergence(place, self.prior).mean()


# 3. Training.


def train(net: VAE, batches: DataLoader) -> list[tuple[float, float]]:
    """Learn from the batches; return both parts of the loss for each."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(batches))
    history = []
    for (images,) in (progress := tqdm(batches, desc="training", unit="step")):
        drawing, place = net.losses(images)
        optimizer.zero_grad()
        (drawing + place).backward()
        optimizer.step()
        schedule.step()
        history.append((drawing.item(), place.item()))
        progress.set_postfix(drawing=f"{history[-1][0]:.2f}", place=f"{history[-1][1]:.2f}")
    return history


# 4. The map: the plane in steps of equal probability.


def drawn_plane(net: VAE, side: int) -> torch.Tensor:
    shares = (torch.arange(side) + 0.5) / side
    steps = Normal(0.0, 1.0).icdf(shares)
    points = torch.cartesian_prod(steps.flip(0), steps).flip(1)
    with torch.no_grad():
        return net.draw(points)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Find the plane on which digits lie.")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--side", type=int, default=16, help="digits drawn in a row")
    parser.add_argument("--out", type=Path, default=Path("vae.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    seen, unseen = random_split(digits(), [0.9, 0.1])
    drawn_with_return = RandomSampler(seen, replacement=True, num_samples=64 * options.steps)
    net = VAE()
    history = torch.tensor(train(net, DataLoader(seen, 64, sampler=drawn_with_return)))

    print("\n     steps   drawing    place      sum")
    for number, part in zip(range(1, 6), history.tensor_split(5), strict=True):
        drawing, place = part.mean(0).tolist()
        upto = number * options.steps // 5
        print(f"  to {upto:5} {drawing:9.2f} {place:8.2f} {drawing + place:8.2f}")
    (images,) = next(iter(DataLoader(unseen, len(unseen))))
    with torch.no_grad():
        drawing, place = (loss.item() for loss in net.losses(images))
    print(f"  unseen   {drawing:9.2f} {place:8.2f} {drawing + place:8.2f}")

    drawn = F.interpolate(drawn_plane(net, options.side), scale_factor=4)
    save_image(drawn, options.out, nrow=options.side, padding=0)
    print(f"\n{options.out}: what the decoder draws all over the plane")
    return 0


if __name__ == "__main__":
    sys.exit(main())
