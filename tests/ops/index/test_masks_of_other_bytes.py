"""Bytes of other numbers seen as bools: each but 0 is true, and none reads or writes elsewhere."""

from __future__ import annotations

import pytest

import pellucid as torch

#: below and above the number of elements up to which the compiled module gathers itself
SIZES = (20, 5000)


@pytest.fixture(params=SIZES)
def masks(request):
    torch.manual_seed(0)
    numbers = torch.randint(0, 256, (request.param,), dtype=torch.uint8)
    numbers[::3] = 0
    return numbers.view(torch.bool), numbers != 0


def test_elements_are_selected(masks):
    odd, plain = masks
    x = torch.arange(float(len(plain)), requires_grad=True)
    assert x[odd].equal(x[plain])
    assert torch.masked_select(x, odd).equal(x[plain])
    x[odd].sum().backward()
    assert x.grad.equal(plain.float())


def test_elements_are_written(masks):
    odd, plain = masks
    values = torch.arange(float(plain.sum())) + 1
    x, y, z = (torch.zeros(len(plain)) for _ in range(3))
    x[odd], y[plain] = values, values
    assert x.equal(y)
    assert z.masked_scatter(odd, values).equal(y)
    assert z.masked_fill(odd, 2.0).equal(plain * 2.0)


def test_elements_are_chosen(masks):
    odd, plain = masks
    x, y = torch.randn(len(plain)), torch.randn(len(plain))
    assert torch.where(odd, x, y).equal(torch.where(plain, x, y))
    assert torch.where(odd, x, 0.0).equal(torch.where(plain, x, 0.0))


def test_rows_of_a_batch_are_selected(masks):
    odd, plain = masks
    rows = torch.randn(len(plain), 3)
    assert rows[odd].equal(rows[plain])
    assert rows[odd, 1].equal(rows[plain, 1])
