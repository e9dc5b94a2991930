"""A type checker knows the types of usual expressions, and finds mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SOURCE = REPOSITORY / "src"


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """Return what pyright says of both programs in strict mode: by file, messages by line."""
    pytest.importorskip("pyright", reason="pyright comes with the dev extra")
    folder = tmp_path_factory.mktemp("typing")
    for name in ("usual_program.py", "mistaken_program.py"):
        (folder / name).write_text((HERE / name).read_text("utf-8"), "utf-8")
    settings = {
        "typeCheckingMode": "strict", "extraPaths": [str(SOURCE)], "pythonVersion": "3.11",
        "reportMissingTypeStubs": "none",
    }  # fmt: skip
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: dict[str, dict[int, str]] = {"usual_program.py": {}, "mistaken_program.py": {}}
    said: list[dict[str, Any]] = json.loads(ran.stdout)["generalDiagnostics"]
    for each in said:
        line = each["range"]["start"]["line"] + 1
        found[Path(each["file"]).name].setdefault(line, each["message"])
    return found


def test_the_types_of_usual_expressions_are_known(errors: dict[str, dict[int, str]]) -> None:
    assert errors["usual_program.py"] == {}


def test_every_mistake_is_found(errors: dict[str, dict[int, str]]) -> None:
    lines = (HERE / "mistaken_program.py").read_text("utf-8").splitlines()
    start = lines.index("x = torch.ones(2, 2)") + 2
    wrong = [number for number, line in enumerate(lines, 1) if number >= start and line]
    missed = [lines[number - 1] for number in wrong if number not in errors["mistaken_program.py"]]
    assert missed == []


def test_the_stubs_are_what_their_generator_writes() -> None:
    ran = subprocess.run(
        [sys.executable, "docs/generate_stubs.py", "--check"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
