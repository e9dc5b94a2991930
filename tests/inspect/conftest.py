"""What tests of several tools share."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return a terminal in the place of stderr, where progress is told at once."""
    screen = _Terminal()
    # pytest puts its own stderr back before the test is called
    monkeypatch.setattr("pellucid.inspect.progress.sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr("pellucid.inspect.progress._PATIENCE", 0.0)
    monkeypatch.setattr("pellucid.inspect.progress._BETWEEN", 0.0)
    return screen
