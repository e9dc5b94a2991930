"""The kind of statement that asks for a name: an import, a use, or a test whether it exists.

A name that pellucid lacks is answered by the kind of asking. ``hasattr(torch, "x")``, and an import
inside ``try`` ... ``except ImportError``, want the truth, for the program has another way to go on.
An ordinary import is most often of something that is never used.
"""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from collections.abc import Iterator
from types import FrameType

_USES = {dis.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in dis.opmap}
_IMPORT = dis.opmap["IMPORT_NAME"]
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
#: handlers of the error that a missing name causes, and of the one that a missing module does
_FOR_NAMES = {"ImportError", "Exception", "BaseException"}
_FOR_MODULES = _FOR_NAMES | {"ModuleNotFoundError"}
_MACHINERY = {"importlib", "_frozen_importlib", "_frozen_importlib_external"}


def is_use(frame: FrameType) -> bool:
    """Return whether the frame is at ``module.name``, as against ``hasattr`` or ``getattr``."""
    return _instruction(frame) in _USES


def is_unguarded_import_of_name(frame: FrameType) -> bool:
    """Return whether the frame is at ``from module import name``, expecting it to succeed."""
    return _instruction(frame) == _IMPORT_FROM and not _is_guarded(frame, _FOR_NAMES)


def unguarded_import_of_module() -> FrameType | None:
    """Return the frame that is at ``import module``, expecting it to succeed, if there is one."""
    frame = sys._getframe(1)
    while frame is not None and _belongs_to_import_machinery(frame):
        if frame.f_code.co_name == "_handle_fromlist":
            return None  # ``from package import name``: the name need not be a module
        frame = frame.f_back
    if frame is None or _instruction(frame) != _IMPORT or _is_guarded(frame, _FOR_MODULES):
        return None
    return frame


def place(frame: FrameType) -> str:
    """Return where the frame is, as ``train.py:12``."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _instruction(frame: FrameType) -> int:
    return frame.f_code.co_code[frame.f_lasti]


def _belongs_to_import_machinery(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in _MACHINERY or name == f"{__package__}.finder" or (
        name == __name__
    )  # fmt: skip


def _is_guarded(frame: FrameType, errors: set[str]) -> bool:
    """Return whether the statement stands in a ``try`` that handles one of the errors."""
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    return any(frame.f_lineno in lines for lines in _guarded_lines(tree, errors))


def _guarded_lines(tree: ast.AST, errors: set[str]) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_handles(h, errors) for h in node.handlers):
            yield range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)


def _handles(handler: ast.ExceptHandler, errors: set[str]) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in errors for kind in kinds)
