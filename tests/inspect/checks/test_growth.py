"""Graphs that grow or stay are reported once, with the line and the remedy."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import checking

pytestmark = pytest.mark.usefixtures("without_the_session")


def kinds(findings: Any) -> list[str]:
    return [finding.kind for finding in findings]


def test_a_sum_of_losses_keeps_every_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    total: Any = 0
    with checking() as findings:
        for _ in range(12):
            loss = (w.exp() * w).sum()
            loss.backward()
            w.grad = None
            total = total + loss
    assert kinds(findings) == ["graphs are kept"]
    (finding,) = findings
    assert finding.text == "total = total + loss"
    assert finding.what.startswith("total keeps the graph of every step: 3 nodes more with each")
    assert ".item()" in finding.remedy


def test_losses_in_a_list_keep_every_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    losses = []
    with checking() as findings:
        for _ in range(12):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            losses.append(loss)
    assert kinds(findings) == ["graphs are kept"]
    assert "variable losses of" in findings[0].what
    assert findings[0].text == "loss = (w * w).sum()"


def test_a_hidden_state_carried_over_makes_the_graph_grow() -> None:
    w = torch.ones(3, requires_grad=True)
    h: Any = torch.zeros(3)
    with checking() as findings:
        for _ in range(12):
            h = torch.tanh(h * w + 1)
            h.sum().backward(retain_graph=True)
            w.grad = None
    assert "graph grows" in kinds(findings)
    finding = findings.of_kind("graph grows")[0]
    assert finding.text == "h = torch.tanh(h * w + 1)"
    assert "h = h.detach()" in finding.remedy
    assert "3 nodes and about" in finding.what


def test_each_line_is_reported_once() -> None:
    w = torch.ones(3, requires_grad=True)
    losses = []
    with checking() as findings:
        for _ in range(40):
            losses.append((w * w).sum())
            losses[-1].backward()
            w.grad = None
    assert kinds(findings) == ["graphs are kept"]


def test_several_losses_of_one_step_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    with checking() as findings:
        for _ in range(8):
            losses = [(w * factor).sum() for factor in range(1, 9)]
            for loss in losses:
                loss.backward()
            w.grad = None
    assert kinds(findings) == []


def test_longer_and_longer_sequences_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    with checking() as findings:
        for length in range(1, 15):
            h: Any = torch.zeros(3)
            for _ in range(length):
                h = torch.tanh(h * w + 1)
            h.sum().backward()
            w.grad = None
    assert kinds(findings) == []


def test_losses_kept_as_numbers_are_no_growth() -> None:
    w = torch.ones(3, requires_grad=True)
    total = 0.0
    with checking() as findings:
        for _ in range(12):
            loss = (w * w).sum()
            loss.backward()
            w.grad = None
            total += loss.item()
    assert kinds(findings) == []
