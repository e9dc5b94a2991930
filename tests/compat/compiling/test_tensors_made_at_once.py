"""Tensors that a compiled step makes of sizes and numbers are made at once, new in each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.nn import functional as F

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")

SETTLED = 6
#: what is made of `x`, of sizes `[3, 4]`, and of the matrix `w`
AT_ONCE: dict[str, Callable[[Any, Any], Any]] = {
    "zeros": lambda x, w: x + torch.zeros(4),
    "ones": lambda x, w: x * torch.ones(x.shape),
    "full": lambda x, w: x * torch.full((4,), 0.5),
    "eye": lambda x, w: x @ torch.eye(4),
    "arange": lambda x, w: x + torch.arange(x.size(1)).to(x.dtype),
    "linspace": lambda x, w: x * torch.linspace(0, 1, 4),
    "zeros_like": lambda x, w: x + torch.zeros_like(x @ w),
    "ones_like": lambda x, w: x * torch.ones_like(x.t() * 2, dtype=torch.float64).t().float(),
    "full_like": lambda x, w: x * torch.full_like(x @ w, 0.25),
    "new_ones": lambda x, w: x * x.new_ones(4),
    "new_zeros": lambda x, w: x + x.new_zeros(3, 4),
    "new_full": lambda x, w: x * x.new_full((4,), 2.5),
    "rand": lambda x, w: x + torch.rand(3, 4),
    "randn": lambda x, w: x * torch.randn(4, dtype=torch.float64).float(),
    "randint": lambda x, w: x * torch.randint(5, (4,)).float(),
    "rand_like": lambda x, w: x * torch.rand_like(x @ w),
    "randn_like": lambda x, w: (x @ w) + torch.randn_like(x.t() * 2).t(),
    "randint_like": lambda x, w: x * torch.randint_like(x @ w, 2, 5),
    "normal": lambda x, w: x * torch.normal(1.0, 0.5, (3, 4)),
    "randperm": lambda x, w: x * torch.randperm(4).float(),
    "contiguous": lambda x, w: x.t().contiguous().t() + x.contiguous(),
    "where": lambda x, w: torch.where(x > 0, x, 0.5 * (x @ w)),
    "einsum": lambda x, w: torch.einsum("ij,kj->ik", x, w),
    "std": lambda x, w: x / (x.std(1, keepdim=True) + x.var(0)),
    "double": lambda x, w: (x.double() * 2).float() + x.float(),
    "to": lambda x, w: x.to(torch.float64).to(w) + x.to(w),
    "embedding": lambda x, w: x * F.embedding(torch.arange(3), w),
    "like what has gaps": lambda x, w: x[:, 1:3] + torch.randn_like(x[:, 1:3]),
    "like what is expanded": lambda x, w: x + torch.rand_like(x[:, :1].expand(x.shape)),
}  # fmt: skip
#: what follows from values, or changes something: it runs as it is written
AS_WRITTEN: dict[str, Callable[[Any, Any], Any]] = {
    "full": lambda x, w: x * torch.full((4,), x.detach()[0, 0]),
    "full_like": lambda x, w: x * torch.full_like(x, w.detach()[0, 0]),
    "where": lambda x, w: x * torch.where(x > 0)[0].sum(),
    "normal": lambda x, w: x + torch.normal(x.detach(), 0.5),
    "rand": lambda x, w: x + torch.rand(4, generator=torch.Generator().manual_seed(1)),
    "zeros": lambda x, w: x + torch.zeros(4, requires_grad=True),
    "embedding": lambda x, w: x * F.embedding(torch.arange(3), w.detach().clone(), max_norm=0.5),
}  # fmt: skip


class World:
    """A step that makes something, plain or compiled."""

    def __init__(self, make: Callable[[Any, Any], Any], wrap: Callable[[Any], Any]) -> None:
        torch.manual_seed(0)
        self.x, self.w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)

        def step(x: Any, w: Any) -> Any:
            out = make(x + w[0], w)
            loss = (out * out).mean()
            loss.backward()
            return loss, out

        self.step = wrap(step)

    def __call__(self) -> Any:
        self.x = self.x * 1.01
        self.w.grad = None
        loss, out = self.step(self.x, self.w)
        assert self.w.grad is not None
        seen = out.detach().numpy().tobytes(), self.w.grad.numpy().tobytes(), out.dtype
        return loss.item(), seen, out.stride(), torch.get_rng_state().tolist()

    def runs_at_once(self) -> bool:
        (recorded, *_) = torch.inspect.compiled(self.step).recordings
        return all(each.at_once == 1 for each in recorded.operations)


def both(make: Callable[[Any, Any], Any]) -> tuple[World, World]:
    """Return a step plain and compiled, whose calls agree until it is settled how it runs."""
    seen, worlds = [], (World(make, lambda step: step), World(make, torch.compile))
    for world in worlds:
        torch.manual_seed(1)
        seen.append([world() for _ in range(SETTLED)])
    assert seen[0] == seen[1]
    return worlds


def agree(worlds: tuple[World, World], calls: int = 2) -> None:
    seen = []
    for world in worlds:
        torch.manual_seed(2)
        seen.append([world() for _ in range(calls)])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", AT_ONCE)
def test_what_follows_from_sizes_and_numbers_is_made_at_once(name: str) -> None:
    worlds = both(AT_ONCE[name])
    assert worlds[1].runs_at_once()
    agree(worlds)
    for world in worlds:
        world.x = torch.randn(5, 4, generator=torch.Generator().manual_seed(3))
    if name not in ("zeros_like", "new_zeros", "rand", "normal", "embedding"):
        agree(worlds, SETTLED)


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_what_follows_from_values_is_computed_anew(name: str) -> None:
    worlds = both(AS_WRITTEN[name])
    assert not worlds[1].runs_at_once()
    agree(worlds)


@pytest.mark.parametrize("name", ["zeros", "linspace", "rand"])
def test_a_default_dtype_that_changes_is_heeded(name: str) -> None:
    worlds = both(AT_ONCE[name])
    torch.set_default_dtype(torch.float64)
    try:
        agree(worlds, SETTLED)
    finally:
        torch.set_default_dtype(torch.float32)
    agree(worlds)


def test_a_tensor_that_is_made_belongs_to_its_call_alone() -> None:
    @torch.compile
    def f(x: Any) -> Any:
        made = torch.zeros(2)
        return made, made + x * x * x

    for _ in range(SETTLED):
        made, total = f(torch.ones(2))
        assert (made.tolist(), total.tolist(), made._version) == ([0.0, 0.0], [1.0, 1.0], 0)
        made.add_(5)


def test_numbers_that_live_on_have_the_version_of_the_program() -> None:
    def f(x: Any) -> Any:
        noise = torch.randn_like(x)
        return noise, (noise * x * x).sum()

    compiled = torch.compile(f)
    for _ in range(SETTLED):
        assert compiled(torch.ones(2))[0]._version == f(torch.ones(2))[0]._version
