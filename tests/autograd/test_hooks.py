from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd.graph import get_gradient_edge, register_multi_grad_hook


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_a_tensor_hook_sees_and_replaces_the_gradient():
    x = leaf(1, 2)
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.sum().backward()
    assert seen == [[1, 1], [10, 10]]
    assert x.grad.tolist() == [20, 20]


def test_hooks_of_a_leaf_run_before_its_gradient_is_added():
    x = leaf(1)
    x.register_hook(lambda g: g * 3)
    (x * 2).backward()
    (x * 2).backward()
    assert x.grad.tolist() == [12]


def test_hooks_stay_with_a_tensor_that_the_user_has_dropped():
    x = leaf(1)
    seen = []

    def build():
        y = x * 2
        y.register_hook(lambda g: seen.append(g.item()))
        return y * 3

    build().backward()
    assert seen == [3]


def test_a_removed_hook_runs_no_more():
    x = leaf(1)
    with x.register_hook(lambda g: g * 100):
        (x * 1).backward()
    (x * 1).backward()
    assert x.grad.tolist() == [101]


def test_a_hook_may_remove_itself_and_others_while_running():
    x = leaf(1)
    seen = []

    def first(g):
        seen.append("first")
        handle.remove()
        later.remove()

    handle = x.register_hook(first)
    later = x.register_hook(lambda g: seen.append("later"))
    (x * 1).backward()
    (x * 1).backward()
    assert seen.count("first") == 1


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (3, TypeError, "expected Variable, but hook returned 'int'"),
        (torch.ones(3), RuntimeError, "has changed the size of value"),
        (torch.ones(2, dtype=torch.float64), RuntimeError, "has changed the type of value"),
    ],
)
def test_what_a_tensor_hook_returns_is_checked(result, error, message):
    x = leaf(1, 2)
    y = x * 2
    y.register_hook(lambda g: result)
    with pytest.raises(error, match=message):
        y.sum().backward()
    assert x.grad is None


def test_a_hook_needs_a_tensor_that_requires_grad():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't"):
        torch.ones(2).register_hook(print)


def test_all_kinds_of_hooks_run_in_pytorchs_order():
    x, order = leaf(1), []
    y = x * 2
    y.retain_grad()

    def note(word):
        return lambda *args: order.append(word)

    y.grad_fn.register_hook(note("node post"))
    y.grad_fn.register_prehook(note("node pre"))
    y.register_hook(note("tensor"))
    x.register_post_accumulate_grad_hook(note("leaf accumulated"))
    x.register_hook(note("leaf"))
    accumulate = get_gradient_edge(x).node
    accumulate.register_prehook(note("accumulate pre"))
    accumulate.register_hook(note("accumulate post"))
    y.backward()
    assert order == [
        "tensor", "node pre", "node post", "leaf", "accumulate pre", "leaf accumulated",
        "accumulate post",
    ]  # fmt: skip


def test_a_retained_gradient_is_written_after_tensor_hooks_and_before_pre_hooks():
    a = leaf(1, 1)
    y = a * 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 100,))
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert y.grad.tolist() == [10, 10]
    assert a.grad.tolist() == [2000, 2000]


def test_tensor_hooks_run_for_inputs_of_grad_but_node_hooks_do_not():
    x, order = leaf(1), []
    y = x * 2
    y.register_hook(lambda g: order.append("tensor"))
    y.grad_fn.register_prehook(lambda gs: order.append("pre"))
    (g,) = torch.autograd.grad(y * 3, y)
    assert order == ["tensor"]
    assert g.tolist() == [3]


def test_a_post_hook_replaces_what_the_node_returned():
    x, y = leaf(1), leaf(2)
    z = x * y
    z.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, None))
    z.backward()
    assert x.grad.tolist() == [20]
    assert y.grad is None


@pytest.mark.parametrize(
    ("register", "error", "message"),
    [
        (lambda n: n.register_hook(lambda gi, go: (None,)), RuntimeError, "got 1, but expected 2"),
        (lambda n: n.register_hook(lambda gi, go: gi[0]), TypeError, "expected tuple, but hook"),
        (
            lambda n: n.register_prehook(lambda go: (None, None)),
            RuntimeError,
            "got 2, but expected 1",
        ),
        (lambda n: n.register_prehook(lambda go: go[0]), TypeError, "expected tuple, but hook"),
    ],
)
def test_what_node_hooks_return_is_checked(register, error, message):
    z = leaf(1) * leaf(2)
    register(z.grad_fn)
    with pytest.raises(error, match=message):
        z.backward()


def test_post_accumulate_hooks_see_the_complete_gradient():
    x, seen = leaf(1), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.item())))
    (x * 2 + x * 3).backward()
    (x * 2).backward()
    assert seen == [(True, 5), (True, 7)]


def test_post_accumulate_hooks_may_drop_the_gradient():
    x = leaf(1)
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
    (x * 2).backward()
    assert x.grad is None


