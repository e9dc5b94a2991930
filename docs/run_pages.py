"""Run the programs of pages, and write what they print and the pictures they draw.

The Python blocks of a page run one after the other in one namespace, as the cells of a notebook
do. A ``text`` block below one holds what it prints, with the error that ends it, if one does. A
comment ``<!-- picture of EXPRESSION -->`` above an image says what the image shows: the graph, or
the recording, of that expression at this point of the page.

    python docs/run_pages.py docs/learn/*.md            write outputs and pictures
    python docs/run_pages.py --notebooks DIR docs/learn/*.md
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import multiprocessing
import re
import tempfile
from pathlib import Path

import pellucid.inspect.page.svg  # noqa: F401 - here, so that the processes of the pages do not load it each

PART = re.compile(
    r"^```python\n(?P<program>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?"
    r"|^<!-- picture of (?P<expression>[^\n]+) -->\n!\[[^\n]*\]\((?P<picture>[^\n]*)\)",
    re.DOTALL | re.MULTILINE,
)
#: the file in which the programs of a page believe to stand
FILE = "program.py"


def run_program(
    program: str,
    file: str,
    names: dict[str, object],
    *,
    shown: type[Exception] | tuple[()] = Exception,
) -> str:
    """Run a program, and return what it prints, and the error that ends it, if one does.

    Args:
        program: The source.
        file: The file in which the program believes to stand.
        names: The namespace that it runs in.
        shown: The errors that are printed; others are raised.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, file, "exec"), names)
        except shown as error:
            printed.write(f"{type(error).__name__}: {error}\n")
    return printed.getvalue()


class Page:
    """A page that has been run: its text as it should be, and its pictures by their files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pictures: dict[Path, str] = {}
        self._program = ""
        self._names: dict[str, object] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder:
            self._folder = folder
            self.text = PART.sub(self._run_part, path.read_text("utf-8"))

    def _run_part(self, part: re.Match[str]) -> str:
        if part["expression"] is not None:
            file = (self.path.parent / part["picture"]).resolve()
            self.pictures[file] = self._drawn(part["expression"])
            return part[0]
        with contextlib.chdir(self._folder):
            printed = self._run(part["program"])
        if part["output"] is None:
            return part[0]
        return f"```python\n{part['program']}```\n\n```text\n{printed}```\n"

    def _run(self, block: str) -> str:
        """Run a block as the last lines of the program so far, and return what it prints."""
        first = self._program.count("\n")
        self._program += block
        lines = self._program.splitlines(keepends=True)
        linecache.cache[FILE] = (len(self._program), None, lines, FILE)
        return run_program("\n" * first + block, FILE, self._names)

    def _drawn(self, expression: str) -> str:
        file = Path(self._folder, "picture.svg")
        eval(expression, self._names).svg(file)
        return file.read_text("utf-8")

    def write(self) -> None:
        """Write the page and its pictures."""
        self.path.write_text(self.text, "utf-8")
        for file, drawing in self.pictures.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(drawing, "utf-8")


def write(page: Path) -> None:
    """Run a page, and write it and its pictures."""
    Page(page).write()


def notebook(page: Path) -> str:
    """Return a page as a Jupyter notebook, its outputs left to be computed."""
    import nbformat.v4 as nb

    text = page.read_text("utf-8")
    found, position = [], 0
    for part in PART.finditer(text):
        found.append(nb.new_markdown_cell(text[position : part.start()].strip()))
        if part["expression"] is not None:
            found.append(nb.new_code_cell(part["expression"]))
        else:
            raises = bool(re.match(r"\w+Error: ", part["output"] or ""))
            tags = {"tags": ["raises-exception"]} if raises else {}
            found.append(nb.new_code_cell(part["program"].rstrip(), metadata=tags))
        position = part.end()
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
    if arguments.notebooks is not None:
        arguments.notebooks.mkdir(parents=True, exist_ok=True)
        for page in arguments.pages:
            (arguments.notebooks / f"{page.stem}.ipynb").write_text(notebook(page), "utf-8")
    else:
        for page in arguments.pages:  # each in a process of its own, where counts start again
            process = multiprocessing.Process(target=write, args=(page,))
            process.start()
            process.join()
            if process.exitcode:
                parser.exit(1, f"{page} cannot be run\n")


if __name__ == "__main__":
    main()
