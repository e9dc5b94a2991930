"""How many calls ran in the compiled module, how many in Python, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pellucid import _native
from pellucid.blocks import Block
from pellucid.core.call.compiled import why_in_python
from pellucid.inspect.tables import Column, table_lines

_COLUMNS = (
    Column("operation", is_text=True), Column("compiled"), Column("in Python"),
    Column("why", is_text=True, least=40),
)  # fmt: skip
_module: Any = _native.compiled
#: the blocks that count, over all threads
_counting: list[Any] = []

Key = tuple[Any, str | None]


@dataclass(slots=True)
class CallsOf:
    """The calls of one operation, or the runs of the backward of its nodes.

    Args:
        name: The operation, or the class of its nodes.
        compiled: How many ran in the compiled module.
        in_python: How many were left to Python.
        why: Why they were, with their numbers.

    >>> with torch.inspect.compiled_calls() as calls:
    ...     y = torch.ones(3) + 1
    >>> calls["add"].why
    Counter()
    """

    name: str
    compiled: int = 0
    in_python: int = 0
    why: Counter[str] = field(default_factory=Counter)


class compiled_calls(Block):  # noqa: N801 - used as a function
    """A block that counts, by operation, how many calls ran compiled and how many in Python.

    The compiled module takes the usual case of a call and of the backward of a node, and leaves
    everything else to Python, which gives the same results in more time. Where that matters, this
    says what was not usual. Calls of all threads are counted; those that a formula makes on arrays
    are part of the node's. It takes no time where nobody counts.

    >>> x = torch.ones(3)
    >>> with torch.inspect.compiled_calls() as calls:
    ...     y = (x * x).sum()
    >>> calls["mul"].in_python
    0

    A table is printed, in which a loop of ``(x * a_tensor_of_float64).sum()`` looks like this::

        operation  compiled  in Python  why
        mul               0          3  operands of different dtypes
        sum               3          0
    """

    def __init__(self) -> None:
        self._before: dict[Key, int] = {}
        self._after: dict[Key, int] | None = None

    def _begin(self) -> compiled_calls:
        if _module is not None:
            self._at_end(self._end)
            self._append(_counting, self)
            self._before, self._after = _module.counted_calls(), None
            _module.count_calls(True)
        return self

    def _end(self) -> None:
        _module.count_calls(bool(_counting))
        if self._after is None:
            self._after = _module.counted_calls()

    @property
    def rows(self) -> tuple[CallsOf, ...]:
        """What was counted, by operation: those that were left to Python most often come first."""
        if _module is None:
            return ()
        now = _module.counted_calls() if self._after is None else self._after
        found: dict[str, CallsOf] = {}
        for (what, why), count in now.items():
            new = count - self._before.get((what, why), 0)
            if new == 0:
                continue
            row = found.setdefault(what.__name__, CallsOf(what.__name__))
            if why is None:
                row.compiled += new
            else:
                row.in_python += new
                row.why[_reason(what, why)] += new
        return tuple(sorted(found.values(), key=lambda row: (-row.in_python, row.name)))

    def __getitem__(self, name: str) -> CallsOf:
        return next((row for row in self.rows if row.name == name), CallsOf(name))

    def __str__(self) -> str:
        if _module is None:
            return f"Every call runs in Python: the compiled module is {_native.missing_because}."
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return str(self)

    def _lines(self) -> list[str]:
        cells = [cell for row in self.rows for cell in _cells(row)]
        return [line.rstrip() for line in table_lines(_COLUMNS, cells, None)]


def _reason(what: Any, why: str) -> str:
    """Return a reason, what is in the way of all calls of an op where the module knows no more."""
    if why != _module.not_described:
        return why
    op = getattr(what, "op", None)
    return (op and why_in_python(op)) or "a change that Python alone makes"


def _cells(row: CallsOf) -> list[tuple[str, str, str, str]]:
    """Return the lines of an operation in the table: one for each reason."""
    reasons = [(str(count), why) for why, count in row.why.most_common()] or [("0", "")]
    names = [(row.name, str(row.compiled)), *[("", "")] * (len(reasons) - 1)]
    return [(*name, *reason) for name, reason in zip(names, reasons, strict=True)]
