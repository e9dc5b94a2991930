"""The kind of statement that asks for a name: an import, a use, or a test whether it exists.

A name that pellucid lacks is answered by the kind of asking. ``hasattr(torch, "x")``, and an import
inside ``try`` ... ``except ImportError``, want the truth, for the program has another way to go on.
An ordinary import is most often of something that is never used. So is a name that a module asks
for while it is being imported itself: in annotations, tables, decorators and lists of base classes.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from pellucid.parsing import parse

_USES = {dis.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in dis.opmap}
_IMPORT = dis.opmap["IMPORT_NAME"]
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
#: handlers of the error that a missing name causes, and of the one that a missing module does
_FOR_NAMES = {"ImportError", "Exception", "BaseException"}
_FOR_MODULES = _FOR_NAMES | {"ModuleNotFoundError"}
_FOR_ATTRIBUTES = {"AttributeError", "NotImplementedError", "RuntimeError"} | (
    _FOR_NAMES - {"ImportError"}
)
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


def is_mention(frame: FrameType) -> bool:
    """Return whether the frame names something without needing it yet, and expects to find it.

    Such are the statements of a module that is being imported, and annotations anywhere.
    """
    if not (_is_importing(frame) or _is_annotation(frame)):
        return False
    return not _is_guarded(frame, _FOR_ATTRIBUTES)


def _is_importing(frame: FrameType) -> bool:
    spec = frame.f_globals.get("__spec__")
    return getattr(spec, "_initializing", False)


def _is_annotation(frame: FrameType) -> bool:
    """Return whether the expression that is being computed stands in an annotation."""
    tree = _tree(frame)
    start, end, column, end_column = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    if tree is None or None in (start, end, column, end_column):
        return False
    return any(
        (each.lineno, each.col_offset) <= (start, column)
        and (end, end_column) <= (each.end_lineno, each.end_col_offset)
        for each in _annotations(tree)
    )


def _annotations(tree: ast.AST) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


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
    tree = _tree(frame)
    if tree is None:
        return False
    return any(frame.f_lineno in lines for lines in _guarded_lines(tree, errors))


def _tree(frame: FrameType) -> ast.AST | None:
    """Return the syntax tree of the file that the frame runs, if its source can be had."""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    return _parsed("".join(lines))


@functools.lru_cache(maxsize=8)
def _parsed(source: str) -> ast.AST | None:
    try:
        return parse(source)
    except SyntaxError:
        return None


def _guarded_lines(tree: ast.AST, errors: set[str]) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_handles(h, errors) for h in node.handlers):
            yield range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)


def _handles(handler: ast.ExceptHandler, errors: set[str]) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in errors for kind in kinds)
