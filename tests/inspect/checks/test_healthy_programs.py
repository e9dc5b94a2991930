"""No false alarm: programs without a fault run through without a finding."""

from __future__ import annotations

import re
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest

import pellucid
from benchmarks import bench_training
from pellucid.inspect import checking
from tests.inspect.checks import healthy_tables  # noqa: F401 - adds programs
from tests.inspect.checks.healthy import PROGRAMS
from tests.samples.duration import takes_long


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_healthy_program_has_no_findings(name: str) -> None:
    with checking() as findings:
        PROGRAMS[name]()
    assert len(findings) == 0, str(findings)


def test_there_are_two_hundred_programs() -> None:
    assert len(PROGRAMS) >= 200


LESSONS = Path(__file__).resolve().parents[3] / "docs" / "learn"
#: one of the others is a list, and one is about faults
PAGES = sorted({each.stem for each in LESSONS.glob("*.md")} - {"index", "why-does-it-not-learn"})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES)
def test_the_programs_of_a_lesson_have_no_findings(page: str) -> None:
    text = (LESSONS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {"__name__": "__main__"}
    with checking() as findings, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        for number, code in enumerate(blocks):
            with suppress(RuntimeError, TypeError):  # of which the lesson tells
                exec(compile(code, f"<{page} {number}>", "exec"), names)
    pellucid.set_default_dtype(pellucid.float32)
    assert len(findings) == 0, str(findings)


TRAINING = [each for each in bench_training.cases() if isinstance(each, bench_training.Duel)]


@takes_long
@pytest.mark.parametrize("benchmark", TRAINING, ids=[each.prepare.__name__ for each in TRAINING])
def test_a_training_benchmark_has_no_findings(benchmark: bench_training.Duel) -> None:
    with checking() as findings:
        step = benchmark.prepare(pellucid)
        for _ in range(4):
            step()
    assert len(findings) == 0, str(findings)
