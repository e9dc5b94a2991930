"""An optimizer, a sampler and a stream of one's own, and a model with a recurrent core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import assert_type

import pellucid as torch
from pellucid import Tensor, nn
from pellucid.optim import Optimizer
from pellucid.utils.data import DataLoader, IterableDataset, Sampler


class SignDescent(Optimizer):
    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss: Tensor | None = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["lr"] * p.grad.sign())
        return loss


class Evens(Sampler[int]):
    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, self.size, 2))


class Ramp(IterableDataset[Tensor]):
    def __iter__(self) -> Iterator[Tensor]:
        for number in range(6):
            yield torch.full((3,), float(number))


class Recurrent(nn.Module):
    mean: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.core = nn.LSTM(size, 4, num_layers=2, batch_first=True)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.table = nn.Embedding(10, size)
        self.register_buffer("mean", torch.zeros(4))
        nn.init.xavier_uniform_(self.table.weight, gain=0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        hidden: Tensor
        output, (hidden, _) = self.core(self.table(tokens))
        attended, _ = self.attention(output, output, output)
        return attended.mean(dim=1) - self.mean + hidden[-1]


def main() -> None:
    model = Recurrent(3)
    assert_type(model(torch.arange(6).view(2, 3)), Tensor)
    assert_type(model.table.weight, nn.Parameter)
    handle = model.register_forward_hook(lambda module, inputs, output: None)
    optimizer = SignDescent(model.parameters(), lr=0.1)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = model(torch.arange(4).view(1, 4)).square().mean()
        loss.backward()
        return loss

    print(optimizer.step(closure))
    handle.remove()
    for batch in DataLoader(Ramp(), batch_size=2):
        print(batch.shape)
    for single in DataLoader(Ramp(), batch_size=None):
        print(single.shape)
    print(list(Evens(5)), list(DataLoader(list(range(6)), sampler=Evens(6))))
    counted = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print(counted, {name: tuple(b.shape) for name, b in model.named_buffers()})


if __name__ == "__main__":
    main()
