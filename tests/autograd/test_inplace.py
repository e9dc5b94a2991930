from __future__ import annotations

import pytest

import pellucid as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_a_change_gives_the_tensor_a_new_history():
    x = leaf(1, 2)
    y = x * 1
    before = y.grad_fn
    y.mul_(3)
    assert y.grad_fn.next_functions[0][0] is before
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_changing_a_leaf_is_refused_before_anything_is_written():
    x = leaf(1, 2)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an"
    ):
        x.mul_(2)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being"):
        x[0].mul_(2)
    assert x.tolist() == [1, 2]
    assert x._version == 0


def test_a_leaf_may_be_changed_without_recording():
    x = leaf(1, 2)
    with torch.no_grad():
        x.mul_(2)
        x[0].add_(1)
    assert x.tolist() == [3, 4]
    assert x.is_leaf


def test_a_change_with_a_recorded_operand_makes_a_plain_tensor_require_grad():
    a, b = torch.zeros(2), leaf(1, 2)
    a.add_(b)
    assert a.requires_grad
    (a * 3).sum().backward()
    assert b.grad.tolist() == [3, 3]


def test_a_change_of_a_view_gives_its_base_the_history():
    x = leaf(1, 2, 3)
    y = x * 1
    y[1:].mul_(10)
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    (y * y).sum().backward()
    assert x.grad.tolist() == [2, 400, 600]


def test_a_plain_base_requires_grad_after_a_change_of_its_view():
    base, w = torch.zeros(2, 2), leaf(5, 6)
    base[0].copy_(w)
    assert base.requires_grad
    (base * base).sum().backward()
    assert w.grad.tolist() == [10, 12]


def test_other_views_of_the_base_follow():
    x = leaf(1, 2)
    y = x * 1
    before, other = y[0:1], y.view(2, 1)
    before.mul_(10)
    assert other.tolist() == [[10], [2]]
    other.sum().backward()
    assert x.grad.tolist() == [10, 1]


def test_views_follow_a_change_of_the_base_itself():
    x = leaf(1, 2)
    y = x * 1
    view = y[1]
    y.mul_(4)
    view.backward()
    assert x.grad.tolist() == [0, 4]


def test_a_view_of_a_view_reaches_the_base():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    y.view(2, 2)[1][0].mul_(7)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 7, 1]


def test_the_value_before_the_change_keeps_its_gradient():
    x = leaf(2)
    y = x * 1
    z = y * 3
    y.mul_(10)
    (y + z).backward()
    assert x.grad.tolist() == [13]


def test_changes_of_views_can_be_differentiated_twice():
    x = torch.tensor([0.5, 1.5, 2.5], dtype=torch.float64, requires_grad=True)

    def program(x):
        y = x * x
        y[:2].mul_(x[1:])
        y[0].copy_(y[2])
        return y * y

    assert torch.autograd.gradcheck(program, (x,))
    assert torch.autograd.gradgradcheck(program, (x,), fast_mode=True)


def test_an_op_that_wants_its_old_value_gets_it_although_it_overwrites_it():
    x, w = leaf(2), leaf(5)
    y = x * 1
    y.mul_(w)
    y.backward()
    assert (x.grad.item(), w.grad.item()) == (5, 2)


def test_one_of_several_views_may_not_be_changed():
    x = leaf(1, 2)
    first, _ = (x * 1).unbind()
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being"):
        first.mul_(2)
    assert first.item() == 1


def test_one_of_several_views_cannot_follow_a_change_of_its_base():
    y = leaf(1, 2) * 1
    first, _ = y.unbind()
    y.mul_(2)
    with pytest.raises(
        RuntimeError, match="its base or another view of its base has been modified"
    ):
        first * 2


def test_a_view_made_without_recording_may_not_be_changed_with_it():
    y = leaf(1, 2) * 1
    with torch.no_grad():
        view = y[0]
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and is being modified"
    ):
        view.mul_(2)
    assert y.tolist() == [1, 2]


def test_several_elements_in_one_place_may_not_be_changed():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers"):
        torch.zeros(1).expand(3).add_(1)


def test_detaching_in_place_cuts_this_tensor_only():
    x = leaf(3)
    y = x * 1
    z = y * y
    y.detach_()
    assert not y.requires_grad
    z.backward()
    assert x.grad.tolist() == [6]


def test_a_view_is_not_detached_in_place():
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (leaf(1, 2) * 1)[0].detach_()


def test_a_failed_change_leaves_everything_as_it_was():
    y = leaf(1, 2) * 1
    node = y.grad_fn
    with pytest.raises(RuntimeError):
        y.add_(torch.ones(3))
    assert y.grad_fn is node
    assert y._version == 0
    assert y.tolist() == [1, 2]


def test_a_leaf_that_became_a_result_refuses_the_old_gradient():
    x, a = leaf(1, 1), leaf(1, 1)
    y = (x * 2).sum()
    x.requires_grad_(False)
    x.mul_(a)
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        y.backward()


