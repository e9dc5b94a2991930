"""Nodes are callable, say that they require grad, and have PyTorch's names."""

from __future__ import annotations

import pytest

import pellucid as torch


def test_a_node_called_gives_the_gradients_of_its_operands():
    a, b = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([5.0], requires_grad=True)
    of_a, of_b = (a * b).grad_fn(torch.ones(2))
    assert (of_a.tolist(), of_b.tolist()) == ([5, 5], [2, 3])  # the sum is the engine's part
    assert of_a.requires_grad
    node = a.sin().grad_fn
    with torch.no_grad():
        assert not node(torch.ones(2)).requires_grad
    assert (a * 2).grad_fn(torch.ones(2))[1] is None


def test_a_node_of_several_outputs_takes_gradients_of_those_that_have_one():
    a = torch.ones(2, 2, requires_grad=True)
    assert a.max(0).values.grad_fn(torch.ones(2)).tolist() == [[1, 1], [0, 0]]
    assert a.unbind()[0].grad_fn(torch.ones(2), None).tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("gradients", [(), (torch.ones(1), torch.ones(1)), (1.0,)])
def test_a_node_refuses_what_are_not_its_gradients(gradients):
    node = torch.ones(1, requires_grad=True).sin().grad_fn
    with pytest.raises(TypeError):
        node(*gradients)


CHANGES = {
    "nothing": lambda y: None,
    "a row is filled": lambda y: y[0].fill_(0.5),
    "a view is changed": lambda y: y.diagonal().exp_(),
    "rows by index are filled": lambda y: y.index_put_([torch.tensor([0])], torch.tensor(2.0)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_node_whose_saved_values_are_freed_refuses_to_be_called(change):
    x = torch.ones(2, 2, requires_grad=True)
    y = x * x.exp()
    change(y)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn(torch.ones(2, 2))


def test_hooks_do_not_run_where_a_node_is_called():
    seen = []
    node = torch.ones(1, requires_grad=True).sin().grad_fn
    node.register_hook(lambda *args: seen.append(args))
    node(torch.ones(1))
    assert seen == []


def test_nodes_require_grad_and_have_their_namespace():
    a = torch.ones(2, 2, requires_grad=True)
    b = a * 1
    b[0].mul_(2)
    assert b.grad_fn.name() == "torch::autograd::CopySlices"
    assert a.sum().grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"
    assert a.sum().grad_fn.requires_grad


def test_slices_of_tensor_split_may_be_changed_and_split_may_not():
    a = torch.ones(4, requires_grad=True)
    b = a * 1
    b.tensor_split(2)[0].mul_(3)
    b.sum().backward()
    assert a.grad.tolist() == [3, 3, 1, 1]
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view"):
        (a * 1).split(2)[0].mul_(3)


def test_unsafe_parts_are_independent_tensors_of_one_memory():
    a = torch.ones(4, requires_grad=True)
    b = a * 1
    first, second = b.unsafe_chunk(2)
    first.mul_(3)
    assert first._base is None
    assert (b.tolist(), b._version) == ([3, 3, 1, 1], 0)
    (first.sum() + second.sum()).backward()
    assert a.grad.tolist() == [3, 3, 1, 1]


def test_materialized_gradients_require_grad_where_they_are_recorded():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (found,) = torch.autograd.grad(a.sum(), b, materialize_grads=True, create_graph=True)
    assert (found.tolist(), found.requires_grad) == ([0, 0], True)


def test_the_flag_of_a_tensor_with_history_cannot_be_set():
    a = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
        a.requires_grad = True
    assert a.requires_grad_() is a


def test_the_gradient_of_a_view_without_history_can_be_asked_for():
    a = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = a[:1]
    a.detach().mul_(2)
    assert (view.grad, view.retains_grad, view.output_nr) == (None, False, 0)
    with pytest.raises(RuntimeError):
        _ = view.grad_fn


def test_a_tangent_of_a_product_has_the_history_of_its_operands():
    a = torch.ones(2, requires_grad=True)
    with torch.autograd.forward_ad.dual_level():
        made = torch.autograd.forward_ad.make_dual(a, torch.ones(2)) * 2
        tangent = torch.autograd.forward_ad.unpack_dual(made).tangent
    tangent.sum().backward()
    assert a.grad.tolist() == [0, 0]


def test_hooks_on_any_of_several_take_tensors_without_gradient():
    a, seen = torch.ones(2, requires_grad=True), []
    torch.autograd.graph.register_multi_grad_hook([a, torch.ones(2)], seen.append, mode="any")
    (a * 2).sum().backward()
    assert len(seen) == 1
    torch.autograd.graph.register_multi_grad_hook([a], seen.append)
    with pytest.raises(RuntimeError, match="A leaf node was passed"):
        torch.autograd.grad((a * 2).sum(), a)


def test_nodes_tell_what_their_derivatives_read_and_no_more():
    a = torch.ones(2, 3, requires_grad=True)
    assert (a * a).grad_fn._saved_self is a
    assert a.sum(0).grad_fn._saved_self_sym_sizes == (2, 3)
    for node, name in ((a.exp().grad_fn, "self"), ((a * a).grad_fn, "input")):
        assert not hasattr(node, f"_saved_{name}")
        assert not hasattr(node, f"_raw_saved_{name}")
