"""Tests of functions that are taken over, for each of a function's names.

PyTorch's test_overrides.py makes a test for each function. In PyTorch `roll` and the method of that
name, `acos` and `arccos`, are functions of their own; here one function has these names, and the
file makes one test of it. Those for its other names are made here.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import pellucid
from pellucid import distributed
from pellucid.nn import functional, init

#: what the names of tests begin with, and where the functions are that they name; longest first
PLACES: dict[str, Any] = {
    "test_distributed_distributed_c10d_": distributed,
    "test_torch_distributed_distributed_c10d_": distributed,
    "test_torch_nn_functional_": functional,
    "test_torch_nn_init_": init,
    "test_TensorBase_": pellucid.Tensor,
    "test_Tensor_": pellucid.Tensor,
    "test_torch_": pellucid,
}


def add_tests_of_other_names(module: ModuleType, names: Iterable[str]) -> None:
    """Add those tests of the names that the module has not made, to the class that has the others.

    Args:
        module: PyTorch's test_overrides.
        names: The names of tests, with that of their class.
    """
    cls = module.TestTorchFunctionOverride
    for name in names:
        owner, _, method = name.partition(".")
        if owner == cls.__name__ and not hasattr(cls, method):
            function = _named(method)
            if callable(function):
                test = _test_of(module, function)
                test.__name__ = method
                setattr(cls, method, test)


def _named(test: str) -> Any:
    for beginning, place in PLACES.items():
        if test.startswith(beginning):
            name = test.removeprefix(beginning)
            if not name.endswith("___get__"):
                return getattr(place, name, None)
            described = inspect.getattr_static(place, name.removesuffix("___get__"), None)
            return getattr(described, "__get__", None)
    return None


def _test_of(module: ModuleType, function: Callable[..., Any]) -> Any:
    """Return a test that calls a function with objects that take it over, and hears from them."""
    is_method = (
        module.is_tensor_method_or_property(function) or function in vars(pellucid.Tensor).values()
    )

    def test(self: unittest.TestCase) -> None:
        make = (lambda: module.SubTensor([5])) if is_method else module.TensorLike
        result = function(*(make() for _ in range(_count_of_arguments(function))))
        assert result == -1

    return test


def _count_of_arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a function has to be given; two more where it takes any number."""
    if getattr(function, "__name__", "") == "__get__":
        return 1
    given = inspect.signature(function).parameters.values()
    any_number = any(each.kind is each.VAR_POSITIONAL for each in given)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return 2 * any_number + sum(
        each.kind in positional and each.default is each.empty for each in given
    )
