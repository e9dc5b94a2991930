"""What a transform differentiates with respect to is a leaf for its function."""

from __future__ import annotations

import pytest

import pellucid as torch


@pytest.mark.parametrize("requires_grad", [False, True])
def test_an_argument_is_a_leaf_inside_and_leads_outside(requires_grad):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=requires_grad)

    def f(v):
        seen.append((v.is_leaf, v.grad_fn, v.requires_grad))
        return (v**3).sum()

    found = torch.func.grad(f)(x)
    assert seen == [(True, None, True)]
    assert found.requires_grad is requires_grad
    if requires_grad:
        assert torch.autograd.grad(found.sum(), x)[0].tolist() == [6, 12]


def test_arguments_of_nested_transforms_are_leaves_too():
    seen = []

    def f(v):
        seen.append(v.is_leaf)
        return v**3

    assert torch.func.grad(torch.func.grad(f))(torch.tensor(2.0)).item() == 12
    assert seen == [True]
