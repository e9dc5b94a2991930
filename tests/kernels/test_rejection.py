"""Samples that take an unforeseeable number of draws, drawn in two ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import pellucid as torch
from tests.samples.grouped import together


def _state_after(rates):
    torch.manual_seed(4)
    counts = torch.poisson(rates)
    return counts, torch.rand(3), torch.randn(3)


@together()
@pytest.mark.parametrize("rate", [10.0, 11.5, 40.0, 1e4, 1e9])
@pytest.mark.parametrize("size", [2, 17, 5000])
def test_counts_of_one_rate_are_those_that_elements_in_turn_get(rate, size):
    together = _state_after(torch.full((size,), rate, dtype=torch.float64))
    rates = torch.full((size + 1,), rate, dtype=torch.float64)
    rates[-1] = 0.0  # takes no draws, and makes the rates differ
    in_turn = _state_after(rates)
    assert torch.equal(together[0], in_turn[0][:-1])
    for one, other in zip(together[1:], in_turn[1:], strict=True):
        assert torch.equal(one, other)


def test_counts_of_one_rate_are_distributed_as_they_should_be():
    torch.manual_seed(0)
    counts = torch.poisson(torch.full((20000,), 12.0)).numpy()
    edges = np.arange(3, 25)
    expected = np.diff(np.concatenate([[0], stats.poisson.cdf(edges, 12.0), [1]]))
    observed = np.bincount(np.searchsorted(edges, counts), minlength=len(expected))
    assert stats.chisquare(observed, expected * len(counts)).pvalue > 1e-3


def test_a_normal_number_left_over_stays():
    torch.manual_seed(0)
    torch.randn(1)
    torch.poisson(torch.full((100,), 20.0))
    after = torch.randn(1)
    torch.manual_seed(0)
    assert torch.equal(after, torch.randn(2)[1:])


def test_an_infinite_or_negative_rate_is_no_rate_to_draw_together():
    with pytest.raises(RuntimeError, match="invalid Poisson rate"):
        torch.poisson(torch.tensor([-1.0, -1.0]))
