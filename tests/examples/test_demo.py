"""The demonstration runs: in a short form, which does not learn as much."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("sklearn", reason="scikit-learn comes with the demo extra")
pytest.importorskip("tqdm", reason="tqdm comes with the demo extra")

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "digits.py"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("digits", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(program: ModuleType, wanted: str) -> int:
    return program.main(["--epochs", "2", "--samples", "300", "--wanted", wanted])


def test_the_short_form_learns_and_shows_the_graph(
    program: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(program, "0.5") == 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if len(line) > 80] == []
    held = [
        int(line.split()[1].replace(",", ""))
        for line in printed.rpartition("Bytes held")[2].splitlines()
        if line.startswith("  ")
    ]
    assert held[0] > held[1] > held[2] == 0
    assert "trunk.0" in printed


def test_too_little_accuracy_is_a_failure(
    program: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(program, "1.01") == 1
    assert "stayed below" in capsys.readouterr().err
