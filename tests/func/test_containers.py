"""`vmap` over containers of tensors that take their samples themselves, as tensordict's do."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import pellucid as torch

internals = importlib.import_module("pellucid._functorch")


class Pair:
    """Two tensors with the same first dimensions, as many as ``batch``."""

    def __init__(self, a: Any, b: Any, batch: int) -> None:
        self.a, self.b, self.batch = a, b, batch

    def dim(self) -> int:
        return self.batch

    def size(self, dim: int) -> int:
        return self.a.shape[dim]

    def _add_batch_dim(self, *, in_dim: int, vmap_level: Any) -> Pair:
        a, b = (internals._add_batch_dim(each, in_dim, vmap_level) for each in (self.a, self.b))
        return Pair(a, b, self.batch - 1)

    def _maybe_remove_batch_dim(
        self, name: str, vmap_level: Any, batch_size: int, out_dim: int
    ) -> Pair:
        a, b = (
            internals._maybe_remove_batch_dim(name, each, vmap_level, batch_size, out_dim)
            for each in (self.a, self.b)
        )
        return Pair(a, b, self.batch + 1)


def pair() -> Pair:
    return Pair(torch.arange(6.0).view(2, 3), torch.ones(2), 1)


def test_the_function_gets_one_sample_and_gives_a_container_of_all() -> None:
    seen: list[Any] = []

    def swap(sample: Pair) -> Pair:
        seen.append((tuple(sample.a.shape), sample.dim()))
        return Pair(sample.b * 2, sample.a.sum(), sample.batch)

    made = torch.vmap(swap)(pair())
    assert seen == [((3,), 0)]
    assert (made.a.tolist(), made.b.tolist(), made.dim()) == ([2.0, 2.0], [3.0, 12.0], 1)


def test_a_container_among_other_arguments_and_results() -> None:
    def product(sample: Pair, x: Any) -> Any:
        return sample.a.sum() * x, sample

    total, same = torch.vmap(product, in_dims=(0, None), out_dims=(0, 0))(pair(), torch.tensor(2.0))
    assert total.tolist() == [6.0, 24.0]
    assert torch.equal(same.a, pair().a)


def test_a_dimension_that_a_container_lacks_is_told() -> None:
    with pytest.raises(ValueError, match="dimensionality 1 so expected in_dim"):
        torch.vmap(lambda sample: sample, in_dims=1)(pair())


def test_a_tensor_knows_that_it_stands_for_one_sample() -> None:
    asked: list[Any] = []

    def ask(x: Any) -> Any:
        asked.append((internals.is_batchedtensor(x), internals.maybe_get_level(x)))
        asked.append(internals.get_unwrapped(x).shape)
        return x

    x = torch.ones(2, 3)
    torch.vmap(ask)(x)
    assert asked == [(True, 1), (2, 3)]
    assert not internals.is_batchedtensor(x)
    assert internals.get_unwrapped(x) is x
    assert (internals.maybe_get_bdim(x), internals.maybe_get_level(x)) == (-1, -1)


def test_whether_a_function_is_being_transformed_is_known() -> None:
    core = importlib.import_module("pellucid._C")
    asked: list[bool] = []

    def ask(x: Any) -> Any:
        asked.append(core._are_functorch_transforms_active())
        return x.sum()

    torch.func.grad(ask)(torch.ones(2))
    torch.vmap(ask)(torch.ones(2, 2))
    ask(torch.ones(1))
    assert asked == [True, True, False]
