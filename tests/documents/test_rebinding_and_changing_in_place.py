"""A question: how are values kept for backward when a name is given to a new tensor?"""

from __future__ import annotations

import weakref
from typing import Any

import pytest

import pellucid as torch


def operands() -> tuple[Any, Any, Any]:
    torch.manual_seed(0)
    a, b, c = (torch.randn(10, requires_grad=True) for _ in range(3))
    return a, b, c


def expected(a: Any, b: Any, c: Any) -> list[Any]:
    return [each.detach() for each in (b * c, a * c, a * b)]


def grads(*tensors: Any) -> list[Any]:
    return [each.grad for each in tensors]


def test_rebinding_x_gives_the_same_gradients_as_two_names() -> None:
    a, b, c = operands()
    x1 = a * b
    x2 = x1 * c
    x2.sum().backward()
    d, e, f = operands()
    x = d * e
    x = x * f
    x.sum().backward()
    assert all(map(torch.equal, grads(a, b, c), grads(d, e, f)))


def test_the_value_that_x_had_is_used_in_the_gradient_of_c() -> None:
    a, b, c = operands()
    x = a * b
    x = x * c
    x.sum().backward()
    assert all(map(torch.allclose, grads(a, b, c), expected(a, b, c)))


def test_rebinding_makes_a_new_tensor_and_changes_no_version() -> None:
    a, b, c = operands()
    x = a * b
    first, version = x, x._version
    x = x * c
    assert x is not first
    assert first._version == version


def test_the_rebound_tensor_dies_and_its_values_live_on_in_the_graph(without_gc: None) -> None:
    a, b, c = operands()
    x = a * b
    gone, values = weakref.ref(x), x.detach().clone()
    x = x * c
    assert gone() is None
    assert torch.equal(x.grad_fn._saved_self, values)


def test_the_rebound_tensor_lives_as_long_as_another_name_refers_to_it(without_gc: None) -> None:
    a, b, c = operands()
    x1 = a * b
    kept = weakref.ref(x1)
    x2 = x1 * c
    assert x2 is not x1
    assert kept() is x1


def test_nothing_is_saved_when_no_gradient_needs_it() -> None:
    # the program as it stands in the question: none of its tensors requires grad
    a, b, c = torch.randn(10), torch.randn(10), torch.randn(10)
    x = a * b
    x = x * c
    assert x.grad_fn is None


def test_mul_in_place_still_gives_the_right_gradients() -> None:
    # it keeps a copy of the old values, which the gradient of c needs, as PyTorch does
    a, b, c = operands()
    x = a * b
    x.mul_(c)
    x.sum().backward()
    assert all(map(torch.allclose, grads(a, b, c), expected(a, b, c)))


def test_mul_in_place_after_another_use_of_x_raises() -> None:
    a, b, c = operands()
    x = a * b
    z = x * c
    x.mul_(c)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        (x + z).sum().backward()
    assert "z = x * c" in str(raised.value)
    assert "x.mul_(c)" in str(raised.value)


def test_both_intermediate_tensors_are_no_leaves() -> None:
    a, b, c = operands()
    x1 = a * b
    x2 = x1 * c
    assert not x1.is_leaf
    assert not x2.is_leaf


def test_gradients_of_intermediates_are_not_kept_by_default() -> None:
    a, b, c = operands()
    x1 = a * b
    x2 = x1 * c
    x2.sum().backward()
    for each in (x1, x2):
        with pytest.warns(UserWarning, match="not a leaf"):
            assert each.grad is None


def test_the_gradient_of_an_intermediate_is_freed_once_it_was_used(without_gc: None) -> None:
    a, b, c = operands()
    x1 = a * b
    x2 = x1 * c
    seen: list[weakref.ref[Any]] = []
    alive: list[bool] = []
    x2.register_hook(lambda g: seen.append(weakref.ref(g.numpy())))
    a.register_hook(lambda g: alive.append(seen[0]() is not None))
    x2.sum().backward()
    assert seen
    assert alive == [False]


def test_retain_grad_keeps_the_gradient_of_an_intermediate() -> None:
    a, b, c = operands()
    x1 = a * b
    x2 = x1 * c
    x2.retain_grad()
    x1.retain_grad()
    x2.sum().backward()
    assert torch.equal(x2.grad, torch.ones(10))
    assert torch.equal(x1.grad, c.detach())


def test_retain_grad_changes_nothing_for_a_leaf() -> None:
    a, b, _ = operands()
    a.retain_grad()
    (a * b).sum().backward()
    assert not a.retains_grad
    assert torch.equal(a.grad, b.detach())
