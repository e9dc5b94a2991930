"""Parametrizations, weight and spectral normalisation."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x):
        return x.triu()


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2


class Invertible(Doubled):
    def right_inverse(self, x):
        return x / 2


def symmetric_layer() -> nn.Linear:
    return parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())


def test_a_parametrized_weight_is_computed_and_its_original_is_learned() -> None:
    layer = symmetric_layer()
    assert layer.weight.tolist() == layer.weight.mT.tolist()
    layer(torch.ones(1, 3)).sum().backward()
    assert layer.parametrizations.weight.original.grad.shape == (3, 3)
    assert [name for name, _ in layer.named_parameters()] == [
        "bias",
        "parametrizations.weight.original",
    ]


def test_the_original_stays_the_parameter_that_an_optimizer_knows() -> None:
    layer = nn.Linear(3, 3)
    weight = layer.weight
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert layer.parametrizations.weight.original is weight


def test_assigning_goes_through_the_right_inverse() -> None:
    layer = symmetric_layer()
    layer.weight = torch.tensor([[1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [3.0, 4.0, 1.0]])
    assert layer.weight[2].tolist() == [3, 4, 1]
    assert layer.parametrizations.weight.original[2].tolist() == [0, 0, 1]


def test_parametrizations_follow_one_another() -> None:
    layer = symmetric_layer()
    before = layer.weight.tolist()
    parametrize.register_parametrization(layer, "weight", Doubled())
    np.testing.assert_allclose(layer.weight.tolist(), 2 * np.array(before), rtol=1e-6)
    assert len(layer.parametrizations.weight) == 2


def test_other_instances_are_left_alone() -> None:
    layer, other = symmetric_layer(), nn.Linear(3, 3)
    assert type(layer).__name__ == "ParametrizedLinear"
    assert type(other) is nn.Linear
    assert isinstance(layer, nn.Linear)
    assert parametrize.type_before_parametrizations(layer) is nn.Linear


@pytest.mark.parametrize("leave", [True, False])
def test_removing_leaves_the_value_or_the_original(leave: bool) -> None:
    layer = symmetric_layer()
    expected = layer.weight if leave else layer.parametrizations.weight.original
    expected = expected.tolist()
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
    assert type(layer) is nn.Linear
    assert layer.weight.tolist() == expected
    assert not parametrize.is_parametrized(layer)
    assert set(layer.state_dict()) == {"bias", "weight"}


def test_a_parametrized_layer_can_be_copied_but_not_pickled() -> None:
    layer = symmetric_layer()
    other = copy.deepcopy(layer)
    assert other.weight.tolist() == layer.weight.tolist()
    parametrize.remove_parametrizations(other, "weight")
    assert parametrize.is_parametrized(layer, "weight")
    assert layer.weight.shape == (3, 3)
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(layer)


def test_a_parametrization_that_changes_shape_or_dtype_is_refused_and_changes_nothing() -> None:
    layer = nn.Linear(2, 3)
    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(layer, "weight", nn.Flatten(0))
    with pytest.raises(ValueError, match="does not have a parameter"):
        parametrize.register_parametrization(layer, "nothing", Doubled())
    assert type(layer) is nn.Linear
    assert layer.weight.shape == (3, 2)


def test_a_cached_weight_is_computed_once() -> None:
    layer = symmetric_layer()
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight


def hooked(layer: nn.Module) -> nn.Module:
    with pytest.warns(FutureWarning, match="weight_norm` is deprecated"):
        return nn.utils.weight_norm(layer)


@pytest.mark.parametrize("normalise", [hooked, parametrizations.weight_norm])
def test_weight_norm_keeps_the_weight_and_splits_its_length(normalise) -> None:
    layer = nn.Conv1d(2, 3, 4)
    weight = layer.weight.detach().numpy().copy()
    layer = normalise(layer)
    np.testing.assert_allclose(layer.weight.detach().numpy(), weight, rtol=1e-5)
    lengths = next(each for each in layer.parameters() if each.shape == (3, 1, 1))
    np.testing.assert_allclose(
        lengths.detach().numpy().ravel(), np.sqrt((weight**2).sum((1, 2))), rtol=1e-5
    )
    layer(torch.ones(1, 2, 5)).sum().backward()
    assert lengths.grad is not None


@pytest.mark.parametrize("normalise", [nn.utils.spectral_norm, parametrizations.spectral_norm])
def test_spectral_norm_makes_the_largest_singular_value_one(normalise) -> None:
    layer = normalise(nn.Linear(5, 4), n_power_iterations=50)
    layer(torch.ones(1, 5))
    values = np.linalg.svd(layer.weight.detach().numpy(), compute_uv=False)
    np.testing.assert_allclose(values[0], 1, rtol=1e-3)


def test_hooks_of_normalisation_can_be_removed() -> None:
    layer = hooked(nn.Linear(3, 2))
    weight = layer.weight.tolist()
    nn.utils.remove_weight_norm(layer)
    assert layer.weight.tolist() == weight
    assert isinstance(layer.weight, nn.Parameter)
    nn.utils.spectral_norm(layer)
    layer(torch.ones(1, 3))
    layer.eval()
    normalised = layer.weight.tolist()
    nn.utils.remove_spectral_norm(layer)
    np.testing.assert_allclose(layer.weight.tolist(), normalised, rtol=1e-5)
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found"):
        nn.utils.remove_spectral_norm(layer)


def test_a_further_parametrization_applies_to_what_is_there_and_does_not_undo_itself() -> None:
    layer = nn.Linear(1, 1)
    before = layer.weight.item()
    parametrize.register_parametrization(layer, "weight", Invertible())
    assert layer.weight.item() == pytest.approx(before)
    parametrize.register_parametrization(layer, "weight", Invertible())
    assert layer.weight.item() == pytest.approx(2 * before)


def test_a_further_parametrization_whose_inverse_has_another_shape_is_refused() -> None:
    class Odd(Invertible):
        def right_inverse(self, x):
            return x.reshape(-1)

    layer = nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", Invertible())
    with pytest.raises(ValueError, match="must have the same shape"):
        parametrize.register_parametrization(layer, "weight", Odd())
    assert len(layer.parametrizations.weight) == 1


def test_spectral_norm_of_complex_weights_divides_by_the_largest_singular_value() -> None:
    layer = nn.Linear(2, 2, dtype=torch.cfloat)
    layer.weight.data = torch.tensor([[1 + 2j, 0.3], [0.2j, -3 + 1j]])
    expected = np.linalg.svd(layer.weight.detach().numpy())[1][0]
    normal = nn.utils.parametrizations.spectral_norm(layer, n_power_iterations=50)
    normal(torch.ones(1, 2, dtype=torch.cfloat))
    found = np.linalg.svd(layer.weight.detach().numpy())[1][0]
    assert expected > 3
    assert found == pytest.approx(1.0, abs=1e-4)
