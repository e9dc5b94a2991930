"""Later steps are looked at in part only, and what comes up there is told nonetheless."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Finding, checking
from pellucid.inspect.checks.calls import Calls
from pellucid.inspect.checks.origins import Origins
from pellucid.inspect.checks.run import Run
from pellucid.inspect.checks.training import Training
from pellucid.nn import functional as F

LATE = 101  # neither of the first 24 steps, nor one of two in 32


def trained(steps: int, before: Callable[[int, Any], Any], net: Any = None) -> list[Finding]:
    """Train for some steps, with a call before each one, which may return another loss."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) if net is None else net
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    with checking() as findings:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
        for step in range(1, steps + 1):
            special: Any = before(step, net)
            if special != "accumulate":
                optimizer.zero_grad(set_to_none=special != "zeros")
            loss: Any = F.mse_loss(net(x), y)
            if callable(special):
                loss = loss + special(net(x))
            loss.backward()
            optimizer.step()
    return list(findings)


def test_few_steps_are_looked_at_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    entries = Run.entries

    def counted(self: Run, optimizer: Any) -> Any:
        looked.append(self.steps + 1)
        return entries(self, optimizer)

    monkeypatch.setattr(Run, "entries", counted)
    assert trained(200, lambda step, net: None) == []
    assert looked[-1] == 201  # at the end of the program
    assert looked[:-1] == [*range(1, 25), 32, 33, 64, 65, 96, 97, 128, 129, 160, 161, 192, 193]


def of_kind(findings: list[Finding], kind: str) -> Finding:
    (finding,) = [each for each in findings if each.kind == kind]
    return finding


def test_nan_is_found_in_the_step_itself() -> None:
    found = trained(
        LATE + 3, lambda step, net: (lambda out: (out * 0).sqrt().sum()) if step == LATE else None
    )
    finding = of_kind(found, "a gradient that is not finite")
    assert finding.step == LATE
    assert "The derivative of sqrt is not finite" in finding.why


def test_nan_that_few_values_do_not_show_is_told_with_its_line_a_step_later() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    net.add_module("aside", nn.PReLU(3, init=0.0))
    net.forward = lambda input: net[:3](input)

    def before(step: int, net: Any) -> Any:
        if step == LATE:
            return lambda out: net.aside.weight.sqrt().sum()
        return lambda out: net.aside.weight.square().sum()

    finding = of_kind(trained(LATE + 3, before, net), "a gradient that is not finite")
    assert finding.step == LATE
    assert finding.what.startswith("the step before has made Sequential.aside.weight inf")
    assert "The derivative of sqrt is not finite" in finding.why


def test_a_unit_that_dies_late_is_told() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def before(step: int, net: Any) -> None:
        if step == LATE:
            with torch.no_grad():
                net[0].bias.fill_(-1e3)

    finding = of_kind(trained(LATE + 50, before, net), "dead units")
    assert "has been zero for 10 steps" in finding.what
    assert LATE + 10 <= finding.step <= LATE + 45


def test_gradients_that_are_no_longer_cleared_are_told() -> None:
    found = trained(LATE + 50, lambda step, net: "accumulate" if step > LATE else None)
    assert of_kind(found, "gradients never set to zero").step <= LATE + 45


def test_a_layer_that_is_frozen_late_and_moves_is_told() -> None:
    def before(step: int, net: Any) -> str:
        if step == LATE:
            net[0].requires_grad_(False)
        return "zeros"

    finding = of_kind(trained(LATE + 50, before), "a frozen parameter that moves")
    assert finding.step <= LATE + 45


def test_hooks_that_pile_up_late_are_told() -> None:
    def before(step: int, net: Any) -> None:
        if step > LATE:
            net[0].weight.register_hook(lambda grad: grad)

    finding = of_kind(trained(LATE + 60, before), "hooks pile up")
    assert finding.what.startswith(f"Sequential.0.weight has {finding.step - LATE} hooks")
    assert LATE + 11 < finding.step <= LATE + 45


def test_graphs_that_are_kept_late_are_told() -> None:
    w, kept = torch.ones(3, requires_grad=True), []
    with checking() as findings:
        for step in range(LATE + 80):
            loss = (w.exp() * w).sum()
            loss.backward()
            w.grad = None
            if step > LATE:
                kept.append(loss)
    assert of_kind(list(findings), "graphs are kept").text == "loss = (w.exp() * w).sum()"


def test_calls_that_a_line_repeats_in_a_step_are_looked_at_64_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(Origins, "note", lambda self, call: heard.append(call.name))
    weight = nn.Parameter(torch.ones(3))
    findings: list[Finding] = []
    source = Calls()
    training = Training(findings.append, source)
    with source.watching(training.hear):
        optimizer = torch.optim.SGD([weight], lr=0.01)
        for repeated in (100, 64):
            total = weight
            for _ in range(repeated):
                total = total * 1.01
            total.sum().backward()
            optimizer.step()
    training.finish()
    assert heard.count("mul") == 2 * 64  # each step begins anew
    assert heard.count("sum") == 2  # what comes behind is looked at
    lines = Path(__file__).read_text().splitlines()
    line = 1 + next(n for n, each in enumerate(lines) if each.endswith("total = total * 1.01"))
    assert training.facts == [
        "where a line makes the same call more than 64 times in a step, the first 64 were looked "
        f"at (test_sampling.py:{line})"
    ]
    assert not findings
