"""Example programs whose functions are compiled print and write what they do plain."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from tests.samples.duration import takes_long

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: the short forms of the programs, whose last option names the file that they write
OPTIONS = {
    "gpt": "--steps 6 --modules 8 --length 40 --out text.txt",
    "lstm": "--steps 8 --out waves.png",
    "vae": "--steps 12 --side 4 --out digits.png",
    "gan": "--steps 8 --out digits.png",
    "gcn": "--steps 30 --people 100 --out people.png",
    "style": "--steps 2 --side 32 --out style.png",
    "physics": "--steps 3 --points 60 --out rod.png",
    "unrolled": "--steps 40 --out stream.png",
    "digits": "--epochs 1 --samples 300 --wanted 0 --page step.html",
}
#: the whole program, and what ends with an error, whose advice is made of the loop it is raised in
PLAIN = ("main",)


def test_every_example_of_a_network_is_among_them() -> None:
    found = {each.stem for each in EXAMPLES.glob("*.py")}
    # one runs in several processes, and one has an autograd of its own
    assert found - set(OPTIONS) == {"data_parallel", "minimal_autograd"}


def _compiled(program: Any) -> list[Any]:
    """Compile the functions of a program, and the methods of its networks."""
    made = []
    for name, value in list(vars(program).items()):
        if getattr(value, "__module__", None) != program.__name__ or name in PLAIN:
            continue
        if inspect.isfunction(value):
            made.append(torch.compile(value))
            setattr(program, name, made[-1])
        elif isinstance(value, type) and issubclass(value, nn.Module):
            methods = [each for each in vars(value) if each != "__init__"]
            for each in methods:
                if inspect.isfunction(vars(value)[each]):
                    made.append(torch.compile(vars(value)[each]))
                    setattr(value, each, made[-1])
    return made


def _run(name: str, capsys: Any, compiles: bool) -> tuple[str, bytes]:
    """Return what a program prints and writes."""
    torch.manual_seed(0)
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    made = _compiled(program) if compiles else []
    options = OPTIONS[name].split()
    assert program.main(options) == 0
    if compiles:
        assert any(each._compiled.traces for each in made)
    printed = capsys.readouterr().out
    if options[-1].endswith(".html"):  # it has the times of the step in it
        return re.sub(r"[\d,]+ bytes$", "", printed, flags=re.MULTILINE), b""
    return printed, Path(options[-1]).read_bytes()


@takes_long
@pytest.mark.parametrize("name", OPTIONS)
def test_examples_compiled_do_what_they_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("sklearn", reason="scikit-learn comes with the demo extra")
    pytest.importorskip("tqdm", reason="tqdm comes with the demo extra")
    pytest.importorskip("PIL.Image", reason="Pillow comes with the demo extra")
    expected = _run(name, capsys, compiles=False)
    assert _run(name, capsys, compiles=True) == expected
