r"""Samples of calls: the lines of the text files in this folder, and the language they are in.

A line is an expression, or statements of which the last sets ``out``. After it may come, each with
a space on both sides and in this order:

- ``~`` and a definition: the same in NumPy, on the arrays of `operands`;
- ``for X in a e s``: the line holds for each of the words in place of the letter; ``for X;Y in a;b
  v;s`` replaces two letters at a time, and several loops give all combinations;
- ``!`` and the builtin class of the error, then perhaps ``:`` and how its text opens.

``torch.name:`` or ``Tensor.name:`` in front says which name a line is about where the call does not
tell. A word in capitals is a list of `lists.txt`. ``\n`` breaks a line of the program, a space at
the beginning continues the line above, and ``#`` begins a comment.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

FOLDER = Path(__file__).parent
Sample = TypeVar("Sample")
_LOOP = re.compile(r" for ([NOXYW](?:;[NOXYW])*) in ")
_SUBJECT = re.compile(r"(Tensor|torch)\.(\w+): ")


class Line(NamedTuple):
    """A program with what is said of it; empty texts where nothing is."""

    text: str
    definition: str = ""
    error: str = ""
    opening: str = ""
    subject: str = ""


def read(name: str) -> list[Line]:
    """Return the samples of a file, or of all the files of a folder."""
    path = FOLDER / name
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path.with_suffix(".txt")]
    return [each for file in files for line in _joined(file) for each in _samples(line)]


def texts(name: str) -> list[str]:
    """Return the programs of a file or folder, each once."""
    return list(dict.fromkeys(line.text for line in read(name)))


def grouped(samples: list[Sample], size: int = 25) -> list[list[Sample]]:
    """Return samples in groups, so that each test runs a number of them."""
    return [samples[start : start + size] for start in range(0, len(samples), size)]


def _joined(file: Path) -> Iterator[str]:
    """Yield the lines of a file, those that continue one joined to it."""
    line = ""
    for each in file.read_text("utf-8").splitlines():
        if each.startswith(" "):
            line = f"{line} {each.strip()}"
            continue
        if line:
            yield line
        line = "" if each.startswith("#") else each
    if line:
        yield line


@functools.cache
def _lists() -> dict[str, str]:
    lines = (line.partition(": ") for line in _joined(FOLDER / "lists.txt"))
    return {name: words for name, _, words in lines}


def _samples(line: str) -> Iterator[Line]:
    line, _, error = line.partition(" ! ")
    error, _, opening = error.partition(": ")
    body, *loops = _LOOP.split(line)
    subject = _SUBJECT.match(body)
    text, _, definition = body.removeprefix(subject[0] if subject else "").partition(" ~ ")
    name = subject[0].removesuffix(": ") if subject else ""
    for meaning in _combinations(loops):
        plain = _filled(definition, meaning).replace(".detach()", "")
        program = _filled(text, meaning).replace("\\n", "\n")
        yield Line(program, plain, error, opening, name)


def _combinations(loops: list[str]) -> Iterator[dict[str, str]]:
    """Yield what the letters of loops stand for; letters and words take turns in the list."""
    letters = [letter for each in loops[::2] for letter in each.split(";")]
    for words in itertools.product(*(_words(each) for each in loops[1::2])):
        yield dict(zip(letters, (w for word in words for w in word.split(";")), strict=True))


def _words(text: str) -> list[str]:
    return [word for each in text.split() for word in _lists().get(each, each).split()]


def _filled(text: str, meaning: dict[str, str]) -> str:
    if not meaning:
        return text
    return re.sub(r"\b[NOXYW]\b", lambda match: meaning.get(match[0], match[0]), text)
