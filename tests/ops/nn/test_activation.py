from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.ops.nn import activation


def slope(function, *points: float) -> list[float]:
    x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


def test_gradients_at_the_corners_are_those_of_pytorch() -> None:
    assert slope(activation.relu, 0.0) == [0.0]
    assert slope(lambda x: activation.leaky_relu(x, 0.25), 0.0) == [0.25]
    assert slope(activation.hardtanh, -1.0, 1.0) == [0.0, 0.0]
    assert slope(activation.relu6, 0.0, 6.0) == [0.0, 0.0]
    assert slope(activation.hardsigmoid, -3.0, 3.0) == [0.0, 0.0]
    assert slope(activation.hardswish, -3.0, 3.0) == [0.0, 1.0]
    assert slope(lambda x: activation.threshold(x, 1.0, 9.0), 1.0) == [0.0]
    assert slope(activation.softshrink, -0.5, 0.5) == [0.0, 0.0]


def test_second_derivatives_at_the_corners_are_those_of_pytorch() -> None:
    for function, point, first in (
        (lambda x: activation.elu(x, 2.0), 0.0, 2.0),
        (lambda x: activation.celu(x, 2.0), 0.0, 1.0),
        (activation.selu, 0.0, activation.SELU_ALPHA * activation.SELU_SCALE),
        (lambda x: activation.softplus(x, 2.0, 10.0), 5.0, 1 / (1 + np.exp(-10.0))),
    ):
        x = torch.tensor(point, dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(function(x), x, create_graph=True)
        assert g.item() == pytest.approx(first)
        assert torch.autograd.grad(g, x)[0].item() == 0.0


def test_smooth_activations_neither_overflow_nor_lose_their_tails() -> None:
    x = torch.tensor([-1000.0, 1000.0], dtype=torch.float64, requires_grad=True)
    for function, limits in (
        (activation.sigmoid, [0.0, 1.0]),
        (activation.logsigmoid, [-1000.0, 0.0]),
        (activation.softplus, [0.0, 1000.0]),
        (activation.elu, [-1.0, 1000.0]),
        (activation.silu, [0.0, 1000.0]),
        (activation.mish, [0.0, 1000.0]),
        (activation.gelu, [0.0, 1000.0]),
    ):
        y = function(x)
        assert y.tolist() == limits, function.__name__
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert np.isfinite(gradient.numpy()).all(), function.__name__


def test_relu_saves_its_result_and_leaky_relu_its_input() -> None:
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    y = activation.relu(x)
    with torch.no_grad():
        x.add_(1)  # relu does not look back at it
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]
    z = activation.leaky_relu(x)
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_relu_of_booleans_is_an_error_and_of_integers_is_not() -> None:
    assert activation.relu(torch.tensor([-1, 2])).tolist() == [0, 2]
    with pytest.raises(RuntimeError, match="Boolean inputs not supported for relu"):
        activation.relu(torch.tensor([True]))


def test_prelu_has_one_slope_per_channel() -> None:
    x = -torch.ones(2, 3, 4)
    weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = activation.prelu(x, weight)
    assert y[0, :, 0].tolist() == [-1.0, -2.0, -3.0]
    y.sum().backward()
    assert weight.grad.tolist() == [-8.0, -8.0, -8.0]
    with pytest.raises(RuntimeError, match="parameter numbers = 2 and channel size = 3"):
        activation.prelu(x, torch.ones(2))


def test_glu_halves_a_dimension() -> None:
    x = torch.tensor([[1.0, 2.0], [0.0, 100.0]])
    assert activation.glu(x, 0).tolist() == [[0.5, 2.0]]
    with pytest.raises(
        RuntimeError, match="Halving dimension must be even, but dimension 0 is size 3"
    ):
        activation.glu(torch.ones(3))
    with pytest.raises(RuntimeError, match="glu does not support scalars"):
        activation.glu(torch.tensor(1.0))


def test_bad_parameters_are_errors() -> None:
    x = torch.ones(1)
    with pytest.raises(ValueError, match="min_val cannot be greater than max_val"):
        activation.hardtanh(x, 2, 1)
    with pytest.raises(RuntimeError, match="must be either none or tanh"):
        activation.gelu(x, approximate="quick")
    with pytest.raises(RuntimeError, match="alpha cannot be 0 for CELU"):
        activation.celu(x, 0)
    with pytest.raises(RuntimeError, match="lambda must be"):
        activation.softshrink(x, -1)
    with pytest.raises(NotImplementedError, match="\"GeluKernelImpl\" not implemented for 'Long'"):
        activation.gelu(torch.tensor([1]))