def test_post_accumulate_hooks_are_for_leaves():
    with pytest.raises(RuntimeError, match="cannot be registered on non-leaf tensors"):
        (leaf(1) * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="that doesn't require gradient"):
        torch.ones(1).register_post_accumulate_grad_hook(print)


def test_hooks_stay_with_the_value_that_an_in_place_change_replaced():
    x, seen = leaf(1), []
    y = x * 2
    y.register_hook(lambda g: seen.append(("old", g.item())))
    y.mul_(5)
    y.register_hook(lambda g: seen.append(("new", g.item())))
    y.backward()
    assert seen == [("new", 1), ("old", 5)]


def test_a_retained_gradient_moves_to_the_new_value():
    x = leaf(1, 1)
    z = x * 1
    z.retain_grad()
    z.mul_(2)
    z.sum().backward()
    assert z.grad.tolist() == [1, 1]


def test_a_view_retains_its_gradient_after_a_change_of_its_base():
    base = leaf(1, 1) * 1
    view = base[0]
    view.retain_grad()
    base.mul_(2)
    assert view.retains_grad
    (view * 3).backward()
    assert view.grad.item() == 3


def test_hooks_under_create_graph_see_gradients_with_history():
    x, seen = leaf(2), []
    y = x * x
    x.register_hook(lambda g: seen.append(g.requires_grad))
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(x * x, x)
    assert seen == [True, False]


def test_a_hook_that_raises_stops_backward_and_leaves_the_rest_as_it_was():
    x, y = leaf(1), leaf(1)
    z = x * 2

    def fail(g):
        raise ValueError("no")

    z.register_hook(fail)
    with pytest.raises(ValueError, match="no"):
        (z * y).backward()
    assert x.grad is None
    assert torch.is_grad_enabled()


def test_a_multi_hook_fires_once_when_all_gradients_are_there():
    a, b, c = leaf(1), leaf(2), leaf(3)
    seen = []
    handle = register_multi_grad_hook(
        [a, b, c], lambda gs: seen.append([None if g is None else g.item() for g in gs])
    )
    (a * b).backward()
    (a * b * c).backward()
    handle.remove()
    (a * b).backward()
    assert seen == [[2, 1, None], [6, 3, 2]]


def test_a_multi_hook_on_intermediate_tensors_waits_for_those_in_the_pass():
    x = leaf(1)
    y, z = x * 2, x * 3
    seen = []
    register_multi_grad_hook([y, z], lambda gs: seen.append([g is not None for g in gs]))
    (y * z).backward(retain_graph=True)
    (y * 1).backward(retain_graph=True)
    y.backward()  # it is where the pass starts: no gradient is waited for
    assert seen == [[True, True], [True, False]]


def test_a_multi_hook_can_fire_at_the_first_gradient():
    a, b = leaf(1), leaf(2)
    seen = []
    register_multi_grad_hook([a, b], lambda g: seen.append(g.item()), mode="any")
    (a * b).backward()
    (a * b).backward()
    assert len(seen) == 2


def test_multi_hooks_check_their_arguments():
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        register_multi_grad_hook([leaf(1)], print, mode="foo")
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register_multi_grad_hook([torch.ones(1)], print)


def test_a_callback_runs_at_the_end_of_the_pass_and_may_queue_more():
    x, order = leaf(1), []
    queue = torch.autograd.Variable._execution_engine.queue_callback
    y = x * 2

    def first():
        order.append(("first", x.grad is not None))
        queue(lambda: order.append(("second", True)))

    y.register_hook(lambda g: queue(first))
    y.backward()
    assert order == [("first", True), ("second", True)]


def test_callbacks_need_a_backward_pass():
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward"):
        torch.autograd.Variable._execution_engine.queue_callback(print)


def test_a_saved_value_can_be_given_hooks_later():
    x = leaf(1, 2)
    z = x * 1
    y = z * z
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t.numpy() * 1, lambda a: torch.from_numpy(a * 10))
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        raw.register_hooks(lambda t: t, lambda t: t)
    np.testing.assert_array_equal(y.grad_fn._saved_self.detach().numpy(), [10, 20])
    y.sum().backward()
    assert x.grad.tolist() == [11, 22]
    with pytest.raises(RuntimeError, match="on a saved tensor after it has been freed"):
        raw.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn._saved_self


def test_hooks_on_a_value_that_is_not_saved_are_refused():
    y = leaf(1) * 2.0
    assert y.grad_fn._saved_self is None
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_hooks_on_a_saved_value_are_checked():
    z = leaf(1) * 1
    with pytest.raises(TypeError, match="register_hooks"):
        (z * z).grad_fn._raw_saved_self.register_hooks(1, 2)
    with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        (z * z).grad_fn._raw_saved_self.register_hooks(lambda t: t.add_(1), lambda t: t)
    y = z * z
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: 3)
    with pytest.raises(
        TypeError, match="unpack_hook expected to be a Tensor but got result of type"
    ):
        y.backward()
