"""The event bus: who listens hears of nodes, and the result is the same."""

from __future__ import annotations

from typing import Any

import pellucid as torch
from pellucid.observe import listening, slow_path


def test_a_listener_hears_of_every_node_made_and_run() -> None:
    heard: list[tuple[str, str]] = []

    def listener(event: str, node: Any) -> None:
        heard.append((event, node.name()))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with listening(listener):
        (x * x).exp().sum().backward()
    assert heard == [
        ("node", "MulBackward0"), ("node", "ExpBackward0"), ("node", "SumBackward0"),
        ("ran", "SumBackward0"), ("ran", "ExpBackward0"), ("ran", "MulBackward0"),
    ]  # fmt: skip


def test_nobody_is_told_after_the_block_and_the_short_way_is_open_again() -> None:
    heard: list[str] = []
    before = slow_path.active
    with listening(lambda event, node: heard.append(event)):
        assert slow_path.active == before + 1
    assert slow_path.active == before
    torch.ones(2, requires_grad=True) * 2
    assert heard == []


def test_being_watched_changes_no_gradient() -> None:
    def gradient() -> list[float]:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).exp().sum().backward()
        assert x.grad is not None
        return x.grad.tolist()

    with listening(lambda event, node: None):
        watched = gradient()
    assert watched == gradient()
