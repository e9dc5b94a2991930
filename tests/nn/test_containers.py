"""Containers: lists and dictionaries of modules and parameters."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import pellucid as torch
from pellucid import nn


def test_a_sequence_applies_its_modules_in_order() -> None:
    net = nn.Sequential(OrderedDict(neg=nn.LeakyReLU(-1.0), id=nn.Identity()))
    assert net(torch.tensor([-2.0, 3.0])).tolist() == [2, 3]
    assert [name for name, _ in net.named_children()] == ["neg", "id"]


def test_a_slice_of_a_sequence_shares_its_modules() -> None:
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert list(net[1:]) == list(net)[1:]
    assert net[-1] is net[2]
    with pytest.raises(IndexError, match="index 3 is out of range"):
        net[3]


@pytest.mark.parametrize("cls", [nn.Sequential, lambda *modules: nn.ModuleList(modules)])
def test_lists_change_as_python_lists_do(cls) -> None:
    a, b, c = nn.ReLU(), nn.Tanh(), nn.Sigmoid()
    modules = cls(a, b)
    modules.insert(1, c)
    assert list(modules) == [a, c, b]
    del modules[0]
    assert list(modules) == [c, b]
    assert [name for name, _ in modules.named_children()] == ["0", "1"]
    assert modules.pop(-1) is b
    modules.append(a).extend([b])
    assert list(modules) == [c, a, b]
    modules[0] = b
    assert modules[0] is b
    assert len(modules) == 3


def test_sequences_can_be_joined() -> None:
    a, b = nn.Sequential(nn.ReLU()), nn.Sequential(nn.Tanh())
    assert len(a + b) == 2
    with pytest.raises(ValueError, match="add operator supports only objects of Sequential"):
        a + [nn.ReLU()]


def test_a_dictionary_of_modules_keeps_their_order() -> None:
    choice = nn.ModuleDict([("b", nn.ReLU()), ("a", nn.Linear(1, 1))])
    choice.update({"c": nn.Tanh()})
    assert list(choice) == ["b", "a", "c"]
    assert "a" in choice
    assert isinstance(choice.pop("b"), nn.ReLU)
    with pytest.raises(KeyError):
        choice["b"]
    with pytest.raises(KeyError):
        del choice["b"]
    choice.clear()
    assert len(choice) == 0


def test_a_list_of_parameters_turns_tensors_into_parameters() -> None:
    values = nn.ParameterList([torch.ones(2), nn.Parameter(torch.ones(3))])
    values.append(torch.zeros(1)).extend([torch.zeros(4)])
    assert [list(p.shape) for p in values.parameters()] == [[2], [3], [1], [4]]
    assert len(values[1:3]) == 2
    values[0] = torch.zeros(5)
    assert list(values[0].shape) == [5]


def test_a_dictionary_of_parameters_turns_tensors_into_parameters() -> None:
    values = nn.ParameterDict({"a": torch.ones(2)})
    values["b"] = nn.Parameter(torch.ones(1))
    assert [name for name, _ in values.named_parameters()] == ["a", "b"]
    assert values.get("c") is None
    assert values.pop("a").tolist() == [1, 1]
    assert list(values) == ["b"]


def test_things_that_are_no_modules_are_refused() -> None:
    with pytest.raises(TypeError, match="is not a Module subclass"):
        nn.Sequential(torch.tanh)
    with pytest.raises(TypeError, match="should be called with an iterable"):
        nn.ModuleList().extend(3)
