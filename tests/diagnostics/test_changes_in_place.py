"""What the errors of in-place changes tell: what was saved, which line changed it, what to do."""

from __future__ import annotations

import pytest

from pellucid.errors import LeafInplaceError, SavedModifiedError
from tests.diagnostics.explanations import Failing, remedy, rows


def test_a_saved_operand_that_was_changed(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(2, 3, requires_grad=True)
    y = x * 2
    z = y * w
    y.add_(1)
    z.sum().backward()
    """
    )
    assert isinstance(error, SavedModifiedError)
    assert str(error).startswith(
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [torch.FloatTensor [2, 3]], which is output 0 of Mul, is at version "
        "1; expected version 0 instead. Hint: enable anomaly detection to find the operation that "
        "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
    )
    assert rows(error) == {
        "saved": ["train.py:5", "z = y * w", "input, version 0, by MulBackward0"],
        "changed": ["train.py:6", "y.add_(1)", "by add_, version 1"],
    }
    assert "y.clone()" in remedy(error)


@pytest.mark.parametrize(
    ("line", "name"),
    [("y.zero_()", "zero_"), ("y.fill_(3.0)", "fill_"), ("y[:1].normal_()", "normal_"),
     ("y.clamp_min_(0.0)", "clamp_min_"), ("torch.nn.init.ones_(y)", "ones_"),
     ("y[:1] = 5.0", "__setitem__"), ("y += 1", "add_")],
)  # fmt: skip
def test_a_change_goes_by_the_name_that_the_program_calls(
    failing: Failing, line: str, name: str
) -> None:
    error = failing(
        f"""
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 2
    z = y * y
    {line}
    z.sum().backward()
    """
    )
    assert rows(error)["changed"][1:] == [line, f"by {name}, version 1"]


def test_a_saved_result_that_was_changed(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    y.sum().backward()
    """
    )
    assert "[torch.FloatTensor [2]], which is output 0 of Exp," in str(error)
    assert rows(error)["saved"][:2] == ["train.py:3", "y = x.exp()"]
    assert rows(error)["changed"][:2] == ["train.py:4", "y += 1"]


def test_anomaly_detection_is_not_advised_where_it_is_on(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    with torch.autograd.detect_anomaly():
        y.sum().backward()
    """
    )
    assert "expected version 0 instead.\n" in str(error)
    assert rows(error)["changed"][0] == "train.py:4"


def test_a_saved_leaf_that_was_changed_without_grad(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    y = x * w
    with torch.no_grad():
        w.mul_(2)
    y.sum().backward()
    """
    )
    assert "[torch.FloatTensor [2]] is at version 1; expected version 0 instead." in str(error)
    assert rows(error)["changed"][:2] == ["train.py:6", "w.mul_(2)"]


def test_a_change_through_a_view_names_the_line_that_wrote(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, 2, requires_grad=True)
    buffer = torch.ones(2, 2)
    y = x * buffer
    row = buffer[0]
    row.zero_()
    y.sum().backward()
    """
    )
    assert rows(error)["changed"][:2] == ["train.py:6", "row.zero_()"]


def test_several_changes_are_all_told_as_far_as_remembered(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2)
    y = x * w
    for _ in range(9):
        w.add_(1)
    y.sum().backward()
    """
    )
    assert str(error).count("by add_, version ") == 4
    assert "5 more change(s) in between are not remembered." in str(error)


def test_an_optimizer_step_before_the_second_backward(failing: Failing) -> None:
    error = failing(
        """
    w = torch.ones(3, requires_grad=True)
    v = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([v, w], lr=0.1)
    first = (v * 2).sum()
    second = (w * w * v).sum()
    (first + second).backward(retain_graph=True)
    optimizer.step()
    second.backward()
    """
    )
    assert rows(error)["changed"][:2] == ["train.py:8", "optimizer.step()"]
    assert "by SGD.step of parameter" in rows(error)["changed"][2]
    assert "float32[3]" in rows(error)["changed"][2]
    assert "Move step() after the last backward()" in remedy(error)


@pytest.mark.parametrize("change", ["x.add_(1)", "x += 1"])
def test_a_leaf_changed_in_place(failing: Failing, change: str) -> None:
    error = failing(f"x = torch.ones(2, requires_grad=True)\n{change}\n")
    assert isinstance(error, LeafInplaceError)
    assert str(error).startswith(
        "a leaf Variable that requires grad is being used in an in-place operation."
    )
    assert rows(error)["changed"][:2] == ["train.py:3", change]
    assert "torch.no_grad()" in remedy(error)


def test_a_view_of_a_leaf_changed_in_place(failing: Failing) -> None:
    error = failing("x = torch.ones(2, 2, requires_grad=True)\nx[0].mul_(2)\n")
    assert str(error).startswith(
        "a view of a leaf Variable that requires grad is being used in an in-place operation."
    )
    assert rows(error)["changed"][:2] == ["train.py:3", "x[0].mul_(2)"]
    assert "torch.no_grad()" in remedy(error)


@pytest.mark.parametrize(
    ("lines", "what_to_do"),
    [
        ("z = torch.sigmoid(y)\n    nn.functional.relu(z, inplace=True)", "Leave inplace=True out"),
        ("z = nn.Sequential(nn.Sigmoid(), nn.ReLU(inplace=True))(y)", "Leave inplace=True out"),
        ("z = torch.sigmoid(y)\n    z[0] = 5.0", "Collect the parts in a list and torch.stack"),
        ("z = torch.sigmoid(y)\n    z.relu_()", "makes a new tensor"),
    ],
)
def test_the_remedy_is_for_the_change_that_was_made(
    failing: Failing, lines: str, what_to_do: str
) -> None:
    error = failing(
        f"""
    from pellucid import nn
    y = torch.ones(2, 3, requires_grad=True)
    {lines}
    z.sum().backward()
    """
    )
    assert isinstance(error, SavedModifiedError)
    assert what_to_do in remedy(error)
