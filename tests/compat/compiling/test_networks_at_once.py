"""Networks of the usual kinds run at once, up to the backward, with what the plain step gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.nn import functional as F
from pellucid.nn.utils.rnn import pack_padded_sequence

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")

SETTLED = 12


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside, self.norm = nn.Linear(4, 12), nn.LayerNorm(4)

    def forward(self, x: Any) -> Any:
        heads = [part.view(2, -1, 2, 2).transpose(1, 2) for part in self.inside(x).split(4, dim=2)]
        mixed = F.scaled_dot_product_attention(*heads, is_causal=True)
        return self.norm(x + mixed.transpose(1, 2).contiguous().view(x.shape))


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.characters, self.places = nn.Embedding(9, 4), nn.Embedding(6, 4)
        self.block, self.head = Attention(), nn.Linear(4, 9, bias=False)

    def forward(self, text: Any) -> Any:
        places = torch.arange(text.size(1))
        return self.head(self.block(self.characters(text) + self.places(places))).view(-1, 9)


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside, self.outside = nn.Linear(5, 4), nn.Linear(2, 5)

    def forward(self, x: Any) -> Any:
        mean, spread = self.inside(x).chunk(2, 1)
        return self.outside(mean + torch.randn_like(mean) * torch.exp(0.5 * spread))


def _mismatch(out: Any, y: Any) -> Any:
    if not y.is_floating_point():
        return F.cross_entropy(out, y)
    return F.binary_cross_entropy(torch.sigmoid(out), y, reduction="sum")


class Reader(nn.Module):
    def __init__(self, reader: Any) -> None:
        super().__init__()
        self.reader, self.classifier = reader, nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        states, _ = self.reader(x)
        return self.classifier(states[:, -1])


def _images() -> Any:
    return torch.linspace(-1, 1, 2 * 36).view(2, 1, 6, 6).sin()


def _sequences() -> Any:
    return torch.linspace(-1, 1, 2 * 5 * 3).view(2, 5, 3).cos()


def _text() -> Any:
    return torch.arange(12).view(2, 6) % 9


def _cnn(pooling: Any) -> Any:
    layers = nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), pooling, nn.Dropout(0.25), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(27, 4), nn.LogSoftmax(1))


#: a network, what it is given, and the classes or the values that it is to give
NETWORKS: dict[str, tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]] = {
    "GPT": (GPT, _text, lambda: (torch.arange(12) * 5) % 9),
    "VAE": (VAE, lambda: torch.ones(3, 5), lambda: torch.zeros(3, 5)),
    "CNN": (lambda: _cnn(nn.MaxPool2d(2)), _images, lambda: torch.tensor([1, 3])),
    "CNN, adaptive": (lambda: _cnn(nn.AdaptiveAvgPool2d(3)), _images, lambda: torch.tensor([1, 3])),
    "LSTM": (
        lambda: Reader(nn.LSTM(3, 4, batch_first=True)), _sequences, lambda: torch.tensor([1, 2]),
    ),
    "LSTM of two layers": (
        lambda: Reader(nn.LSTM(3, 4, 2, batch_first=True, dropout=0.5)), _sequences,
        lambda: torch.tensor([1, 2]),
    ),
    "GRU in both directions": (
        lambda: Reader(nn.GRU(3, 2, batch_first=True, bidirectional=True)), _sequences,
        lambda: torch.tensor([1, 2]),
    ),
}  # fmt: skip


class World:
    """A network and its training step, plain or compiled."""

    def __init__(self, name: str, wrap: Callable[[Any], Any]) -> None:
        make, inputs, targets = NETWORKS[name]
        torch.manual_seed(0)
        self.net, self.x, self.y = make(), inputs(), targets()
        self.optimizer = torch.optim.Adam(self.net.parameters())

        def step(x: Any, y: Any) -> Any:
            self.optimizer.zero_grad()
            out = self.net(x)
            loss = _mismatch(out, y)
            loss.backward()
            self.optimizer.step()
            return loss

        self.step = wrap(step)

    def __call__(self) -> Any:
        loss = self.step(self.x, self.y)
        params = [*self.net.parameters()]
        return (
            loss.item(), [each.detach().numpy().tobytes() for each in params],
            [each.grad.numpy().tobytes() for each in params], torch.get_rng_state().tolist(),
        )  # fmt: skip


def agree(worlds: tuple[World, World], calls: int) -> None:
    seen = []
    for world in worlds:
        torch.manual_seed(1)
        seen.append([world() for _ in range(calls)])
    assert seen[0] == seen[1]


def both(name: str) -> tuple[World, World]:
    """Return a step plain and compiled, which agree, and of which it is settled how it runs."""
    worlds = World(name, lambda step: step), World(name, torch.compile)
    agree(worlds, SETTLED)
    return worlds


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_runs_at_once_up_to_the_backward(name: str) -> None:
    worlds = both(name)
    (recorded,) = torch.inspect.compiled(worlds[1].step).recordings
    assert {each.name for each in recorded.operations if each.at_once != 1} <= {"step"}
    agree(worlds, 2)


@pytest.mark.parametrize("name", NETWORKS)
def test_what_changes_in_a_network_is_heeded(name: str) -> None:
    worlds = both(name)
    for change in (nn.Module.eval, nn.Module.train, lambda net: net.double()):
        for world in worlds:
            change(world.net)
            if change not in (nn.Module.eval, nn.Module.train) and world.x.is_floating_point():
                world.x, world.y = world.x.double(), world.y.double() if name == "VAE" else world.y
        agree(worlds, 2)


def test_a_dropout_that_is_replaced_inside_of_an_lstm_is_heeded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worlds = both("LSTM of two layers")
    monkeypatch.setattr(F, "dropout", lambda input, p, training: input * 0.25)
    agree(worlds, 2)


def test_sequences_of_lengths_that_are_values_are_read_anew() -> None:
    lstm = nn.LSTM(3, 4, batch_first=True)

    def last(x: Any, lengths: Any) -> Any:
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return lstm(packed)[1][0].sum() * 1.5 + 1

    compiled, x = torch.compile(last), _sequences()
    for number in range(SETTLED):
        lengths = torch.tensor([5 - number % 3, 1 + number % 4])
        assert compiled(x, lengths).item() == last(x, lengths).item()
