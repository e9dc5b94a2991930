"""What holds for every file of the project."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "src" / "pellucid"
MODULES = sorted(SOURCE.rglob("*.py"))

# A file whose code outgrows this holds more than one idea; docstrings do not count.
LINE_BUDGET = 700

# What all matches begin with stands first, which is searched for quickly.
SOMEONES_DIRECTORIES = [
    re.compile(r"/(?<![\w.]/)(?:home|Users|root|opt)/\w"),
    re.compile(r":\\Users\\(?<=(?<!\w)[A-Z]:\\Users\\)"),
]


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def tracked_files() -> list[Path]:
    """Return the files that git tracks here, without those deleted in the working tree."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = (REPOSITORY / name for name in listed.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def directories_of_this_machine() -> re.Pattern[str]:
    """Match the checkout's own directory and the one it lies in."""
    own = [path for path in (REPOSITORY, REPOSITORY.parent) if path != Path(REPOSITORY.anchor)]
    names = "|".join(re.escape(path.as_posix().removeprefix("/")) for path in own)
    return re.compile(rf"/(?<![\w./-]/)(?:{names})(?![\w.-])")


def test_the_package_has_modules() -> None:
    assert MODULES


def test_every_module_says_what_it_is_for() -> None:
    opening = re.compile('(#.*\n)*r?"""')
    assert [name_of(path) for path in MODULES if not opening.match(path.read_text("utf-8"))] == []


def lines_of_code(path: Path) -> int:
    """Return the number of lines that are not in a docstring, or of all if these are few."""
    text = path.read_text(encoding="utf-8")
    every = text.count("\n")
    if every <= LINE_BUDGET:
        return every
    described = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
    ]
    return every - sum((each.end_lineno or 0) - each.lineno + 1 for each in described)


def test_every_module_stays_within_the_line_budget() -> None:
    written = [path for path in MODULES if path.parent.name != "_definitions"]  # by a generator
    sizes = {name_of(path): lines_of_code(path) for path in written}
    assert {name: lines for name, lines in sizes.items() if lines > LINE_BUDGET} == {}


def test_no_tracked_file_names_a_directory_of_somebodys_machine() -> None:
    patterns = [*SOMEONES_DIRECTORIES, directories_of_this_machine()]
    found = []
    for path in tracked_files():
        text = path.read_bytes().decode(errors="ignore")
        for named in itertools.chain.from_iterable(each.finditer(text) for each in patterns):
            number = text.count("\n", 0, named.start()) + 1
            found.append(f"{name_of(path)}:{number}: {named.group()}")
    assert found == []


def test_no_tracked_file_is_large() -> None:
    large = [name_of(path) for path in tracked_files() if path.stat().st_size > 1_000_000]
    assert large == []


def test_the_library_parses_source_in_one_place() -> None:
    found = [
        name_of(path)
        for path in MODULES
        if path != SOURCE / "parsing.py" and re.search(r"\bast\.parse\(", path.read_text("utf-8"))
    ]
    assert found == []
