"""What the error of a freed graph tells: what is shared, who freed it, who came again."""

from __future__ import annotations

import pellucid as torch
from pellucid.errors import FreedGraphError
from tests.diagnostics.explanations import Failing, remedy, rows

LEAVES = """
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    v = torch.tensor([1.0, 2.0], requires_grad=True)
"""


def test_a_tensor_made_outside_the_loop(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    y = w * v
    for _ in range(2):
        out = w * (y + 1)
        loss = out.sum()
        loss.backward()
    """
    )
    assert isinstance(error, FreedGraphError)
    assert str(error).startswith("Trying to backward through the graph a second time (or directly")
    assert rows(error) == {
        "y": ["train.py:5", "y = w * v", "made by MulBackward0"],
        "freed": ["train.py:9", "loss.backward()", "the first time through the loop"],
        "again": [
            "train.py:9", "loss.backward()", "reaches it through out = w * (y + 1), train.py:7",
        ],
    }  # fmt: skip
    assert "loss.backward(retain_graph=y)" in remedy(error)
    assert "make y inside the loop" in remedy(error)
    assert "y.detach()" in remedy(error)


def test_the_remedy_for_a_tensor_made_outside_works() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    y = w * w
    for _ in range(2):
        loss = (w * (y + 1)).sum()
        loss.backward(retain_graph=y)
    assert torch.allclose(w.grad, 2 * (3 * w.detach() ** 2 + 1))


def test_a_hidden_state_carried_over(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    h = torch.zeros(2)
    for _ in range(3):
        h = (h + v) * w
        loss = h.sum()
        loss.backward()
    """
    )
    assert rows(error)["h"] == ["train.py:7", "h = (h + v) * w", "made by MulBackward0"]
    assert rows(error)["freed"] == ["train.py:9", "loss.backward()", "the time before"]
    assert rows(error)["again"][2].endswith("train.py:7")
    assert "h = h.detach()" in remedy(error)


def test_two_states_carried_over_are_both_named(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    h, c = torch.zeros(2), torch.zeros(2)
    for _ in range(2):
        c = c * w + v
        h = h * w + c.tanh()
        (h * h).sum().backward()
    """
    )
    assert "h = h.detach(), c = c.detach()" in remedy(error)


def test_a_state_that_is_an_attribute_goes_by_its_dotted_name(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    class Cell:
        def step(self, x):
            self.state = (self.state + x) * w
            return self.state.sum()
    cell = Cell()
    cell.state = torch.zeros(2)
    for _ in range(2):
        cell.step(v).backward()
    """
    )
    assert "self.state = self.state.detach()" in remedy(error)


def test_a_running_sum_of_losses(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    total = torch.zeros(())
    for _ in range(2):
        loss = (w * w).sum()
        total += loss
        total.backward()
    """
    )
    assert rows(error)["needs"][:2] == ["train.py:7", "loss = (w * w).sum()"]
    assert "total.detach()" in remedy(error)
    assert ".item()" in remedy(error)


def test_two_losses_on_one_trunk(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    trunk = w * v
    l1 = (trunk * 2).sum()
    l2 = (trunk * 3).sum()
    l1.backward()
    l2.backward()
    """
    )
    assert rows(error)["trunk"][0] == "train.py:5"
    assert rows(error)["freed"][:2] == ["train.py:8", "l1.backward()"]
    assert rows(error)["again"][:2] == ["train.py:9", "l2.backward()"]
    assert "(l1 + l2).backward()" in remedy(error)
    assert "l1.backward(retain_graph=l2)" in remedy(error)


def test_many_losses_in_one_loop(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    trunk = w * v
    losses = [(trunk * k).sum() for k in (1.0, 2.0)]
    for loss in losses:
        loss.backward()
    """
    )
    assert "retain_graph=[the losses still to come]" in remedy(error)


def test_the_same_loss_twice(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    loss = (w * v).sum()
    loss.backward()
    loss.backward()
    """
    )
    assert "loss.backward(retain_graph=True)" in remedy(error)


