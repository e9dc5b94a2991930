from __future__ import annotations

import gc
import weakref

import pytest

import pellucid as torch
from pellucid.autograd import graph


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_a_saved_leaf_is_the_leaf_itself():
    x = leaf(1)
    assert (x * x).grad_fn._saved_self is x


def test_a_saved_operand_is_the_tensor_itself_while_the_user_has_it():
    x, constant = leaf(1, 2), torch.ones(2)
    y = x * constant
    assert y.grad_fn._saved_other is constant
    gc.collect()  # after which the collector lists newer tensors before this one
    assert y.grad_fn._saved_other is constant
    assert (y * y).grad_fn._saved_self is y
    view = constant[:1]
    assert (x * view).grad_fn._saved_other is view
    del constant
    assert y.grad_fn._saved_other.tolist() == [1, 1]


def test_a_saved_tensor_may_be_detached_in_place():
    x = leaf(1, 2)
    y = x * 2
    z = y * y
    y.detach_()
    assert z.grad_fn._saved_self.requires_grad
    z.sum().backward()
    assert x.grad.tolist() == [8, 16]


def test_a_saved_output_is_another_tensor_with_the_same_history():
    y = leaf(1).exp()
    saved = y.grad_fn._saved_result
    assert saved is not y
    assert saved.grad_fn is y.grad_fn


def test_hooks_pack_once_and_unpack_at_each_use():
    packed, unpacked = [], []
    x = leaf(1, 2)
    with graph.saved_tensors_hooks(
        lambda t: (packed.append(1), t)[1], lambda t: (unpacked.append(1), t)[1]
    ):
        y = x.exp()
    assert (len(packed), len(unpacked)) == (1, 0)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert (len(packed), len(unpacked)) == (1, 2)


def test_the_innermost_pair_of_hooks_is_used():
    seen = []
    x = leaf(1)
    outer = graph.saved_tensors_hooks(lambda t: (seen.append("outer"), t)[1], lambda t: t)
    inner = graph.saved_tensors_hooks(lambda t: (seen.append("inner"), t)[1], lambda t: t)
    with outer:
        with inner:
            x.exp()
        x.exp()
    x.exp()
    assert seen == ["inner", "outer"]


def test_packing_records_nothing_and_gets_the_tensors_that_are_saved():
    seen = []

    def pack(tensor):
        seen.append((tensor, tensor.grad_fn, torch.is_grad_enabled()))
        return tensor.detach()

    x, w, c = leaf(1), torch.nn.Parameter(torch.ones(1)), torch.ones(1)
    with graph.saved_tensors_hooks(pack, lambda t: t):
        y = (x * w).sin()
        z = (y * c).exp()
    inputs, result = [each for each, _, _ in seen[:-1]], seen[-1]
    assert list(map(id, inputs[:2])) == [id(w), id(x)]
    assert inputs[2].grad_fn is y.grad_fn.next_functions[0][0]
    assert inputs[3] is c
    assert result[0] is not z
    assert result[1] is z.grad_fn
    assert not any(recorded for _, _, recorded in seen)


def test_hooks_that_return_an_output_as_it_is_keep_a_graph_that_garbage_collection_frees():
    x = leaf(1)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x.exp()
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None


def test_what_is_unpacked_can_be_differentiated_again():
    x = leaf(2)
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = x * x * x
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert (g.item(), h.item()) == (12, 12)


def test_a_packed_value_is_not_checked_for_changes():
    x = leaf(2)
    y = x * 1
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = y * y
    with torch.no_grad():
        y.zero_()
    z.backward()
    assert x.grad.tolist() == [4]


def test_hooks_can_be_disabled():
    hooks = graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    disabled = graph.disable_saved_tensors_hooks("not here")
    with disabled, pytest.raises(RuntimeError, match="not here"):
        hooks.__enter__()
    with hooks, pytest.raises(RuntimeError, match="not here"):
        disabled.__enter__()


def test_values_saved_on_the_cpu_are_copies():
    x = leaf(3)
    y = x * 1
    with graph.save_on_cpu():
        z = y * y
    with torch.no_grad():
        y.zero_()
    z.backward()
    assert x.grad.tolist() == [6]


def test_saved_values_may_be_changed_in_a_context_that_copies_them():
    a = leaf(1, 2)
    with graph.allow_mutation_on_saved_tensors():
        b = a * 1
        c = b * b
        b.mul_(10)
        c.sum().backward()
    assert a.grad.tolist() == [2, 4]
    assert b.tolist() == [10, 20]


def test_that_context_has_its_limits():
    a = leaf(1)
    with graph.allow_mutation_on_saved_tensors():
        with pytest.raises(RuntimeError, match="contexts cannot be nested"):
            graph.allow_mutation_on_saved_tensors().__enter__()
        b = a * 1
        c = b * b
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation"):
        c.backward()


