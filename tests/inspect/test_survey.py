"""The compiled survey of a graph finds what its definition in Python finds."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import _native
from pellucid.autograd.engine import plan_all
from pellucid.autograd.graph import saved_tensors_hooks
from pellucid.inspect.survey import Survey, _Surveyor, owner_of, survey

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.factor = x * 2
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.factor


def leaf(*shape: int) -> Any:
    return torch.ones(*shape, requires_grad=True)


def shared() -> Any:
    x = leaf(3)
    y = x.exp()
    return (y * y + x).sum()


def views() -> Any:
    x = leaf(4, 4)
    y = (x * 2)[:2]
    return (y.T * y.T.sin()).sum() + x.view(16).exp().sum()


def changed_in_place() -> Any:
    x = leaf(4)
    y = x * 3
    y[:2].mul_(y[2:].detach())
    return (y * y).sum()


def indexed() -> Any:
    x = leaf(5, 2)
    return x[torch.tensor([0, 2])].sum() + torch.index_select(x, 0, torch.tensor([1])).sum()


def several_results() -> Any:
    first, second = leaf(4, 3).split(2)
    values, _ = (first * second).topk(2)
    return values.sum()


def packed() -> Any:
    with saved_tensors_hooks(lambda x: x.numpy().copy(), torch.tensor):
        return (leaf(3).exp() * leaf(3)).sum()


def freed_in_part() -> Any:
    x = leaf(3)
    trunk = x.exp()
    (trunk * x).sum().backward(retain_graph=trunk)
    return (trunk.sin() + trunk).sum()


def recurrent() -> Any:
    cell, h = torch.nn.GRUCell(3, 4), torch.zeros(2, 4)
    for _ in range(3):
        h = cell(torch.ones(2, 3), h)
    return h.mean()


@pytest.mark.parametrize(
    "make",
    [shared, views, changed_in_place, indexed, several_results, packed, freed_in_part, recurrent,
     lambda: Square.apply(leaf(3)).sum(), lambda: leaf(3)],
)  # fmt: skip
def test_both_find_the_same(make: Callable[[], Any]) -> None:
    loss = make()
    plan = plan_all([loss.edge[0]])
    leaves: list[Any] = [end for end, _ in plan.leaves]
    gc.collect()
    compiled = survey(plan.nodes, leaves)
    owners = [owner_of(each.value) for each in leaves]
    defined = _Surveyor(plan.nodes, leaves, owners).look()
    for name in Survey._fields:
        assert np.array_equal(getattr(compiled, name), getattr(defined, name)) or (
            name == "likes" and compiled.likes == defined.likes
        ), name


def test_what_is_kept_elsewhere_is_in_use_and_the_rest_is_not() -> None:
    x = leaf(10)
    y = x.exp()
    loss = (y[2:] * y[:5].sin().sum()).sum()
    plan = plan_all([loss.edge[0]])
    found = survey(plan.nodes, [end for end, _ in plan.leaves])
    assert dict(zip(found.addresses.tolist(), found.in_use.tolist(), strict=True)) == {
        address: address == id(y._array) for address in found.addresses.tolist()
    }
