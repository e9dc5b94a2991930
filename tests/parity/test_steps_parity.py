"""Nodes of PyTorch's that are a part of one node here are hooked as PyTorch's are."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.parity.test_node_forms_parity import operands

torch = pytest.importorskip("torch")

FORMS = (
    "F.linear(x,w,b)", "F.linear(x,w)", "F.linear(z.mT,w,b)", "F.linear(z.mT,w)",
    "F.linear(z.mT.contiguous(),w,b)", "F.linear(v,w,b)", "F.linear(v,w)", "F.linear(x,v)",
    "F.linear(z.mT.contiguous(),v)", "z@w.detach()[:, :2]", "z@b", "z@w", "z@z.mT", "z@z[:1].mT",
    "z[:1]@z.mT", "x@z", "v@z", "v@m", "z@z.detach().mT", "z.detach()@z.mT",
    "torch.bmm(z,z.mT)", "c[0]@z", "x.detach()@z", "F.cross_entropy(x,i)",
    "F.cross_entropy(x,i,reduction='none')", "F.cross_entropy(x,i,reduction='sum')",
)  # fmt: skip


def _forms(torch: ModuleType, form: str) -> tuple[dict[str, Any], Any, list[Any]]:
    given = operands(torch)
    result = eval(form, given)
    nodes, waiting = [], [result.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node not in nodes:
            nodes.append(node)
            waiting += [each for each, _ in node.next_functions if each is not None]
    return given, result, nodes


def _plain(values: Any) -> list[Any]:
    return [None if each is None else each.tolist() for each in values]


def _told(torch: ModuleType, form: str) -> list[Any]:
    """Return what hooks on all nodes hear of a pass."""
    _, result, nodes = _forms(torch, form)
    heard: list[Any] = []
    for place, node in enumerate(nodes):
        if node.next_functions:
            node.register_hook(
                lambda into, out, place=place: heard.append((place, "after", _plain((*into, *out))))
            )
        node.register_prehook(lambda out, place=place: heard.append((place, "before", _plain(out))))
    g = np.random.default_rng(5).random(tuple(result.shape))
    result.backward(torch.tensor(g))
    return sorted(heard, key=lambda each: (each[0], each[1]))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == pytest.approx(other) if isinstance(one, float) else one == other


@pytest.mark.parametrize("form", FORMS)
def test_hooks_on_steps_hear_what_those_of_pytorch_hear(form: str) -> None:
    theirs, ours = _told(torch, form), _told(pellucid, form)
    assert len(theirs) > 2
    assert _equal(theirs, ours), f"\nPyTorch {theirs}\nhere    {ours}"


def _changed(torch: ModuleType, form: str, place: int, late: bool) -> list[Any]:
    """Return the leaves' gradients where a hook on one node triples what it hears of."""
    given, result, nodes = _forms(torch, form)
    if late:
        nodes[place].register_hook(
            lambda into, out: tuple([None if each is None else each * 3 for each in into])
        )
    else:
        nodes[place].register_prehook(lambda out: tuple([each * 3 for each in out]))
    g = np.random.default_rng(5).random(tuple(result.shape))
    result.backward(torch.tensor(g))
    return [given[name].grad.tolist() for name in "xvwbzm" if given[name].grad is not None]


@pytest.mark.parametrize("form", FORMS)
def test_what_hooks_on_steps_return_goes_where_that_of_pytorch_goes(form: str) -> None:
    nodes = _forms(torch, form)[2]
    for place, node in enumerate(nodes):
        for late in (False, True):
            if node.next_functions:
                theirs = _changed(torch, form, place, late)
                ours = _changed(pellucid, form, place, late)
                assert _equal(theirs, ours), (node.name(), late, theirs, ours)


@pytest.mark.parametrize("form", FORMS)
def test_a_node_that_is_called_gives_the_gradients_of_its_step(form: str) -> None:
    found = []
    for library in (torch, pellucid):
        result = _forms(library, form)[1]
        gradients = result.grad_fn(library.ones_like(result))
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        found.append(_plain(gradients))
    assert _equal(*found)
