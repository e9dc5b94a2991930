"""A page and an answer on one toy graph: one input, two outputs, and ``retain_graph``."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd import Variable
from pellucid.inspect import graph

AGAIN = "Trying to backward through the graph a second time"
nn = torch.nn


class Toy:
    def __init__(self) -> None:
        self.a = Variable(torch.rand(1, 4), requires_grad=True)
        self.b = self.a**2
        self.c = self.b * 2
        self.d = self.c.mean()
        self.e = self.c.sum()


@pytest.fixture
def toy() -> Toy:
    return Toy()


def test_d_backward_gives_the_gradient_of_the_mean(toy: Toy) -> None:
    toy.d.backward()
    assert torch.allclose(toy.a.grad, toy.a.detach())


def test_d_backward_then_e_backward_raises(toy: Toy) -> None:
    toy.d.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        toy.e.backward()


def test_d_backward_then_e_backward_writes_nothing_more(toy: Toy) -> None:
    toy.d.backward()
    before = toy.a.grad.clone()
    with pytest.raises(RuntimeError, match=AGAIN):
        toy.e.backward()
    assert torch.equal(toy.a.grad, before)


def test_the_error_says_what_to_pass_to_retain_graph(toy: Toy) -> None:
    d, e = toy.d, toy.e
    d.backward()
    with pytest.raises(RuntimeError, match=r"Specify retain_graph=True") as raised:
        e.backward()
    assert "d.backward(retain_graph=e)" in str(raised.value)


def test_retaining_the_graph_of_d_lets_e_run(toy: Toy) -> None:
    toy.d.backward(retain_graph=True)
    toy.e.backward()
    assert torch.allclose(toy.a.grad, 5 * toy.a.detach())


def test_retained_graphs_run_any_number_of_times_until_one_pass_frees_them(toy: Toy) -> None:
    toy.d.backward(retain_graph=True)
    toy.e.backward(retain_graph=True)
    toy.d.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        toy.e.backward()
    assert torch.allclose(toy.a.grad, 6 * toy.a.detach())


def test_d_backward_can_keep_just_what_e_needs(toy: Toy) -> None:
    toy.d.backward(retain_graph=toy.e)
    assert all(node.state != "freed" for node in graph(toy.e).nodes)
    toy.e.backward()
    assert torch.allclose(toy.a.grad, 5 * toy.a.detach())


def test_mean_and_sum_save_nothing_themselves(toy: Toy) -> None:
    # so it is the shared part, a ** 2, that the second pass misses
    assert [graph(each).nodes[0].state for each in (toy.d, toy.e)] == ["saves nothing"] * 2


def test_every_iteration_makes_a_graph_of_its_own(without_gc: None) -> None:
    a = torch.rand(1, 4, requires_grad=True)
    nodes = []
    for _ in range(3):
        loss = (a**2).sum()
        nodes.append(weakref.ref(loss.grad_fn))
        loss.backward()
    assert [node() is None for node in nodes] == [True, True, False]


def test_backward_frees_what_the_graph_holds(toy: Toy) -> None:
    toy.b = toy.c = None
    held = graph(toy.d).held_bytes
    toy.d.backward()
    assert graph(toy.d).held_bytes == 0 < held


def test_leaves_are_the_inputs_and_the_parameters() -> None:
    layer = nn.Linear(3, 2)
    x = torch.rand(5, 3, requires_grad=True)
    picture = graph(layer(x).sum())
    likes = {leaf.like for leaf in picture.leaves}
    assert likes == {"float32[2, 3]", "float32[2]", "float32[5, 3]"}


# ---- two losses in different layers ----


class TwoLosses(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lower, self.upper = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x: Any) -> tuple[Any, Any]:
        hidden = torch.tanh(self.lower(x))
        return (hidden**2).mean(), (torch.tanh(self.upper(hidden)) ** 2).mean()


def losses() -> tuple[Any, Any, Any]:
    torch.manual_seed(0)
    net = TwoLosses()
    return net, *net(torch.rand(6, 4))


def gradients(net: Any) -> list[Any]:
    return [each.grad for each in net.parameters()]


def test_two_losses_need_the_first_graph_retained() -> None:
    _, loss1, loss2 = losses()
    loss1.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        loss2.backward()


@pytest.mark.parametrize("keep", ["everything", "the second loss"])
@pytest.mark.parametrize("swapped", [False, True], ids=["in order", "the other way round"])
def test_two_losses_in_turn_give_the_gradient_of_their_sum(keep: str, swapped: bool) -> None:
    together, first, second = losses()
    (first + second).backward()
    net, loss1, loss2 = losses()
    if swapped:
        loss1, loss2 = loss2, loss1
    loss1.backward(retain_graph=True if keep == "everything" else loss2)
    loss2.backward()
    assert all(map(torch.allclose, gradients(net), gradients(together)))


def test_the_last_pass_frees_the_graph_and_the_optimizer_steps() -> None:
    net, loss1, loss2 = losses()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = [each.detach().clone() for each in net.parameters()]
    loss1.backward(retain_graph=True)
    loss2.backward()
    optimizer.step()
    assert graph(loss2).held_bytes == 0
    assert all(not torch.equal(old, new) for old, new in zip(before, net.parameters(), strict=True))


def test_what_only_the_first_loss_needs_stays_if_everything_is_retained() -> None:
    _, loss1, loss2 = losses()
    loss1.backward(retain_graph=True)
    loss2.backward()
    assert graph(loss1).held_bytes > 0


def test_nothing_stays_if_just_the_second_graph_is_retained() -> None:
    _, loss1, loss2 = losses()
    loss1.backward(retain_graph=loss2)
    loss2.backward()
    assert graph(loss1, loss2).held_bytes == 0