def test_a_tensor_used_again_after_its_graph_was_freed(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    b = w * v
    c = b.sum()
    c.backward()
    d = (b * 4).sum()
    d.backward()
    """
    )
    assert "c.backward(retain_graph=b)" in remedy(error)
    assert "compute b again" in remedy(error)


def test_a_gradient_in_the_loss_that_was_taken_without_a_graph(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    out = (w * v).sum()
    (g,) = torch.autograd.grad(out, w)
    loss = out + (g * g).sum()
    loss.backward()
    """
    )
    assert "create_graph=True" in remedy(error)


def test_a_graph_released_by_hand(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    y = w * v
    torch.autograd.graph.release(y)
    y.sum().backward()
    """
    )
    assert rows(error)["freed"][:2] == ["train.py:6", "torch.autograd.graph.release(y)"]
    assert "released by hand" in remedy(error)


def test_a_saved_value_read_after_it_was_freed(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    y = w * v
    y.sum().backward()
    y.grad_fn._saved_other
    """
    )
    assert rows(error)["saved"][0] == "train.py:5"
    assert rows(error)["freed"][0] == "train.py:6"
    assert rows(error)["read"][0] == "train.py:7"


def test_a_statement_over_several_lines_is_told_on_one(failing: Failing) -> None:
    error = failing(
        LEAVES
        + """
    y = (
        w
        * v  # together
    )
    y.sum().backward()
    y.sum().backward()
    """
    )
    assert rows(error)["y"][2] == "made by MulBackward0"
    assert "\n" not in rows(error)["y"][1]


def test_source_that_cannot_be_read_leaves_file_and_line(failing: Failing) -> None:
    error = failing(
        """
    exec(compile('''
    x = torch.ones(2, requires_grad=True)
    y = x * x
    y.sum().backward()
    y.sum().backward()
    '''.replace("    ", ""), "<cell>", "exec"))
    """
    )
    assert isinstance(error, FreedGraphError)
    assert "<cell>:3" in str(error)


def test_nothing_is_written_when_a_freed_graph_is_found() -> None:
    w = torch.ones(2, requires_grad=True)
    fresh = torch.ones(2, requires_grad=True)
    y = w * w
    y.sum().backward()
    before = w.grad.clone()
    try:
        (y * fresh).sum().backward()
    except FreedGraphError:
        pass
    else:
        raise AssertionError
    assert fresh.grad is None
    assert torch.equal(w.grad, before)


def test_the_error_keeps_no_tensor_alive(without_gc: None) -> None:
    import weakref

    w = torch.ones(2, requires_grad=True)
    y = w * w
    y.sum().backward()
    kept: list[FreedGraphError] = []
    try:
        y.sum().backward()
    except FreedGraphError as error:
        kept.append(error.with_traceback(None))
    node = weakref.ref(y.grad_fn)
    del y
    assert kept
    assert node() is None


def test_a_carried_value_without_a_name_is_not_told_to_be_assigned_to(failing: Failing) -> None:
    error = failing(
        """
    gru, state = torch.nn.GRU(3, 4), torch.zeros(1, 2, 4)
    for _ in range(2):
        out, state = gru(torch.ones(5, 2, 3), state)
        out.sum().backward()
    """
    )
    assert "state is carried over from one time" in str(error)
    assert "only: state = state.detach() after the backward pass" in str(error)
    assert ") = gru(" not in str(error).splitlines()[-1]


def test_a_state_of_several_tensors_is_detached_one_by_one(failing: Failing) -> None:
    error = failing(
        """
    lstm, state = torch.nn.LSTM(3, 4), None
    for _ in range(2):
        out, state = lstm(torch.ones(5, 2, 3), state)
        out.sum().backward()
    """
    )
    assert "state = tuple(each.detach() for each in state) after the backward" in str(error)


def test_all_that_is_handed_on_is_named(failing: Failing) -> None:
    error = failing(
        """
    cell, h, c = torch.nn.LSTMCell(3, 4), torch.zeros(2, 4), torch.zeros(2, 4)
    for _ in range(2):
        h, c = cell(torch.ones(2, 3), (h, c))
        h.sum().backward()
    """
    )
    assert "h and c are carried over" in str(error)
    assert "h = h.detach(), c = c.detach() after the backward pass" in str(error)
