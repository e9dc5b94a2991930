"""How much code there is, folder by folder: a limit for each, and for what a keeper has to know.

Lines are counted that hold more than a comment or a docstring. Print the table by
``python -m tests.architecture.test_size``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "pellucid"

#: what must be understood by whoever keeps the library, but for the words of errors, which are
#: loaded when there is something to explain and have a limit of their own
CORE = ("core", "autograd", "tensors", "kernels/numpy", "ops/aliasing")
WORDS = "autograd/explanations"
MOST_OF_CORE = 16_360

#: for all but the outbuildings; less than its folders may have together
MOST_OF_HOUSE = 69_930

#: the limit of each folder of the house; "" is the files of the package itself, and `inspect` all
#: tools that explain programs: graphs, recordings, checks
HOUSE = {
    "": 2_305, "_native": 50, "amp": 440, "autograd": 3_670, "autograd/explanations": 1_800,
    "compat": 2_570, "core": 5_900, "func": 1_725, "inspect": 12_100, "interop": 1_820,
    "interpreters": 1_900, "kernels": 4_335, "nn": 6_710, "ops": 15_770, "optim": 2_655,
    "sharing": 160, "tensors": 3_670, "testing": 800, "utils": 1_710,
}  # fmt: skip

#: the limit of each outbuilding; see docs/architecture.md. `processes` has a transport of its own
#: (sockets and shared memory) beside MPI, with stores and rendezvous; `distributed` pipelines, the
#: older FSDP class and checkpoints that PyTorch reads; `compat/compiling` what runs between
#: breaks of a graph, and reports about recordings
OUTBUILDINGS = {
    "alias": 560, "array_api": 870, "commands": 460, "compat/compiling": 5_100,
    "compat/fx": 1_500, "distributed": 5_600,
    "distributions": 4_120, "inspect/pytorch": 3_080, "masked": 270, "multiprocessing": 270,
    "nn/parallel": 800, "onnx": 710, "processes": 4_695, "profiler": 610, "sparse": 1_900,
    "utils/tensorboard": 410, "vision": 1_810,
}  # fmt: skip

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the module and every statement in it; expressions are not gone through."""
    open_ones: list[ast.AST] = [tree]
    while open_ones:
        node = open_ones.pop()
        yield node
        for block in _BLOCKS:
            inner = getattr(node, block, ())
            if isinstance(inner, list):
                open_ones += inner


def lines_of_code(text: str) -> int:
    """Return how many lines hold more than a comment or a docstring.

    Within a string of several lines, those that are empty do not count, nor those that look like
    a comment.
    """
    code = {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if (stripped := line.strip()) and not stripped.startswith("#")
    }
    for node in _statements(ast.parse(text)):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node, clean=False):
            docstring = node.body[0]
            code.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(code)


#: written from declarations and never imported, like the stubs
GENERATED = "_definitions"


@functools.cache
def sizes() -> dict[str, int]:
    """Return the lines of code of each file, by its path in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): lines_of_code(path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.parent.name != GENERATED
    }


def outbuilding_of(file: str) -> str | None:
    """Return the outbuilding that a file belongs to; ``None`` for one of the house."""
    return next((each for each in OUTBUILDINGS if file.startswith(f"{each}/")), None)


def folder_of(file: str) -> str:
    """Return what a file counts for: an outbuilding, or a folder of the house."""
    if file.startswith(f"{WORDS}/"):
        return WORDS
    return outbuilding_of(file) or file.rpartition("/")[0].partition("/")[0]


@functools.cache
def totals() -> dict[str, int]:
    """Return the lines of code of each outbuilding and of each folder of the house."""
    found: dict[str, int] = {}
    for file, lines in sizes().items():
        folder = folder_of(file)
        found[folder] = found.get(folder, 0) + lines
    return found


def house() -> int:
    """Return the lines of code of the house."""
    return sum(lines for file, lines in sizes().items() if outbuilding_of(file) is None)


def core() -> int:
    """Return the lines of code that a keeper has to know."""
    folders = tuple(f"{each}/" for each in CORE)
    return sum(
        lines
        for file, lines in sizes().items()
        if file.startswith(folders) and folder_of(file) != WORDS
    )


def too_large(what: str, lines: int, most: int) -> str:
    return (
        f"{what} has {lines:,} lines of code, its limit is {most:,}. Take something out; or raise "
        "the limit in tests/architecture/test_size.py in the same commit, whose message says why."
    )


@pytest.mark.parametrize(("folder", "most"), [*HOUSE.items(), *OUTBUILDINGS.items()])
def test_a_folder_stays_within_its_limit(folder: str, most: int) -> None:
    lines = totals()[folder]
    assert lines <= most, too_large(f"pellucid/{folder}", lines, most)


def test_every_folder_has_a_limit() -> None:
    assert set(totals()) == {*HOUSE, *OUTBUILDINGS}


def test_the_house_stays_within_its_limit() -> None:
    assert house() <= MOST_OF_HOUSE, too_large("The house", house(), MOST_OF_HOUSE)


def test_what_a_keeper_has_to_know_stays_within_its_limit() -> None:
    assert core() <= MOST_OF_CORE, too_large(", ".join(CORE), core(), MOST_OF_CORE)


def test_a_line_counts_if_it_holds_more_than_a_docstring_or_a_comment() -> None:
    text = (
        '"""About this."""\n\n# why\nx = (\n    1,  # one\n)\n\n\n'
        'def f():\n    """Return\n    it."""\n    return """two\nlines"""\n'
    )
    assert lines_of_code(text) == 3 + 1 + 2


if __name__ == "__main__":
    limits = HOUSE | OUTBUILDINGS
    for folder, lines in sorted(totals().items()):
        print(f"{folder or 'files of the package':24} {lines:7,} {limits.get(folder, 0):7,}")
    print(f"{'core':24} {core():7,} {MOST_OF_CORE:7,}")
    print(f"{'house':24} {house():7,} {MOST_OF_HOUSE:7,}")
