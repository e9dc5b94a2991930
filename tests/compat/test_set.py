"""``Tensor.set_``: a tensor that gets the memory of another tensor or of a storage."""

from __future__ import annotations

import pytest

import pellucid as torch


def test_set_shares_the_memory_of_the_source() -> None:
    parameter, source = torch.nn.Parameter(torch.zeros(3)), torch.tensor([5.0, 6.0])
    with torch.no_grad():
        assert parameter.set_(source) is parameter
    source[0] = 9
    assert parameter.tolist() == [9.0, 6.0]
    (parameter * 2).sum().backward()
    assert parameter.grad.tolist() == [2.0, 2.0]


def test_set_takes_a_part_of_a_tensor_or_of_a_storage() -> None:
    source = torch.arange(4.0)
    assert torch.zeros(1).set_(source, 1, (2,), (2,)).tolist() == [1.0, 3.0]
    assert torch.zeros(1).set_(source.untyped_storage(), 2, (2,)).tolist() == [2.0, 3.0]
    assert torch.zeros(1).set_(source.untyped_storage()).tolist() == source.tolist()
    assert torch.zeros(1).set_().shape == (0,)


def test_a_value_saved_for_backward_is_not_replaced_unnoticed() -> None:
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    y = w * x
    x.set_(torch.zeros(2))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_set_refuses_what_would_lose_a_history() -> None:
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.set_(torch.ones(2))
    replaced = (leaf * 2).set_(torch.ones(2))
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        replaced.sum().backward()
    with pytest.raises(RuntimeError, match="Could not set tensor of type float64"):
        torch.ones(2).set_(torch.ones(2, dtype=torch.float64))
