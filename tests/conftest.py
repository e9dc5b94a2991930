"""What every test can rely on."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import pellucid.ops.nn.all_operations  # noqa: F401 - tests walk all declarations


@pytest.fixture
def without_gc() -> Iterator[None]:
    """Run the test with the cyclic garbage collector off: what dies, dies by counting alone."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
