"""Subclasses of Tensor live through operations, and cost plain tensors nothing."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.observe import slow_path


class Named(torch.Tensor):
    """Subclass that says nothing of how functions treat it."""


class Counting(torch.Tensor):
    """Subclass that counts the functions which are given its tensors."""

    calls: list[str] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


def test_values_and_gradients_are_those_of_plain_tensors() -> None:
    plain = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    named = plain.detach().clone().as_subclass(Named).requires_grad_()
    for x in (plain, named):
        y = (x[1:] * 2 + torch.sin(x[:2])).sum() / x.max()
        assert type(y) is type(x)
        y.backward()
    np.testing.assert_array_equal(named.grad.numpy(), plain.grad.numpy())


def test_plain_tensors_stay_on_the_short_path_beside_a_subclass() -> None:
    before = len(slow_path.active)
    Counting.calls.clear()
    named = torch.ones(2).as_subclass(Counting)
    assert type(torch.ones(2) * torch.ones(2)) is torch.Tensor
    assert Counting.calls == []
    assert type(torch.ones(2) * named) is Counting
    assert Counting.calls == ["mul"]
    assert len(slow_path.active) == before


def test_a_subclass_that_takes_nothing_over_gives_plain_results() -> None:
    class Quiet(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    quiet = torch.ones(2).as_subclass(Quiet)
    assert type(quiet + 1) is torch.Tensor
    assert type(torch.stack([quiet, quiet])) is torch.Tensor


def test_copies_and_pickles_keep_class_and_attributes() -> None:
    x: Any = torch.ones(2).as_subclass(Named)
    x.mark = [1]
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(made) is Named
        assert made.mark == [1]
        assert made.mark is not x.mark


def test_errors_of_a_handler_reach_the_caller_as_they_are() -> None:
    class Refusing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            raise KeyError("mine")

    x = torch.ones(2).as_subclass(Refusing)
    for call in (lambda: x + 1, lambda: torch.cat([x, x]), lambda: torch.nn.functional.relu(x)):
        with pytest.raises(KeyError, match="mine"):
            call()
    assert type(torch.ones(2) + 1) is torch.Tensor


class Logged(torch.Tensor):
    """A tensor with a slot of its own, and so of another layout in memory."""

    __slots__ = ["log"]

    def __new__(cls, data, log=None):
        made = torch.Tensor._make_subclass(cls, data)
        made.log = [] if log is None else log
        return made

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        for each in args:
            if isinstance(each, cls):
                each.log.append(func.__name__)
        return torch.overrides.redispatch_function(func, types, args, kwargs)


def test_a_subclass_with_slots_shares_memory_and_keeps_its_slots():
    data = torch.zeros(2)
    logged = Logged(data, ["made"])
    data.add_(1)
    assert isinstance(logged, Logged)
    assert logged.log == ["made"]
    assert (logged * 2).tolist() == [2.0, 2.0]
    assert logged.log == ["made", "mul"]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda tensor: pickle.loads(pickle.dumps(tensor))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_of_a_subclass_with_slots_have_what_is_in_them(copied):
    logged = Logged(torch.ones(2), ["made"])
    logged.label = "one"
    made = copied(logged)
    assert type(made) is Logged
    assert made.label == "one"
    assert made.log[0] == "made"


def test_files_hold_what_a_subclass_keeps_in_slots():
    file = io.BytesIO()
    torch.save(Logged(torch.ones(2), ["made"]), file)
    file.seek(0)
    with torch.serialization.safe_globals([Logged]):
        made = torch.load(file)
    assert type(made) is Logged
    assert made.log[0] == "made"


def test_a_function_called_again_by_its_subclass_is_not_taken_over_but_what_it_calls_is():
    called = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            called.append(func.__name__)
            return torch.overrides.redispatch_function(func, types, args, kwargs)

    def scaled(a):
        if torch.overrides.has_torch_function((a,)):
            return torch.overrides.handle_torch_function(scaled, (a,), a)
        return a * 2 + 1

    assert scaled(torch.ones(1).as_subclass(Told)).tolist() == [3.0]
    assert called == ["scaled", "mul"]


def test_a_parameter_of_a_subclass_says_both_in_its_text():
    class Own(torch.Tensor):
        pass

    parameter = torch.nn.Parameter(torch.ones(1).as_subclass(Own))
    assert repr(parameter) == "Parameter(Own([1.], requires_grad=True))"
