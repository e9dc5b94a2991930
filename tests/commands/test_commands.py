"""What the command line offers beside running and watching programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pellucid
from pellucid.__main__ import main
from pellucid.commands.demo import demo
from pellucid.commands.greeting import greeting
from tests.alias.launching import run_pellucid

PROGRAM = """\
import torch

w = torch.ones(2, requires_grad=True)
for step in range(3):
    loss = (w * w).sum() if step < 2 else w.exp().sum()
    print("step", step)
    loss.backward()
"""


def test_alone_it_says_what_one_can_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out == greeting(pellucid.__version__)


def test_every_command_that_is_named_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(r"^  pellucid (\w+)", greeting(pellucid.__version__), re.MULTILINE))
    assert named == {"demo", "learn", "graph", "run", "watch", "info"}
    for command in named:
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        assert f"pellucid {command}" in capsys.readouterr().out


def test_the_program_of_the_greeting_runs(capsys: pytest.CaptureFixture[str]) -> None:
    program = "\n".join(
        re.findall(r"^  (?!pellucid)(\S.*)", greeting(pellucid.__version__), re.MULTILINE)
    )
    exec(program, {"__name__": "__main__"})
    assert "MulBackward0" in capsys.readouterr().out


def test_the_demonstration_shows_graph_error_and_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "demo.html"
    assert demo(page) == 0
    printed = capsys.readouterr().out
    assert re.search(r"freed by backward #\d+, demo.py:10", printed)
    assert "tensor([2.2998, 1.6921, 7.1035])" in printed
    assert "FreedGraphError: Trying to backward through the graph a second time" in printed
    assert str(page) in printed
    assert "demo.py" in page.read_text("utf-8")


def test_graph_shows_what_the_first_backward_begins_with(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    ran = run_pellucid(tmp_path, "graph", "train.py")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("step 0\ngraph: 2 nodes")
    assert "train.py:5" in ran.stdout


def test_graph_draws_a_later_backward_into_a_page(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    ran = run_pellucid(tmp_path, "graph", "--html", "page.html", "--backward", "3", "train.py")
    assert ran.returncode == 0
    assert "page.html: 2 nodes" in ran.stdout
    assert "ExpBackward0" in (tmp_path / "page.html").read_text("utf-8")


def test_graph_of_a_program_without_backward_is_that_of_its_variables(tmp_path: Path) -> None:
    (tmp_path / "forward.py").write_text("\n".join(PROGRAM.splitlines()[:5]), "utf-8")
    ran = run_pellucid(tmp_path, "graph", "forward.py")
    assert ran.returncode == 0
    assert "ExpBackward0" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--backward", "4", "train.py"], "The program ran backward 3 times, not 4."),
        (["plain.py"], "The program ran no backward, and no variable of it has a history."),
    ],
)
def test_graph_says_what_there_is_none_of(arguments: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "plain.py").write_text("print(1)\n", "utf-8")
    ran = run_pellucid(tmp_path, "graph", *arguments)
    assert ran.returncode == 1
    assert told in ran.stderr
