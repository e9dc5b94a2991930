"""A generative adversarial network that invents handwritten digits.

The data are the 1,797 digits of scikit-learn, 8×8 pixels each. The generator turns noise into
images, and the discriminator tells them from real ones; each has a loss and an optimizer of its
own. What the discriminator learns from is cut off from the generator with ``detach``, which the
program shows by the leaves of both graphs. At the end a table says which digits the invented ones
resemble most, and how closely; a picture shows them.

Run it with ``python examples/gan.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sklearn.datasets import load_digits
from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.inspect import graph
from pellucid.nn import functional as F
from pellucid.vision.utils import save_image

NOISE = 32

# 1. The data: images [N, 1, 8, 8] with values from -1 to 1, and which digit each shows.


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
    return images, torch.tensor(data.target)


# 2. The two networks.


def make_generator(width: int = 64) -> nn.Sequential:
    """Return what turns noise ``[N, NOISE]`` into images ``[N, 1, 8, 8]``."""
    return nn.Sequential(
        nn.Unflatten(1, (NOISE, 1, 1)),
        nn.ConvTranspose2d(NOISE, 2 * width, 2, bias=False),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
        nn.Tanh(),
    )


def make_discriminator(width: int = 32) -> nn.Sequential:
    """Return what says how real images look: scores ``[N]``."""
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(width, 2 * width, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Dropout(0.3),
        nn.Flatten(),
        nn.Linear(2 * width * 4 * 4, 1),
        nn.Flatten(0),
    )


def judged(discriminator: nn.Module, images: torch.Tensor, real: float) -> torch.Tensor:
    """Return how far the discriminator is from finding the images as real as said."""
    scores = discriminator(images)
    return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, real))


# 3. Training: the two players take turns; both look at the same invented images.


def train(
    generator: nn.Module, discriminator: nn.Module, images: torch.Tensor, steps: int, size: int = 64
) -> list[tuple[float, float]]:
    """Train both; return what the discriminator and the generator lost at each step."""
    tell = torch.optim.Adam(discriminator.parameters(), lr=5e-4, betas=(0.5, 0.999))
    fool = torch.optim.Adam(generator.parameters(), lr=5e-4, betas=(0.5, 0.999))
    history = []
    for _ in (progress := tqdm(range(steps), desc="training", unit="step")):
        some = images[torch.randint(len(images), (size,))]
        invented = generator(torch.randn(size, NOISE))

        telling = judged(discriminator, some, 0.9) + judged(discriminator, invented.detach(), 0.0)
        tell.zero_grad()
        telling.backward()
        tell.step()

        fooling = judged(discriminator, invented, 1.0)
        fool.zero_grad()
        fooling.backward()
        fool.step()

        history.append((telling.item(), fooling.item()))
        progress.set_postfix(tell=f"{history[-1][0]:.2f}", fool=f"{history[-1][1]:.2f}")
    return history


# 4. What came of it.


def show_where_losses_lead(generator: nn.Module, discriminator: nn.Module) -> None:
    invented = generator(torch.randn(8, NOISE))
    for name, seen in [("with detach", invented.detach()), ("without", invented)]:
        picture = graph(judged(discriminator, seen, 0.0))
        print(f"  {name:12} {len(picture.nodes):3} nodes, {len(picture.leaves):3} leaves,", end="")
        print(f" {picture.held_bytes:9,} bytes held")


def resemblance(
    invented: torch.Tensor, images: torch.Tensor, which: torch.Tensor
) -> tuple[torch.Tensor, float]:
    """Return how many of the invented are nearest to each digit, and the mean distance."""
    distance, nearest = torch.cdist(invented.flatten(1), images.flatten(1)).min(dim=1)
    return torch.bincount(which[nearest], minlength=10), distance.mean().item()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Invent handwritten digits.")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--out", type=Path, default=Path("gan.png"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    images, which = digits()
    generator, discriminator = make_generator(), make_discriminator()
    print("the graph of the discriminator's loss for invented images")
    show_where_losses_lead(generator, discriminator)
    noise = torch.randn(500, NOISE)
    with torch.no_grad():
        untrained = generator(noise)
    history = torch.tensor(train(generator, discriminator, images, options.steps))
    with torch.no_grad():
        invented = generator(noise)

    print("\n     steps   discriminator's loss   generator's loss")
    for number, part in zip(range(1, 6), history.tensor_split(5), strict=True):
        tell, fool = part.mean(0).tolist()
        print(f"  to {number * options.steps // 5:5} {tell:22.2f} {fool:18.2f}")

    half = len(images) // 2
    print("\nhow many of 500 look most like               distance to the nearest")
    print("".join(f"{digit:4}" for digit in range(10)) + "     real digit")
    for name, some in [
        ("untrained", untrained),
        ("trained", invented),
        ("real ones", images[half : half + 500]),
    ]:
        counts, distance = resemblance(some, images[:half], which[:half])
        print("".join(f"{count:4}" for count in counts.tolist()) + f"     {distance:.2f}  {name}")

    enlarged = F.interpolate(invented[:128], scale_factor=4)
    save_image(enlarged, options.out, nrow=16, normalize=True)
    print(f"\n{options.out}: 128 invented digits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
