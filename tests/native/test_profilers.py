"""cProfile and `sys.setprofile` name the operations that run compiled; cProfile not on 3.12."""

from __future__ import annotations

import cProfile
import pstats
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native, nn

pytestmark = [
    pytest.mark.skipif(_native.compiled is None, reason="the module is not built"),
    pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="who monitors cannot be asked"),
]


def counted(run: Callable[[], Any]) -> dict[str, int]:
    """Return how often each function of C was called, as cProfile counts it."""
    profile = cProfile.Profile()
    profile.runcall(run)
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    return {name: row[1] for (file, _, name), row in stats.items() if file == "~"}


def noted(run: Callable[[], Any], name: str) -> list[str]:
    """Return what a profiler hears of the public function with a name."""
    heard: list[str] = []

    def note(frame: Any, event: str, about: Any) -> None:
        if event.startswith("c_") and (about.__module__, about.__name__) == ("pellucid", name):
            heard.append(event)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return heard


def test_operations_are_counted_by_their_names() -> None:
    x, layer = torch.ones(2, 3), nn.Linear(3, 4)

    def run() -> None:
        for _ in range(5):
            layer(x.exp() @ x.T @ x).relu().sum()

    names = counted(run)
    counts = {name.rpartition(".")[2].rstrip("}>"): count for name, count in names.items()}
    wanted = {"exp": 5, "matmul": 10, "linear": 5, "relu": 5, "sum": 5}
    assert {name: counts.get(name) for name in wanted} == wanted


def test_the_time_of_an_operation_counts_for_it() -> None:
    x = torch.ones(400, 400)
    profile = cProfile.Profile()
    profile.runcall(lambda: [x @ x for _ in range(5)])
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    longest = max(stats, key=lambda place: stats[place][2])
    assert "matmul" in longest[2]


def test_each_call_ends_for_a_profiler_also_one_that_fails() -> None:
    x, y = torch.ones(3), torch.ones(4)
    torch.exp(x)
    assert noted(lambda: torch.exp(x), "exp") == ["c_call", "c_return"]

    def fail() -> None:
        with pytest.raises(RuntimeError, match="must match"):
            torch.add(x, y)

    assert noted(fail, "add") == ["c_call", "c_exception"]


def test_an_error_of_the_profiler_is_raised() -> None:
    x = torch.ones(3)
    torch.exp(x)

    def refuse(frame: Any, event: str, about: Any) -> None:
        if event == "c_call" and about.__name__ == "exp":
            raise KeyError("profiler")

    sys.setprofile(refuse)
    try:
        with pytest.raises(KeyError, match="profiler"):
            torch.exp(x)
    finally:
        sys.setprofile(None)


def test_results_are_the_same_while_a_profiler_listens() -> None:
    def step() -> list[float]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        (model(torch.ones(2, 3)) ** 2).sum().backward()
        return [each for p in model.parameters() for each in p.grad.flatten().tolist()]

    alone = step()
    assert cProfile.Profile().runcall(step) == alone


def test_a_profiler_is_let_go_of_when_it_has_ended() -> None:
    x = torch.ones(3)
    profile = cProfile.Profile()
    profile.runcall(lambda: x.exp())
    gone = weakref.ref(profile)
    del profile
    x.exp()  # the next call notices that nobody listens any more
    assert gone() is None
