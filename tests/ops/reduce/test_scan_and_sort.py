"""Running reductions, sorting and counting, next to NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.testing.gradcheck import gradgradcheck

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


@pytest.mark.parametrize("values", [[1e3, -1e3], [-1e3, 1e3, 0.0], [1.0, 2.0, -3.0, 0.5]])
def test_logcumsumexp_has_the_gradient_of_its_definition(values: list[float]) -> None:
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    y = torch.logcumsumexp(x, 0)
    weights = torch.arange(1, len(values) + 1)
    (y * weights).sum().backward()
    # d y[j] / d x[i] is the softmax of x[: j + 1] at i
    slopes = np.zeros((len(values), len(values)))
    for j in range(len(values)):
        exps = np.exp(np.array(values[: j + 1]) - max(values[: j + 1]))
        slopes[j, : j + 1] = exps / exps.sum()
    np.testing.assert_allclose(x.grad.numpy(), weights.numpy() @ slopes, rtol=1e-9, atol=1e-300)


def test_logcumsumexp_has_second_derivatives_along_any_dimension() -> None:
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert gradgradcheck(lambda x: torch.logcumsumexp(x, 0), (x,), fast_mode=True)
    assert gradgradcheck(lambda x: torch.logcumsumexp(x, 1), (x,), fast_mode=True)


def test_the_gradient_of_logcumsumexp_keeps_elements_whose_own_gradient_is_zero() -> None:
    slope = torch.func.hessian(lambda x: torch.logcumsumexp(x, 0).pow(2).sum())(torch.zeros(1))
    assert slope.tolist() == [[2.0]]


def test_nanmedian_stands_where_median_does_if_no_number_is_missing() -> None:
    x = torch.randint(0, 3, (50, 4)).float()
    assert torch.equal(x.nanmedian(1).indices, x.median(1).indices)


def test_nanmedian_leaves_out_what_is_missing_in_each_row() -> None:
    nan = float("nan")
    x = torch.tensor([[3.0, 1.0, 2.0], [nan, 5.0, 4.0], [nan, nan, 7.0], [nan, nan, nan]])
    values, indices = x.nanmedian(1)
    np.testing.assert_array_equal(values.numpy(), [2, 4, 7, np.nan])
    assert indices[:3].tolist() == [2, 2, 2]


def test_no_difference_at_all_is_the_input_alone() -> None:
    x = torch.tensor([1.0, 4.0])
    assert torch.diff(x, n=0, prepend=torch.ones(3)).tolist() == [1.0, 4.0]


def test_diff_joins_only_what_has_as_many_dimensions() -> None:
    with pytest.raises(RuntimeError, match="same dimension as input"):
        torch.diff(torch.ones(2, 2), prepend=torch.ones(2))
