"""How the errors of the graph are written: rows of the user's lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from pellucid.autograd.lost_paths import Written
from pellucid.autograd.sites import Site, shortened

#: label, site, remark: one line of an explanation
Row = tuple[str, Site | Written | None, str]


def as_text(rows: Iterable[Row]) -> str:
    """Return the rows of an explanation, aligned: label, ``file.py:LINE``, source text, remark."""
    known = [(label, str(site), site.text, remark) for label, site, remark in rows if site]
    widths = [max((len(row[i]) for row in known), default=0) for i in range(3)]
    lines = (
        "   ".join(part.ljust(width) for part, width in zip(row, (*widths, 0), strict=True))
        for row in known
    )
    return "".join(f"\n    {line.rstrip()}" for line in lines)


def expression_text(site: Site | None) -> str | None:
    """Return the name that holds a site's value, or else the short expression itself."""
    if site is None:
        return None
    if site.target is not None:
        return site.target
    found = site.expression
    return None if found is None else shortened(ast.unparse(found), 40)


def describe(like: Any) -> str:
    """Describe what has shape and dtype: ``float32[3, 4]``."""
    return f"{dtype_name(like.dtype)}{list(like.shape)}"


def dtype_name(dtype: Any) -> str:
    return getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
