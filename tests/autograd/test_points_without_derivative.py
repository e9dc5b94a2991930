"""Values chosen where a function has no derivative; the rules are PyTorch's."""

from __future__ import annotations

import math

import pytest

import pellucid as torch
from tests.samples.grouped import together


def gradient(function, *values: float) -> list[float]:
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


CASES = {
    "relu at 0": (lambda x: x.relu(), [0.0], [0]),
    "abs at 0": (lambda x: x.abs(), [0.0], [0]),
    "sqrt at 0": (lambda x: x.sqrt(), [0.0], [math.inf]),
    "clamp at its bounds": (lambda x: x.clamp(0, 1), [0.0, 1.0, 2.0], [1, 1, 0]),
    "amax of equal values": (lambda x: x.amax(), [3.0, 1.0, 3.0], [0.5, 0, 0.5]),
    "max of equal values": (lambda x: x.max(), [3.0, 1.0, 3.0], [0.5, 0, 0.5]),
    "max along a dimension": (lambda x: x.max(0).values, [3.0, 1.0, 3.0], [1, 0, 0]),
    "norm at 0": (lambda x: x.norm(), [0.0, 0.0], [0, 0]),
    "sign": (lambda x: x.sign(), [-1.0, 0.0, 2.0], [0, 0, 0]),
    "floor": (lambda x: x.floor(), [0.5, 1.0], [0, 0]),
    "power 0": (lambda x: x**0, [0.0, 2.0], [0, 0]),
}


@together()
@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_the_one_pytorch_chooses(name):
    function, at, expected = CASES[name]
    assert gradient(function, *at) == expected


F = torch.nn.functional
#: each of a vector, whose second derivative at the origin is zeros
NORMS = {
    **{f"order {p}": (lambda v, p=p: torch.linalg.vector_norm(v, p)) for p in (1, 2, 3, math.inf)},
    "along a dimension": lambda v: torch.linalg.vector_norm(v.view(1, -1), 2, 1).sum(),
    "keepdim": lambda v: torch.linalg.vector_norm(v.view(-1, 1), 2, 0, True).sum(),
    "of a matrix": lambda v: torch.linalg.matrix_norm(v.view(1, -1)),
    "of complex numbers": lambda v: torch.complex(v, v).norm(),
    "distance": lambda v: torch.dist(v, torch.zeros(2)),
    "distances of rows": lambda v: torch.cdist(v.view(1, -1), torch.zeros(1, 2)).sum(),
    "distances of all rows": lambda v: F.pdist(torch.stack([v, torch.zeros(2)])).sum(),
    "distance of pairs": lambda v: F.pairwise_distance(v, torch.zeros(2), eps=0.0),
    "standard deviation": lambda v: v.std(),
}


@pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
def test_the_second_derivative_of_a_norm_at_the_origin_is_zeros_in_every_mode(norm):
    origin, func = torch.zeros(2), torch.func
    for outer in (func.jacfwd, func.jacrev):
        for inner in (func.jacfwd, func.jacrev):
            assert outer(inner(norm))(origin).tolist() == [[0, 0], [0, 0]]
    assert torch.autograd.functional.hessian(norm, origin).tolist() == [[0, 0], [0, 0]]


def test_one_norm_at_the_origin_leaves_the_curvature_of_others():
    def norms(v: torch.Tensor) -> torch.Tensor:
        return torch.linalg.vector_norm(torch.stack([v, v + 1]), dim=1).sum()

    wanted = torch.tensor([[1.0, -1.0], [-1.0, 1.0]]) / 8**0.5
    torch.testing.assert_close(torch.func.hessian(norms)(torch.zeros(2)), wanted)


def test_a_norm_of_negative_order_that_one_zero_holds_at_zero_has_no_slope():
    for order in (-1, -2):
        x = torch.tensor([0.0, 2.0], requires_grad=True)
        torch.linalg.vector_norm(x, order).backward()
        assert x.grad.tolist() == [0, 0]


def test_the_larger_of_two_equal_numbers_is_half_each():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 1.0], requires_grad=True)
    torch.maximum(a, b).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0.5, 1], [0.5, 0])


def test_zero_to_a_power_has_no_slope_by_the_exponent():
    y = torch.tensor([0.0, 2.0], requires_grad=True)
    (torch.zeros(2) ** y).sum().backward()
    assert y.grad.tolist() == [0, 0]


def test_the_complex_gradient_points_uphill():
    z = torch.tensor([3 + 4j], dtype=torch.complex128, requires_grad=True)
    z.abs().sum().backward()
    assert torch.allclose(z.grad, torch.tensor([0.6 + 0.8j], dtype=torch.complex128))


def test_a_holomorphic_function_conjugates_its_derivative():
    z = torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)
    (z * z).backward(torch.tensor([1 + 0j], dtype=torch.complex128))
    assert z.grad.tolist() == [2 - 4j]
