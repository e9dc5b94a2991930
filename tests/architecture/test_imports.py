"""Who may import whom, and what `import pellucid` may load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "src"


def run_python(code: str) -> str:
    """Return what a fresh interpreter prints that sees this checkout's package."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_every_import_contract_is_kept() -> None:
    pytest.importorskip("importlinter", reason="import-linter comes with the dev extra")
    finished = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from importlinter.cli import lint_imports\n"
            "sys.exit(lint_imports(no_cache=True))",
        ],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_no_module_imports_the_face_of_the_package() -> None:
    # `import pellucid` inside the package reaches every layer at once, past the contracts.
    grimp = pytest.importorskip("grimp", reason="grimp comes with import-linter")
    graph = grimp.build_graph("pellucid", cache_dir=None)
    # These stand above all layers, and are written as programs are.
    programs = ("pellucid.__main__", "pellucid.array_api")
    importing = graph.find_modules_that_directly_import("pellucid")
    assert [each for each in sorted(importing) if not each.startswith(programs)] == []


@pytest.fixture(scope="module")
def imported() -> dict[str, Any]:
    """Return what a fresh interpreter finds after ``import pellucid``."""
    found: dict[str, Any] = json.loads(
        run_python(
            "import json, numpy, sys, threading\n"
            "settings = numpy.geterr()\n"
            "import pellucid\n"
            "modules = sorted({name.partition('.')[0] for name in sys.modules})\n"
            "print(json.dumps({'modules': modules, 'threads': threading.active_count(), "
            "'same settings': numpy.geterr() == settings}))"
        )
    )
    return found


@pytest.mark.parametrize("heavy", ["scipy", "torch", "sklearn", "tqdm"])
def test_importing_pellucid_does_not_load(heavy: str, imported: dict[str, Any]) -> None:
    assert "pellucid" in imported["modules"]
    assert heavy not in imported["modules"]


def test_importing_pellucid_starts_no_thread(imported: dict[str, Any]) -> None:
    assert imported["threads"] == 1


def test_importing_pellucid_leaves_the_floating_point_settings_of_numpy_alone(
    imported: dict[str, Any],
) -> None:
    assert imported["same settings"] is True
