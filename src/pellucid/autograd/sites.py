"""Sites: the user's line behind a node, a change or a backward pass.

A site is kept as a code object and an instruction offset, both read from one frame, and becomes a
file, a line and its text only when someone asks. Never a frame or a traceback: these keep every
local variable alive.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from types import CodeType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
#: file name that generated op calls carry
GENERATED = "<pellucid op>"


class LibraryFiles(dict[str, bool]):
    """Map a code object's file name to whether it belongs to the library; filled as names appear."""

    def __missing__(self, filename: str) -> bool:
        inside = filename.startswith(_PACKAGE) or filename == GENERATED
        self[filename] = inside
        return inside


library_files = LibraryFiles()


def user_frame(depth: int = 1) -> tuple[CodeType, int]:
    """Return code object and instruction offset of the nearest frame outside the library."""
    frame = sys._getframe(depth)
    code = frame.f_code
    while library_files[code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


class Site:
    """Resolve a code object and an instruction offset to file, line and text."""

    __slots__ = ("code", "lasti")

    def __init__(self, code: CodeType, lasti: int) -> None:
        self.code = code
        self.lasti = lasti

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
        return self._position()[0]

    @property
    def text(self) -> str:
        """The source line, stripped; empty where the source cannot be read."""
        return linecache.getline(self.filename, self.line).strip()

    @property
    def target(self) -> str | None:
        """The name that the line assigns to, where it is one plain name."""
        try:
            statements = ast.parse(self.text).body
        except SyntaxError:
            return None
        match statements:
            case [ast.Assign(targets=[ast.Name(id=name)])] | [ast.AnnAssign(target=ast.Name(id=name))]:
                return name
        return None

    def __str__(self) -> str:
        return f"{os.path.basename(self.filename)}:{self.line}"

    def __repr__(self) -> str:
        return f"<Site {self}>"

    def _position(self) -> tuple[int, int]:
        for index, (line, end, _, _) in enumerate(self.code.co_positions()):
            if index == self.lasti // 2:
                return (line or self.code.co_firstlineno), (end or line or 0)
        return self.code.co_firstlineno, self.code.co_firstlineno
