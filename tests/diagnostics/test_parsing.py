"""Source is parsed in several threads at once, as errors that come up there ask for."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from pellucid.parsing import parse

SOURCE = "x = f(a, b) + [i for i in g(1, 2, 3)]\n" * 30


class Ending:
    """Garbage that runs Python code when it is collected, in which other threads get their turn."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def collecting_often() -> Iterator[None]:
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


def test_threads_parse_though_the_collector_runs_meanwhile(collecting_often: None) -> None:
    parsed: list[str] = []

    def run() -> None:
        for _ in range(40):
            Ending()
            parsed.append(ast.dump(parse(SOURCE)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert parsed == [ast.dump(ast.parse(SOURCE))] * 160
