from __future__ import annotations

import pickle

import numpy as np
import pytest

import pellucid as torch


@pytest.fixture(autouse=True)
def _seeded():
    state = torch.get_rng_state()
    torch.manual_seed(0)
    yield
    torch.set_rng_state(state)


def test_a_seed_gives_pytorchs_numbers() -> None:
    assert np.allclose(torch.randn(3).numpy(), [1.5410, -0.2934, -2.1788], atol=5e-5)


def test_generators_are_independent_of_the_shared_stream() -> None:
    generator = torch.Generator().manual_seed(0)
    torch.rand(5)
    torch.manual_seed(0)
    assert torch.rand(3, generator=generator).tolist() == torch.rand(3).tolist()


def test_a_state_brings_the_same_numbers_again() -> None:
    state = torch.get_rng_state()
    first = torch.rand(3).tolist()
    torch.set_rng_state(state)
    assert torch.rand(3).tolist() == first
    generator = torch.Generator().manual_seed(5)
    copied = pickle.loads(pickle.dumps(generator))
    assert torch.rand(2, generator=copied).tolist() == torch.rand(2, generator=generator).tolist()


def test_in_place_draws_keep_to_their_bounds() -> None:
    x = torch.empty(1000)
    assert 2 <= x.uniform_(2, 3).numpy().min() <= x.numpy().max() < 3
    assert set(x.random_(3, 5).tolist()) == {3, 4}
    assert set(x.bernoulli_(0.5).tolist()) == {0, 1}
    assert x.exponential_().numpy().min() >= 0
    assert abs(x.normal_(5, 0.1).numpy().mean() - 5) < 0.02


def test_drawing_over_a_recorded_value_ends_its_gradient() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[1:].normal_()
    y.sum().backward()
    assert x.grad.tolist() == [2, 0, 0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.normal_()


def test_a_permutation_has_every_number_once() -> None:
    assert sorted(torch.randperm(50).tolist()) == list(range(50))


def test_multinomial_draws_only_what_has_weight() -> None:
    draws = torch.multinomial(torch.tensor([0.0, 1.0, 0.0, 2.0]), 100, replacement=True)
    assert set(draws.tolist()) == {1, 3}


def test_like_functions_take_shape_and_dtype() -> None:
    x = torch.zeros(2, 3, dtype=torch.float64)
    for make in (torch.rand_like, torch.randn_like):
        assert (make(x).shape, make(x).dtype) == (x.shape, x.dtype)
    assert torch.randint_like(x, 5, 6).tolist() == [[5] * 3] * 2


def test_draws_are_written_into_out() -> None:
    out = torch.zeros(3, dtype=torch.int64)
    assert torch.bernoulli(torch.tensor([0.0, 1.0, 1.0]), out=out) is out
    assert out.tolist() == [0, 1, 1]
    into = torch.zeros(2, dtype=torch.float64)
    assert torch.normal(torch.tensor([1.0, 2.0]), 0.0, out=into) is into
    assert into.tolist() == [1.0, 2.0]
    assert torch.normal(3.0, 0.0, (2,), out=torch.zeros(5)).tolist() == [3.0, 3.0]


def test_random_without_an_upper_bound_draws_up_to_the_largest_integer() -> None:
    drawn = torch.zeros(2000, dtype=torch.int8).random_(-128, None)
    assert drawn.min() < -100
    assert drawn.max() > 100
    assert torch.randperm(256, dtype=torch.uint8).sort().values.tolist() == list(range(256))


def test_bounds_that_a_dtype_rounds_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"from is out of bounds \[-\(2\^11\), 2\^11\]"):
        torch.zeros(1, dtype=torch.float16).random_(-3000, 10)
