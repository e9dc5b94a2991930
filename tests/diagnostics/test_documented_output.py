"""The pages on errors and on graphs show what their programs really print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from tests.diagnostics.stories import Failing

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAIR = re.compile(
    r"^```python\n(?P<program>.*?)^```\n+^```(?P<kind>text|error)\n(?P<output>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
PAIRS = [
    pytest.param(pair["program"], pair["kind"], pair["output"], id=f"{page}-{number}")
    for page in ("errors.md", "graph.md")
    for number, pair in enumerate(PAIR.finditer((DOCS / page).read_text(encoding="utf-8")), 1)
]


def comparable(text: str) -> list[str]:
    """Return the words: a page may break lines, and passes count on from those before."""
    return re.sub(r"#\d+, train|pass #\d+", "#n", text).split()


@pytest.mark.parametrize(("program", "kind", "output"), PAIRS)
def test_the_page_shows_what_the_program_prints(
    failing: Failing, tmp_path: Path, program: str, kind: str, output: str
) -> None:
    file = tmp_path / "train.py"
    if kind == "error":
        error = failing(program.removeprefix("import pellucid as torch\n"))
        assert comparable(output) == comparable(f"{type(error).__name__}: {error}")
        return
    file.write_text(program, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, str(file), "exec"), {})
    assert comparable(output) == comparable(printed.getvalue())


def test_both_pages_have_programs() -> None:
    assert len(PAIRS) > 12