def test_a_leaf_that_requires_grad_no_more_gets_none():
    x = leaf(1, 1)
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward()
    assert x.grad is None


@pytest.mark.parametrize(
    "overwrite",
    [
        lambda y: y.zero_(),
        lambda y: y.fill_(3),
        lambda y: y.copy_(torch.ones(2)),
        lambda y: y.uniform_(),
    ],
    ids=["zero_", "fill_", "copy_", "uniform_"],
)
def test_what_was_overwritten_has_a_gradient_of_zeros(overwrite):
    x = leaf(1, 2)
    y = x * 2
    overwrite(y)
    y.sum().backward()
    assert x.grad.tolist() == [0, 0]


def test_what_was_overwritten_must_still_be_as_it_was_saved():
    x = leaf(1, 2)
    y = x.exp()
    y.zero_()
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("shape", [(1, 2, 3), (1, 1, 2, 3), (4, 2, 3)])
def test_a_source_of_more_dimensions_is_not_copied(shape):
    x = torch.zeros(2, 3)
    with pytest.raises(RuntimeError, match=r"output with shape \[2, 3\] doesn't match"):
        x.copy_(torch.ones(shape))
    assert x._version == 0
    assert not x.any()


def test_what_is_no_tensor_is_not_copied():
    x = torch.zeros(2, 3)
    with pytest.raises(TypeError, match="must be Tensor, not NoneType"):
        x.copy_(None)
    with pytest.raises(TypeError, match=r"can't assign a NoneType to a torch.FloatTensor"):
        x[:, 0] = None
    assert x._version == 0


@pytest.mark.parametrize("recorded", [True, False])
def test_views_that_come_together_are_not_used_after_a_change(recorded):
    x = leaf(1, 2)
    y = x * 2
    first, _ = y.unbind()
    with torch.set_grad_enabled(recorded):
        y.mul_(3)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        first * 2
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        first.grad_fn
    assert first.item() == 6
    assert first.requires_grad
    assert repr(first) == "tensor(6., grad_fn=<Invalid>)"


def test_views_that_come_together_are_used_where_nothing_is_recorded():
    y = leaf(1, 2) * 2
    first, _ = y.unbind()
    y.mul_(3)
    with torch.no_grad():
        assert (first * 2).item() == 12
    assert first.detach().item() == 6


def test_views_that_come_together_stay_when_nobody_notices_the_change():
    x = leaf(1, 2, 3, 4)
    first, _ = x.chunk(2)
    x.data.mul_(2)
    first.sum().backward()
    assert x.grad.tolist() == [1, 1, 0, 0]


def test_a_leaf_that_was_transposed_in_place_takes_gradients_of_its_new_shape():
    x = torch.ones(2, 3, requires_grad=True)
    (x * 1).sum().backward()
    x.grad = None
    with torch.no_grad():
        x.t_()
    (x * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_leaf_that_was_unsqueezed_since_takes_gradients_of_its_old_shape():
    x = leaf(1, 2)
    y = x * 3
    with torch.no_grad():
        x.unsqueeze_(0)
    y.sum().backward()
    assert x.grad.tolist() == [[3, 3]]


def test_a_leaf_that_was_unsqueezed_since_adds_to_the_gradient_that_it_has():
    x = leaf(1, 2)
    x.sum().backward()
    with torch.no_grad():
        x.unsqueeze_(0)
    x.sum().backward()
    assert x.grad.tolist() == [2, 2]
    with torch.no_grad():
        x.t_()
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match"):
        x.sum().backward()


def test_a_view_made_without_recording_requires_grad_as_its_base_does():
    x = leaf(1, 2)
    with torch.no_grad():
        view, other = x[0], torch.arange(2).view(1, 2)
    assert view.requires_grad
    assert view.is_leaf
    assert repr(view) == "tensor(1., requires_grad=True)"
    assert not other.requires_grad
    x.requires_grad_(False)
    assert not view.requires_grad
    x.requires_grad_()
    assert view[None].requires_grad


def test_no_gradient_goes_through_a_view_made_without_recording():
    x = leaf(1, 2)
    with torch.no_grad():
        view = x[0]
    y = view * x
    assert y.grad_fn.next_functions[0] == (None, 0)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]
    assert view.grad is None
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        view.backward()
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        torch.autograd.grad(view * 2, view)


def test_a_view_made_without_recording_can_be_given_gradients_of_its_own():
    x = leaf(1, 2)
    with torch.no_grad():
        view = x[0]
    view.requires_grad_()
    (view * 3).backward()
    assert view.grad.item() == 3
    assert x.grad is None


