"""Checkpointing: the same gradients, less kept, and no more computed again than is needed."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import warnings
import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

BOTH = pytest.mark.parametrize("use_reentrant", [False, True])


def leaves() -> Any:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 4, generator=generator)
    w = torch.randn(4, 4, generator=generator)
    return x.requires_grad_(), w.requires_grad_()


class Steps:
    """A function of several steps that counts how often each is reached."""

    def __init__(self) -> None:
        self.reached: list[int] = []

    def __call__(self, x: Any, w: Any) -> Any:
        self.reached.append(1)
        hidden = torch.relu(x @ w)
        self.reached.append(2)
        hidden = torch.dropout(hidden, 0.5, True).sin()
        self.reached.append(3)
        result = hidden @ w.T
        self.reached.append(4)
        return result


def gradients(call: Any) -> tuple[Any, Any]:
    torch.manual_seed(1)
    x, w = leaves()
    call(x, w).square().sum().backward()
    return x.grad, w.grad


@BOTH
def test_gradients_and_random_numbers_are_the_same_as_without(use_reentrant: bool) -> None:
    plain = gradients(Steps())
    after = torch.rand(3)
    checked = gradients(lambda x, w: checkpoint(Steps(), x, w, use_reentrant=use_reentrant))
    assert torch.equal(torch.rand(3), after)
    for one, other in zip(plain, checked, strict=True):
        assert torch.equal(one, other)


def test_computing_again_stops_at_the_last_value_that_was_saved() -> None:
    steps = Steps()
    gradients(lambda x, w: checkpoint(steps, x, w, use_reentrant=False))
    assert steps.reached == [1, 2, 3, 4, 1, 2, 3]


@pytest.mark.parametrize("how", ["option", "block", "reentrant"])
def test_computing_again_goes_to_the_end_where_that_is_asked_for(how: str) -> None:
    steps = Steps()
    block = set_checkpoint_early_stop(False) if how == "block" else contextlib.nullcontext()
    options = {"use_reentrant": how == "reentrant", "early_stop": how == "block"}
    with block:
        gradients(lambda x, w: checkpoint(steps, x, w, **options))
    assert steps.reached == [1, 2, 3, 4] * 2


def test_nothing_is_computed_again_where_nothing_is_recorded() -> None:
    steps = Steps()
    with torch.no_grad():
        y = checkpoint(steps, *leaves(), use_reentrant=False)
    assert not y.requires_grad
    assert steps.reached == [1, 2, 3, 4]


def test_nested_checkpoints_compute_again_what_they_need_of_each_other() -> None:
    def nested(x: Any, w: Any) -> Any:
        first = checkpoint(Steps(), x, w, use_reentrant=False)
        return checkpoint(Steps(), first.tanh(), w, use_reentrant=False).exp()

    plain = gradients(lambda x, w: Steps()(Steps()(x, w).tanh(), w).exp())
    checked = gradients(lambda x, w: checkpoint(nested, x, w, use_reentrant=False))
    for one, other in zip(plain, checked, strict=True):
        assert torch.equal(one, other)


def test_a_graph_that_is_kept_can_be_used_again() -> None:
    steps = Steps()
    x, w = leaves()
    loss = checkpoint(steps, x, w, use_reentrant=False).sum()
    loss.backward(retain_graph=True)
    first = x.grad.clone()
    loss.backward()
    assert torch.equal(x.grad, 2 * first)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


def test_higher_derivatives_and_chosen_inputs_work() -> None:
    def cubed(x: Any) -> Any:
        return x * x * x

    x = torch.tensor([2.0], requires_grad=True)
    (slope,) = torch.autograd.grad(checkpoint(cubed, x, use_reentrant=False), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x)
    assert (slope.item(), curvature.item()) == (12, 12)


def test_keyword_arguments_and_structures_are_passed_on() -> None:
    def scaled(parts: list[Any], *, by: float) -> dict[str, Any]:
        return {"sum": (parts[0].exp() + parts[1]) * by}

    x, w = leaves()
    result = checkpoint(scaled, [x, w[:3]], by=2.0, use_reentrant=False)
    result["sum"].sum().backward()
    assert torch.allclose(x.grad, 2 * x.exp())


def test_values_on_the_way_are_not_kept_and_nothing_stays_after_backward() -> None:
    seen: list[Any] = []

    def function(x: Any) -> Any:
        hidden = x.exp()
        seen.append(weakref.ref(hidden._array))
        return hidden.exp().sin()

    x, _ = leaves()
    gc.collect()
    gc.disable()
    try:
        y = checkpoint(function, x, use_reentrant=False)
        assert seen[0]() is None
        y.sum().backward()
        del y
        assert [each() for each in seen] == [None, None]
    finally:
        gc.enable()


@BOTH
def test_autocast_is_on_again_when_it_is_computed_again(use_reentrant: bool) -> None:
    seen: list[Any] = []

    def product(x: Any, w: Any) -> Any:
        y = x @ w
        seen.append(y.dtype)
        return y.sin()

    x, w = leaves()
    with torch.autocast("cpu", torch.bfloat16):
        y = checkpoint(product, x, w, use_reentrant=use_reentrant, early_stop=False)
    y.float().sum().backward()
    assert seen == [torch.bfloat16] * 2
    assert not torch.is_autocast_enabled("cpu")


def test_contexts_surround_the_first_and_the_second_computation() -> None:
    log: list[str] = []

    @contextlib.contextmanager
    def noted(name: str) -> Any:
        log.append(f"begin {name}")
        yield
        log.append(f"end {name}")

    x, w = leaves()
    options = {"context_fn": lambda: (noted("first"), noted("second")), "early_stop": False}
    y = checkpoint(Steps(), x, w, use_reentrant=False, **options)
    assert log == ["begin first", "end first"]
    y.sum().backward()
    assert log[2:] == ["begin second", "end second"]


class Changing:
    """A function that does something else the second time."""

    def __init__(self, first: Any, second: Any) -> None:
        self.turns = iter([first, second])

    def __call__(self, x: Any) -> Any:
        return next(self.turns)(x)


@pytest.mark.parametrize(
    ("first", "second", "early_stop", "message"),
    [
        (lambda x: x.sin().sin(), lambda x: x.sin(), True, "A different number of tensors was sav"),
        (lambda x: x.sin(), lambda x: x.sin().sin(), False, "trying to save more tensors during"),
        (lambda x: x.sin(), lambda x: x[:2].sin(), True, "have different metadata than during"),
        (
            lambda x: x.sin(),
            lambda x: x.double().sin(),
            True,
            "have different metadata than during",
        ),
    ],
)
def test_a_function_that_does_something_else_is_found_out(
    first: Any, second: Any, early_stop: bool, message: str
) -> None:
    x, _ = leaves()
    changing = Changing(first, second)
    y = checkpoint(changing, x, use_reentrant=False, early_stop=early_stop)
    with pytest.raises(CheckpointError, match=message) as caught:
        y.sum().backward()
    assert isinstance(caught.value, RuntimeError)


def test_the_check_can_be_switched_off() -> None:
    x, _ = leaves()
    changing = Changing(lambda x: x.sin(), lambda x: (x + 0.0).double().sin())
    checkpoint(changing, x, use_reentrant=False, determinism_check="none").sum().backward()
    assert torch.allclose(x.grad, x.cos())


def test_debug_lists_the_operations_of_both_computations() -> None:
    x, _ = leaves()
    with set_checkpoint_debug_enabled(True):
        y = checkpoint(Changing(lambda x: x.exp().sin(), lambda x: x.cos()), x, use_reentrant=False)
    with pytest.raises(CheckpointError) as caught:
        y.sum().backward()
    before, again = str(caught.value).split("Operations executed during recomputation")
    assert "ExpBackward" in before
    assert "SinBackward" in before
    assert "CosBackward" in again
    assert "test_checkpoint.py" in before


def test_an_argument_changed_in_place_is_found_out() -> None:
    x, _ = leaves()
    y = checkpoint(lambda x: x.sin(), x, use_reentrant=False)
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


def test_an_exception_of_the_function_comes_through_both_times() -> None:
    def late(x: Any) -> Any:
        raise ValueError("too late")

    x, _ = leaves()
    with pytest.raises(ValueError, match="too late"):
        checkpoint(late, x, use_reentrant=False)
    y = checkpoint(Changing(lambda x: x.sin(), late), x, use_reentrant=False)
    with pytest.raises(ValueError, match="too late"):
        y.sum().backward()
    assert torch.ones(1, requires_grad=True).exp().grad_fn is not None  # no hooks are left behind


def test_with_reentrance_only_a_pass_to_all_leaves_is_allowed() -> None:
    x, w = leaves()
    with pytest.raises(RuntimeError, match=r"incompatible with \.grad"):
        torch.autograd.grad(checkpoint(Steps(), x, w, use_reentrant=True).sum(), x)
    with pytest.raises(RuntimeError, match=r"incompatible with \.grad"):
        checkpoint(Steps(), x, w, use_reentrant=True).sum().backward(inputs=[x])


def test_options_are_checked_and_a_choice_is_asked_for() -> None:
    x, w = leaves()
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(Steps(), x, w)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(Steps(), x.detach(), w.detach(), use_reentrant=True)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(Steps(), x, w, use_reentrant=False, determinism_check="thorough")
    with pytest.raises(ValueError, match="Unexpected keyword arguments: colour"):
        checkpoint(Steps(), x, w, use_reentrant=True, colour=1)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        checkpoint(Steps(), x, w, use_reentrant=True, debug=True)


@BOTH
@pytest.mark.parametrize("segments", [1, 2, 3, 5])
def test_a_sequence_in_segments_gives_the_same_gradients(
    segments: int, use_reentrant: bool
) -> None:
    model = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(5)))
    x, _ = leaves()
    model(x).sum().backward()
    expected = [x.grad, *(p.grad.clone() for p in model.parameters())]
    x.grad = None
    model.zero_grad()
    for functions in (model, list(model)):
        x.grad = None
        model.zero_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y = checkpoint_sequential(functions, segments, x, use_reentrant=use_reentrant)
        y.sum().backward()
        got = [x.grad, *(p.grad for p in model.parameters())]
        assert all(torch.allclose(a, b) for a, b in zip(got, expected, strict=True))


def test_threads_that_go_backward_through_one_checkpoint_get_all_values() -> None:
    x = torch.linspace(-1, 1, 9).requires_grad_()
    out = checkpoint(lambda v: v.clamp(max=0.5).expm1().tanh() * 2, x, use_reentrant=False)
    (expected,) = torch.autograd.grad(out.sum(), x, retain_graph=True)
    found: list[object] = []

    def run() -> None:
        for _ in range(60):
            try:
                (grad,) = torch.autograd.grad(out.sum(), x, retain_graph=True)
                found.append(bool((grad == expected).all()))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is one too many
                found.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=run) for _ in range(3)]
    try:
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [True] * 180
