"""One network, two questions: learn to read digits with a shared trunk and two heads.

The data are the 1,797 handwritten digits of scikit-learn, 8×8 pixels each. A small convolutional
trunk looks at a digit; one head says which digit it is, the other whether it has a closed loop, as
0, 6, 8 and 9 have. Each head has a loss of its own, and the two losses are run backward one after
the other. The first must not free the trunk, which the second still needs; but it may free its own
head at once. ``l1.backward(retain_graph=l2)`` says just that.

Run it with ``make demo``, or ``python examples/digits.py`` where pellucid, scikit-learn and tqdm
are installed. It ends with exit code 1 if a head stays below the accuracy it should reach.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
import webbrowser
from pathlib import Path

from sklearn.datasets import load_digits
from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Graph, graph
from pellucid.utils.data import DataLoader, Subset, TensorDataset, random_split

DIGITS_WITH_A_LOOP = [0, 6, 8, 9]


# 1. The data: images [N, 1, 8, 8] with values from 0 to 1, and the two answers for each of them.


def digits(count: int | None) -> TensorDataset:
    """Return images, which digit each shows, and whether it has a loop; all, or the first few."""
    data = load_digits()
    images = torch.tensor(data.images[:count], dtype=torch.float32).unsqueeze(1) / 16
    which = torch.tensor(data.target[:count])
    has_loop = torch.zeros(10)
    has_loop[DIGITS_WITH_A_LOOP] = 1.0
    return TensorDataset(images, which, has_loop[which])


# 2. The network: both heads read what the trunk has seen.


class TwoQuestions(nn.Module):
    """Answer, for each image, which digit it is and whether it has a closed loop."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.3),
        )
        self.which = self._head(10)
        self.has_loop = self._head(1)

    def _head(self, answers: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, answers))

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.trunk(images)
        return self.which(seen), self.has_loop(seen).squeeze(1)


measure_which = nn.CrossEntropyLoss()
measure_loop = nn.BCEWithLogitsLoss()


def losses(net: TwoQuestions, batch: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return one loss for each head. Their graphs share the trunk."""
    images, which, has_loop = batch
    which_scores, loop_score = net(images)
    l1 = measure_which(which_scores, which)
    l2 = measure_loop(loop_score, has_loop)
    return l1, l2


# 3. Training: two backward passes through one trunk, then one step of the optimizer.


def train(net: TwoQuestions, batches: DataLoader, epochs: int) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    steps = epochs * len(batches)
    with tqdm(total=steps, desc="training", unit="step", dynamic_ncols=True) as progress:
        for _ in range(epochs):
            for batch in batches:
                l1, l2 = losses(net, batch)
                optimizer.zero_grad()
                l1.backward(retain_graph=l2)  # frees the first head, keeps what l2 needs
                l2.backward()  # adds its gradients to the trunk's, and frees the rest
                optimizer.step()
                progress.update()
                progress.set_postfix(which=f"{l1.item():.3f}", loop=f"{l2.item():.3f}")


def accuracies(net: TwoQuestions, unseen: Subset) -> tuple[float, float]:
    """Return the shares of images for which each head is right."""
    images, which, has_loop = next(iter(DataLoader(unseen, batch_size=len(unseen))))
    net.eval()
    with torch.no_grad():
        which_scores, loop_score = net(images)
    net.train()
    which_right = which_scores.argmax(dim=1) == which
    loop_right = (loop_score > 0) == (has_loop > 0.5)
    return which_right.float().mean().item(), loop_right.float().mean().item()


# 4. One more step in slow motion: what each of the two backward passes frees, and a page of it.


def show_one_step(net: TwoQuestions, batch: list[torch.Tensor], page: Path) -> None:
    with torch.inspect.record() as recording:
        l1, l2 = losses(net, batch)
        before = graph(l1, l2)
        l1.backward(retain_graph=l2)
        between = graph(l1, l2)
        l2.backward()
        after = graph(l1, l2)

    title("One more step. The forward pass made one graph of two losses:")
    print(f"  {len(before.nodes)} nodes, which hold {before.held_bytes:,} bytes for backward")
    title("l1.backward(retain_graph=l2) frees the head of l1, and keeps head and trunk for l2:")
    print_freed(before, between)
    title("l2.backward() frees the rest:")
    print_freed(between, after)
    recording.html(page)
    title("To look at")
    print(f"  {page}: this step, to play through in a browser; {page.stat().st_size:,} bytes")


def print_freed(before: Graph, after: Graph) -> None:
    """Print which nodes have been freed, and how many bytes are held now."""
    for old, new in zip(before.nodes, after.nodes, strict=True):
        if new.freed_by is not None and old.freed_by is None:
            held = sum(value.bytes for value in old.saved if value.leaf is None)
            print(f"  freed  {old.module or '':17}  {old.name:30}  {held or '':>9,}".rstrip())
    print(f"  {after.held_bytes:,} bytes are held now")


def opened(page: Path) -> bool:
    """Open a page in the browser, if there is somebody in front of one."""
    desktop = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ
    return desktop and sys.stdout.isatty() and webbrowser.open(page.resolve().as_uri())


def title(text: str) -> None:
    lines = textwrap.wrap(text, shutil.get_terminal_size().columns)
    print("", *lines, "─" * max(map(len, lines)), sep="\n")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Learn to read digits with one trunk, two heads.")
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=None, help="use only the first so many")
    parser.add_argument("--wanted", type=float, default=0.97, help="accuracy of each head")
    parser.add_argument("--page", type=Path, default=Path("demo.html"), help="the page to write")
    options = parser.parse_args(arguments)

    title("Learning to read digits: one network, which digit it is and whether it has a loop")
    torch.manual_seed(options.seed)
    seen, unseen = random_split(digits(options.samples), [0.8, 0.2])
    batches = DataLoader(seen, batch_size=32, shuffle=True)
    net = TwoQuestions()
    print(torch.summary(net, seen[0][0].unsqueeze(0)))
    train(net, batches, options.epochs)

    which, loop = accuracies(net, unseen)
    title(f"On {len(unseen)} digits that it has not seen")
    print(f"  which digit: {which:6.1%}")
    print(f"  closed loop: {loop:6.1%}")

    show_one_step(net, next(iter(batches)), options.page)
    opened(options.page)

    if min(which, loop) < options.wanted:
        print(f"\nA head stayed below {options.wanted:.0%}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
