"""Compiled functions: what was recorded of them, and where and why Python runs."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentError


def compiled(f: Any) -> Any:
    """Return what `torch.compile` has recorded of a function or module, and what it could not.

    What is returned prints as a table by lines of the program. It has ``recordings`` (each with its
    ``operations``, ``conditions`` and ``source``), ``breaks``, ``recompilations`` and
    ``plain_because``.

    Args:
        f: What `torch.compile` has returned, or a module after ``compile()``.

    Raises:
        ValueError: If it is not compiled.

    >>> f = torch.compile(lambda x: torch.relu(x) + x.sum().item())
    >>> y = f(torch.ones(2)), f(torch.ones(2))
    >>> report = torch.inspect.compiled(f)
    >>> [each.name for each in report.recordings[0].operations], report.recordings[0].runs
    (['relu', 'sum', 'item', 'add'], 1)
    >>> print(report.breaks[0].reason)
    item() hands a value to Python
    """
    kept = getattr(f, "_compiled", None)
    if kept is None:
        kept = getattr(getattr(f, "__dict__", {}).get("forward"), "_compiled", None)
    if kept is None:
        raise ArgumentError(f"{f!r} is not compiled: give what torch.compile returns")
    return kept.report(f)
