"""Which tests wait for `.ci/run`, as `make test` is to take under three minutes on two cores."""

from __future__ import annotations

import os

import pytest

#: Marks a test that takes seconds, next to quicker ones that would nearly always fail with it.
takes_long = pytest.mark.skipif(
    not os.environ.get("PELLUCID_LONG_TESTS"),
    reason="takes long; run where PELLUCID_LONG_TESTS is set, as in .ci/run",
)
