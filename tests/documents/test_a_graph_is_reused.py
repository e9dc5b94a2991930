"""A thread on a forum: a tensor made outside a loop is shared by every time through it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import graph

AGAIN = "Trying to backward through the graph a second time"


class Setting:
    """The tensors that the thread starts from."""

    def __init__(self) -> None:
        self.measure = torch.nn.MSELoss()
        self.x = torch.tensor([1, 0], dtype=torch.float64)
        self.t = torch.eye(2, dtype=torch.float64, requires_grad=True)
        self.a = torch.ones(2, dtype=torch.float64, requires_grad=True)

    def run(self, y: Any, keep: Any = None, times: int = 2) -> None:
        for _ in range(times):
            x_out = self.t @ (self.x + y())
            loss = self.measure(x_out, self.x)
            loss.backward(retain_graph=keep)

    def run_anew(self) -> None:
        self.run(lambda: self.t @ self.a)

    def grads(self) -> tuple[Any, Any]:
        return self.t.grad, self.a.grad


@pytest.fixture
def setting() -> Setting:
    return Setting()


@pytest.fixture
def remade() -> tuple[Any, Any]:
    """The gradients of two times through the loop that make everything again."""
    each = Setting()
    each.run_anew()
    return each.grads()


def nothing_left_of(*references: Any) -> bool:
    return all(reference() is None for reference in references)


# ---- the question ----


def test_the_second_time_through_the_loop_raises(setting: Setting) -> None:
    y = setting.t @ setting.a
    setting.run(lambda: y, times=1)
    with pytest.raises(RuntimeError, match=AGAIN):
        setting.run(lambda: y, times=1)


def test_making_y_inside_the_loop_works(setting: Setting) -> None:
    setting.run(lambda: setting.t @ setting.a, times=3)
    assert setting.a.grad is not None


def test_the_failing_pass_adds_to_no_gradient(setting: Setting) -> None:
    y = setting.t @ setting.a
    setting.run(lambda: y, times=1)
    before = [grad.clone() for grad in setting.grads()]
    with pytest.raises(RuntimeError, match=AGAIN):
        setting.run(lambda: y, times=1)
    assert all(map(torch.equal, before, setting.grads()))


def test_retain_graph_true_makes_the_loop_work(setting: Setting, remade: Any) -> None:
    y = setting.t @ setting.a
    setting.run(lambda: y, keep=True)
    assert all(map(torch.allclose, setting.grads(), remade))


def test_retain_graph_y_keeps_the_shared_part_alone(setting: Setting, remade: Any) -> None:
    y = setting.t @ setting.a
    setting.run(lambda: y, keep=y)
    assert all(map(torch.allclose, setting.grads(), remade))
    assert graph(y).nodes[0].state == "live"


def test_retain_graph_y_frees_the_tail_every_time(setting: Setting) -> None:
    y = setting.t @ setting.a
    x_out = setting.t @ (setting.x + y)
    loss = setting.measure(x_out, setting.x)
    loss.backward(retain_graph=y)
    states = {node.outputs: node.state for node in graph(loss).nodes if node.name != "AddBackward0"}
    assert graph(x_out).nodes[0].state == "freed"
    assert graph(y).nodes[0].state == "live"
    assert "freed" in states.values()


def test_the_shared_part_of_a_retained_graph_is_freed_by_hand(setting: Setting) -> None:
    y = setting.t @ setting.a
    setting.run(lambda: y, keep=y)
    torch.autograd.graph.release(y)
    assert graph(y).nodes[0].state == "freed"
    with pytest.raises(RuntimeError, match="released by hand"):
        setting.run(lambda: y)


def test_del_y_frees_the_shared_part(setting: Setting, without_gc: None) -> None:
    y = setting.t @ setting.a
    setting.run(lambda y=y: y, keep=True)
    node = weakref.ref(y.grad_fn)
    assert node() is not None
    del y
    assert nothing_left_of(node)


def test_the_tail_is_freed_when_the_loop_makes_it_anew(setting: Setting, without_gc: None) -> None:
    y = setting.t @ setting.a
    tails = []
    for _ in range(2):
        x_out = setting.t @ (setting.x + y)
        loss = setting.measure(x_out, setting.x)
        loss.backward(retain_graph=True)
        tails.append(weakref.ref(x_out.grad_fn))
    assert nothing_left_of(tails[0])
    assert tails[1]() is x_out.grad_fn
    assert y.grad_fn is not None


# ---- what a graph is ----


def test_backward_does_not_change_the_structure_of_the_graph(setting: Setting) -> None:
    y = setting.t @ setting.a
    before = y.grad_fn, y.grad_fn.next_functions
    y.sum().backward()
    assert (y.grad_fn, y.grad_fn.next_functions) == before


def test_only_forward_operations_build_the_graph(setting: Setting) -> None:
    y = setting.t @ setting.a
    first = setting.measure(setting.t @ (setting.x + y), setting.x)
    first.backward()
    second = setting.measure(setting.t @ (setting.x + y), setting.x)
    assert second.grad_fn is not first.grad_fn
    assert graph(first).nodes[-1].where == graph(second).nodes[-1].where


def test_every_time_through_the_loop_extends_the_graph_of_y() -> None:
    a = torch.rand(10, requires_grad=True)
    assert a.grad_fn is None
    y = a * 2
    x_out0, x_out1 = 2 * y, 2 * y
    assert x_out0.grad_fn is not x_out1.grad_fn
    reached = [
        {node for node, _ in x_out.grad_fn.next_functions if node is not None}
        for x_out in (x_out0, x_out1)
    ]
    assert reached[0] == reached[1] == {y.grad_fn}


def test_only_the_second_backward_through_y_fails() -> None:
    a = torch.rand(10, requires_grad=True)
    y = a * 2
    (2 * y).sum().backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        (2 * y).sum().backward()


def test_a_graph_that_saves_nothing_can_be_run_twice() -> None:
    a = torch.ones(3, requires_grad=True)
    total = (a + 1).sum()
    total.backward()
    total.backward()
    assert torch.equal(a.grad, torch.full((3,), 2.0))


# ---- tensors and graph ----


def test_integers_cannot_require_grad_today() -> None:
    # the program in the thread, of 2019, writes torch.tensor(1, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"nly Tensors of floating point and complex dtype"):
        torch.tensor(1, requires_grad=True)


def test_freed_tensors_are_still_there_to_compute_with() -> None:
    a = torch.tensor(1.0, requires_grad=True)
    b = a * torch.tensor(2)
    c = b * torch.tensor(3)
    c.backward()
    d = b * torch.tensor(4)
    e = c * torch.tensor(5)
    assert (d.item(), e.item()) == (8, 30)


@pytest.mark.parametrize("use", [lambda b, c: b * 4, lambda b, c: c * 5], ids=["d", "e"])
def test_no_second_backward_through_what_was_freed(use: Any) -> None:
    a = torch.tensor(1.0, requires_grad=True)
    b = a * torch.tensor(2)
    c = b * torch.tensor(3)
    c.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        use(b, c).backward()


def test_a_tensor_in_the_middle_is_no_part_of_the_graph(without_gc: None) -> None:
    a = torch.tensor(1.0, requires_grad=True)
    b = a * torch.tensor(2.0)
    c = b * torch.tensor(3.0)
    gone = weakref.ref(b)
    del b
    assert nothing_left_of(gone)
    c.backward()
    assert a.grad.item() == 6


@pytest.fixture
def product() -> tuple[Any, Any, Any]:
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    return a, b, a * b


def test_backward_returns_none(product: Any) -> None:
    assert product[2].backward() is None


def test_gradients_add_up_over_retained_passes(product: Any) -> None:
    a, b, c = product
    seen = []
    for _ in range(5):
        c.backward(retain_graph=True)
        seen.append((a.grad.item(), b.grad.item()))
    assert seen == [(2, 1), (4, 2), (6, 3), (8, 4), (10, 5)]


def test_deleting_b_leaves_its_values_in_the_graph(without_gc: None) -> None:
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    c = a * b
    for _ in range(5):
        c.backward(retain_graph=True)
    del b
    seen = []
    for _ in range(3):
        c.backward(retain_graph=True)
        seen.append(a.grad.item())
    assert seen == [12, 14, 16]
    assert c.grad_fn._saved_other.item() == 2


# ---- what else the thread claims ----


def test_t_and_a_are_leaves_and_y_and_x_out_are_not(setting: Setting) -> None:
    y = setting.t @ setting.a
    x_out = setting.t @ (setting.x + y)
    assert [each.is_leaf for each in (setting.t, setting.a, y, x_out)] == [True, True, False, False]
    assert x_out.requires_grad


def test_x_is_no_part_of_the_graph_unless_it_requires_grad(setting: Setting) -> None:
    total = setting.x + (setting.t @ setting.a)
    assert total.grad_fn.next_functions[0] == (None, 0)


def test_the_values_of_y_outlive_backward(setting: Setting) -> None:
    # one answer says that they are erased: what is freed are the graph's own saved values
    y = setting.t @ setting.a
    values = y.tolist()
    y.sum().backward()
    assert y.tolist() == values


def test_the_gradient_of_y_is_not_kept(setting: Setting) -> None:
    y = setting.t @ setting.a
    y.sum().backward()
    with pytest.warns(UserWarning, match="not a leaf Tensor"):
        assert y.grad is None


def test_nothing_of_the_story_needs_the_garbage_collector(without_gc: None) -> None:
    gc.collect()
    Setting().run_anew()
    assert gc.collect() == 0
