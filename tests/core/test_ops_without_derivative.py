"""Ops without a derivative are recorded, and backward through them raises, as in PyTorch."""

from __future__ import annotations

import pytest

import pellucid as torch
from tests.samples.grouped import together


def _counted(weights):
    return torch.bincount(torch.tensor([0, 1, 1]), weights)


@pytest.mark.parametrize(
    ("call", "node", "raises", "sentence"),
    [
        (torch.unique, "Unique2Backward0", NotImplementedError,
         "the derivative for '_unique2' is not implemented."),
        (lambda x: torch.unique(x, return_counts=True)[0], "Unique2Backward0",
         NotImplementedError, "the derivative for '_unique2' is not implemented."),
        (lambda x: torch.unique(x, dim=0), "UniqueDimBackward0", NotImplementedError,
         "the derivative for 'unique_dim' is not implemented."),
        (torch.unique_consecutive, "UniqueConsecutiveBackward0", NotImplementedError,
         "the derivative for 'unique_consecutive' is not implemented."),
        (lambda x: torch.geqrf(x.reshape(3, 1)).tau, "GeqrfBackward0", NotImplementedError,
         "the derivative for 'geqrf' is not implemented."),
        (_counted, "torch::autograd::NotImplemented", RuntimeError,
         "derivative for aten::bincount is not implemented"),
    ],
)  # fmt: skip
def test_backward_through_an_op_without_derivative_raises_instead_of_losing_the_gradient(
    call, node, raises, sentence
):
    x = torch.tensor([3.0, 1.0, 1.0], requires_grad=True)
    y = call(x)
    assert y.grad_fn.name() == node
    with pytest.raises(raises, match=sentence.replace(".", r"\.")):
        y.sum().backward()


def test_counts_and_inverses_never_want_a_gradient():
    x = torch.tensor([3.0, 1.0, 1.0], requires_grad=True)
    _, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    assert not inverse.requires_grad
    assert not counts.requires_grad
    assert counts.tolist() == [2, 1]


def test_both_outputs_of_geqrf_are_recorded():
    x = torch.eye(3, requires_grad=True)
    a, tau = torch.geqrf(x)
    assert a.grad_fn is tau.grad_fn
    with pytest.raises(NotImplementedError, match="'geqrf'"):
        (a.sum() + tau.sum()).backward()


UNPROMOTED = [torch.uint16, torch.uint32, torch.uint64]


@together()
@pytest.mark.parametrize("first", UNPROMOTED, ids=str)
@pytest.mark.parametrize("second", [torch.bool, torch.uint8, torch.int64, torch.complex64], ids=str)
def test_wide_unsigned_integers_meet_no_other_integers(first, second):
    sentence = "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote"
    with pytest.raises(RuntimeError, match=sentence):
        torch.promote_types(first, second)
    with pytest.raises(RuntimeError, match=sentence):
        torch.promote_types(second, first)
    with pytest.raises(RuntimeError, match=sentence):
        torch.ones(2, dtype=first) + torch.ones(2, dtype=second)


@pytest.mark.parametrize("first", UNPROMOTED, ids=str)
def test_wide_unsigned_integers_meet_their_like_and_floating_point_numbers(first):
    assert torch.promote_types(first, first) is first
    assert torch.promote_types(first, torch.float16) is torch.float16
    assert torch.promote_types(torch.bfloat16, first) is torch.bfloat16
    assert (torch.ones(2, dtype=first) + torch.ones(2)).dtype is torch.float32
