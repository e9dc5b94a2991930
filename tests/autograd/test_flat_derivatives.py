"""Derivatives that are the same wherever they are taken are still a part of the graph."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F

#: each with the node that its gradient ends in
PIECEWISE_LINEAR = {
    "relu": (torch.relu, "Threshold"),
    "leaky_relu": (F.leaky_relu, "LeakyRelu"),
    "hardtanh": (F.hardtanh, "Hardtanh"),
    "relu6": (F.relu6, "Hardtanh"),
    "threshold": (lambda x: F.threshold(x, 0.1, 2.0), "Threshold"),
    "hardshrink": (F.hardshrink, "Hardshrink"),
    "softshrink": (F.softshrink, "Softshrink"),
    "hardsigmoid": (F.hardsigmoid, "Hardsigmoid"),
    "prelu": (lambda x: F.prelu(x, torch.tensor([0.25])), "PreluKernel"),
    "rrelu": (lambda x: F.rrelu(x, training=True), "RreluWithNoise"),
    "max_pool": (lambda x: F.max_pool2d(x, 2), "MaxPool2DWithIndices"),
    "avg_pool": (lambda x: F.avg_pool2d(x, 2), "AvgPool2D"),
    "adaptive_max_pool": (lambda x: F.adaptive_max_pool2d(x, 3), "AdaptiveMaxPool2D"),
    "adaptive_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, 3), "AdaptiveAvgPool2D"),
    "fractional_max_pool": (lambda x: F.fractional_max_pool2d(x, 2, 2), "FractionalMaxPool2D"),
    "reflect": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), "ReflectionPad2D"),
    "replicate": (lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), "ReplicationPad2D"),
    "nll_loss": (lambda x: F.nll_loss(x[0, 0], torch.tensor([0, 3, 1, 2])), None),
}  # fmt: skip


def image() -> torch.Tensor:
    return torch.linspace(-3, 3, 32).reshape(1, 2, 4, 4).requires_grad_()


@pytest.mark.parametrize(("function", "node"), PIECEWISE_LINEAR.values(), ids=PIECEWISE_LINEAR)
def test_the_second_derivative_of_what_is_piecewise_linear_is_zeros(function, node):
    x = image()
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    assert g.requires_grad
    assert node is None or g.grad_fn.name() == f"{node}BackwardBackward0"
    (second,) = torch.autograd.grad(g.sum(), x)
    assert torch.equal(second, torch.zeros_like(x))


@pytest.mark.parametrize("function", [each for each, _ in PIECEWISE_LINEAR.values()])
def test_gradients_that_nobody_records_have_no_history_and_the_same_values(function):
    x = image()
    gradients = []
    for create_graph in (False, True):
        torch.manual_seed(0)
        gradients += torch.autograd.grad(function(x).sum(), x, create_graph=create_graph)
    assert torch.equal(*gradients)
    assert not gradients[0].requires_grad


def test_a_network_of_relus_has_a_hessian_of_zeros():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    x = torch.ones(2, 3, requires_grad=True)
    (g,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [[0, 0, 0], [0, 0, 0]]
    hessian = torch.autograd.functional.hessian
    assert hessian(lambda x: model(x).sum(), torch.ones(1, 3), strict=True).any().item() is False


@pytest.mark.parametrize("name", ["relu", "prelu", "max_pool", "reflect"])
def test_the_curvature_of_what_follows_is_there_in_every_mode(name):
    function, x = PIECEWISE_LINEAR[name][0], image().detach()

    def squares(x: torch.Tensor) -> torch.Tensor:
        return (function(x) ** 2).sum()

    slope = torch.func.jacrev(function)(x).reshape(-1, 32)
    wanted = 2 * slope.T @ slope  # of squares of what is linear here
    for outer in (torch.func.jacrev, torch.func.jacfwd):
        for inner in (torch.func.jacrev, torch.func.jacfwd):
            found = outer(inner(squares))(x)
            torch.testing.assert_close(found.reshape(32, 32), wanted)
            assert not found.requires_grad


def test_a_tangent_of_what_is_linear_has_no_history_of_its_own():
    weight = torch.tensor([0.25])
    pool = lambda x: F.max_pool2d(F.prelu(x, weight), 2)  # noqa: E731
    _, back = torch.func.vjp(pool, image().detach())
    _, tangent = torch.func.jvp(
        lambda g: back(g)[0], (torch.ones(1, 2, 2, 2),), (torch.ones(1, 2, 2, 2),)
    )
    assert not tangent.requires_grad


def test_the_derivative_of_relu_by_a_gradient_of_zeros_is_its_slope():
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    g = torch.zeros(2, requires_grad=True)
    (pulled,) = torch.autograd.grad(torch.relu(x), x, g, create_graph=True)
    assert torch.autograd.grad(pulled.sum(), g)[0].tolist() == [1, 0]
