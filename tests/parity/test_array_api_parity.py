"""Fewer calls of the array API standard fail here than of PyTorch through array-api-compat."""

from __future__ import annotations

import pytest

from pellucid import array_api as xp

pytest.importorskip("torch")
checks = pytest.importorskip("tests.array_api.checks")
theirs = pytest.importorskip("array_api_compat.torch")


@pytest.mark.parametrize("chapter", checks.CHAPTERS)
def test_no_more_calls_of_a_chapter_fail_here_than_in_pytorch(chapter: str) -> None:
    assert len(checks.failures(xp, chapter)) <= len(checks.failures(theirs, chapter))


def test_fewer_signatures_differ_from_the_standard_than_in_pytorch() -> None:
    wrong = checks.failures_of_signatures(theirs)
    assert len(checks.failures_of_signatures(xp)) < len(wrong)
