"""``backward(atomic=True)``: all gradients are written, or none."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pellucid as torch


class Failing(torch.autograd.Function):
    """The identity, whose backward fails."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise ValueError("no gradient")


def failing_loss() -> tuple[Any, Any, Any]:
    """Return two leaves and a loss whose backward fails after the first leaf is complete."""
    first, second = (torch.ones(3, requires_grad=True) for _ in range(2))
    early = Failing.apply(second.exp())
    return first, second, (early * 2.0 + first.sin()).sum()


def fail(loss: Any, **options: Any) -> None:
    with pytest.raises(ValueError, match="no gradient"):
        loss.backward(**options)


def test_without_it_leaves_that_were_reached_are_written() -> None:
    first, second, loss = failing_loss()
    fail(loss)
    assert first.grad is not None
    assert second.grad is None


def test_a_failed_pass_writes_no_gradient() -> None:
    first, second, loss = failing_loss()
    fail(loss, atomic=True)
    assert first.grad is None
    assert second.grad is None


def test_a_failed_pass_leaves_gradients_that_were_there_as_they_were() -> None:
    first, _, loss = failing_loss()
    before = first.grad = torch.full((3,), 7.0)
    fail(loss, atomic=True)
    assert first.grad is before
    assert before.tolist() == [7.0] * 3


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_a_pass_that_goes_well_writes_what_any_other_would(held: bool, create_graph: bool) -> None:
    results = []
    for atomic in (False, True):
        w = torch.arange(6.0).reshape(2, 3).requires_grad_()
        b = torch.ones(3, requires_grad=True)
        if held:
            w.grad = torch.full((2, 3), 3.0)
        loss = ((w * w + b).exp() * 1e-9).sum()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss.backward(create_graph=create_graph, atomic=atomic)
        results.append((w.grad.tolist(), b.grad.tolist(), w.grad.requires_grad))
    assert results[0] == results[1]


def test_the_function_takes_it_too() -> None:
    first, _, loss = failing_loss()
    with pytest.raises(ValueError, match="no gradient"):
        torch.autograd.backward([loss], atomic=True)
    assert first.grad is None


def test_with_inputs_only_these_are_written_and_none_if_it_fails() -> None:
    first, second, loss = failing_loss()
    fail(loss, inputs=[first, second], atomic=True)
    assert (first.grad, second.grad) == (None, None)
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    (x * y).sum().backward(inputs=[x], atomic=True)
    assert x.grad.tolist() == [1.0, 1.0]
    assert y.grad is None


def test_retained_gradients_are_not_written_by_a_failed_pass() -> None:
    x = torch.ones(2, requires_grad=True)
    middle = Failing.apply(x) * 2.0
    middle.retain_grad()
    fail(middle.sum(), atomic=True)
    assert middle.grad is None
    well = x * 2.0
    well.retain_grad()
    well.sum().backward(atomic=True)
    assert well.grad.tolist() == [1.0, 1.0]


def test_hooks_after_writing_run_when_all_is_written() -> None:
    first, second = (torch.ones(2, requires_grad=True) for _ in range(2))
    seen: list[Any] = []
    for leaf in (first, second):
        leaf.register_post_accumulate_grad_hook(
            lambda _: seen.append((first.grad is not None, second.grad is not None))
        )
    (first * second).sum().backward(atomic=True)
    assert seen == [(True, True)] * 2


def test_hooks_after_writing_do_not_run_if_the_pass_fails() -> None:
    first, _, loss = failing_loss()
    seen: list[Any] = []
    first.register_post_accumulate_grad_hook(seen.append)
    fail(loss, atomic=True)
    assert seen == []


def test_hooks_on_the_gradient_of_a_leaf_take_part() -> None:
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: g * 10.0)
    (x * 2.0).sum().backward(atomic=True)
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_gradient_that_cannot_be_written_takes_the_others_back() -> None:
    first, second = (torch.ones(2, requires_grad=True) for _ in range(2))
    loss = (first * second).sum()
    before = first.grad = torch.full((2,), 5.0)
    second.grad = torch.ones(2)
    second.grad.data = torch.ones(3)  # of another shape by now
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        loss.backward(atomic=True)
    assert first.grad is before
    assert before.tolist() == [5.0, 5.0]
    assert second.grad.tolist() == [1.0, 1.0, 1.0]


def test_callbacks_of_the_pass_see_the_gradients() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2.0
    seen: list[Any] = []
    engine = torch.autograd.Variable._execution_engine
    y.register_hook(lambda g: engine.queue_callback(lambda: seen.append(x.grad)))
    y.sum().backward(atomic=True)
    assert [each.tolist() for each in seen] == [[2.0, 2.0]]


def test_a_gradient_that_nobody_else_holds_is_taken_over_without_a_copy() -> None:
    x = torch.ones(2, requires_grad=True)
    made: list[int] = []
    y = x.exp()
    y.grad_fn.register_hook(lambda grads, _: made.append(grads[0]._array.ctypes.data))
    y.sum().backward(atomic=True)
    assert x.grad._array.ctypes.data == made[0]
