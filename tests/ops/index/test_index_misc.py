"""`isin`, `unravel_index`, `nonzero_static`, `index_reduce` and `split_with_sizes`."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


def test_isin_is_what_numpy_says() -> None:
    x, y = np.array([[1, 2, 3], [4, 5, 2]]), np.array([2, 5, 9])
    found = torch.isin(torch.from_numpy(x), torch.from_numpy(y))
    assert np.array_equal(found.numpy(), np.isin(x, y))
    turned = torch.isin(torch.from_numpy(x), torch.from_numpy(y), invert=True)
    assert np.array_equal(turned.numpy(), ~np.isin(x, y))


def test_isin_compares_a_number_in_the_dtype_of_the_tensor() -> None:
    assert torch.isin(torch.tensor([0.1, 0.2]), 0.1).tolist() == [True, False]
    assert torch.isin(2, torch.tensor([1, 2])).item() is True


@pytest.mark.parametrize("arguments", [(2, 2), (torch.ones(2), [1.0]), (torch.ones(2),)])
def test_isin_needs_a_tensor_and_something_to_compare(arguments: tuple) -> None:
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.isin(*arguments)


def test_unravelled_places_are_those_of_numpy() -> None:
    places = np.array([[0, 7], [23, 11]])
    found = torch.unravel_index(torch.from_numpy(places), (2, 3, 4))
    for one, other in zip(found, np.unravel_index(places, (2, 3, 4)), strict=True):
        assert np.array_equal(one.numpy(), other)


def test_nonzero_static_is_cut_or_filled_to_its_size() -> None:
    x = torch.tensor([[1, 0], [3, 4]])
    assert torch.equal(torch.nonzero_static(x, size=2), torch.nonzero(x)[:2])
    filled = torch.nonzero_static(x, size=4, fill_value=9)
    assert torch.equal(filled[:3], torch.nonzero(x))
    assert filled[3].tolist() == [9, 9]


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_index_reduce_is_a_plain_reduction_of_the_slices(reduce: str, include_self: bool) -> None:
    random = np.random.default_rng(0)
    x, source = random.standard_normal((3, 4)), random.standard_normal((5, 4))
    index = np.array([0, 2, 0, 0, 2])
    expected = x.copy()
    ways = {"prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}
    for row in (0, 2):
        rows = [*source[index == row], *([x[row]] if include_self else [])]
        expected[row] = ways[reduce](rows, axis=0)
    given = [torch.from_numpy(each) for each in (x, index, source)]
    found = torch.index_reduce(given[0], 0, given[1], given[2], reduce, include_self=include_self)
    assert np.allclose(found.numpy(), expected)
    assert np.array_equal(given[0].numpy(), x)
    given[0].index_reduce_(0, given[1], given[2], reduce, include_self=include_self)
    assert np.allclose(x, expected)  # the memory is shared


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
def test_index_reduce_has_the_gradient_of_finite_differences(reduce: str) -> None:
    random = np.random.default_rng(1)
    x = torch.from_numpy(random.standard_normal((3, 2))).requires_grad_()
    source = torch.from_numpy(random.standard_normal((4, 2))).requires_grad_()
    index = torch.tensor([0, 2, 0, 1])

    def reduced(x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        return torch.index_reduce(x, 0, index, source, reduce)

    assert torch.autograd.gradcheck(reduced, (x, source))
    assert torch.autograd.gradgradcheck(reduced, (x, source), fast_mode=True)


def test_index_reduce_changes_nothing_where_an_index_is_not_there() -> None:
    x = torch.ones(2, 2)
    with pytest.raises(IndexError, match="index out of range in self"):
        x.index_reduce_(0, torch.tensor([0, 2]), torch.ones(2, 2), "prod")
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert x._version == 0


def test_split_with_sizes_gives_views() -> None:
    x = torch.zeros(5)
    first, second = torch.split_with_sizes(x, [2, 3])
    x.fill_(1)
    assert (first.tolist(), second.tolist()) == ([1.0] * 2, [1.0] * 3)
