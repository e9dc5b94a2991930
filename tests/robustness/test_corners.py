"""Corners in which values were wrong, errors raw, or calls without an end."""

from __future__ import annotations

import gc
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import j0, j1

import pellucid as torch
from pellucid.autograd.graph import GradientEdge
from pellucid.core.definition.public import public_names

FORMS = {
    "mean": lambda x: x.mean(),
    "mean of rows": lambda x: x.mean(1).sum(),
    "mean over both": lambda x: x.mean((0, 1)),
    "mean of a view": lambda x: x.view(3, 2).mean(),
    "mean of the transpose": lambda x: x.t().mean(),
    "sum of ldexp": lambda x: torch.ldexp(x, torch.tensor(2)).sum(),
    "sum of products": lambda x: (x * torch.ones(())).sum(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_element_of_a_gradient_has_memory_of_its_own_however_often_it_is_asked_for(form):
    for _ in range(3):
        x = torch.ones(2, 3, requires_grad=True)
        (found,) = torch.autograd.grad(form(x), x)
        found[0, 0] = 50.0
        assert int((found == 50).sum()) == 1
        assert 0 not in found.stride()


def test_a_hook_may_write_to_the_gradient_of_a_mean():
    x = torch.ones(2, 3, requires_grad=True)
    x.register_hook(lambda g: g.mul_(2))
    x.mean().backward()
    assert torch.allclose(x.grad, torch.full((2, 3), 1 / 3))


@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        (10**9, IndexError, "MulBackward0 has 1 outputs"), (-1, IndexError, "-1"),
        ("a", TypeError, "must be int, not str"),
    ],
)  # fmt: skip
def test_an_edge_of_no_output_is_refused(place: Any, error: type[Exception], words: str):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(error, match=words):
        torch.autograd.grad(GradientEdge((x * 2).grad_fn, place), x, torch.ones(2))


def test_an_edge_of_what_is_no_node_is_refused():
    with pytest.raises(TypeError, match="must be a node of a graph, not int"):
        torch.autograd.grad(GradientEdge(5, 0), torch.ones(2, requires_grad=True))


def test_a_rate_without_a_bound_is_refused_by_name():
    with pytest.raises(RuntimeError, match="expected rate to be finite"):
        torch.poisson(torch.tensor([math.inf]))


@pytest.mark.filterwarnings("ignore:mean is more than 2 std")
@pytest.mark.parametrize("given", [(math.nan,), (math.inf,), (1e30,), (0.0, math.nan), (0.0, 0.0),
                                   (0.0, 1.0, 2.0, -2.0), (0.0, 1.0, math.nan)])  # fmt: skip
def test_truncated_draws_that_would_never_fit_are_refused(given: tuple[float, ...]):
    w = torch.zeros(3)
    with pytest.raises(ValueError, match="no draw would fall between the bounds"):
        torch.nn.init.trunc_normal_(w, *given)
    assert w.tolist() == [0, 0, 0]


def test_truncated_draws_may_have_no_bounds():
    w = torch.nn.init.trunc_normal_(torch.empty(1000), a=-math.inf, b=math.inf)
    assert 0.8 < float(w.std()) < 1.2


@pytest.mark.parametrize("concentration", [0.0, 1e-300, 1e8, 1.1e8, 1e30, math.inf])
def test_angles_of_any_concentration_are_drawn(concentration: float):
    torch.manual_seed(0)
    around = torch.tensor(1.0, dtype=torch.float64)
    drawn = torch.distributions.VonMises(
        around, torch.full((), concentration, dtype=torch.float64), validate_args=False
    ).sample((2000,))
    if concentration < 1:
        assert abs(float(drawn.cos().mean())) < 0.1
    else:
        expected = concentration**-0.5
        assert float((drawn - 1).square().mean().sqrt()) == pytest.approx(expected, 0.1, 1e-15)


def test_angles_of_no_concentration_are_no_numbers():
    drawn = torch.distributions.VonMises(0.0, math.nan, validate_args=False).sample((3,))
    assert bool(drawn.isnan().all())


class ItsOwnBase(np.ndarray):
    @property
    def base(self) -> Any:
        return self


def test_an_array_that_calls_itself_its_base_ends_no_walk():
    x = torch.as_tensor(np.ones(3).view(ItsOwnBase)).requires_grad_()
    assert len(torch.inspect.graph(x * 2).nodes) == 1
    assert x.detach()[1:].tolist() == [1, 1]


def test_what_has_no_room_says_what_was_asked_for():
    few = torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1), (2**40,))
    with pytest.raises((RuntimeError, MemoryError), match="can't allocate memory"):
        few.to_dense()


def test_what_a_node_keeps_of_a_number_may_be_changed():
    y = torch.ones(2, requires_grad=True) * 2
    assert y.grad_fn._saved_other.mul_(2).item() == 4


def test_a_layer_given_a_wrong_shape_leaves_no_cycle(without_gc):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4))
    gc.collect()
    with pytest.raises(RuntimeError):
        model(torch.ones(2, 3))
    assert gc.collect() == 0


def test_an_optimizer_of_the_users_needs_no_options_but_its_own():
    class Descent(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.1})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for param in group["params"]:
                    param.add_(param.grad, alpha=-group["lr"])

    w = torch.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    Descent([w]).step()
    assert torch.allclose(w, torch.tensor(0.8))


def test_every_name_that_is_declared_as_a_method_is_one():
    assert [name for name in public_names["Tensor"] if not hasattr(torch.Tensor, name)] == []


def test_warnings_of_numpy_stay_inside():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(torch.tensor([-1.0]).pow(0.5))
        assert math.isinf(torch.tensor(60000.0).half() * 2)
        torch.ones(0, requires_grad=True).mean().backward()
        assert bool(torch.fmod(torch.ones(2), torch.zeros(2)).isnan().all())
        with torch.autocast("cpu", torch.float16):
            assert bool((torch.full((1, 1), 6e4) @ torch.full((1, 1), 2.0)).isinf().all())


def test_bessel_functions_of_large_numbers_are_those_of_scipy():
    x = torch.tensor([1.6e3, 1.6e8, 1.6e15], dtype=torch.float64)
    assert torch.allclose(torch.special.bessel_j0(x), torch.from_numpy(j0(x.numpy())), 0, 1e-8)
    assert torch.allclose(torch.special.bessel_j1(x), torch.from_numpy(j1(x.numpy())), 0, 1e-8)
