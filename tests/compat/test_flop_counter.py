"""Floating-point operations are counted, of tensors without values too, and shown by module."""

from __future__ import annotations

import pytest
from pellucid.utils.flop_counter import FlopCounterMode

import pellucid as torch
from pellucid import nn


def test_a_model_on_meta_is_counted_without_computing() -> None:
    with torch.device("meta"):
        model, x = nn.Linear(100_000, 100_000), torch.empty(100_000, 100_000)
    with FlopCounterMode(display=False) as counter:
        model(x).sum().backward()
    assert counter.get_flop_counts()["Linear"] == {"aten.addmm": 2 * 10**15, "aten.mm": 2 * 10**15}


def test_the_table_is_printed_down_to_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 2)))
    with FlopCounterMode(depth=2) as counter:
        model(torch.ones(3, 4))
    printed = capsys.readouterr().out
    assert "Sequential.0" in printed
    assert "Sequential.1.0" not in printed
    assert counter.get_total_flops() == 2 * 3 * (4 * 8 + 8 * 2)
    assert "Sequential.1.0" in counter.get_table(depth=3)


def test_nothing_is_counted_after_the_block() -> None:
    with FlopCounterMode(display=False) as counter:
        pass
    torch.ones(2, 2) @ torch.ones(2, 2)
    assert counter.get_total_flops() == 0
