"""Pages with programs: their blocks are run one after the other, as the cells of a notebook are."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import tempfile
from pathlib import Path

PART = re.compile(
    r"^```python\n(?P<program>.*?)^```\n"
    r"(?:\n(?P<fold><details>\n<summary>[^\n]*</summary>\n\n)?```text\n(?P<output>.*?)^```\n)?"
    r"|^<!-- picture of (?P<expression>[^\n]+) -->\n!\[[^\n]*\]\((?P<picture>[^\n]*)\)",
    re.DOTALL | re.MULTILINE,
)
#: where the recording of all programs of a page is shown, to play through
PLAYED = "<!-- the programs of this page, to play -->"


def player(source: str) -> str:
    """Return the HTML that shows a recording, which an attribute gives, and how to play it."""
    return (
        '<p class="played">All programs of this page, event by event: ▶ plays, <kbd>.</kbd> and '
        "<kbd>,</kbd> go one event on and back.</p>\n"
        f'<iframe class="played" title="The programs of this page, to play" {source}></iframe>'
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


class ProgramPage:
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
        return f"```python\n{part['program']}```\n\n{part['fold'] or ''}```text\n{printed}```\n"

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
