"""No false alarm: programs without a fault run through without a finding."""

from __future__ import annotations

import pytest

from pellucid.inspect import checking
from tests.inspect.checks import healthy_tables  # noqa: F401 - adds programs
from tests.inspect.checks.healthy import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_healthy_program_has_no_findings(name: str) -> None:
    with checking() as findings:
        PROGRAMS[name]()
    assert len(findings) == 0, str(findings)


def test_there_are_two_hundred_programs() -> None:
    assert len(PROGRAMS) >= 200