@pytest.mark.parametrize("changed", ["base", "view"])
def test_a_view_made_without_recording_is_not_used_after_a_change(changed):
    x = leaf(1, 2)
    with torch.no_grad():
        view = x[0]
        (x if changed == "base" else view).mul_(2)
        assert (view * 2).item() == 4
    with pytest.raises(RuntimeError, match="created in no_grad mode and its base or another view"):
        view * 2
    assert view.requires_grad
    assert view.detach().item() == 2


def test_a_view_that_cannot_follow_its_base_may_be_asked_to_retain_its_gradient():
    x = torch.ones(2)
    first, _ = x.unbind()
    x.mul_(leaf(1, 2))
    first.retain_grad()
    assert first.requires_grad


def test_a_gradient_that_is_handed_out_may_be_changed():
    x = torch.ones((), requires_grad=True)
    y = x * 2
    (g,) = torch.autograd.grad(y, y, retain_graph=True)
    g.mul_(3)
    y.backward()
    assert x.grad.item() == 2


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_elements_of_a_gradient_that_is_handed_out_have_memory_of_their_own(reduction):
    x = leaf(1, 2)
    (g,) = torch.autograd.grad(getattr(x, reduction)(), x)
    whole = g[1].item()
    g.mul_(2)
    g[0] = 5
    assert g.tolist() == [5, 2 * whole]


@pytest.mark.parametrize("recording", [True, False])
def test_operands_that_overlap_in_part_are_refused_whether_recorded_or_not(recording: bool):
    x = torch.arange(5.0)
    with torch.set_grad_enabled(recording), pytest.raises(RuntimeError, match="some elements of"):
        x[1:].add_(x[:-1])
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_the_node_of_a_change_has_the_dtype_of_the_tensor_not_of_the_arithmetic():
    y = leaf(1, 2) * 1
    w = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    y.mul_(w)
    seen: list[torch.dtype] = []
    y.register_hook(lambda g: seen.append(g.dtype))
    y.sum().backward()
    assert seen == [torch.float32]
    assert w.grad is not None
    assert (w.grad.dtype, w.grad.tolist()) == (torch.float64, [1, 2])


def test_a_view_whose_data_is_replaced_is_a_tensor_of_its_own() -> None:
    base = torch.ones(4)
    view = base[:2]
    view.data = torch.zeros(3)
    view.zero_().add_(1)
    assert (view.tolist(), base.tolist()) == ([1.0] * 3, [1.0] * 4)
    assert base._version == 2  # they go on counting together, as in PyTorch


CHANGES = {
    "a number at an index": lambda a: a.__setitem__(0, 0.0),
    "a tensor at an index": lambda a: a.__setitem__(0, torch.ones(3)),
    "places that a tensor names": lambda a: a.__setitem__(torch.tensor([0]), 1.0),
    "all of it": lambda a: a.mul_(2),
    "a part": lambda a: a[0].mul_(2),
    "a part of a part": lambda a: a.T[0].fill_(1),
    "a copy": lambda a: a.T.copy_(torch.ones(3, 2)),
    "the diagonal": lambda a: a.fill_diagonal_(1.0),
    "a list": lambda a: torch._foreach_mul_([a[0]], 2.0),
    "a composite": lambda a: a[0].logit_(),
    "random numbers": lambda a: a[0].uniform_(),
    "its shape": lambda a: a.t_(),
    "a tensor with history": lambda a: a[0].mul_(torch.ones(3, requires_grad=True)),
    "a custom function": lambda a: AddOne.apply(a[0]),
}


class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, g):
        return g


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("plain", [True, False], ids=["of a plain tensor", "of another leaf"])
def test_a_leaf_that_is_a_view_is_as_protected_as_any_leaf(change, plain):
    base = torch.full((6,), 0.5)
    a = base.view(2, 3).requires_grad_()
    base.requires_grad_(not plain)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being"):
        change(a)
    assert a.shape == (2, 3)
    if a._version:  # the function of a program had changed it before: it is a view of its base
        return
    assert a.is_leaf
    (a * 2).sum().backward()
    assert a.grad.tolist() == [[2, 2, 2], [2, 2, 2]]


def test_a_leaf_that_is_a_view_may_be_changed_without_recording():
    a = torch.zeros(6).view(2, 3).requires_grad_()
    with torch.no_grad():
        a[0] = 1.0
        a.T.add_(1)
    torch.optim.SGD([a], lr=1).step()
    assert a.is_leaf
    assert a.tolist() == [[2, 2, 2], [1, 1, 1]]


def test_the_base_of_a_leaf_may_be_changed_with_it():
    base = torch.zeros(2, 3)
    a = base.T
    a.requires_grad_()
    base.add_(1)
    assert a.is_leaf
    assert a.tolist() == [[1, 1], [1, 1], [1, 1]]


def test_writing_over_all_of_a_tensor_is_no_change_of_a_part():
    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad is being"):
        x[...] = 1.0
    y = x * 3
    y[:] = x * x
    assert y.grad_fn.name() == "torch::autograd::CopyBackwards"
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]
