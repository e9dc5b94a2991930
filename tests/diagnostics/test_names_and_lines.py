"""Errors name parameters as the program does, and the line that is behind what they refuse."""

from __future__ import annotations

import pytest

from tests.diagnostics.explanations import Failing, remedy, rows


def test_a_parameter_that_a_step_changed_goes_by_its_name_in_the_program(failing: Failing) -> None:
    error = failing("""
    D = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(D.parameters(), lr=0.1)
    x = torch.ones(3, 2, requires_grad=True)
    out = D(x).sum()
    D(x).sum().backward()
    optimizer.step()
    out.backward()
    """)
    assert rows(error)["changed"][2] == "by SGD.step of D.weight, float32[1, 2], version 2"
    assert remedy(error).startswith("The optimizer has changed D.weight before")


def test_a_parameter_that_no_variable_leads_to_goes_by_its_place(failing: Failing) -> None:
    error = failing("""
    make = lambda: torch.nn.Linear(2, 1)
    holder = [make()]
    optimizer = torch.optim.SGD(holder[0].parameters(), lr=0.1)
    x = torch.ones(3, 2, requires_grad=True)
    out = holder[0](x).sum()
    holder[0](x).sum().backward()
    optimizer.step()
    out.backward()
    """)
    assert "of parameter 0 of group 0, float32[1, 2]" in rows(error)["changed"][2]


@pytest.mark.parametrize(
    ("carried", "told"),
    [
        ("state = (h.detach(), c)", "c.detach() in state = (h.detach(), c), train.py:7"),
        ("state = (h, c)", "h.detach() and c.detach() in state = (h, c), train.py:7"),
    ],
)
def test_the_part_of_a_state_that_is_carried_over_is_named(
    failing: Failing, carried: str, told: str
) -> None:
    error = failing(f"""
    lstm = torch.nn.LSTM(2, 3)
    state = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
    for chunk in torch.randn(3, 4, 1, 2):
        out, (h, c) = lstm(chunk, state)
        out.sum().backward()
        {carried}
    """)
    assert f"write {told}, after the backward pass" in remedy(error)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("y = x.transpose(1, 2)", "transpose() at train.py:3   y = x.transpose(1, 2) has put"),
        ("y = x.permute(2, 0, 1)[:2]", "permute() at train.py:3   y = x.permute(2, 0, 1)[:2] has"),
        ("y = x.mT", "mT at train.py:3   y = x.mT has put"),
        ("t = x.transpose(1, 2); z = 1\n    y = t", "transpose() at train.py:3   t = x.transpo"),
        ("y = x[:, :2]", ""),
        ("y = x.transpose(1, 2).contiguous()[:, :2]", ""),
    ],
)
def test_a_refused_view_names_what_reordered_the_elements(
    failing: Failing, lines: str, told: str
) -> None:
    error = failing(f"""
    x = torch.randn(2, 3, 4)
    {lines}
    y.view(-1)
    """)
    assert str(error).startswith("view size is not compatible with input tensor's size")
    assert told in str(error)
    assert ("reshape() copies" in str(error)) == bool(told)


def test_a_view_of_what_the_same_line_reordered(failing: Failing) -> None:
    error = failing("""
    x = torch.randn(2, 3, 4)
    y = x.transpose(1, 2).view(-1)
    """)
    assert "transpose() at train.py:3   x.transpose(1, 2) has put" in str(error)


def test_a_loss_below_a_backward_that_is_not_recorded_has_no_harmful_remedy(
    failing: Failing,
) -> None:
    error = failing("""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = torch.ones(3, requires_grad=True)
    y = Square.apply(x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    penalty = (g ** 2).sum()
    penalty.backward()
    """)
    assert rows(error)["cut"][1:] == ["Square.backward", "by once_differentiable"]
    assert "Write it with torch operations" in remedy(error)
    assert "set requires_grad=True" not in str(error)


def test_a_loss_made_by_tensor_names_the_line(failing: Failing) -> None:
    error = failing("""
    net = torch.nn.Linear(2, 1)
    losses = [net(torch.ones(1, 2)).sum() for _ in range(3)]
    loss = torch.tensor([each.item() for each in losses]).mean()
    loss.backward()
    """)
    assert rows(error)["made"][0] == "train.py:4"
    assert remedy(error) == "There, tensor() copies values, not their history."


@pytest.mark.parametrize("call", ["net(x)", "run(net, x)"])
def test_the_line_that_made_float64_is_named(failing: Failing, call: str) -> None:
    error = failing(f"""
    import numpy as np
    def run(net, given):
        return net(given)
    net = torch.nn.Linear(3, 1)
    x = torch.from_numpy(np.ones((2, 3)))
    out = {call}
    """)
    assert "torch.from_numpy(a).float(). x = torch.from_numpy(np.ones((2, 3))) at train.py:6" in (
        str(error)
    )


def test_an_alike_error_without_float64_names_no_line(failing: Failing) -> None:
    error = failing("""
    x = torch.ones(2, 3).half()
    out = torch.nn.Linear(3, 1)(x)
    """)
    assert "made float32: torch.from_numpy(a).float().\n" in str(error)
