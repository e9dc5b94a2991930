"""Running reductions, sorting and counting, next to NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch

VALUES = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_running_reductions_agree_with_numpy(name: str, dim: int) -> None:
    got = getattr(torch, name)(torch.tensor(VALUES), dim)
    np.testing.assert_allclose(got.numpy(), getattr(np, name)(VALUES, axis=dim))


def test_running_reductions_of_bytes_are_int64() -> None:
    x = torch.full((3,), 200, dtype=torch.uint8)
    assert x.cumsum(0).tolist() == [200, 400, 600]


def test_the_gradient_of_a_running_product_survives_zeros() -> None:
    x = torch.tensor([2.0, 0.0, 3.0, 0.0], requires_grad=True)
    x.cumprod(0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 8.0, 0.0, 0.0]


def test_running_extremes_point_at_the_last_that_reached_them() -> None:
    values, places = torch.tensor([1.0, 3.0, 3.0, 2.0]).cummax(0)
    assert values.tolist() == [1, 3, 3, 3]
    assert places.tolist() == [0, 1, 2, 2]


def test_logcumsumexp_agrees_with_its_definition() -> None:
    got = torch.tensor(VALUES).logcumsumexp(1)
    np.testing.assert_allclose(got.numpy(), np.log(np.cumsum(np.exp(VALUES), 1)))


def test_differences_agree_with_numpy() -> None:
    got = torch.diff(torch.tensor(VALUES), 2, 1)
    np.testing.assert_allclose(got.numpy(), np.diff(VALUES, 2, 1))
    got = torch.diff(torch.tensor([1, 4]), prepend=torch.tensor([0]), append=torch.tensor([9]))
    assert got.tolist() == [1, 3, 5]


@pytest.mark.parametrize("descending", [False, True])
def test_sorted_values_stand_where_their_indices_say(descending: bool) -> None:
    x = torch.tensor(VALUES)
    values, places = x.sort(1, descending)
    wanted = np.sort(VALUES, 1)[:, :: -1 if descending else 1]
    np.testing.assert_array_equal(values.numpy(), wanted)
    np.testing.assert_array_equal(np.take_along_axis(VALUES, places.numpy(), 1), wanted)
    assert torch.argsort(x, 1, descending).tolist() == places.tolist()


def test_the_gradient_of_a_selection_goes_to_what_was_selected() -> None:
    x = torch.tensor(VALUES, requires_grad=True)
    (x.topk(2).values * torch.tensor([1.0, 10.0])).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[1, 0, 10], [0, 1, 10]]


def test_too_many_are_refused() -> None:
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        torch.ones(3).topk(4)
    with pytest.raises(RuntimeError, match="selected number k out of range for dimension 0"):
        torch.ones(3).kthvalue(4)


def test_distinct_values_come_with_places_and_counts() -> None:
    x = torch.tensor([3, 1, 3, 2])
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 2, 3], [1, 1, 2])
    assert values[inverse].tolist() == x.tolist()
    rows = torch.unique(torch.tensor([[1, 2], [1, 2], [0, 5]]), dim=0)
    assert rows.tolist() == [[0, 5], [1, 2]]
    assert torch.unique_consecutive(torch.tensor([1, 1, 2, 1])).tolist() == [1, 2, 1]


@pytest.mark.parametrize("right", [False, True])
def test_places_among_sorted_values_agree_with_numpy(right: bool) -> None:
    edges, values = np.array([1.0, 3.0, 3.0, 5.0]), np.array([0.0, 3.0, 4.0, 9.0])
    wanted = np.searchsorted(edges, values, "right" if right else "left")
    e, v = torch.tensor(edges), torch.tensor(values)
    assert torch.searchsorted(e, v, right=right).tolist() == wanted.tolist()
    assert torch.bucketize(v, e, right=right).tolist() == wanted.tolist()
    by_row = torch.searchsorted(torch.stack([e, e]), torch.stack([v, v]), right=right)
    assert by_row.tolist() == [wanted.tolist()] * 2


def test_counts_agree_with_numpy() -> None:
    x, w = np.array([0, 2, 2, 5]), np.array([1.0, 2.0, 3.0, 4.0])
    assert (
        torch.bincount(torch.tensor(x), minlength=8).tolist()
        == np.bincount(x, minlength=8).tolist()
    )
    weighted = torch.bincount(torch.tensor(x), torch.tensor(w))
    assert weighted.tolist() == np.bincount(x, w).tolist()
    with pytest.raises(RuntimeError, match="1-d non-negative integral"):
        torch.bincount(torch.tensor([-1]))
    counted = torch.histc(torch.tensor([0.0, 1.0, 1.5, 3.0]), 3)
    assert counted.tolist() == [1.0, 2.0, 1.0]
