"""Networks trained compiled, as a whole step and as a model alone, have the bits of plain ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F

STEPS = 7


class Perceptron(nn.Module):
    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, x: Any) -> Any:
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.norm, self.drop = nn.BatchNorm2d(8), nn.Dropout(0.2)
        self.head = nn.Linear(8 * 4, 5)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.norm(self.conv2(x))), 2)
        return self.head(self.drop(x.flatten(1)))


class Rows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x: Any) -> Any:
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


class Attention(nn.Module):
    """Causal self-attention as nanoGPT writes it."""

    def __init__(self, width: int, heads: int, size: int) -> None:
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.width = heads, width
        self.flash = hasattr(F, "scaled_dot_product_attention") and size % 2 == 0
        self.register_buffer("mask", torch.tril(torch.ones(size, size)).view(1, 1, size, size))

    def forward(self, x: Any) -> Any:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.width, dim=2)
        q, k, v = (e.view(B, T, self.heads, C // self.heads).transpose(1, 2) for e in (q, k, v))
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = F.softmax(att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf")), dim=-1)
            y = att @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, 2, size)
        self.mlp = nn.ModuleDict({
            "c_fc": nn.Linear(width, 4 * width), "act": nn.GELU(),
            "c_proj": nn.Linear(4 * width, width), "dropout": nn.Dropout(0.1),
        })  # fmt: skip

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        m = self.mlp
        return x + m.dropout(m.c_proj(m.act(m.c_fc(self.ln_2(x)))))


class NanoGPT(nn.Module):
    """A small language model in the manner of Karpathy's nanoGPT, with tied weights."""

    def __init__(self, letters: int = 11, size: int = 8, width: int = 8) -> None:
        super().__init__()
        self.size = size
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(letters, width), "wpe": nn.Embedding(size, width),
            "h": nn.ModuleList([Block(width, size + i) for i in range(2)]),
            "ln_f": nn.LayerNorm(width),
        })  # fmt: skip
        self.lm_head = nn.Linear(width, letters, bias=False)
        self.transformer.wte.weight = self.lm_head.weight

    def forward(self, idx: Any, targets: Any = None) -> Any:
        device = idx.device
        _, t = idx.size()
        assert t <= self.size, f"Cannot forward sequence of length {t}"
        pos = torch.arange(0, t, dtype=torch.long, device=device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None
        logits = self.lm_head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def classified(model: Any, x: Any, y: Any) -> Any:
    return F.cross_entropy(model(x), y)


def fitted(model: Any, x: Any, y: Any) -> Any:
    return F.mse_loss(model(x), y)


def equation(model: Any, x: Any, y: Any) -> Any:
    x = x.detach().requires_grad_()
    u = model(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (d2u,) = torch.autograd.grad(du[:, 0].sum(), x, create_graph=True)
    return ((d2u[:, :1] + u - y) ** 2).mean()


def language(model: Any, x: Any, y: Any) -> Any:
    return model(x, y)[1]


def penalized(model: Any, x: Any, y: Any) -> Any:
    return fitted(model, x, y) + 0.01 * sum(p.square().sum() for p in model.parameters())


def numbers(*shape: int) -> Callable[[], Any]:
    return lambda: torch.randn(*shape)


def letters(count: int, *shape: int) -> Callable[[], Any]:
    return lambda: torch.randint(0, count, shape)


PROGRAMS: dict[str, tuple[Any, ...]] = {
    "perceptron": (lambda: Perceptron(3, 8, 8, 1), fitted, numbers(6, 3), numbers(6, 1)),
    "layers in a row": (
        lambda: nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 1)),
        penalized, numbers(6, 3), numbers(6, 1),
    ),
    "physics": (lambda: Perceptron(2, 8, 8, 1), equation, numbers(6, 2), numbers(6, 1)),
    "images": (Images, classified, numbers(6, 1, 8, 8), letters(5, 6)),
    "rows": (Rows, classified, numbers(5, 6, 4), letters(3, 5)),
    "nanoGPT": (NanoGPT, language, letters(11, 3, 8), letters(11, 3, 8)),
}  # fmt: skip


def trained(
    name: str, optimizer: Any, whole: Callable[[Any], Any], part: Callable[[Any], Any]
) -> Any:
    """Return the losses, parameters and buffers of a network trained for some steps."""
    make, measure, inputs, targets = PROGRAMS[name]
    torch.manual_seed(0)
    net = make()
    model, steps = part(net), optimizer(net.parameters())

    def step(x: Any, y: Any) -> Any:
        steps.zero_grad()
        loss = measure(model, x, y)
        loss.backward()
        steps.step()
        return loss

    run = whole(step)
    losses = [run(inputs(), targets()).item() for _ in range(STEPS)]
    net.eval()
    losses.append(measure(model, inputs(), targets()).item())
    return losses, [each.tolist() for each in net.state_dict().values()]


def plain(each: Any) -> Any:
    return each


@pytest.mark.parametrize("name", PROGRAMS)
def test_training_has_the_same_bits_compiled(name: str) -> None:
    for optimizer in (
        lambda params: torch.optim.SGD(params, lr=0.05, momentum=0.9),
        lambda params: torch.optim.AdamW(params, lr=0.01),
    ):
        expected = trained(name, optimizer, plain, plain)
        assert trained(name, optimizer, torch.compile, plain) == expected
        assert trained(name, optimizer, plain, torch.compile) == expected
