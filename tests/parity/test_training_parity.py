"""Training goes the same way as with the installed PyTorch: same seed, same model, same losses.

Each program is written once, against whichever of the two libraries it is given: first values,
shuffling, dropout and the steps themselves have to agree for its losses to agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

STEPS = 20
TEXT = (
    "the quick brown fox jumps over the lazy dog and runs away from the small red hen that has "
    "seen it all before, more than once, and never said a word about any of it to anybody."
)


def losses(library: Any, program: Callable[[Any], Callable[[], Any]]) -> list[float]:
    """Return the losses of a program's first steps; ``program`` returns what one step does."""
    library.manual_seed(1234)
    step = program(library)
    return [step() for _ in range(STEPS)]


def trainer(library: Any, net: Any, optimizer: Any, loss_of: Callable[[], Any]) -> Any:
    """Return a function that takes one step and returns the loss."""

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        library.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        return loss.item()

    return step


def perceptron(torch: Any) -> Any:
    """Classify points of three classes by a perceptron with dropout, shuffled by a loader."""
    nn = torch.nn
    net = nn.Sequential(
        nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 32), nn.Tanh(),
        nn.Linear(32, 3),
    )  # fmt: skip
    x = torch.randn(96, 8)
    y = (x[:, :3] + 0.1 * torch.randn(96, 3)).argmax(1)
    data = torch.utils.data.TensorDataset(x, y)
    loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
    batches = (batch for _ in range(STEPS) for batch in loader)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    def loss() -> Any:
        inputs, targets = next(batches)
        return nn.functional.cross_entropy(net(inputs), targets)

    return trainer(torch, net, optimizer, loss)


