"""Errors about missing history name the line that cut it off, also some lines earlier."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd.cuts import recent_cuts
from pellucid.errors import FreedGraphError, NoGraphError, UnusedInputError
from tests.diagnostics.explanations import Failing, remedy, rows


def test_a_gradient_that_is_differentiated_names_the_line_that_took_it(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x)
    penalty = (g**2).sum()
    penalty.backward()
    """
    )
    assert isinstance(error, NoGraphError)
    assert rows(error)["cut"][0] == "train.py:3"
    assert "create_graph=True" in remedy(error)
    assert remedy(error).startswith("penalty was computed from g.")


def test_a_gradient_read_from_a_leaf_names_the_line(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    (x**3).sum().backward()
    penalty = (x.grad**2).sum()
    penalty.backward()
    """
    )
    assert rows(error)["made"] == ["train.py:4", "penalty = (x.grad ** 2).sum()"]
    assert "create_graph=True" in remedy(error)


def test_a_gradient_that_was_recorded_is_no_suspect(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    h = g.detach()
    penalty = (h**2).sum()
    penalty.backward()
    """
    )
    assert rows(error)["cut"] == ["train.py:4", "h = g.detach()"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("h = (x * 2).detach()", "detach() on that line"),
        ("h = (x * 2).data", ".data on that line"),
        ("h = torch.from_numpy((x * 2).detach().numpy())", "from_numpy()"),
        ("h = (x * 2).argmax()", "indices"),
        ("h = (x * 2).long()", "integers"),
        ("h = torch.tensor([(x * 2).sum().item()])", "copies values"),
    ],
)
def test_a_cut_some_lines_earlier_is_named(failing: Failing, line: str, reason: str) -> None:
    error = failing(
        f"""
    x = torch.ones(2, requires_grad=True)
    {line}
    scaled = h * 2.0
    loss = scaled.sum()
    loss.backward()
    """
    )
    assert rows(error)["cut"][0] == "train.py:3"
    assert reason in remedy(error)


def test_both_losses_of_two_passes_are_named(failing: Failing) -> None:
    error = failing(
        """
    a = torch.ones(2, requires_grad=True)
    b = a.exp()
    d = b.mean()
    e = b.sum()
    d.backward()
    e.backward()
    """
    )
    assert isinstance(error, FreedGraphError)
    assert rows(error)["d"] == ["train.py:4", "d = b.mean()", "a loss"]
    assert rows(error)["e"] == ["train.py:5", "e = b.sum()", "a loss"]
    assert "(d + e).backward()" in remedy(error)


def test_an_input_that_was_cut_off_names_the_line(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    h = x * 2
    shown = h.detach()
    torch.autograd.grad((shown * w).sum(), x)
    """
    )
    assert isinstance(error, UnusedInputError)
    assert rows(error)["cut"] == ["train.py:5", "shown = h.detach()", "by detach()"]


def test_an_input_cut_off_by_what_is_gone_names_the_line_by_its_text(failing: Failing) -> None:
    error = failing(
        """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        h = x * 2
    loss = (h * w).sum()
    torch.autograd.grad(loss, x)
    """
    )
    assert rows(error)["cut"] == ["train.py:5", "h = x * 2", "by torch.no_grad()"]
    assert "torch.no_grad()" in remedy(error)


# ---- the notes ----


def test_a_note_of_a_cut_keeps_nothing_alive(without_gc: None) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    node = weakref.ref(y.grad_fn)
    y.detach()
    assert recent_cuts()[0].node is y.grad_fn
    del y
    assert node() is None
    assert recent_cuts()[0].node is None


def test_only_tensors_with_history_leave_a_note() -> None:
    before = len(recent_cuts())
    x: Any = torch.ones(2)
    torch.ones(2, requires_grad=True).detach()
    for _ in range(3):
        x = x.detach().data
    assert len(recent_cuts()) == before


def test_a_loop_of_cuts_on_one_line_leaves_few_notes() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    kept = []
    for _ in range(1000):
        kept.append(y.detach())  # noqa: PERF401 - the line that is looked for
    here = [cut for cut in recent_cuts() if "test_lost_histories" in str(cut.site)]
    assert len([cut for cut in here if "kept.append" in cut.site.text]) == 1
