"""Lazy layers, before and after their first input."""

from __future__ import annotations

import copy
import warnings

import pytest

import pellucid as torch
from pellucid import nn


def test_a_lazy_layer_becomes_an_ordinary_one() -> None:
    layer = nn.LazyLinear(2)
    assert repr(layer) == "LazyLinear(in_features=0, out_features=2, bias=True)"
    assert repr(layer.weight) == "<UninitializedParameter>"
    assert layer(torch.ones(5, 3)).shape == (5, 2)
    assert type(layer) is nn.Linear
    assert not layer._forward_pre_hooks
    assert layer.in_features == 3


def test_gradients_reach_parameters_that_got_a_shape() -> None:
    layer = nn.LazyConv2d(2, 3)
    parameters = list(layer.parameters())
    layer(torch.ones(1, 3, 4, 4)).sum().backward()
    assert parameters[0] is layer.weight
    assert layer.weight.grad.shape == (2, 3, 3, 3)
    assert layer.bias.grad.tolist() == [4, 4]


def test_a_shape_that_is_not_there_cannot_be_asked_for() -> None:
    weight = nn.LazyLinear(2).weight
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        weight.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        weight.numel()


def test_loading_a_state_gives_shapes() -> None:
    lazy, full = nn.LazyBatchNorm1d(), nn.BatchNorm1d(3)
    full.running_mean += 1
    lazy.load_state_dict(full.state_dict())
    assert not lazy.has_uninitialized_params()
    assert lazy.running_mean.tolist() == [1, 1, 1]


def test_a_lazy_network_can_be_copied_before_its_first_input() -> None:
    net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))
    other = copy.deepcopy(net)
    assert net(torch.ones(2, 3)).shape == (2, 1)
    assert other(torch.ones(2, 5)).shape == (2, 1)
    assert net[0].in_features == 3
    assert other[0].in_features == 5


def test_a_lazy_module_of_ones_own_says_how_to_start() -> None:
    class Scale(nn.modules.lazy.LazyModuleMixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = nn.UninitializedParameter()

        def initialize_parameters(self, x):
            self.factor.materialize(x.shape[-1:])
            nn.init.ones_(self.factor)

        def forward(self, x):
            return x * self.factor

    assert Scale()(torch.ones(3)).tolist() == [1, 1, 1]


def test_what_has_no_shape_is_not_normalized_and_not_shared() -> None:
    for norm in (torch.nn.utils.weight_norm, torch.nn.utils.spectral_norm):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            with pytest.raises(ValueError, match="can't have uninitialized parameters"):
                norm(torch.nn.LazyLinear(3))
    with pytest.raises(RuntimeError, match="share memory on an uninitialized"):
        torch.nn.LazyLinear(3).share_memory()


def test_states_without_shapes_leave_layers_without_shapes() -> None:
    layer = torch.nn.LazyLinear(3)
    layer.load_state_dict(torch.nn.LazyLinear(3).state_dict())
    assert layer.has_uninitialized_params()
    layer(torch.ones(1, 2))
    assert layer.weight.shape == (3, 2)
