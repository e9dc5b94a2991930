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
