"""Run the programs of pages, and write or compare what they print.

The Python blocks of a page run one after the other in one namespace, as the cells of a notebook
do; a ``text`` block below one holds what it prints, with the error that ends it, if one does.

    python docs/run_pages.py docs/learn/*.md            fill in what is printed
    python docs/run_pages.py --notebooks DIR docs/learn/*.md
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(
    r"^```python\n(?P<program>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


class Cell(NamedTuple):
    """A program of a page with what stands below it, and what it prints when it runs."""

    program: str
    #: None where the page shows no output
    shown: str | None
    printed: str


def cells(page: Path) -> Iterator[Cell]:
    """Run the programs of a page in a directory of their own."""
    program, namespace = "", {"__name__": "__main__"}
    text, file = page.read_text("utf-8"), "program.py"
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCK.finditer(text):
            program += block["program"]
            with contextlib.chdir(folder):
                printed = _run(block["program"], program, file, namespace)
            yield Cell(block["program"], block["output"], printed)


def _run(block: str, program: str, file: str, namespace: dict[str, object]) -> str:
    """Run a block as the last lines of the program so far, and return what it prints."""
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    first = program.count("\n") - block.count("\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile("\n" * first + block, file, "exec"), namespace)
        except Exception as error:  # noqa: BLE001 - whatever the program raises is on the page
            print(f"{type(error).__name__}: {error}")  # noqa: T201
    return printed.getvalue()


def filled(page: Path) -> str:
    """Return the text of a page with what its programs print today."""
    results = cells(page)

    def fill(block: re.Match[str]) -> str:
        cell = next(results)
        if cell.shown is None:
            return block[0]
        return f"```python\n{cell.program}```\n\n```text\n{cell.printed}```\n"

    return BLOCK.sub(fill, page.read_text("utf-8"))


def notebook(page: Path) -> str:
    """Return a page as a Jupyter notebook, its outputs left to be computed."""
    import nbformat.v4 as nb

    text = page.read_text("utf-8")
    found, position = [], 0
    for block in BLOCK.finditer(text):
        found.append(nb.new_markdown_cell(text[position : block.start()].strip()))
        raises = bool(re.match(r"\w+Error: ", block["output"] or ""))
        tags = {"tags": ["raises-exception"]} if raises else {}
        found.append(nb.new_code_cell(block["program"].rstrip(), metadata=tags))
        position = block.end()
    found.append(nb.new_markdown_cell(text[position:].strip()))
    for number, cell in enumerate(found):
        cell["id"] = f"{page.stem}-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nb.writes(nb.new_notebook(cells=found, metadata={"kernelspec": kernel}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=Path, metavar="DIR")
    parser.add_argument("pages", type=Path, nargs="+")
    arguments = parser.parse_args()
    if len(arguments.pages) > 1 and arguments.notebooks is None:
        for page in arguments.pages:  # each in a process of its own, where counts start anew
            subprocess.run([sys.executable, __file__, page], check=True)
        return
    for page in arguments.pages:
        if arguments.notebooks is None:
            page.write_text(filled(page), "utf-8")
        else:
            arguments.notebooks.mkdir(parents=True, exist_ok=True)
            (arguments.notebooks / f"{page.stem}.ipynb").write_text(notebook(page), "utf-8")


if __name__ == "__main__":
    main()
