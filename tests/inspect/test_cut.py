"""Cutting history off after it has been used."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import cut, graph


def test_gradients_of_earlier_uses_end_at_the_tensor() -> None:
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    loss = (h * w).sum()
    cut(h)
    loss.backward()
    assert w.grad.tolist() == [3.0, 3.0]  # by the second use alone


def test_the_tensor_itself_has_no_history_any_more() -> None:
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    cut(h)
    assert not h.requires_grad
    assert h.grad_fn is None


def test_what_only_the_history_kept_alive_is_freed(without_gc: None) -> None:
    w = torch.ones(1000, requires_grad=True)
    first = w.exp()
    node = weakref.ref(first.grad_fn)
    h = first.sin().cos()
    del first
    report = cut(h)
    assert node() is None
    assert (report.ended, report.nodes, report.bytes) == (1, 2, 8000)
    assert report.leaves == ("w",)


def test_what_others_need_stays() -> None:
    w = torch.ones(2, requires_grad=True)
    trunk = w.exp()
    h, other = trunk.sin(), trunk.cos()
    report = cut(h)
    assert report.nodes == 0
    other.sum().backward()
    assert w.grad is not None


def test_with_a_depth_the_latest_history_stays() -> None:
    ws = [torch.ones(2, requires_grad=True) for _ in range(6)]
    h: Any = torch.ones(2)
    for w in ws:
        h = h * w
    cut(h, depth=3)
    assert len(graph(h).nodes) == 4  # the last of them is ended
    h.sum().backward()
    assert [w.grad is not None for w in ws] == [False, False, False, True, True, True]


def test_overlapping_windows_of_truncated_backpropagation() -> None:
    w = torch.ones(2, requires_grad=True)
    h: Any = torch.zeros(2)
    for step in range(12):
        h = torch.tanh(h * w + 1)
        if step % 3 == 2:
            loss = h.sum()
            loss.backward(retain_graph=True)
            cut(h, depth=9)
    assert w.grad is not None
    assert len(graph(h).nodes) <= 10


@pytest.mark.parametrize("create_graph", [False, True])
def test_custom_functions_and_changed_views_are_cut_too(create_graph: bool) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 + ctx.saved_tensors[0] * 0

    w = torch.ones(4, requires_grad=True)
    doubled = Double.apply(w)
    changed = w.clone()
    changed[:2].mul_(3.0)
    loss = (doubled * changed * w).sum()
    cut(doubled)
    cut(changed)
    (grad,) = torch.autograd.grad(loss, w, create_graph=create_graph)
    assert grad.tolist() == [6.0, 6.0, 2.0, 2.0]


def test_a_leaf_has_nothing_to_be_cut_off() -> None:
    w = torch.ones(2, requires_grad=True)
    assert cut(w).ended == 0
    assert cut(torch.ones(2)).leaves == ()
    assert w.requires_grad


def test_a_long_history_is_freed_without_recursion(without_gc: None) -> None:
    h: Any = torch.ones(2, requires_grad=True)
    for _ in range(20_000):
        h = h.sin()
    assert cut(h).nodes == 19_999


def test_only_tensors_are_cut_at_a_depth_that_is_not_negative() -> None:
    with pytest.raises(TypeError, match="cut\\(\\) takes a tensor"):
        cut("h")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="at least 0"):
        cut(torch.ones(1), depth=-1)
