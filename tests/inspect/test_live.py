"""All that is alive, by the line that made it; and what an error tells of it."""

from __future__ import annotations

import gc
import importlib
import tracemalloc
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import LiveMemory, live

MANY = 250_000


def share(found: LiveMemory, text: str) -> Any:
    """Return the only share whose line or owner has a text."""
    (each,) = [each for each in found if text in f"{each.where} {each.text}"]
    return each


def test_results_and_what_graphs_keep_belong_to_their_line() -> None:
    x = torch.ones(MANY, requires_grad=True)
    kept = (x + x).exp()
    y = x.sin().cos().sum()
    found = live()
    assert share(found, "kept = (x + x).exp()")[2:] == (1, 4 * MANY)
    # sin keeps x, which is a parameter, and cos the result of sin
    assert share(found, "y = x.sin().cos().sum()").bytes == 4 * MANY + 4
    del kept, y
    assert not [each for each in live() if each.text == "kept = (x + x).exp()"]


def test_parameters_gradients_and_state_have_rows_of_their_own() -> None:
    def of(where: str) -> int:
        return sum(each.bytes for each in live() if each.where == where)

    gc.collect()
    names = ("(parameters)", "(gradients)", "(state of Adam)")
    before = [of(each) for each in names]
    net = nn.Linear(500, 500, bias=False)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 500)).sum().backward()
    optimizer.step()
    after = [of(each) for each in names]
    assert [b - a for a, b in zip(before, after, strict=True)] == [
        1_000_000, 1_000_000, 2_000_000 + 4,  # two averages, and the number of the step
    ]  # fmt: skip


def test_tensors_without_history_go_by_their_variable() -> None:
    history = [torch.ones(MANY) for _ in range(3)]
    row = share(live(), "variable history of test_tensors_without_history")
    assert (row.blocks, row.bytes) == (3, 12 * MANY)
    del history


def test_memory_counts_once_and_together_it_is_what_was_allocated() -> None:
    gc.collect()
    before = live().bytes
    tracemalloc.start()
    try:
        x = torch.ones(MANY, requires_grad=True)
        h = x * 3
        views = [h[:10], h.view(-1, 10), h.detach()]
        loss = h.sin().exp().sum()
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert live().bytes - before == pytest.approx(grown, rel=0.01)
    assert len(views) == 3
    assert loss.requires_grad


def test_an_error_for_want_of_memory_tells_what_is_alive() -> None:
    kept = [(torch.ones(MANY, requires_grad=True) * 2).exp() for _ in range(4)]
    with pytest.raises(RuntimeError, match="can't allocate memory") as caught:
        torch.ones(10**6, 1).expand(10**6, 10**9).exp()
    text = str(caught.value)
    assert "\n  alive: " in text
    assert "kept = [(torch.ones(MANY, requires_grad=True) * 2).exp() for _ in range(4)]" in text
    with pytest.raises(RuntimeError, match="alive: "):
        torch.zeros(10**14)
    del kept


def test_an_error_for_want_of_memory_does_not_fail_for_want_of_an_explanation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails() -> None:
        raise MemoryError

    module = importlib.import_module("pellucid.inspect.live")
    monkeypatch.setattr(module, "live", fails)
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        torch.zeros(10**14)
