"""Functions on lists of tensors."""

import pytest

import pellucid as torch


def test_a_function_that_changes_a_list_returns_it():
    tensors = [torch.ones(2), torch.zeros(3)]
    assert torch._foreach_add_(tensors, 1) is tensors
    assert [t.tolist() for t in tensors] == [[2.0, 2.0], [1.0, 1.0, 1.0]]


def test_as_many_numbers_as_tensors_are_asked_for():
    with pytest.raises(RuntimeError, match="must have same number of elements as scalar list"):
        torch._foreach_mul([torch.ones(2)], [1.0, 2.0])
    with pytest.raises(RuntimeError, match="Tensor lists must have the same number of tensors"):
        torch._foreach_mul([torch.ones(2)], [torch.ones(2), torch.ones(2)])


def test_an_empty_list_is_refused_as_one_of_numbers():
    with pytest.raises(RuntimeError, match="must have same number of elements as scalar list"):
        torch._foreach_maximum([torch.ones(2)], [])
