"""`vmap` over functions that draw random numbers with parameters of each sample."""

from __future__ import annotations

import pytest

import pellucid as torch

vmap = torch.func.vmap


@pytest.fixture
def matrices():
    torch.manual_seed(3)
    return torch.rand(3, 4, 4, dtype=torch.float64)


DRAWN = {
    "poisson": lambda x: torch.poisson(x * 20),
    "binomial": lambda x: torch.binomial(torch.full_like(x, 30.0), x),
    "standard_gamma": lambda x: torch._standard_gamma(x + 5),
    "dirichlet": lambda x: torch._sample_dirichlet(x + 5),
}
#: these are drawn in half precision itself
NORMAL = {
    "mean": lambda x: torch.normal(x, 2.0),
    "both": lambda x: torch.normal(x, x + 1),
}
ALL = DRAWN | NORMAL


@pytest.mark.parametrize("name", ALL)
def test_samples_are_drawn_with_parameters_of_their_own(name, matrices):
    draw = ALL[name]
    torch.manual_seed(1)
    found = vmap(draw, randomness="different")(matrices)
    torch.manual_seed(1)
    assert torch.equal(found, draw(matrices))


@pytest.mark.parametrize("name", ALL)
def test_parameters_without_samples_are_drawn_from_as_randomness_says(name, matrices):
    draw, x = ALL[name], matrices[0]
    count = torch.zeros(5)
    same = vmap(lambda y: draw(x) + y, randomness="same")(count)
    assert torch.equal(same, same[:1].expand(5, 4, 4))
    different = vmap(lambda y: draw(x) + y, randomness="different")(count)
    assert different.shape == (5, 4, 4)
    assert not torch.equal(different[0], different[1])


@pytest.mark.parametrize("name", ALL)
def test_what_randomness_forbids_is_refused(name, matrices):
    with pytest.raises(RuntimeError, match="random operation while in randomness error mode"):
        vmap(ALL[name])(matrices)
    with pytest.raises(RuntimeError, match="does not currently support same randomness"):
        vmap(ALL[name], randomness="same")(matrices)


def test_nested_maps_draw_for_every_sample_of_both(matrices):
    torch.manual_seed(1)
    found = vmap(vmap(torch.poisson, randomness="different"), randomness="different")(matrices * 20)
    torch.manual_seed(1)
    assert torch.equal(found, torch.poisson(matrices * 20))


def test_gamma_samples_can_be_differentiated_inside(matrices):
    leaf = (matrices + 1).requires_grad_()
    vmap(torch._standard_gamma, randomness="different")(leaf).sum().backward()
    assert (leaf.grad > 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("name", DRAWN)
def test_half_precision_is_drawn_from_in_single_precision(name, dtype):
    x = torch.tensor([0.25, 0.5, 0.75]).to(dtype)
    torch.manual_seed(2)
    drawn = DRAWN[name](x)
    torch.manual_seed(2)
    assert drawn.dtype == dtype
    assert torch.equal(drawn, DRAWN[name](x.float()).to(dtype))


FILLS = {
    "uniform_": lambda x: x.clone().uniform_(),
    "normal_": lambda x: x.clone().normal_(),
    "random_": lambda x: x.clone().random_(100),
    "bernoulli_": lambda x: x.clone().bernoulli_(0.5),
    "rand_like": torch.rand_like,
    "randn_like": torch.randn_like,
}


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_samples_of_any_dimension_are_filled_as_all_of_them_at_once_are(name, dim, matrices):
    fill, given = FILLS[name], matrices.movedim(0, dim)
    torch.manual_seed(1)
    found = vmap(fill, in_dims=dim, randomness="different")(given)
    torch.manual_seed(1)
    assert found.equal(fill(given.movedim(dim, 0)))


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_samples_of_any_dimension_are_filled_alike_as_one_of_them_is(name, dim, matrices):
    fill, given = FILLS[name], matrices.movedim(0, dim)
    torch.manual_seed(1)
    found = vmap(fill, in_dims=dim, out_dims=0, randomness="same")(given)
    torch.manual_seed(1)
    one = fill(given.select(dim, 0).clone())
    assert all(each.equal(one) for each in found)


def test_filling_what_is_one_for_all_samples_is_refused_where_they_have_to_differ(matrices):
    shared = torch.zeros(4)
    with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched tensor"):
        vmap(lambda _: shared.normal_(), randomness="different")(matrices)
    with pytest.raises(RuntimeError, match=r"inplace bernoulli.*is not possible"):
        vmap(lambda p: shared.bernoulli_(p[0]), randomness="different")(matrices)
    assert shared.equal(torch.zeros(4))


def test_a_generator_that_is_set_to_a_state_returns_itself():
    generator = torch.Generator()
    assert generator.set_state(generator.get_state()) is generator
