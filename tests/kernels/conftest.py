"""What tests of kernels share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pellucid


@pytest.fixture
def threads() -> Iterator[None]:
    """Restore the number of threads after the test."""
    before = pellucid.get_num_threads()
    yield
    pellucid.set_num_threads(before)
