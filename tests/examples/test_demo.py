"""The demonstration runs: in a short form, which does not learn as much."""

from __future__ import annotations

import importlib.util
import re
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


def run(program: ModuleType, wanted: str, page: Path) -> int:
    given = ["--epochs", "2", "--samples", "300", "--wanted", wanted, "--page", str(page)]
    return program.main(given)


def test_the_short_form_learns_and_shows_what_each_pass_frees(
    program: ModuleType,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(program, "0.5", tmp_path / "demo.html") == 0
    printed = capsys.readouterr().out
    page_line = next(line for line in printed.splitlines() if "demo.html" in line)
    assert [line for line in printed.splitlines() if len(line) > 80 and line != page_line] == []
    assert len(printed.splitlines()) < 80
    _, first, second = re.split(r"l1\.backward|l2\.backward\(\) frees", printed)
    assert set(re.findall(r"freed  (\S+)", first)) == {
        "CrossEntropyLoss", "which.0", "which.1", "which.2",
    }  # fmt: skip
    assert {"has_loop.0", "trunk.0"} <= set(re.findall(r"freed  (\S+)", second))
    held = [int(each.replace(",", "")) for each in re.findall(r"([\d,]+) bytes are held", printed)]
    assert held[0] > held[1] == 0


def test_it_writes_a_page_to_play_through(
    program: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(program, "0", tmp_path / "demo.html")
    page = (tmp_path / "demo.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "has_loop.0" in page
    assert str(tmp_path / "demo.html") in capsys.readouterr().out


def test_too_little_accuracy_is_a_failure(
    program: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(program, "1.01", tmp_path / "demo.html") == 1
    assert "stayed below" in capsys.readouterr().err
