"""Reductions of segments and their gradients, next to products and maxima written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import pellucid as torch
from pellucid.testing.gradcheck import gradcheck

SPECIAL = [2.0, -3.0, 0.0, math.nan, math.inf]


def gradient(values: tuple[float, ...], reduce: str) -> list[float]:
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    torch.segment_reduce(x, reduce, lengths=torch.tensor([len(values)])).sum().backward()
    assert x.grad is not None
    return x.grad.tolist()


def test_the_gradient_of_a_product_with_zeros_and_nan_is_the_product_of_the_others() -> None:
    for values in itertools.product(SPECIAL[:4], repeat=3):
        others = [math.prod(values[:i] + values[i + 1 :]) for i in range(3)]
        np.testing.assert_allclose(gradient(values, "prod"), others, err_msg=str(values))


def test_an_infinite_element_takes_nothing_from_the_gradient_of_the_largest() -> None:
    assert gradient((1.0, math.inf, 3.0), "max") == [0.0, 1.0, 0.0]
    assert gradient((-math.inf, math.inf, 3.0), "min") == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "max", "min"])
def test_gradients_agree_with_finite_differences(reduce: str) -> None:
    x = torch.tensor([1.0, 3.0, -2.0, 0.5, 2.5], dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([2, 0, 3])
    assert gradcheck(lambda x: torch.segment_reduce(x, reduce, lengths=lengths, initial=0.7), x)
