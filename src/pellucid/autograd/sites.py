"""Sites: the user's line behind a node, a change or a backward pass.

A site is kept as a code object and an instruction offset, both read from one frame, and becomes a
file, a line and its text only when someone asks. Never a frame or a traceback: these keep every
local variable alive.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import sys
from types import CodeType

from pellucid.autograd import explanations
from pellucid.autograd.cells import cells

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
#: what the file names of generated functions start with
GENERATED = "<pellucid "


class LibraryFiles(dict[str, bool]):
    """A mapping from file names to whether they are the library's, filled as names appear."""

    def __init__(self) -> None:
        self._prefixes = (_PACKAGE, GENERATED)

    def __missing__(self, filename: str) -> bool:
        inside = filename.startswith(self._prefixes)
        self[filename] = inside
        return inside

    def add_folder(self, path: str) -> None:
        """Count the files of another package, too, as not the user's."""
        self.add_start(path + os.sep)

    def add_start(self, start: str) -> None:
        """Count files whose names begin so, too, as not the user's."""
        self._prefixes += (start,)
        self.clear()


library_files = LibraryFiles()


def user_frame(depth: int = 1) -> tuple[CodeType, int]:
    """Return code object and instruction offset of the nearest frame outside the library."""
    frame = sys._getframe(depth)
    code = frame.f_code
    while library_files[code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


def user_stack() -> tuple[tuple[CodeType, int], ...]:
    """Return code objects and instruction offsets of all frames outside the library."""
    stack: list[tuple[CodeType, int]] = []
    frame = sys._getframe(1)
    while frame is not None:
        if not library_files[frame.f_code.co_filename]:
            stack.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(stack)


def user_stacklevel() -> int:
    """Return the ``stacklevel`` with which a warning given by the caller names the user's line."""
    level, frame = 1, sys._getframe(1)
    while library_files[frame.f_code.co_filename] and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    return level


class Site:
    """Resolve a code object and an instruction offset to file, line and text.

    Args:
        code: The code object.
        lasti: The offset in it.
        run: The run of a notebook's cell in which the code was running; the present one if None.
    """

    __slots__ = ("code", "lasti", "run")

    def __init__(self, code: CodeType, lasti: int, run: int | None = None) -> None:
        self.code = code
        self.lasti = lasti
        self.run = cells.count if run is None else run

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and self.code is other.code and self.lasti == other.lasti

    def __hash__(self) -> int:
        return hash((id(self.code), self.lasti))

    @property
    def filename(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_name

    @property
    def line(self) -> int:
        """Line number, from 1; of the expression's start where it runs over several lines."""
        return self.position[0]

    @property
    def position(self) -> tuple[int, int, int, int]:
        """First line, last line, first and last column of the expression that was running."""
        first = self.code.co_firstlineno
        index = self.lasti // 2
        found = next(itertools.islice(self.code.co_positions(), index, None), (first,) * 2 + (0, 0))
        line, end, start, stop = found
        line = line or first
        return line, end or line, start or 0, stop or 0

    @property
    def statement(self) -> ast.stmt | None:
        """The simple statement that was running, where the source can be read."""
        line, _, column, _ = self.position
        return explanations.source.statement(self.filename, line, column)

    @property
    def expression(self) -> ast.expr | None:
        """The expression that was running, where the source can be read."""
        return explanations.source.expression(self.filename, self.position)

    @property
    def text(self) -> str:
        """The statement on one line, without comments; empty where the source cannot be read."""
        found = self.statement
        segment = None if found is None else explanations.source.segment(self.filename, found)
        if segment is None:
            return linecache.getline(self.filename, self.line).strip()
        return shortened(" ".join(segment.split()) if "\n" in segment else segment)

    @property
    def target(self) -> str | None:
        """The name that holds the value of the expression, where it is assigned to just one."""
        match explanations.source.assigned(self.statement):
            case (name, value) if explanations.source.span(value) == self.position or isinstance(
                self.statement, ast.AugAssign
            ):
                return name
        return None

    def same_expression(self, other: Site) -> bool:
        """Return whether both are one expression, which code of several recordings may run."""
        return self == other or (
            self.filename == other.filename and self.position == other.position
        )

    def same_line(self, other: Site) -> bool:
        """Return whether both sites are on one line of one file."""
        return self.filename == other.filename and self.line == other.line

    def __str__(self) -> str:
        return place_text(self.filename, self.line, self.run)

    def __repr__(self) -> str:
        return f"<Site {self}>"


def place_text(filename: str, line: int, run: int | None = None) -> str:
    """Return how a line is called: ``train.py:12``, or ``Cell In[3], line 2`` in a notebook."""
    cell = cells.label(filename, cells.count if run is None else run)
    if cell is not None:
        return f"{cell}, line {line}"
    return f"{filename.replace(chr(92), '/').rpartition('/')[2]}:{line}"


def shortened(text: str, limit: int = 80) -> str:
    """Return the text, cut where it is longer than the limit."""
    return text if len(text) <= limit else text[: limit - 3].rstrip() + "..."


def user_site() -> Site:
    """Return the user's line that is running."""
    return Site(*user_frame(2))
