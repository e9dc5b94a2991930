from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.testing.gradcheck import gradcheck, gradgradcheck
from tests.samples.grouped import together

RANDOM = np.random.default_rng(3)
INDEX = np.array([[0, 2, 1], [2, 2, 0]])


def leaf(*shape: int) -> torch.Tensor:
    return torch.tensor(RANDOM.normal(size=shape), requires_grad=True)


def looped(x, index, src, reduce, include_self=True):
    """Reduce along dimension 0 by the definition."""
    held = {
        (i, j): [x[i, j]] if include_self else []
        for i in range(x.shape[0])
        for j in range(x.shape[1])
    }
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            held[index[i, j], j].append(src[i, j])
    out = x.copy()
    for place, values in held.items():
        if values:
            out[place] = reduce(values)
    return out


@together()
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize(
    ("name", "reduce"),
    [("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("amax", np.max), ("amin", np.min)],
)
def test_scatter_reduce_agrees_with_its_definition_and_differences(name, reduce, include_self):
    x, src, index = leaf(3, 3), leaf(2, 3), torch.from_numpy(INDEX)

    def f(x, src):
        return x.scatter_reduce(0, index, src, name, include_self=include_self)

    expected = looped(x.detach().numpy(), INDEX, src.detach().numpy(), reduce, include_self)
    assert np.allclose(f(x, src).detach().numpy(), expected)
    assert gradcheck(f, (x, src))


def test_the_gradient_of_a_product_with_one_zero_goes_to_the_zero() -> None:
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    src = torch.tensor([3.0, 0.0], requires_grad=True)
    x.scatter_reduce(0, torch.tensor([0, 1]), src, "prod").sum().backward()
    assert x.grad.tolist() == [3, 0]
    assert src.grad.tolist() == [0, 2]


GATHERS = {
    "gather": lambda x: x.gather(0, torch.from_numpy(INDEX)),
    "index_select": lambda x: x.index_select(1, torch.tensor([2, 0, 2])),
    "take": lambda x: x.take(torch.tensor([5, 0, 5, -1])),
    "take_along_dim": lambda x: torch.take_along_dim(x, torch.tensor([[1], [0], [1]]), 1),
    "masked_select": lambda x: x.masked_select(torch.tensor([True, False, True])),
    "repeat_interleave": lambda x: x.repeat_interleave(torch.tensor([2, 0, 1]), 0),
    "flip": lambda x: x.flip(0, 1),
    "roll": lambda x: x.roll((1, -1), (0, 1)),
    "rot90": lambda x: x.rot90(3),
    "repeat": lambda x: x.repeat(2, 1, 2),
    "tril": lambda x: x.tril(-1),
    "diag": lambda x: x.diag(1),
    "diag_embed": lambda x: x.diag_embed(1, 0, 2),
    "trace": lambda x: x.trace().reshape(1),
}


@together()
@pytest.mark.parametrize("name", GATHERS)
def test_first_and_second_derivatives_agree_with_differences(name: str) -> None:
    x = leaf(3, 3)
    assert gradcheck(GATHERS[name], (x,))
    assert gradgradcheck(lambda x: GATHERS[name](x * x), (x,), fast_mode=True)


SCATTERS = {
    "scatter": lambda x, s: x.scatter(0, torch.tensor([[0, 2, 1], [1, 0, 2]]), s),
    "scatter_add": lambda x, s: x.scatter_add(0, torch.from_numpy(INDEX), s),
    "index_add": lambda x, s: x.index_add(0, torch.tensor([1, 1]), s, alpha=2),
    "index_copy": lambda x, s: x.index_copy(0, torch.tensor([2, 0]), s),
    "masked_scatter": lambda x, s: x.masked_scatter(torch.eye(3).bool(), s),
    "put": lambda x, s: x.put(torch.arange(6), s.reshape(6)),
    "slice_scatter": lambda x, s: torch.slice_scatter(x, s, 0, 1),
    "in place": lambda x, s: (x * 1).scatter_add_(0, torch.from_numpy(INDEX), s),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_derivatives_by_both_operands_agree_with_differences(name: str) -> None:
    assert gradcheck(SCATTERS[name], (leaf(3, 3), leaf(2, 3)))


def test_changing_an_index_that_backward_needs_is_noticed() -> None:
    index = torch.tensor([0, 1])
    y = leaf(3).gather(0, index)
    index.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.gather(0, torch.tensor([3])), RuntimeError, "index 3 is out of bounds"),
        (lambda x: x.gather(0, torch.tensor([0.0])), RuntimeError, "Expected dtype int32/int64"),
        (lambda x: x.index_select(0, torch.tensor([-1])), IndexError, "index out of range in self"),
        (lambda x: x.scatter(0, torch.tensor([0, 1]), torch.ones(1)), RuntimeError, "no larger"),
        (lambda x: x.take(torch.tensor([3])), IndexError, "tried to access index 3"),
        (lambda x: x.masked_select(torch.ones(3)), RuntimeError, "expected BoolTensor for mask"),
    ],
)
def test_places_that_are_not_there_are_refused(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call(torch.ones(3))


def test_nonzero_agrees_with_numpy() -> None:
    array = np.array([[0, 1], [2, 0]])
    x = torch.from_numpy(array)
    assert x.nonzero().tolist() == np.argwhere(array).tolist()
    assert [p.tolist() for p in x.nonzero(as_tuple=True)] == [p.tolist() for p in array.nonzero()]
    assert torch.nonzero(torch.tensor(3)).shape == (1, 0)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize(
    ("own", "brought"),
    [
        ([0.0, 2.0, 3.0], [1.5, 0.0, 2.0, -1.0]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]),
        ([1.0, 2.0, 0.0], [0.0, 5.0, 0.0, 0.0]),
        ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]),
    ],
)
def test_second_derivatives_of_products_are_right_where_factors_are_zero(
    own, brought, include_self
):
    index = torch.tensor([0, 0, 0, 1])

    def product(x, y):
        return torch.scatter_reduce(x, 0, index, y, "prod", include_self=include_self)

    x = torch.tensor(own, dtype=torch.float64, requires_grad=True)
    y = torch.tensor(brought, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(product, (x, y))
    assert torch.autograd.gradgradcheck(product, (x, y), fast_mode=True)


def test_products_of_slices_have_second_derivatives_where_factors_are_zero():
    index = torch.tensor([1, 1, 0])

    def product(x, y):
        return torch.index_reduce(x, 1, index, y, "prod")

    x = torch.tensor([[0.0, 2.0], [3.0, 0.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 4.0]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(product, (x, y), fast_mode=True)


def test_a_third_derivative_sees_three_zero_factors():
    y = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    out = torch.scatter_reduce(
        torch.ones(1, dtype=torch.float64), 0, torch.zeros(3, dtype=torch.int64), y, "prod"
    )
    for place in range(3):
        (slope,) = torch.autograd.grad(out, y, create_graph=True)
        out = slope[place]
    assert out.item() == 1


def test_the_value_of_index_fill_counts_once_for_each_place() -> None:
    x = torch.zeros(4, requires_grad=True)
    value = torch.tensor(2.0, requires_grad=True)
    x.index_fill(0, torch.tensor([0, 0, 1]), value).sum().backward()
    assert value.grad.item() == 2
    assert x.grad.tolist() == [0, 0, 1, 1]


def test_index_fill_of_one_element_takes_its_index_twice() -> None:
    filled = torch.tensor(4.0).index_fill(0, torch.tensor([0, 0]), torch.tensor(2.0))
    assert filled.item() == 2


@pytest.mark.parametrize("fill", [
    lambda x: x.masked_fill_(x < 3, x[0, 2]),
    lambda x: x.__setitem__(x < 3, x[0, 2]),
    lambda x: x[0].fill_(x[0, 2]),
    lambda x: x.__setitem__(0, x[0, 2]),
])  # fmt: skip
def test_a_fill_may_read_its_value_from_its_target(fill: Any) -> None:
    x = torch.arange(6.0).view(2, 3)
    fill(x)
    assert x.tolist() == [[2, 2, 2], [3, 4, 5]]


def test_places_beyond_a_dimension_begin_again_at_its_other_end() -> None:
    x = torch.arange(6.0).view(2, 3)
    places = np.array([[-1, 0], [-3, 2]])
    found = torch.take_along_dim(x, torch.tensor(places), 1)
    assert found.tolist() == np.take_along_axis(x.numpy(), places, 1).tolist()
    beyond = np.array([[-4, 7], [3, 5]])
    found = torch.take_along_dim(x, torch.tensor(beyond), 1)
    assert found.tolist() == np.take_along_axis(x.numpy(), beyond % 3, 1).tolist()
