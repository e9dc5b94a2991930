"""Jacobians and Hessians by forward mode are those by reverse mode."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd.functional import hessian, jacobian

FORWARD = {"vectorize": True, "strategy": "forward-mode"}


def numbers(*shape):
    return torch.tensor(np.random.default_rng(0).normal(size=shape))


def test_forward_mode_gives_the_same_blocks():
    x, y = numbers(3), numbers(2, 3)

    def function(x, y):
        return x * y.sum(0), (y @ x).sum() * x[:2]

    for mine, wanted in zip(
        jacobian(function, (x, y), **FORWARD), jacobian(function, (x, y)), strict=True
    ):
        for block, other in zip(mine, wanted, strict=True):
            np.testing.assert_allclose(block.numpy(), other.numpy(), rtol=1e-12)


def test_forward_mode_knows_what_does_not_depend():
    assert not jacobian(lambda x: torch.ones(2), numbers(3), **FORWARD).numpy().any()


def test_forward_over_reverse_gives_the_hessian():
    x = numbers(4)
    found = hessian(
        lambda x: (x**3).sum() * x[0], x, vectorize=True, outer_jacobian_strategy="forward-mode"
    )
    np.testing.assert_allclose(found.numpy(), hessian(lambda x: (x**3).sum() * x[0], x).numpy())


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"strategy": "sideways"}, AssertionError, "Expected strategy to be either"),
        ({"strategy": "forward-mode"}, NotImplementedError, "vectorize=True"),
        ({**FORWARD, "create_graph": True}, NotImplementedError, "create_graph=True"),
        ({**FORWARD, "strict": True}, RuntimeError, "strict=True"),
    ],
)
def test_what_forward_mode_does_not_do_is_said(options, kind, message):
    with pytest.raises(kind, match=message):
        jacobian(torch.exp, numbers(2), **options)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda f, x: f.vjp(torch.Tensor.detach, x, x, strict=True), RuntimeError,
         "Output 0 of the user-provided function does not require gradients"),
        (lambda f, x: f.jacobian(torch.sin, x, strict=True, vectorize=True), RuntimeError,
         "are not supported together"),
        (lambda f, x: f.jvp(torch.sin, x, (x, x)), RuntimeError, "contain a single Tensor"),
        (lambda f, x: f.jvp(torch.sin, x, x[1:]), RuntimeError, "v has invalid size: should be"),
        (lambda f, x: f.jvp(torch.add, (x, x), x), RuntimeError, "should be 2 but got 1"),
        (lambda f, x: f.hvp(torch.sum, (x, 2), x), TypeError, "The inputs given to hvp"),
        (lambda f, x: f.hessian(lambda a: (a.sum(), a.sum()), x), RuntimeError, "single Tensor"),
        (lambda f, x: f.hvp(torch.sum, x, x, strict=True), RuntimeError,
         "jacobian of the user-provided function with respect to input 0 is independent"),
    ],
)  # fmt: skip
def test_refusals_name_the_argument(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(torch.autograd.functional, numbers(3))
