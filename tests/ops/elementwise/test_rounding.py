from __future__ import annotations

import pytest

import pellucid as torch


def test_rounding_has_gradient_zero_even_where_the_gradient_is_not_finite() -> None:
    for function in (torch.floor, torch.ceil, torch.round, torch.trunc):
        x = torch.tensor([1.5], requires_grad=True)
        function(x).backward(torch.tensor([float("inf")]))
        assert x.grad.tolist() == [0.0]


def test_halves_go_to_the_even_neighbour() -> None:
    assert torch.round(torch.tensor([0.5, 1.5, -2.5])).tolist() == [0.0, 2.0, -2.0]


def test_decimals_may_be_negative() -> None:
    x = torch.tensor([1234.567], dtype=torch.float64)
    assert torch.round(x, decimals=-2).tolist() == [1200.0]
    assert torch.round(x, decimals=1).tolist() == [1234.6]


def test_integers_stay_as_they_are_and_take_no_decimals() -> None:
    n = torch.tensor([1, 2])
    assert torch.floor(n).dtype == torch.int64
    with pytest.raises(NotImplementedError):
        torch.round(n, decimals=1)


def test_complex_numbers_and_booleans_are_not_rounded() -> None:
    for values in ([1j], [True]):
        with pytest.raises(NotImplementedError):
            torch.floor(torch.tensor(values))
