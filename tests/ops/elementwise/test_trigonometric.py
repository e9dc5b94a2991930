from __future__ import annotations

import math

import pytest

import pellucid as torch


def test_sinc_is_smooth_at_zero() -> None:
    x = torch.tensor([0.0], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.sinc(x).sum(), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), x)
    assert slope.item() == 0.0
    assert curvature.item() == pytest.approx(-(math.pi**2) / 3)


def test_angles_outside_the_domain_are_nan_without_a_warning() -> None:
    x = torch.tensor([2.0])
    for function in (torch.asin, torch.acos, torch.atanh):
        assert function(x).isnan().tolist() == [True]
    assert torch.acosh(torch.zeros(1)).isnan().tolist() == [True]


def test_degrees_are_real() -> None:
    for function in (torch.deg2rad, torch.rad2deg):
        with pytest.raises(RuntimeError, match="is not supported for complex tensors"):
            function(torch.tensor([1j]))


def test_the_angle_of_the_origin_has_gradient_zero() -> None:
    x = torch.zeros(1, requires_grad=True)
    y = torch.zeros(1, requires_grad=True)
    torch.atan2(x, y).sum().backward()
    assert (x.grad.item(), y.grad.item()) == (0.0, 0.0)
