"""Python's source as syntax trees, in any thread."""

from __future__ import annotations

import ast
import threading
from typing import Any, Literal

# CPython 3.11 counts for all threads together how deep the tree is that it builds: where the
# collector runs Python code meanwhile, another thread gets in, and both fail with SystemError.
_lock = threading.RLock()


def parse(text: str, mode: Literal["exec", "eval"] = "exec") -> Any:
    """Return the syntax tree of a text, as `ast.parse` does, one thread at a time.

    Args:
        text: Python's source.
        mode: ``"exec"`` for a module, ``"eval"`` for one expression.

    Raises:
        SyntaxError: If the text is something else.

    >>> from pellucid.parsing import parse
    >>> ast.unparse(parse("a  +  1", mode="eval"))
    'a + 1'
    """
    with _lock:
        return ast.parse(text, mode=mode)
