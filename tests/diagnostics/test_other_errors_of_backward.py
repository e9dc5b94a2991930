"""Errors that name a line: at the start of a pass, inside a node, inside an op's forward."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.errors import (
    AnomalyError,
    InvalidGradientError,
    NoGraphError,
    NonScalarError,
    ShapeError,
    UnusedInputError,
)
from pellucid.nn import functional as F
from tests.diagnostics.explanations import Failing, remedy, rows

NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


@pytest.mark.parametrize(
    ("making", "reason"),
    [
        ("y = (x * 2).detach()", "detach() on that line cuts it off"),
        ("y = (x * 2).data", ".data on that line leaves the graph"),
        ("y = torch.tensor((x * 2).tolist())", "tensor() copies values"),
        ("y = torch.autograd.grad((x * x).sum(), x)[0]", "create_graph=True"),
        ("y, = torch.autograd.grad((x * x).sum(), [x])", "create_graph=True"),
        ("y = torch.ones(1) * 2", "Nothing that it was computed from requires grad"),
    ],
)
def test_a_root_without_history(failing: Failing, making: str, reason: str) -> None:
    error = failing(
        f"""
    x = torch.ones(1, requires_grad=True)
    {making}
    y.sum().backward()
    """.replace("y.sum().backward()", "y.backward()")
    )
    assert isinstance(error, NoGraphError)
    assert str(error).startswith(NO_GRAPH)
    assert rows(error)["backward"] == ["train.py:4", "y.backward()", "y is float32[1]"]
    assert rows(error)["made"][0] == "train.py:3"
    assert reason in remedy(error)


def test_a_root_made_while_nothing_was_recorded(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        y = x * 2
    y.backward()
    """
    )
    assert "torch.no_grad()" in remedy(error)


def test_a_gradient_has_no_graph_of_its_own(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(1, requires_grad=True)
    (x * x).sum().backward()
    x.grad.backward()
    """
    )
    assert "create_graph=True" in remedy(error)


def test_a_root_of_integers(failing: Failing) -> None:
    error = failing("torch.ones(1, dtype=torch.int64).backward()\n")
    assert "int64" in remedy(error)


def test_a_root_that_is_no_scalar(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.backward()
    """
    )
    assert isinstance(error, NonScalarError)
    assert str(error).startswith("grad can be implicitly created only for scalar outputs")
    assert rows(error) == {
        "backward": ["train.py:4", "y.backward()", "y is float32[3]"],
        "made": ["train.py:3", "y = x * 2", "made by MulBackward0"],
    }
    assert "y.sum().backward()" in remedy(error)
    assert "y.backward(torch.ones_like(y))" in remedy(error)


def test_a_gradient_of_the_wrong_shape(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(3, requires_grad=True)
    (x * 2).backward(torch.ones(2))
    """
    )
    assert isinstance(error, InvalidGradientError)
    assert str(error).startswith(
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([3])."
    )
    assert rows(error)["backward"][0] == "train.py:3"


def test_an_input_that_was_not_used(failing: Failing) -> None:
    error = failing(
        """
    a = torch.ones(3, requires_grad=True)
    b = torch.ones(2, 2, requires_grad=True)
    torch.autograd.grad((a * 2).sum(), [a, b])
    """
    )
    assert isinstance(error, UnusedInputError)
    assert "appears to not have been used in the graph" in str(error)
    assert rows(error)["grad"][0] == "train.py:4"
    assert rows(error)["grad"][2] == "input 1, b, float32[2, 2]"


def test_an_unused_input_that_was_computed_names_its_line(failing: Failing) -> None:
    error = failing(
        """
    a = torch.ones(3, requires_grad=True)
    b = a * 3
    torch.autograd.grad((a * 2).sum(), b)
    """
    )
    assert rows(error)["made"][:2] == ["train.py:3", "b = a * 3"]


def test_nan_found_by_anomaly_detection(failing: Failing) -> None:
    error = failing(
        """
    x = torch.zeros(2, requires_grad=True)
    y = x / x
    with torch.autograd.detect_anomaly():
        y.sum().backward()
    """
    )
    assert isinstance(error, AnomalyError)
    assert str(error).startswith("Function 'DivBackward0' returned nan values in its ")
    assert rows(error)["made"] == ["train.py:3", "y = x / x", "float32[2]"]


def test_an_error_in_a_hook_names_the_line_of_the_node(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    def hook(g):
        raise ValueError("no such thing")
    y.register_hook(hook)
    y.sum().backward()
    """
    )
    assert type(error) is ValueError
    assert str(error).startswith("no such thing\n")
    assert rows(error)["made"] == ["train.py:3", "y = x * 2", "float32[2]"]


def test_an_error_in_a_custom_function_names_the_line_of_the_node(failing: Failing) -> None:
    error = failing(
        """
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2
        @staticmethod
        def backward(ctx, g):
            return {}["scale"]
    x = torch.ones(2, requires_grad=True)
    y = Broken.apply(x)
    y.sum().backward()
    """
    )
    assert type(error) is KeyError
    assert error.args == ("scale",)
    (note,) = error.__notes__
    assert "train.py:11" in note
    assert "y = Broken.apply(x)" in note


def test_an_error_in_an_op_names_the_line_and_the_operands(failing: Failing) -> None:
    error = failing(
        """
    a = torch.ones(2, 3)
    b = torch.ones(2, 4)
    c = a * b
    """
    )
    assert isinstance(error, ShapeError)
    assert str(error).startswith("The size of tensor a (3) must match the size of tensor b (4)")
    assert "float32[2, 3]" in str(error)
    assert "float32[2, 4]" in str(error)
    assert "train.py:4" in str(error)
    assert "c = a * b" in str(error)


def test_messages_name_files_without_their_directories(failing: Failing) -> None:
    error = failing("torch.ones(2).sum().backward()\n")
    assert "train.py:2" in str(error)
    assert "/train.py" not in str(error)


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: F.cross_entropy(torch.randn(4, 3), torch.ones(4)), "give target.long()"),
        (lambda: F.nll_loss(torch.randn(4, 3), torch.ones(4)), "give target.long()"),
        (
            lambda: F.binary_cross_entropy(torch.full((4,), 5.0), torch.ones(4)),
            "use binary_cross_entropy_with_logits",
        ),
        (lambda: torch.nn.Linear(3, 1)(torch.ones(2, 3).double()), "torch.from_numpy(a).float()"),
    ],
)
def test_an_error_of_a_call_tells_what_to_do(call: Any, remedy: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call()
    told = [line for line in str(caught.value).splitlines() if not line.startswith("  at ")]
    assert sum(remedy in line for line in told) == 1


def test_an_assignment_in_another_function_is_not_told(failing: Failing) -> None:
    error = failing(
        """
    def other():
        loss = torch.ones(3).sum()
        return loss

    def train():
        w = torch.ones(3, requires_grad=True); loss = (w > 0).float().mean(); loss.backward()

    train()
    """
    )
    assert isinstance(error, NoGraphError)
    assert set(rows(error)) == {"backward"}