def convolutions(torch: Any) -> Any:
    """Classify small images by convolutions with batch normalization, pooling and dropout."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16),
                nn.ReLU(), nn.Dropout2d(0.1),
            )  # fmt: skip
            self.classifier = nn.Sequential(
                nn.Linear(16 * 3 * 3, 32), nn.ReLU(), nn.Dropout(0.25), nn.Linear(32, 4)
            )

        def forward(self, x: Any) -> Any:
            x = self.features(x)
            return nn.functional.log_softmax(self.classifier(x.flatten(1)), dim=1)

    net = Net()
    x, y = torch.randn(16, 1, 12, 12), torch.randint(0, 4, (16,))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    return trainer(torch, net, optimizer, lambda: nn.functional.nll_loss(net(x), y))


def characters(torch: Any, length: int, batch: int) -> tuple[int, Callable[[], tuple[Any, Any]]]:
    """Return the number of characters, and a function that draws a batch of them."""
    alphabet = sorted(set(TEXT))
    text = torch.tensor([alphabet.index(each) for each in TEXT])

    def draw() -> tuple[Any, Any]:
        starts = torch.randint(len(text) - length, (batch,)).tolist()
        return (
            torch.stack([text[i : i + length] for i in starts]),
            torch.stack([text[i + 1 : i + 1 + length] for i in starts]),
        )

    return len(alphabet), draw


def transformer(torch: Any) -> Any:
    """Predict characters by a small GPT: causal attention, dropout, tied weights, warm-up."""
    nn, functional = torch.nn, torch.nn.functional
    width, heads, length = 32, 4, 16
    size, draw = characters(torch, length, batch=8)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attend = nn.Linear(width, 3 * width)
            self.project = nn.Linear(width, width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width),
                nn.Dropout(0.1),
            )  # fmt: skip
            self.drop = nn.Dropout(0.1)
            self.register_buffer("mask", torch.tril(torch.ones(length, length)))

        def attention(self, x: Any) -> Any:
            b, t, c = x.size()
            q, k, v = (
                part.view(b, t, heads, c // heads).transpose(1, 2)
                for part in self.attend(x).split(width, dim=2)
            )
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(c // heads)
            scores = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
            out = self.drop(functional.softmax(scores, dim=-1)) @ v
            return self.project(out.transpose(1, 2).contiguous().view(b, t, c))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(size, width)
            self.positions = nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block() for _ in range(2))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, size, bias=False)
            self.tokens.weight = self.head.weight
            self.apply(self.start)

        def start(self, module: Any) -> None:
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

        def forward(self, index: Any) -> Any:
            x = self.tokens(index) + self.positions(torch.arange(index.size(1)))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    net = GPT()
    decayed = [p for p in net.parameters() if p.dim() >= 2]
    others = [p for p in net.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=3e-3, betas=(0.9, 0.95),
    )  # fmt: skip
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5),
         torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 15)],
        milestones=[5],
    )  # fmt: skip

    def loss() -> Any:
        inputs, targets = draw()
        return functional.cross_entropy(net(inputs).view(-1, size), targets.view(-1))

    step = trainer(torch, net, optimizer, loss)

    def scheduled() -> float:
        value = step()
        schedule.step()
        return value

    return scheduled


def recurrence(torch: Any) -> Any:
    """Predict characters by two layers of LSTM, with dropout between them."""
    nn = torch.nn
    size, draw = characters(torch, length=12, batch=6)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(size, 16)
            self.lstm = nn.LSTM(16, 24, num_layers=2, batch_first=True, dropout=0.2)
            self.out = nn.Linear(24, size)

        def forward(self, x: Any, state: Any = None) -> Any:
            out, state = self.lstm(self.embed(x), state)
            return self.out(out), state

    net = Net()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=5e-3)
    held: dict[str, Any] = {"state": None}

    def loss() -> Any:
        inputs, targets = draw()
        out, state = net(inputs, held["state"])
        held["state"] = tuple(each.detach() for each in state)
        return nn.functional.cross_entropy(out.transpose(1, 2), targets)

    return trainer(torch, net, optimizer, loss)


def autoencoder(torch: Any) -> Any:
    """Encode images with noise added, as a distribution: transposed convolutions and sampling."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encode = nn.Sequential(
                nn.Conv2d(1, 4, 4, stride=2, padding=1), nn.GroupNorm(2, 4), nn.LeakyReLU(0.1),
                nn.Flatten(), nn.Linear(4 * 4 * 4, 12),
            )  # fmt: skip
            self.decode = nn.Sequential(
                nn.Linear(6, 64), nn.SiLU(), nn.Unflatten(1, (4, 4, 4)),
                nn.ConvTranspose2d(4, 1, 4, stride=2, padding=1), nn.Sigmoid(),
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            mean, logvar = self.encode(x + 0.1 * torch.randn_like(x)).chunk(2, dim=1)
            z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
            return self.decode(z), mean, logvar

    net = Net()
    x = torch.rand(12, 1, 8, 8)
    optimizer = torch.optim.NAdam(net.parameters(), lr=5e-3)

    def loss() -> Any:
        out, mean, logvar = net(x)
        divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
        return nn.functional.binary_cross_entropy(out, x, reduction="sum") + divergence

    return trainer(torch, net, optimizer, loss)


def encoder(torch: Any) -> Any:
    """Sort sequences by the stock encoder of transformers, with padding, in training mode."""
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)
    net = nn.ModuleDict(
        {"embed": nn.Embedding(11, 16, padding_idx=0), "body": nn.TransformerEncoder(layer, 2),
         "head": nn.Linear(16, 2)}
    )  # fmt: skip
    x = torch.randint(1, 11, (10, 7))
    x[::2, 5:] = 0
    y = (x.sum(1) > 30).long()
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.02)

    def loss() -> Any:
        hidden = net["body"](net["embed"](x), src_key_padding_mask=x == 0)
        return nn.functional.cross_entropy(net["head"](hidden.mean(1)), y, label_smoothing=0.1)

    return trainer(torch, net, optimizer, loss)


@pytest.mark.parametrize(
    "program", [perceptron, convolutions, transformer, recurrence, autoencoder, encoder]
)
def test_the_first_losses_are_the_same(program: Callable[[Any], Any]) -> None:
    ours, theirs = (losses(library, program) for library in (pellucid, torch))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert min(ours[-5:]) < ours[0]
