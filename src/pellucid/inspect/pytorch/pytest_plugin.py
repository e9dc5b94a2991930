"""A fixture of pytest's: a test that trains with PyTorch fails if something trains badly.

``pytest -p pellucid.inspect.pytorch.pytest_plugin`` makes it known, or the same name in
``pytest_plugins`` of a conftest file.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pellucid.inspect.checks.finding import Findings
from pellucid.inspect.pytorch import checking


@pytest.fixture
def torch_findings() -> Iterator[Findings]:
    """Look for what trains badly in the test, which fails at its end if something was found.

    The test may take findings out of ``torch_findings.found`` that it expects.
    """
    with checking() as findings:
        yield findings
    if len(findings):
        pytest.fail(str(findings), pytrace=False)
