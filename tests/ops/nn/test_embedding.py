from __future__ import annotations

import pytest

import pellucid as torch


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_without_an_index_give_zeros_with_a_history(mode: str) -> None:
    bags = torch.nn.EmbeddingBag(5, 2, mode=mode)
    out = bags(torch.empty(0, dtype=torch.int64), torch.tensor([0, 0]))
    assert out.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    out.sum().backward()
    assert bags.weight.grad is not None
    assert bags.weight.grad.tolist() == [[0.0, 0.0]] * 5
