"""The example programs run in their short forms: they learn a little and leave what they should.

Being watched, none of them gives a finding.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pellucid.inspect import checking

pytest.importorskip("sklearn", reason="scikit-learn comes with the demo extra")
pytest.importorskip("tqdm", reason="tqdm comes with the demo extra")
image = pytest.importorskip("PIL.Image", reason="Pillow comes with the demo extra")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: run a program with options, and return what it printed
Run = Callable[..., str]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def run(out: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(name: str, *options: str, ending: str = ".png") -> str:
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)
        with checking() as findings:
            assert program.main([*options, "--out", str(out.with_suffix(ending))]) == 0
        assert len(findings) == 0, str(findings)
        return capsys.readouterr().out

    return run


def numbers(printed: str, start: str) -> list[float]:
    """Return the numbers after a start of a line, which is given as a regular expression."""
    (rest,) = re.findall(rf"^\s*{start}(.*)$", printed, flags=re.MULTILINE)
    return [
        float(number.replace(",", ""))
        for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?", rest)
    ]


def picture(out: Path) -> np.ndarray:
    """Return the picture that a program wrote, as ``[H, W, 3]``; it must show something."""
    pixels = np.asarray(image.open(out.with_suffix(".png")))
    assert len(np.unique(pixels)) > 1
    return pixels


def test_the_gpt_learns_the_docstrings_and_writes(run: Run, out: Path) -> None:
    printed = run("gpt", "--steps", "8", "--modules", "8", "--length", "40", ending=".txt")
    (before,) = numbers(printed, "GPT, before training")
    (after,) = numbers(printed, "GPT, after 8 steps")
    (single,) = numbers(printed, "from how often characters occur")
    (paired,) = numbers(printed, "from the character before")
    assert after < before - 1
    assert paired < single < np.log2(96) < before
    written = out.with_suffix(".txt").read_text(encoding="utf-8")
    assert written.startswith("Return the ")
    assert len(written) == len("Return the ") + 40


def test_the_lstm_learns_to_go_on(run: Run, out: Path) -> None:
    printed = run("lstm", "--steps", "20")
    first, last = numbers(printed, "mean squared error of the next value:")
    assert last < first / 2
    ahead, lstm, _, straight = numbers(printed, "(?=60 )")
    assert ahead == 60
    assert lstm < straight
    assert picture(out).shape[2] == 3


def test_the_vae_draws_digits_better(run: Run, out: Path) -> None:
    printed = run("vae", "--steps", "30", "--side", "4")
    assert numbers(printed, "to +30")[2] < numbers(printed, "to +6 ")[2]
    assert picture(out).shape == (4 * 32, 4 * 32, 3)


def test_the_gan_comes_nearer_to_real_digits(run: Run, out: Path) -> None:
    printed = run("gan", "--steps", "15")
    untrained, trained, real = (
        float(re.findall(rf"([\d.]+)  {name}$", printed, flags=re.MULTILINE)[0])
        for name in ("untrained", "trained", "real ones")
    )
    assert real < trained < untrained
    detached, attached = numbers(printed, "with detach"), numbers(printed, "without ")
    assert all(less < more for less, more in zip(detached, attached, strict=True))
    picture(out)


def test_the_graph_network_gains_by_the_graph(run: Run, out: Path) -> None:
    printed = run("gcn", "--steps", "60", "--people", "200")
    (without,), (with_graph,) = (
        numbers(printed, f"{name} the graph +(?=[0-9.]+%)") for name in ("without", "with")
    )
    assert with_graph > without + 20
    first, last = numbers(printed, "with the graph: loss")
    assert last < first
    picture(out)


def test_style_gets_nearer_and_keeps_less_of_the_graph_with_every_pass(run: Run, out: Path) -> None:
    printed = run("style", "--steps", "2", "--side", "32")
    losses = [
        numbers(printed.partition("bytes held")[0], name)
        for name in ("style 1 ", "style 2 ", "style 3 ", "style 4 ", "content ", "smooth ")
    ]
    first, last = np.sum(losses, axis=0)
    assert last < first / 2
    held = np.array(
        [
            numbers(printed.partition("bytes held")[2], name)
            for name in ("style 4 ", "style 3 ", "content ", "style 2 ", "style 1 ", "smooth ")
        ]
    )
    just_the_rest, everything = held.T
    assert (np.diff(just_the_rest) < 0).all()
    assert just_the_rest[-1] == 0
    assert (everything > just_the_rest).all()
    picture(out)


def test_the_heat_equation_is_solved_better(run: Run, out: Path) -> None:
    printed = run("physics", "--steps", "5", "--points", "100")
    first, last = numbers(printed, "loss:")
    assert last < first / 5
    nodes = [numbers(printed, f"{name} ")[0] for name in ("u", "u_x", "u_xx")]
    assert nodes == sorted(set(nodes))
    warmest = numbers(printed, "1.0 ")[0]
    assert warmest == pytest.approx(np.exp(-0.1 * np.pi**2), abs=1e-4)
    picture(out)


def test_a_state_that_is_handed_on_must_be_cut_off(run: Run, out: Path) -> None:
    printed = run("unrolled", "--steps", "150")
    sizes = np.array([numbers(printed, f"{chunk} ") for chunk in range(1, 6)])
    assert (np.diff(sizes[:, :2], axis=0) > 0).all()
    assert (np.diff(sizes[:, 2:], axis=0) == 0).all()
    assert "Trying to backward through the graph a second time" in printed
    assert "modified by an inplace operation" in printed
    first, last = numbers(printed, "with detach: loss")
    assert last < first
    assert numbers(printed, "GRU")[0] < numbers(printed, "same again")[0]
    picture(out)
