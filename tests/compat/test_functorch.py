"""``functorch``: functions of modules' parameters, ensembles, and `vmap` in pieces."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.compat import functorch
from pellucid.compat.functorch import experimental

pytestmark = pytest.mark.filterwarnings("ignore:We've integrated functorch")


def test_a_module_is_a_function_of_its_parameters() -> None:
    layer = torch.nn.Linear(2, 3)
    function, parameters = functorch.make_functional(layer)
    x = torch.ones(4, 2)
    assert torch.equal(function(parameters, x), layer(x))
    doubled = [2 * each for each in parameters]
    assert torch.allclose(function(doubled, x), 2 * layer(x))
    gradient = functorch.grad(lambda p: function(p, x).sum())(parameters)
    assert torch.equal(gradient[1], torch.full((3,), 4.0))
    assert not functorch.make_functional(layer, disable_autograd_tracking=True)[1][0].requires_grad


def test_a_module_with_buffers_says_which_function_is_for_it() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    with pytest.raises(RuntimeError, match="`model` has buffers"):
        functorch.make_functional(model)
    function, parameters, buffers = functorch.make_functional_with_buffers(model.eval())
    x = torch.randn(3, 2)
    assert torch.equal(function(parameters, buffers, x), model(x))
    assert len(buffers) == 3


def test_models_of_a_class_are_combined_for_vmap() -> None:
    models = [torch.nn.Linear(2, 3) for _ in range(4)]
    function, parameters, buffers = functorch.combine_state_for_ensemble(models)
    x = torch.randn(5, 2)
    together = functorch.vmap(function, in_dims=(0, 0, None))(parameters, buffers, x)
    assert torch.allclose(together, torch.stack([model(x) for model in models]), atol=1e-6)
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        functorch.combine_state_for_ensemble([])
    with pytest.raises(RuntimeError, match="to be of the same class"):
        functorch.combine_state_for_ensemble([*models, torch.nn.ReLU()])


@pytest.mark.parametrize("chunks", [1, 2, 3, 7])
def test_vmap_in_pieces_gives_the_whole(chunks: int) -> None:
    x = torch.arange(10.0).reshape(5, 2)
    mapped = experimental.chunk_vmap(torch.sum, in_dims=0, chunks=chunks)(x)
    assert mapped.tolist() == x.sum(1).tolist()


def test_what_was_given_up_names_what_takes_its_place() -> None:
    with pytest.warns(FutureWarning, match=r"`functorch.vmap` is deprecated.*use `torch.vmap`"):
        functorch.vmap(torch.sin)
