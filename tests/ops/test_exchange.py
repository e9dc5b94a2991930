"""What a tensor gives to other libraries and to older programs."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


def test_memory_is_shared_both_ways_by_dlpack() -> None:
    array = np.arange(3.0)
    tensor = torch.from_dlpack(array)
    tensor[0] = 7
    assert array[0] == 7
    np.from_dlpack(tensor)[1] = 8
    assert tensor[1].item() == 8
    copied = torch.from_dlpack(array, copy=True)
    copied[2] = 9
    assert array[2] == 2


def test_dlpack_refuses_what_has_a_history_or_does_not_speak_it() -> None:
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        torch.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        torch.from_dlpack([1])


def test_functions_of_numpy_give_tensors() -> None:
    result = np.sin(torch.ones(2))
    assert isinstance(result, torch.Tensor)
    assert result.dtype == torch.float32


@pytest.mark.parametrize("size", [(1, 3, 1), (3, 1), (1,), (2, 3, 4), (4,), ()])
def test_sums_to_a_size_are_the_gradient_of_expanding_from_it(size: tuple[int, ...]) -> None:
    x = torch.randn(2, 3, 4)
    small = torch.zeros(size, requires_grad=True)
    (small.expand(2, 3, 4) * x).sum().backward()
    assert torch.allclose(x.sum_to_size(size), small.grad)


def test_sums_to_a_size_that_does_not_fit_are_refused() -> None:
    for size in ((5,), (1, 2, 3, 4), (2, 3, 2)):
        with pytest.raises(RuntimeError, match="is not expandable to size"):
            torch.ones(2, 3, 4).sum_to_size(size)


def test_the_order_of_dimensions_is_that_of_memory() -> None:
    x = torch.ones(2, 3, 4, 5)
    assert x.dim_order() == (0, 1, 2, 3)
    assert x.permute(0, 3, 1, 2).dim_order() == (0, 2, 3, 1)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        torch.ones(1, 1).dim_order(ambiguity_check=True)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        x.permute(3, 2, 1, 0).dim_order(ambiguity_check=[torch.contiguous_format])


def test_a_reversed_tensor_is_one_and_has_a_gradient() -> None:
    x = torch.arange(3.0).requires_grad_()
    (reversed(x) * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100, 10, 1]
