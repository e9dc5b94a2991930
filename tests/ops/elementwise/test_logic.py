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


def test_logic_takes_any_dtype_for_truth() -> None:
    x, y = torch.tensor([0.0, 0.5]), torch.tensor([2, 0])
    assert torch.logical_and(x, y).tolist() == [False, False]
    assert torch.logical_xor(x, y).tolist() == [True, True]
    assert torch.logical_not(x).tolist() == [True, False]
