"""Why a tensor gets no gradient: which line has cut the path, and what else may be the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.inspect import why_no_grad
from tests.samples.grouped import together


def leaf(*values: float) -> Any:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def texts(reason: Any, label: str) -> list[str]:
    return [line.text for line in reason.lines if line.label == label]


# ---- the path was cut ----


def test_detach_on_the_way_is_named() -> None:
    x, w = leaf(), leaf()
    h = (x * 2).detach()
    loss = (h * w).sum()
    reason = why_no_grad(x, loss)
    assert reason.kind == "cut"
    assert texts(reason, "cut") == ["h = (x * 2).detach()"]
    assert reason.lines[0].where.startswith("test_why_no_grad.py:")


def test_a_detach_whose_history_is_still_alive_is_known_for_certain() -> None:
    x, w = leaf(), leaf()
    h = x * 2
    shown = h.detach()
    loss = (shown * w).sum()
    reason = why_no_grad(x, loss)
    assert (reason.kind, texts(reason, "cut")) == ("cut", ["shown = h.detach()"])
    assert reason.lines[0].remark == "by detach()"


def test_a_detach_that_the_loss_has_nothing_to_do_with_is_not_named() -> None:
    x, w = leaf(), leaf()
    h = x * 2
    target = h.detach()
    shown = h.detach()
    loss = ((target - w) ** 2).sum()
    assert texts(why_no_grad(x, loss), "cut") == ["target = h.detach()"]
    del shown


def test_data_and_copies_are_named() -> None:
    x, w = leaf(), leaf()
    h = x * 2
    through = h.data
    assert texts(why_no_grad(x, (through * w).sum()), "cut") == ["through = h.data"]
    y = leaf()
    with pytest.warns(UserWarning, match="To copy construct"):
        copied = torch.tensor(y)
    reason = why_no_grad(y, (copied * w).sum())
    assert texts(reason, "cut") == ["copied = torch.tensor(y)"]


def test_a_way_through_numpy_is_named() -> None:
    x, w = leaf(), leaf()
    h = torch.from_numpy(np.sin((x * 2).detach().numpy()))
    loss = (h * w).sum()
    reason = why_no_grad(x, loss)
    assert reason.kind == "cut"
    assert "np.sin" in texts(reason, "cut")[0]


def test_no_grad_is_named() -> None:
    x, w = leaf(), leaf()
    with torch.no_grad():
        h = x * 2
    loss = (h * w).sum()
    reason = why_no_grad(x, loss)
    assert texts(reason, "cut") == ["h = x * 2"]
    assert "torch.no_grad()" in reason.remedy


def test_argmax_is_named() -> None:
    x, w = leaf(), leaf()
    best = (x * 2).argmax()
    loss = (w * best).sum()
    reason = why_no_grad(x, loss)
    assert texts(reason, "cut") == ["best = (x * 2).argmax()"]
    assert "indices" in reason.remedy


def test_a_loss_without_history_names_what_cut_it_off() -> None:
    x = leaf()
    count = (x > 1.5).long()
    loss = count.sum()
    reason = why_no_grad(x, loss)
    assert reason.kind == "no history"
    assert texts(reason, "cut") == ["count = (x > 1.5).long()"]


def test_a_name_that_was_given_to_another_tensor_is_told() -> None:
    x = leaf()
    loss = (x * x).sum()
    x = leaf()
    reason = why_no_grad(x, loss)
    assert reason.kind == "rebound"
    assert texts(reason, "made") == ["x = leaf()"]


def test_a_tensor_that_was_not_used_is_told() -> None:
    unused, w = leaf(), leaf()
    loss = (w * w).sum()
    assert why_no_grad(unused, loss).kind == "not used"


def test_a_parameter_that_the_loss_does_not_reach_is_told() -> None:
    net = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])
    loss = net[0](torch.ones(1, 2)).sum()
    reason = why_no_grad(net[1].weight, loss)
    assert reason.kind == "not used"
    assert "forward does not call" in reason.remedy


def test_a_tensor_that_does_not_require_grad_is_told() -> None:
    w = leaf()
    x = torch.ones(2)
    assert why_no_grad(x, (x * w).sum()).kind == "not required"
    h = (w * 2).detach()
    reason = why_no_grad(h, (h * w).sum())
    assert texts(reason, "cut") == ["h = (w * 2).detach()"]
    number = torch.arange(3)
    assert "int64" in why_no_grad(number, w.sum()).remedy


# ---- there is a path ----


def test_before_any_pass_a_pass_is_what_is_missing() -> None:
    x = leaf()
    loss = (x * x).sum()
    assert why_no_grad(x, loss).kind == "not run"


def test_a_gradient_that_is_there_is_told() -> None:
    x = leaf()
    loss = (x * x).sum()
    loss.backward()
    assert why_no_grad(x, loss).kind == "has gradient"


def test_a_tensor_that_is_no_leaf_has_to_retain_its_gradient() -> None:
    x = leaf()
    h = x * 2
    loss = (h * h).sum()
    loss.backward()
    reason = why_no_grad(h, loss)
    assert reason.kind == "not retained"
    assert "h.retain_grad()" in reason.remedy


def test_a_leaf_that_was_left_out_is_told() -> None:
    x, w = leaf(), leaf()
    loss = (x * w).sum()
    loss.backward(inputs=[w])
    reason = why_no_grad(x, loss)
    assert reason.kind == "left out"
    assert texts(reason, "backward") == ["loss.backward(inputs=[w])"]
    y = leaf()
    other = (y * y).sum()
    torch.autograd.grad(other, y)
    assert "grad returns gradients and writes none" in why_no_grad(y, other).remedy


def test_a_custom_function_that_returned_none_is_named() -> None:
    class Silent(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None

    x = leaf()
    h = Silent.apply(x)
    loss = (h * h).sum()
    loss.backward()
    reason = why_no_grad(x, loss)
    assert reason.kind == "stopped"
    assert texts(reason, "stopped") == ["h = Silent.apply(x)"]


def test_a_backward_that_is_not_recorded_is_named() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    x = leaf()
    shown = x.detach()
    y = Square.apply(x).sum()
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    penalty = (gradient**2).sum()
    reason = why_no_grad(x, penalty)
    assert reason.kind == "no history"
    assert texts(reason, "cut") == ["Square.backward"]
    assert "once_differentiable" in reason.remedy
    del shown


@together()
@pytest.mark.parametrize(
    ("stop", "name"),
    [
        (lambda x: torch.relu(x - 100), "relu"),
        (lambda x: torch.tanh(x + 100), "tanh"),
        (lambda x: torch.sigmoid(x + 100), "sigmoid"),
        (lambda x: x * torch.zeros(2), "mul"),
        (lambda x: x.clamp(max=-1.0), "clamp"),
        (torch.round, "round"),
        (torch.sign, "sign"),
        (lambda x: torch.floor(x) * 2, "floor"),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_a_dead_operation_is_named(stop: Any, name: str, after: bool) -> None:
    x = leaf()
    loss = stop(x).sum()
    if after:
        loss.backward(retain_graph=True)
    reason = why_no_grad(x, loss)
    assert reason.kind == "zero"
    assert f"the derivative of {name} is zero" in reason.lines[0].remark


def test_a_way_around_a_dead_operation_is_a_way() -> None:
    x = leaf()
    loss = (torch.relu(x - 100) + x).sum()
    assert why_no_grad(x, loss).kind == "not run"


def test_zeros_of_a_freed_graph_cannot_be_explained() -> None:
    x = leaf()
    loss = torch.relu(x - 100).sum()
    loss.backward()
    reason = why_no_grad(x, loss)
    assert reason.kind == "zero"
    assert "retain_graph=True" in reason.remedy


def test_the_reason_as_text() -> None:
    x, w = leaf(), leaf()
    h = (x * 2).detach()
    loss = (h * w).sum()
    first, line, last = str(why_no_grad(x, loss)).splitlines()
    assert first.startswith("x has no path to loss")
    assert line.strip().startswith("cut  test_why_no_grad.py:")
    assert last.strip().startswith("The detach() on that line")


def test_only_tensors_are_asked_about() -> None:
    with pytest.raises(TypeError, match="why_no_grad\\(\\) takes tensors, not str"):
        why_no_grad("x", leaf())  # pyright: ignore[reportArgumentType]
