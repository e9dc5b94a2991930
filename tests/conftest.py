"""What every test can rely on."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def without_the_session(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Hide the other tests where owners of tensors are searched for."""
    own = request.module
    monkeypatch.setattr("pellucid.inspect.owners._is_of_program", lambda module: module is own)
    monkeypatch.setattr("pellucid.inspect.owners._of_libraries", lambda: iter(()))


@pytest.fixture
def without_gc() -> Iterator[None]:
    """Run the test with the cyclic garbage collector off: what dies, dies by counting alone."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
