"""A small GPT that learns, character by character, how Python's own documentation is written.

The text is the docstrings of the standard library that this Python came with: they are read with
``ast``, nothing is imported. Nine tenths are learned, the last tenth is held back. At the end a
table compares the network with what a count of characters and of pairs of characters could do, and
the network writes a docstring of its own into a file.

Run it with ``python examples/gpt.py``; ``--steps 20`` is the short form.
"""

from __future__ import annotations

import argparse
import ast
import math
import sys
import sysconfig
from pathlib import Path

from tqdm import tqdm

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)

# 1. The data: printable characters and line ends, each of them a number.

ALPHABET = "\n" + "".join(map(chr, range(32, 127)))
NUMBER = {character: number for number, character in enumerate(ALPHABET)}


def docstrings(modules: int) -> str:
    """Return the docstrings of the first so many modules of the standard library, joined."""
    folder = Path(sysconfig.get_path("stdlib"))
    modules_read = sorted(folder.glob("[a-z]*.py"))[:modules]
    nodes = (node for path in modules_read for node in ast.walk(ast.parse(path.read_bytes())))
    documented = (node for node in nodes if isinstance(node, DOCUMENTED))
    return "\n\n".join(filter(None, map(ast.get_docstring, documented)))


def encoded(text: str) -> torch.Tensor:
    return torch.tensor([NUMBER[character] for character in text if character in NUMBER])


def batch(characters: torch.Tensor, size: int, context: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random pieces of the text, and the same pieces one character further on."""
    start = torch.randint(len(characters) - context - 1, (size, 1))
    pieces = characters[start + torch.arange(context + 1)]
    return pieces[:, :-1], pieces[:, 1:]


# 2. The network: what each character can look back at, mixed and thought over several times.


class Block(nn.Module):
    """Apply attention to the characters before each one, then transform each by itself."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.think = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(self.before_attention(x))
        return x + self.think(x)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        by_head = self.queries_keys_values(x).unflatten(-1, (3, self.heads, -1))
        queries, keys, values = by_head.movedim(-3, 0).transpose(-3, -2)
        found = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.join(found.transpose(-3, -2).flatten(-2))


class GPT(nn.Module):
    """Give scores ``[N, T, len(ALPHABET)]`` to what may follow each of ``[N, T]`` characters."""

    def __init__(self, context: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(len(ALPHABET), width)
        self.positions = nn.Parameter(0.02 * torch.randn(context, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.scores = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(ALPHABET)))
        nn.init.normal_(self.characters.weight, std=0.02)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        x = self.characters(seen) + self.positions[: seen.shape[1]]
        return self.scores(self.blocks(x))

    @torch.no_grad()
    def write(self, start: str, length: int, temperature: float = 0.7) -> str:
        """Go on from the start, one drawn character after the other."""
        text = encoded(start)
        for _ in tqdm(range(length), desc="writing", unit="character"):
            scores = self(text[None, -self.context :])[0, -1]
            following = torch.multinomial((scores / temperature).softmax(0), 1)
            text = torch.cat([text, following])
        return "".join(ALPHABET[number] for number in text.tolist())


def loss_of(net: GPT, characters: torch.Tensor, size: int) -> torch.Tensor:
    seen, following = batch(characters, size, net.context)
    return F.cross_entropy(net(seen).flatten(0, 1), following.flatten())


# 3. Training, with a learning rate that falls to nothing.


def train(net: GPT, text: torch.Tensor, steps: int, size: int) -> list[float]:
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    losses = []
    for _ in (progress := tqdm(range(steps), desc="training", unit="step")):
        loss = loss_of(net, text, size)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.3f}")
    return losses


# 4. What counting alone could do: how surprising the unseen text is, in bits a character.


def counted(seen: torch.Tensor, unseen: torch.Tensor) -> tuple[float, float]:
    """Return the surprise left by how often characters, and pairs of them, occur."""
    pairs = torch.ones(len(ALPHABET), len(ALPHABET))
    pairs.index_put_((seen[:-1], seen[1:]), torch.ones(len(seen) - 1), accumulate=True)
    single = (pairs.sum(0) / pairs.sum()).log2()
    paired = (pairs / pairs.sum(1, keepdim=True)).log2()
    return -single[unseen].mean().item(), -paired[unseen[:-1], unseen[1:]].mean().item()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Learn to write as the standard library does.")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--modules", type=int, default=200, help="how many of them to read")
    parser.add_argument("--length", type=int, default=500, help="characters to write")
    parser.add_argument("--out", type=Path, default=Path("gpt.txt"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    text = encoded(docstrings(options.modules))
    seen, unseen = text[: -len(text) // 10], text[-len(text) // 10 :]
    net = GPT(context=64, width=96, heads=4, layers=3)
    parameters = sum(parameter.numel() for parameter in net.parameters())
    print(f"{len(text):,} characters to learn from and test with, {parameters:,} parameters")
    losses = train(net, seen, options.steps, size=24)

    options.out.write_text(net.eval().write("Return the ", options.length), encoding="utf-8")
    with torch.no_grad():
        held_back = loss_of(net, unseen, 256).item()
    single, paired = counted(seen, unseen)
    print("\nbits to guess a character of the unseen text")
    print(f"  from how often characters occur   {single:.2f}")
    print(f"  from the character before         {paired:.2f}")
    print(f"  {'GPT, before training':33} {losses[0] / math.log(2):.2f}")
    print(f"  {f'GPT, after {options.steps} steps':33} {held_back / math.log(2):.2f}")
    print(f"\n{options.out} begins\n\n{options.out.read_text(encoding='utf-8')[:300]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
