"""What CONTRIBUTING.md says of additions is enough: one of each is made as it says, and proven."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.additions import ADDITIONS, Edit
from tests.samples.duration import takes_long

REPOSITORY = Path(__file__).resolve().parents[2]
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")

ADDED = CONTRIBUTING[CONTRIBUTING.index("\n## Add something") :].split("\n## ")[1]
SECTIONS = dict(re.findall(r"^### (.*?)\n\n(.*?)(?=^### |\Z)", ADDED, re.M | re.S))
#: what a section calls its places: a file, or a folder
PLACE = re.compile(r"`((?:src|tests|docs|kernels|core)/[\w./]*|CHANGELOG\.md)`")
COMMAND = re.compile(r"`make (?:test|native)[^`]*`")
DOCUMENTS = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md")
#: those whose proof is made wherever tests run; others take longer, the longest compiles the module
QUICK = {"A layer"}
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
#: generators that have something to write after an addition; the page of operations has no new name
GENERATORS = {"An op": ("generate_stubs", "generate_derivatives")}


#: files that nothing writes into: edits replace them
SHARED = {".py", ".pyc", ".so", ".cpp", ".hpp"}


def taken_over(source: str, target: str) -> None:
    """Put a file at another place, without a copy where that is harmless and possible."""
    if Path(source).suffix in SHARED:
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return
    shutil.copy2(source, target)


def checkout(folder: Path) -> Path:
    """Return a copy of what the commands read."""
    for each in ("src", "tests", "docs", "benchmarks", "build_support"):
        skipped = shutil.ignore_patterns("reference", "_notebooks", "pictures", "*.o")
        shutil.copytree(REPOSITORY / each, folder / each, copy_function=taken_over, ignore=skipped)
    for each in ("pyproject.toml", "conftest.py", "CMakeLists.txt", *DOCUMENTS):
        shutil.copy2(REPOSITORY / each, folder / each)
    return folder


def in_place_of_words(file: str) -> str:
    """Return a pattern of the places that a section may name for a file."""
    return re.sub(r"FAMILY|FILE", r"[\\w]+", re.escape(file))


def names(section: str, edit: Edit) -> bool:
    """Return whether a section names the file of an edit, or its folder."""
    return any(
        re.fullmatch(in_place_of_words(place), edit.file) or edit.file.startswith(place)
        for place in PLACE.findall(SECTIONS[section])
    )


def arguments(section: str) -> list[str]:
    """Return the arguments of the command that a section ends with."""
    (command,) = COMMAND.findall(SECTIONS[section])
    found = re.search(r'ARGS="(.*)"', command, re.S)
    assert found is not None, command
    return shlex.split(found[1])


def run(root: Path, *command: str) -> str:
    places = os.pathsep.join([str(root / "src"), str(root)])
    environment = os.environ | {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=root, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    "section",
    [pytest.param(each, marks=() if each in QUICK else takes_long) for each in ADDITIONS],
)
def test_an_addition_made_as_its_section_says_is_proven_by_its_command(
    section: str, tmp_path: Path
) -> None:
    assert [edit.file for edit in ADDITIONS[section] if not names(section, edit)] == []
    root = checkout(tmp_path / "checkout")
    for edit in ADDITIONS[section]:
        edit.apply(root)
    for generator in GENERATORS.get(section, ()):
        run(root, f"docs/{generator}.py")
    if "C++" in section:
        compile_the_module_of(root)
    printed = run(root, *PYTEST, *arguments(section))
    assert " passed" in printed


def compile_the_module_of(root: Path) -> None:
    for module in (root / "src/pellucid/_native").glob("*.so"):
        module.unlink()  # it is shared, and would be written over
    run(root, "build_support/native.py")
    assert list((root / "src/pellucid/_native").glob("*.so"))


def test_what_is_missing_of_an_op_is_told_with_the_command_that_mends_it(tmp_path: Path) -> None:
    root = checkout(tmp_path / "checkout")
    ADDITIONS["An op"][0].apply(root)
    tests = ["tests/architecture/test_generated.py", "-k", "derivatives or sample"]
    with pytest.raises(AssertionError) as failed:
        run(root, *PYTEST, *tests)
    told = str(failed.value)
    assert "run: make generate" in told
    assert "squareplus: add a line such as" in told


def test_every_section_has_six_steps_and_places_that_are_there() -> None:
    assert QUICK <= set(ADDITIONS) <= set(SECTIONS)
    for title, text in SECTIONS.items():
        assert re.findall(r"^(\d)\. ", text, re.M) == list("123456"), title
        places = [each for each in PLACE.findall(text) if "FILE" not in each]
        missing = [
            each
            for each in places
            if not any((root / each).exists() for root in (REPOSITORY, REPOSITORY / "src/pellucid"))
        ]
        assert missing == [], title
