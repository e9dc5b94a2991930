"""Type checkers know the types of usual programs, and find mistakes."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.samples.duration import takes_long

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "src"
PROGRAMS = {path.name: path for path in (Path(__file__).parent / "programs").glob("*.py")}
RUNNING = sorted(PROGRAMS.keys() - {"mistaken_program.py", "usual_program.py"})

Messages = dict[str, dict[int, str]]


def pyright(folder: Path, kept: Path) -> Messages:
    """Return what pyright says in strict mode: by file, messages by line; it keeps nothing."""
    settings = {
        "typeCheckingMode": "strict", "extraPaths": [str(SOURCE)], "pythonVersion": "3.11",
        "reportMissingTypeStubs": "none",
    }  # fmt: skip
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: Messages = defaultdict(dict)
    said: list[dict[str, Any]] = json.loads(ran.stdout)["generalDiagnostics"]
    for each in said:
        line = each["range"]["start"]["line"] + 1
        found[Path(each["file"]).name].setdefault(line, each["message"])
    return found


def mypy(folder: Path, kept: Path) -> Messages:
    """Return what mypy says in strict mode, of the library only what its stubs are wrong about.

    What it knows of files that do not change is kept in a directory.
    """
    settings = f"""
        [mypy]
        strict = true
        python_version = 3.11
        mypy_path = {SOURCE}
        [mypy-pellucid.*]
        follow_imports = silent
    """
    (folder / "mypy.ini").write_text(re.sub("^ +", "", settings, flags=re.M), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(kept), *PROGRAMS],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Found" in ran.stdout, ran.stdout + ran.stderr
    found: Messages = defaultdict(dict)
    for name, line, message in re.findall(r"^(.+):(\d+): error: (.+)$", ran.stdout, re.M):
        found[name].setdefault(int(line), message)
    return found


@takes_long
@pytest.mark.parametrize("checker", [pyright, mypy], ids=lambda checker: checker.__name__)
def test_usual_programs_have_no_errors_and_every_mistake_is_found(
    checker: Callable[[Path, Path], Messages], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # One test, because a checker takes its time to read the library.
    pytest.importorskip(checker.__name__, reason="type checkers come with the dev extra")
    for name, path in PROGRAMS.items():
        (tmp_path / name).write_text(path.read_text("utf-8"), "utf-8")
    cache = getattr(request.config, "cache", None)
    errors = checker(tmp_path, cache.mkdir("type_checkers") if cache else tmp_path / "kept")
    found = errors.pop("mistaken_program.py")
    assert errors == {}
    lines = PROGRAMS["mistaken_program.py"].read_text("utf-8").splitlines()
    start = lines.index("x = torch.ones(2, 2)") + 2
    wrong = [number for number, line in enumerate(lines, 1) if number >= start and line]
    assert [lines[number - 1] for number in wrong if number not in found] == []


@pytest.mark.parametrize("name", RUNNING)
def test_the_programs_run(name: str) -> None:
    runpy.run_path(str(PROGRAMS[name]), run_name="__main__")
