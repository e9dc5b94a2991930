from __future__ import annotations

import pytest

import pellucid as torch


def test_operators_work_on_bits_and_on_truth_values() -> None:
    x = torch.tensor([6, 3])
    assert (x & 3).tolist() == [2, 3]
    assert (8 | x).tolist() == [14, 11]
    assert (x ^ x).tolist() == [0, 0]
    assert (~x).tolist() == [-7, -4]
    assert (x << 1).tolist() == [12, 6]
    assert (1 << x).tolist() == [64, 8]
    assert (x >> 1).tolist() == [3, 1]
    flags = torch.tensor([True, False])
    assert (flags & ~flags).tolist() == [False, False]


def test_inverting_numbers_that_are_no_integers_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="only implemented on integer and Boolean-type tensors"):
        ~torch.ones(1)


@pytest.mark.parametrize("name", ["logical_and_", "logical_or_", "logical_xor_", "logical_not_"])
def test_logic_in_place_leaves_the_history_as_it_was(name: str) -> None:
    x = torch.tensor([1.5, 0.0], requires_grad=True)
    doubled = x * 2
    getattr(doubled, name)(*() if name == "logical_not_" else [torch.ones(2)])
    assert doubled.grad_fn.name() == "MulBackward0"
    doubled.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_logic_takes_any_dtype_for_truth() -> None:
    x, y = torch.tensor([0.0, 0.5]), torch.tensor([2, 0])
    assert torch.logical_and(x, y).tolist() == [False, False]
    assert torch.logical_xor(x, y).tolist() == [True, True]
    assert torch.logical_not(x).tolist() == [True, False]
