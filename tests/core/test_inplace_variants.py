"""In-place variants of functions: values, gradients and what they refuse to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

MATRIX = torch.arange(9.0, dtype=torch.float64).reshape(3, 3) / 4 + 1
VECTOR = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
BATCH = torch.arange(18.0, dtype=torch.float64).reshape(2, 3, 3) / 7

VARIANTS: list[tuple[str, Any, tuple[Any, ...], dict[str, Any]]] = [
    ("addmm", MATRIX, (MATRIX, MATRIX + 1), {"beta": 0.5, "alpha": 2}),
    ("addmv", VECTOR, (MATRIX, VECTOR), {"alpha": 3}),
    ("addr", MATRIX, (VECTOR, VECTOR), {"beta": 2}),
    ("addbmm", MATRIX, (BATCH, BATCH), {}),
    ("baddbmm", BATCH, (BATCH, BATCH), {"beta": 0.25}),
    ("clamp_min", VECTOR, (0.2,), {}),
    ("clamp_max", VECTOR, (torch.zeros(3, dtype=torch.float64),), {}),
    ("float_power", MATRIX, (3,), {}),
    ("mvlgamma", MATRIX, (2,), {}),
    ("polygamma", MATRIX, (1,), {}),
    ("renorm", MATRIX, (2, 0, 1.0), {}),
    ("ldexp", VECTOR, (torch.tensor([1, 2, 3]),), {}),
    ("nextafter", VECTOR, (MATRIX[0],), {}),
    ("index_reduce", MATRIX, (0, torch.tensor([0, 2]), MATRIX[1:], "prod"), {}),
]


@together()
@pytest.mark.parametrize(("name", "x", "arguments", "keywords"), VARIANTS, ids=lambda v: str(v)[:9])
def test_inplace_variant_gives_values_and_gradients_of_the_function(
    name: str, x: Any, arguments: tuple, keywords: dict
) -> None:
    leaf, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    expected = getattr(leaf, name)(*arguments, **keywords)
    target = other * 1
    assert getattr(target, f"{name}_")(*arguments, **keywords) is target
    assert torch.equal(target, expected)
    weights = torch.linspace(1, 2, target.numel(), dtype=torch.float64).reshape(target.shape)
    (one,) = torch.autograd.grad(expected, leaf, weights)
    (two,) = torch.autograd.grad(target, other, weights)
    assert torch.allclose(one, two)


@together()
@pytest.mark.parametrize(("name", "x", "arguments", "keywords"), VARIANTS, ids=lambda v: str(v)[:9])
def test_inplace_variant_refuses_a_leaf_that_requires_grad(
    name: str, x: Any, arguments: tuple, keywords: dict
) -> None:
    leaf = x.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(leaf, f"{name}_")(*arguments, **keywords)
    assert torch.equal(leaf, x)


def test_inplace_variant_whose_result_is_larger_changes_nothing() -> None:
    x = VECTOR.clone()
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        x.addmm_(MATRIX, MATRIX)
    assert torch.equal(x, VECTOR)


@pytest.mark.parametrize("compute", [lambda x: x.mvlgamma_(1), lambda x: x.polygamma_(1)])
def test_inplace_variant_writes_no_fractions_into_integers(
    compute: Callable[..., Any],
) -> None:
    x = torch.tensor([3, 4])
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        compute(x)
    assert x.tolist() == [3, 4]


def test_float_power_in_place_needs_double_precision() -> None:
    with pytest.raises(RuntimeError, match="requires dtype Double"):
        torch.ones(2).float_power_(2)


@together()
@pytest.mark.parametrize("shape", [(3, 3), (7, 3), (3, 7), (4, 3), (8, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_the_diagonal_is_filled_as_numpy_does(shape: tuple[int, int], wrap: bool) -> None:
    expected = np.zeros(shape)
    np.fill_diagonal(expected, 5, wrap)
    assert np.array_equal(torch.zeros(shape).fill_diagonal_(5, wrap).numpy(), expected)
    turned = torch.zeros(shape[::-1]).t()
    assert np.array_equal(turned.fill_diagonal_(5).numpy(), np.eye(*shape) * 5)


def test_the_gradient_of_what_the_diagonal_was_is_zero() -> None:
    x = torch.ones(3, 3, requires_grad=True)
    (x * 2).fill_diagonal_(7).sum().backward()
    assert torch.equal(x.grad, 2 * (1 - torch.eye(3)))


def test_as_strided_in_place_keeps_the_history() -> None:
    x = torch.arange(6.0, requires_grad=True)
    y = x * 2
    assert y.as_strided_((2, 2), (1, 2)) is y
    y.sum().backward()
    assert y.tolist() == [[0.0, 4.0], [2.0, 6.0]]
    assert x.grad.tolist() == [2.0, 2.0, 2.0, 2.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["relu", "sigmoid", "exp", "neg", "sqrt", "tanh", "selu", "celu"])
def test_an_inplace_variant_is_a_function_of_torch_too(name: str) -> None:
    x = torch.tensor([0.25, 0.5])
    expected = getattr(torch, name)(x)
    assert getattr(torch, f"{name}_")(x) is x
    assert torch.equal(x, expected)


@pytest.mark.parametrize("name", ["add_", "mul_", "clamp_", "relu_", "copy_", "float_power_"])
def test_a_class_is_given_the_method_that_was_called(name: str) -> None:
    given: list[Any] = []

    class Noting(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            given.append(func)

    tensor = torch.ones(2).as_subclass(Noting)
    getattr(tensor, name)(*(() if name == "relu_" else (1,)))
    assert given == [getattr(torch.Tensor, name)]
    assert given[0] in torch.overrides.get_overridable_functions()[torch.Tensor]
