"""Functions that copy what a view would show."""

from __future__ import annotations

import pytest

import pellucid as torch
from tests.samples.grouped import together

CALLS = {
    "alias_copy": ((), lambda x: x),
    "as_strided_copy": (((2, 2), (1, 2)), lambda x: x.as_strided((2, 2), (1, 2))),
    "detach_copy": ((), lambda x: x),
    "diagonal_copy": ((1,), lambda x: x.diagonal(1)),
    "expand_copy": (((2, 3, 4),), lambda x: x.expand(2, 3, 4)),
    "narrow_copy": ((1, 1, 2), lambda x: x[:, 1:3]),
    "permute_copy": (((1, 0),), lambda x: x.T),
    "select_copy": ((1, 2), lambda x: x[:, 2]),
    "slice_copy": ((1, 0, 4, 2), lambda x: x[:, ::2]),
    "split_copy": ((3, 1), lambda x: (x[:, :3], x[:, 3:])),
    "split_with_sizes_copy": (([1, 2],), lambda x: (x[:1], x[1:])),
    "squeeze_copy": ((), lambda x: x),
    "t_copy": ((), lambda x: x.T),
    "transpose_copy": ((0, 1), lambda x: x.T),
    "unbind_copy": ((1,), lambda x: tuple(x.T)),
    "unfold_copy": ((1, 2, 2), lambda x: x.reshape(3, 2, 2)),
    "unsqueeze_copy": ((0,), lambda x: x[None]),
    "view_copy": (((4, 3),), lambda x: x.reshape(4, 3)),
}


@together()
@pytest.mark.parametrize("name", CALLS)
def test_a_copy_shows_what_the_view_does_and_shares_nothing(name):
    args, expected = CALLS[name]
    x = torch.arange(12.0).reshape(3, 4)
    copied, wanted = getattr(torch, name)(x, *args), expected(x)
    pairs = zip(copied, wanted, strict=True) if isinstance(copied, tuple) else [(copied, wanted)]
    for one, other in pairs:
        assert torch.equal(one, other)
        assert one.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


@together()
@pytest.mark.parametrize("name", sorted(set(CALLS) - {"detach_copy"}))
def test_a_copy_may_be_changed_in_place_while_its_source_is_differentiated(name):
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    copied = getattr(torch, name)(x, *CALLS[name][0])
    first = copied[0] if isinstance(copied, tuple) else copied
    first.mul_(3.0)
    first.sum().backward()
    assert set(x.grad.unique().tolist()) <= {0.0, 3.0, 6.0}
    assert x.grad.sum() == 3 * first.numel()
    assert torch.equal(x.detach(), torch.arange(12.0).reshape(3, 4))


def test_complex_copies_share_nothing():
    pairs = torch.tensor([[1.0, 2.0]])
    numbers = torch.view_as_complex_copy(pairs)
    assert numbers.tolist() == [1 + 2j]
    again = torch.view_as_real_copy(numbers)
    again.zero_()
    assert numbers.tolist() == [1 + 2j]
    assert pairs.tolist() == [[1.0, 2.0]]
