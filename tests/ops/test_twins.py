"""In-place twins of composite functions, tensors that get other memory, and NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch

MATRIX = torch.arange(9.0, dtype=torch.float64).reshape(3, 3) / 4 + 1
VECTOR = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
BATCH = torch.arange(18.0, dtype=torch.float64).reshape(2, 3, 3) / 7

TWINS: list[tuple[str, Any, tuple[Any, ...], dict[str, Any]]] = [
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


@pytest.mark.parametrize(("name", "x", "arguments", "keywords"), TWINS, ids=lambda v: str(v)[:9])
def test_twin_gives_values_and_gradients_of_the_function(
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


@pytest.mark.parametrize(("name", "x", "arguments", "keywords"), TWINS, ids=lambda v: str(v)[:9])
def test_twin_refuses_a_leaf_that_requires_grad(
    name: str, x: Any, arguments: tuple, keywords: dict
) -> None:
    leaf = x.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(leaf, f"{name}_")(*arguments, **keywords)
    assert torch.equal(leaf, x)


def test_twin_whose_result_is_larger_changes_nothing() -> None:
    x = VECTOR.clone()
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        x.addmm_(MATRIX, MATRIX)
    assert torch.equal(x, VECTOR)


@pytest.mark.parametrize("compute", [lambda x: x.mvlgamma_(1), lambda x: x.polygamma_(1)])
def test_twin_does_not_write_fractions_into_integers(compute: Callable[..., Any]) -> None:
    x = torch.tensor([3, 4])
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        compute(x)
    assert x.tolist() == [3, 4]


def test_float_power_in_place_needs_double_precision() -> None:
    with pytest.raises(RuntimeError, match="requires dtype Double"):
        torch.ones(2).float_power_(2)


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


# ---- other memory -----------------------------------------------------------------------------


def test_set_shares_the_memory_of_the_source() -> None:
    parameter, source = torch.nn.Parameter(torch.zeros(3)), torch.tensor([5.0, 6.0])
    with torch.no_grad():
        assert parameter.set_(source) is parameter
    source[0] = 9
    assert parameter.tolist() == [9.0, 6.0]
    (parameter * 2).sum().backward()
    assert parameter.grad.tolist() == [2.0, 2.0]


def test_set_takes_a_part_of_a_tensor_or_of_a_storage() -> None:
    source = torch.arange(4.0)
    assert torch.zeros(1).set_(source, 1, (2,), (2,)).tolist() == [1.0, 3.0]
    assert torch.zeros(1).set_(source.untyped_storage(), 2, (2,)).tolist() == [2.0, 3.0]
    assert torch.zeros(1).set_(source.untyped_storage()).tolist() == source.tolist()
    assert torch.zeros(1).set_().shape == (0,)


def test_a_value_saved_for_backward_is_not_replaced_unnoticed() -> None:
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    y = w * x
    x.set_(torch.zeros(2))
    y.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]  # of the memory that was there


def test_set_refuses_what_would_lose_a_history() -> None:
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.set_(torch.ones(2))
    with pytest.raises(RuntimeError, match="derivative for aten::set_ is not implemented"):
        (leaf * 2).set_(torch.ones(2))
    with pytest.raises(RuntimeError, match="Could not set tensor of type float64"):
        torch.ones(2).set_(torch.ones(2, dtype=torch.float64))


# ---- functions of torch -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["relu", "sigmoid", "exp", "neg", "sqrt", "tanh", "selu", "celu"])
def test_a_twin_is_a_function_of_torch_too(name: str) -> None:
    x = torch.tensor([0.25, 0.5])
    expected = getattr(torch, name)(x)
    assert getattr(torch, f"{name}_")(x) is x
    assert torch.equal(x, expected)


# ---- NumPy's names ----------------------------------------------------------------------------

CALLS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (torch.sum, {"axis": 1, "keepdims": True}, {"dim": 1, "keepdim": True}),
    (torch.mean, {"axis": (0, 1)}, {"dim": (0, 1)}),
    (torch.amax, {"axis": 0}, {"dim": 0}),
    (torch.cumsum, {"axis": 1}, {"dim": 1}),
    (torch.softmax, {"axis": 1}, {"dim": 1}),
    (torch.select, {"axis": 1, "index": 2}, {"dim": 1, "index": 2}),
    (torch.std, {"axis": 1, "keepdims": True}, {"dim": 1, "keepdim": True}),
    (torch.quantile, {"q": 0.5, "axis": 1}, {"q": 0.5, "dim": 1}),
    (torch.unsqueeze, {"axis": 1}, {"dim": 1}),
]


@pytest.mark.parametrize(("function", "keywords", "own"), CALLS)
def test_axis_is_another_name_of_dim(
    function: Callable[..., Any], keywords: dict, own: dict
) -> None:
    x = MATRIX.clone().requires_grad_()
    found, expected = function(x, **keywords), function(x, **own)
    assert torch.equal(found, expected)
    assert found.grad_fn.name() == expected.grad_fn.name()


def test_a_missing_dimension_is_named() -> None:
    with pytest.raises(TypeError, match=r'cumsum.. missing 1 required positional arguments: "dim"'):
        torch.cumsum(MATRIX)


def test_axis_is_refused_where_there_is_no_dimension() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        torch.exp(MATRIX, axis=0)