def test_a_change_between_saving_and_backward_is_noticed():
    x = leaf(1, 2)
    y = x * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def test_views_detached_tensors_and_the_original_share_one_version():
    x = torch.zeros(4)
    view, detached, data = x[1:], x.detach(), x.data
    view.add_(1)
    detached.add_(1)
    assert (x._version, view._version, detached._version) == (2, 2, 2)
    data.add_(1)
    assert x._version == 2


def test_changes_without_recording_count():
    x = torch.zeros(2)
    with torch.no_grad():
        x.add_(1)
    assert x._version == 1


def test_changes_made_elsewhere_can_be_declared():
    x = leaf(1)
    y = x * 1
    z = y * y
    graph.increment_version([y])
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.backward()


def test_each_node_frees_what_it_saved_as_soon_as_it_has_run():
    x = leaf(1, 2)
    y = x.exp()
    z = y.exp()
    seen = []
    y.register_hook(lambda g: seen.append((z.grad_fn.freed_by is None, y.grad_fn.freed_by is None)))
    z.sum().backward()
    assert seen == [(False, True)]


def test_nodes_that_did_not_run_keep_what_they_saved():
    x, w = leaf(1), leaf(2)
    a, b = x.exp(), w.exp()
    torch.autograd.grad((a * b).sum(), x)
    assert a.grad_fn.freed_by is not None
    assert b.grad_fn.freed_by is None
    b.backward()
    assert w.grad is not None


def test_nodes_that_save_nothing_can_run_again():
    x = leaf(1)
    y = x + 1
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2]


def test_a_freed_graph_is_found_before_anything_is_written():
    x, w = leaf(1), leaf(2)
    shared = x.exp()
    (shared * 2).backward()
    x.grad = None
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        (shared * w).backward()
    assert x.grad is None
    assert w.grad is None


def test_a_graph_dies_with_its_last_tensor_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1, 2)
        y = (x * 2).exp()
        arrays = [weakref.ref(y._array), weakref.ref(y.grad_fn)]
        del y
        assert [each() for each in arrays] == [None, None]
    finally:
        gc.enable()


def test_inference_tensors_cannot_be_saved():
    with torch.inference_mode():
        i = torch.ones(1)
    x = leaf(1)
    assert i.is_inference()
    assert (x + i).requires_grad
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * i
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        i._version
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside"):
        i.add_(1)
    (x * i.clone()).backward()
    assert x.grad.tolist() == [1]


def test_only_new_memory_belongs_to_inference_mode():
    x = leaf(1, 2)
    with torch.inference_mode():
        view, product = x.view(2), x * 2
    assert not view.is_inference()
    assert product.is_inference()
    assert product.view(2).is_inference()
    assert not (product + 1).is_inference()
    with pytest.raises(RuntimeError, match="A view was created in inference mode"):
        view.mul_(x)


def test_inference_tensors_do_not_require_grad_outside():
    with torch.inference_mode():
        i = torch.ones(1)
    with pytest.raises(
        RuntimeError, match="Setting requires_grad=True on inference tensor outside"
    ):
        i.requires_grad_()


@pytest.mark.parametrize(("packed", "changed"), [("self", "other"), ("other", "self")])
def test_a_change_of_one_value_is_told_beside_another_that_a_hook_packed(packed, changed):
    values = {"self": leaf(1, 2), "other": leaf(3, 4)}
    y = values["self"] * values["other"]
    getattr(y.grad_fn, f"_raw_saved_{packed}").register_hooks(lambda x: x, lambda x: x)
    with torch.no_grad():
        values[changed].mul_(2)
    for use in (lambda: getattr(y.grad_fn, f"_saved_{changed}"), y.sum().backward):
        with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[2\]\] is at version 1"):
            use()


def test_a_change_of_a_value_with_a_tangent_is_told_as_of_any_other():
    t = leaf(1, 2)
    with torch.autograd.forward_ad.dual_level():
        d = torch.autograd.forward_ad.make_dual(t, torch.ones(2))
        product, power = t * d, d.exp()
        with torch.no_grad():
            t.mul_(2)
            power.mul_(2)
        text = r"modified by an inplace operation: \[torch.FloatTensor \[2\]\]"
        with pytest.raises(RuntimeError, match=text + " is at version 1"):
            _ = product.grad_fn._saved_self
        with pytest.raises(RuntimeError, match=text + ", which is output 0 of"):
            product.sum().backward()
        with pytest.raises(RuntimeError, match=text + ", which is output 0 of Exp"):
            _ = power.grad_fn._saved_result


def test_a_reciprocal_keeps_its_result_so_that_the_operand_may_be_changed():
    x = torch.tensor([2.0, 4.0], requires_grad=True)
    operand = x * 1
    total = (1 / operand).sum()
    with torch.no_grad():
        operand.zero_()
    total.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [-0.25, -0.0625]
