"""Subclasses of Tensor live through operations, and cost plain tensors nothing."""

from __future__ import annotations

import copy
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
