"""``python -m pellucid watch`` runs a program unchanged, and shows what happens in it."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid
from pellucid.__main__ import main
from tests.alias.launching import run_pellucid

PROGRAM = """
import sys
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(int(sys.argv[1])):
    {clear}
    loss = (net(x) - y).square().mean()
    loss.backward()
    optimizer.step()
print(f"loss {{loss.item():.6f}}")
"""
CLEAR = "optimizer.zero_grad()"


def write_program(folder: Path, clear: str = CLEAR) -> Path:
    path = folder / "train.py"
    path.write_text(PROGRAM.format(clear=clear))
    return path


def test_a_watched_program_prints_what_it_prints_without(tmp_path: Path) -> None:
    program = write_program(tmp_path)
    watched = run_pellucid(tmp_path, "watch", program, 20)
    assert watched.returncode == 0, watched.stderr
    assert watched.stdout == run_pellucid(tmp_path, "run", program, 20).stdout


def test_a_log_has_the_first_and_every_nth_step_and_a_summary(tmp_path: Path) -> None:
    log = run_pellucid(tmp_path, "watch", "--every", 8, write_program(tmp_path), 20).stderr
    states = re.findall(r"^pellucid: step (\d+)  .*  (\d+) nodes  ", log, re.MULTILINE)
    assert states == [("1", "6"), ("8", "6"), ("16", "6")]
    assert "pellucid watched 20 steps" in log
    by_line = re.findall(r"^(train\.py:\d+)  .*  (backward|SGD\.step|Sequential) +20 ", log, re.M)
    assert sorted(by_line) == [
        ("train.py:11", "Sequential"), ("train.py:12", "backward"), ("train.py:13", "SGD.step"),
    ]  # fmt: skip
    assert "One step by line:" in log
    assert "faults, found none" in log.rstrip().splitlines()[-1]


def test_memory_that_is_kept_for_backward_is_counted_without_the_leaves(tmp_path: Path) -> None:
    log = run_pellucid(tmp_path, "watch", write_program(tmp_path), 1).stderr
    # the input of 16 x 4 floats, the results of tanh (16 x 8) and of the difference (16 x 1)
    assert f"{16 * (4 + 8 + 1) * 4} B kept for backward" in log


def test_a_finding_is_shown_as_it_comes_up_and_at_the_end(tmp_path: Path) -> None:
    log = run_pellucid(
        tmp_path, "watch", "--every", 10, write_program(tmp_path, clear="pass"), 20
    ).stderr
    told = log.index("pellucid, step 6: gradients never set to zero")
    assert told < log.index("pellucid: step 10 ")
    assert "    train.py:13   optimizer.step()" in log
    assert "1 finding:\n  gradients never set to zero" in log


def test_the_summary_comes_even_if_the_program_fails_or_leaves(tmp_path: Path) -> None:
    program = write_program(tmp_path)
    program.write_text(program.read_text() + "\nsys.exit(3)\n")
    left = run_pellucid(tmp_path, "watch", program, 4)
    assert left.returncode == 3
    assert "pellucid watched 4 steps" in left.stderr
    program.write_text(program.read_text().replace("sys.exit(3)", "loss.backward()"))
    failed = run_pellucid(tmp_path, "watch", program, 4)
    assert failed.returncode == 1
    assert "pellucid watched 4 steps" in failed.stderr
    assert "a second time" in failed.stderr
    assert "alias/running.py" not in failed.stderr


def test_a_program_without_optimizer_has_a_step_for_each_backward_pass(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text(
        "import torch\n"
        "w = torch.ones(2, requires_grad=True)\n"
        "for _ in range(4):\n"
        "    (w * w).sum().backward()\n"
        "    w.data -= 0.1 * w.grad\n"
        "    w.grad = None\n"
    )
    assert "pellucid watched 4 steps" in run_pellucid(tmp_path, "watch", path).stderr


def test_a_program_without_training_is_watched_too(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("import torch\nprint(torch.ones(2) + 1)\n")
    watched = run_pellucid(tmp_path, "watch", path)
    assert watched.stdout == "tensor([2., 2.])\n"
    assert "pellucid watched 0 steps" in watched.stderr


def test_on_a_terminal_one_line_is_rewritten_and_the_programs_output_stays_whole(
    tmp_path: Path,
) -> None:
    ours, theirs = pty.openpty()
    source = str(Path(pellucid.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "pellucid", "watch", write_program(tmp_path), "20"],
        env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1", "COLUMNS": "100"},
        stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    output = io.BytesIO()
    try:
        while part := os.read(ours, 65536):
            output.write(part)
    except OSError:  # the end of a pseudo-terminal
        pass
    os.close(ours)
    assert process.wait(60) == 0
    text = output.getvalue().decode()
    assert "\r\x1b[Kpellucid: step 1 " in text
    (line,) = [
        each for each in text.replace("\r\x1b[K", "\n").splitlines() if each.startswith("loss ")
    ]
    assert re.fullmatch(r"loss \d\.\d{6}", line)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"pellucid {pellucid.__version__}\n"


def test_info_names_versions_and_what_computes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"pellucid {pellucid.__version__}"
    assert lines[1].startswith(f"Python {sys.version_info.major}.{sys.version_info.minor}.")
    assert re.fullmatch(r"NumPy \d+\.\S+, SciPy \d+\.\S+", lines[2])
    assert [line.split(":")[0] for line in lines[3:]] == ["compiled module", "threads", "BLAS"]


def test_the_recorded_step_is_written_as_a_page(tmp_path: Path) -> None:
    page = tmp_path / "step.html"
    run_pellucid(tmp_path, "watch", "--html", page, write_program(tmp_path), 6)
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "loss.backward()" in text
