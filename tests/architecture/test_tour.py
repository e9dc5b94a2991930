"""The tour quotes source that is there, and what it lists can be read in an afternoon."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pellucid as torch

DOCS = Path(__file__).resolve().parents[2] / "docs"
TOUR = (DOCS / "tour.md").read_text(encoding="utf-8")
COMPILED_TOUR = (DOCS / "compiled-tour.md").read_text(encoding="utf-8")
MOST_LINES = 1605

LINK = re.compile(r"\]\((\.\./src/[^)]*\.py)\)")
GENERATED = re.compile(r"`inspect\.getsource\((.*)\)`")
QUOTE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^\d+\. .*?\((\.\./src/[^)]*)\)(.*?)(?=^\d+\. |\Z)", re.MULTILINE | re.DOTALL)


def quotes(page: str) -> list[tuple[str, str]]:
    """Return each quotation of a page with the text above it that says what it is from."""
    return [(page[: found.start()], found[1]) for found in QUOTE.finditer(page)]


QUOTES = [*quotes(TOUR), *quotes(COMPILED_TOUR)]


def source_of(above: str) -> str:
    """Return the source that is named last: a file, or a generated function."""
    named = sorted([*LINK.finditer(above), *GENERATED.finditer(above)], key=lambda each: each.end())
    if named[-1].re is LINK:
        return (DOCS / named[-1][1]).read_text(encoding="utf-8")
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    source = inspect.getsource(eval(named[-1][1], {"torch": torch, "a": a, "b": b}))
    return source.partition("    # Defined in ")[0]


@pytest.mark.parametrize(("above", "quote"), QUOTES, ids=range(len(QUOTES)))
def test_what_the_tour_quotes_is_in_the_source(above: str, quote: str) -> None:
    source, position = source_of(above), 0
    for piece in re.split(r"^\.\.\.\n", quote, flags=re.MULTILINE):
        found = source.find(piece, position)
        assert found >= 0, piece
        position = found + len(piece)


def test_each_page_quotes_source() -> None:
    assert len(quotes(COMPILED_TOUR)) == 5


def test_the_tour_shows_generated_functions_whole() -> None:
    whole = [quote for above, quote in quotes(TOUR) if source_of(above) == quote]
    assert [quote.split("(")[0] for quote in whole] == ["def mul", "def backward", "def backward"]


def lines_of(path: Path, names: list[str]) -> int:
    """Return how many lines a file has, or the definitions of these names in it."""
    text = path.read_text(encoding="utf-8")
    if not names:
        return len(text.splitlines())
    lines = dict(_definitions(ast.parse(text).body))
    return sum(lines[name] for name in names)


def _definitions(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, int]]:
    """Yield the names that statements define, those in classes with a dot, and their lines."""
    for each in body:
        length = (each.end_lineno or each.lineno) - each.lineno + 1
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            yield f"{inside}{each.name}", length
        if isinstance(each, ast.ClassDef):
            yield from _definitions(each.body, f"{inside}{each.name}.")
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        if isinstance(targets[0], ast.Name):
            yield f"{inside}{targets[0].id}", length


def test_what_a_learner_reads_has_at_most_1605_lines() -> None:
    items = ITEM.findall(TOUR[TOUR.index("## What to read") :])
    total = sum(lines_of(DOCS / path, re.findall(r"`([\w.]+)`", names)) for path, names in items)
    assert len(items) == 16
    assert 0 < total <= MOST_LINES


def program_and_commands() -> tuple[str, list[str]]:
    """Return the tour's program, its last step in Python, and what it says to type into pdb."""
    session, commands = re.findall(r"^```(?:pycon|text)\n(.*?)^```$", TOUR, re.M | re.S)[:2]
    lines = re.findall(r"^>>> (.*)", session, re.M)
    at = next(i for i, line in enumerate(lines) if line.startswith("loss = "))
    block = ["with torch.inspect.in_python():", *(f"    {line}" for line in lines[at : at + 2])]
    return "\n".join([*lines[:at], *block, *lines[at + 2 :]]), commands.splitlines()


def test_a_debugger_walks_the_tour(tmp_path: Path) -> None:
    program, commands = program_and_commands()
    (tmp_path / "program.py").write_text(program, "utf-8")
    walk = [*commands, "where", "continue", "where", "continue", "where", "return", "quit"]
    run = subprocess.run(
        [sys.executable, "-m", "pdb", "program.py"],
        input="\n".join(walk) + "\n",
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "***" not in run.stdout, run.stdout  # pdb's mark of an error
    mul, execute, formula = (
        run.stdout.index(each)
        for each in ("<pellucid operator mul>(2)mul()", "execute()\n-> ", "mul_other()\n-> return")
    )
    assert 0 < mul < execute < formula
    assert "--Return--" in run.stdout
