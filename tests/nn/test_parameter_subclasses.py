"""Subclasses of Parameter with a constructor of their own, and other lenient forms of calls."""

from __future__ import annotations

from typing import Any

import pellucid as torch
from pellucid import nn


def test_a_subclass_of_parameter_may_take_more_in_new_alone() -> None:
    class Placed(nn.Parameter):
        manifold: Any

        def __new__(cls, data: Any, manifold: Any = None) -> Any:
            made = super().__new__(cls, data)
            made.manifold = manifold
            return made

    parameter = Placed(torch.ones(2), manifold="sphere")
    assert (parameter.manifold, parameter.requires_grad) == ("sphere", True)
    module = nn.Module()
    module.weight = parameter
    assert [name for name, _ in module.named_parameters()] == ["weight"]


def test_inputs_of_grad_may_be_anything_that_can_be_gone_through() -> None:
    layers = nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))])
    table = {"a": layers[0], "b": layers[1]}
    for inputs in (layers, table.values(), iter([*layers]), (each for each in layers)):
        loss = (layers[0] * 3).sum() + layers[1].sum() * 2
        assert [g.tolist() for g in torch.autograd.grad(loss, inputs)] == [[3.0, 3.0], [2.0]]


def test_old_constructors_of_sparse_tensors() -> None:
    places = torch.tensor([[0, 1], [1, 0]])
    made = torch.sparse.FloatTensor(places, torch.tensor([2, 3]), torch.Size([2, 2]))
    assert made.dtype == torch.float32
    assert made.to_dense().tolist() == [[0, 2], [3, 0]]
    assert torch.sparse.LongTensor(places, torch.tensor([2, 3])).dtype == torch.int64


def test_a_parameter_of_a_tensor_of_a_class_of_ones_own_keeps_that_class() -> None:
    class Marked(torch.Tensor):
        pass

    parameter = nn.Parameter(torch.ones(2).as_subclass(Marked))
    assert type(parameter) is Marked
    assert isinstance(parameter, nn.Parameter)
    assert parameter.requires_grad
    assert parameter.is_leaf
    assert type(parameter * 2) is Marked
    assert not isinstance(parameter * 2, nn.Parameter)
    assert not isinstance(parameter.detach(), nn.Parameter)
    module = nn.Linear(2, 1, bias=False)
    module.weight = nn.Parameter(torch.ones(1, 2).as_subclass(Marked))
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    assert type(module(torch.ones(1, 2))) is Marked
    (module.double()(torch.ones(1, 2).double())).sum().backward()
    assert type(module.weight) is Marked
    assert module.weight.grad is not None
    assert module.weight.grad.tolist() == [[1.0, 1.0]]
