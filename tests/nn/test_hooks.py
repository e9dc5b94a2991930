"""Hooks of all modules, older hooks, and what else `Module` takes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import pellucid as torch
from pellucid.nn.modules import module as modules

nn = torch.nn


def test_registrations_are_told_and_may_be_replaced() -> None:
    told: list[tuple[str, str]] = []
    handles = [
        modules.register_module_parameter_registration_hook(
            lambda module, name, value: told.append(("parameter", name))
        ),
        modules.register_module_buffer_registration_hook(
            lambda module, name, value: value if value is None else value.double()
        ),
        modules.register_module_module_registration_hook(
            lambda module, name, value: told.append(("module", name))
        ),
    ]
    try:
        net = nn.Sequential(nn.BatchNorm1d(2))
    finally:
        for handle in handles:
            handle.remove()
    assert told == [("parameter", "weight"), ("parameter", "bias"), ("module", "0")]
    assert net[0].running_mean.dtype is torch.float64
    nn.Linear(1, 1)
    assert len(told) == 3


def test_older_backward_hooks_see_the_node_that_made_the_output() -> None:
    seen: list[Any] = []
    net = nn.Tanh()
    net.register_backward_hook(lambda module, inputs, outputs: seen.append((inputs, outputs)))
    x = torch.zeros(2, requires_grad=True)
    (net(x) * 3).sum().backward()
    ((inputs, outputs),) = seen
    assert [each.tolist() for each in (*inputs, *outputs)] == [[3.0, 3.0], [3.0, 3.0]]


def test_older_backward_hooks_of_all_modules_see_every_module() -> None:
    seen: list[str] = []
    handle = modules.register_module_backward_hook(
        lambda module, inputs, outputs: seen.append(type(module).__name__)
    )
    try:
        net = nn.Sequential(nn.Tanh(), nn.Sigmoid())
        net(torch.zeros(2, requires_grad=True)).sum().backward()
    finally:
        handle.remove()
    assert sorted(seen) == ["Sequential", "Sigmoid", "Tanh"]


def test_the_two_kinds_of_backward_hooks_do_not_mix() -> None:
    net = nn.Tanh()
    net.register_full_backward_hook(lambda *args: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        net.register_backward_hook(lambda *args: None)


def test_a_private_state_dict_hook_may_return_another_dictionary() -> None:
    net = nn.Linear(1, 1)
    net._register_state_dict_hook(lambda module, state, prefix, metadata: {"only": state["bias"]})
    assert list(net.state_dict()) == ["only"]


def test_a_public_state_dict_hook_may_not() -> None:
    net = nn.Linear(1, 1)
    net.register_state_dict_post_hook(lambda *args: {})
    with pytest.raises(RuntimeError, match="must return None"):
        net.state_dict()


def test_a_private_load_hook_is_given_the_module_only_if_it_asks() -> None:
    counts: list[int] = []
    net = nn.Linear(1, 1)
    net._register_load_state_dict_pre_hook(lambda *args: counts.append(len(args)))
    net._register_load_state_dict_pre_hook(lambda *args: counts.append(len(args)), True)
    net.load_state_dict(nn.Linear(1, 1).state_dict())
    assert counts == [7, 8]


def test_state_dict_takes_positional_arguments_with_a_warning() -> None:
    into: OrderedDict[str, Any] = OrderedDict()
    with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
        nn.Linear(1, 1).state_dict(into, "layer.")
    assert list(into) == ["layer.weight", "layer.bias"]


def test_constructors_of_other_bases_are_called_if_a_class_asks() -> None:
    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

    class Layer(nn.Module, Named):
        call_super_init = True

    assert Layer("first").name == "first"

    class Plain(nn.Module, Named):
        pass

    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Plain("first")


def test_to_empty_gives_memory_of_its_own_and_keeps_what_is_registered() -> None:
    net = nn.BatchNorm1d(3)
    before = net.weight, net.weight.data_ptr()
    assert net.to_empty(device="cpu") is net
    assert net.weight is before[0]
    assert net.weight.data_ptr() != before[1]
    assert net.running_mean.shape == (3,)


def test_modules_lists_shared_ones_as_often_as_they_stand_if_told_so() -> None:
    layer = nn.Tanh()
    net = nn.Sequential(layer, layer)
    assert len(list(net.modules())) == 2
    assert len(list(net.modules(remove_duplicate=False))) == 3


def test_a_sequence_times_a_number_repeats_its_modules() -> None:
    net = nn.Sequential(nn.Tanh(), nn.ReLU())
    assert [type(each).__name__ for each in 2 * net] == ["Tanh", "ReLU", "Tanh", "ReLU"]
    net *= 3
    assert len(net) == 6
    with pytest.raises(ValueError, match="Non-positive multiplication factor"):
        net * 0


def test_parameter_dict_behaves_as_a_dictionary() -> None:
    first = nn.ParameterDict({"a": torch.zeros(1), "b": torch.ones(1)})
    assert list(reversed(first)) == ["b", "a"]
    assert list(first | nn.ParameterDict({"c": torch.ones(1)})) == ["a", "b", "c"]
    assert first.setdefault("d", torch.ones(2)).requires_grad
    assert first.popitem()[0] == "d"
    assert first.copy()["a"] is first["a"]
    assert list(first.fromkeys(["x", "y"], torch.ones(1))) == ["x", "y"]
    first |= {"e": torch.ones(1)}
    assert list(first) == ["a", "b", "e"]


def test_cross_map_normalisation_divides_by_the_squares_around_and_of_the_first_channel() -> None:
    x = torch.tensor([1.0, 2.0, 3.0]).reshape(1, 3, 1, 1)
    found = nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0, k=1.0)(x)
    assert found.flatten().tolist() == pytest.approx([1 / 6, 2 / 15, 3 / 15])


def test_gradients_of_cross_map_normalisation_are_those_of_finite_differences() -> None:
    x = torch.rand(1, 4, 2, 1, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(nn.CrossMapLRN2d(3, alpha=2.0, beta=0.5), (x,))
