"""Running programs that fail, from a file of their own, so that lines and text are known."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.diagnostics.explanations import Failing

HEADER = "import pellucid as torch\n"


@pytest.fixture
def failing(tmp_path: Path) -> Failing:
    """Run a program as ``train.py``, whose first own line is line 2; return the error it raises."""

    def run(program: str) -> Exception:
        file = tmp_path / "train.py"
        file.write_text(HEADER + textwrap.dedent(program).lstrip("\n"), encoding="utf-8")
        try:
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {})
        except Exception as error:  # noqa: BLE001 - whatever the program raises is what is wanted
            return error
        raise AssertionError("the program has not failed")

    return run
