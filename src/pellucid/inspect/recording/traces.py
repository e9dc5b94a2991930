"""What a recorder writes down while the program runs: little, and nothing that keeps memory."""

from __future__ import annotations

import weakref
from time import perf_counter_ns
from types import CodeType
from typing import Any

#: shape and dtype
Like = tuple[tuple[int, ...], Any]


class Span:
    """An `Event` in the making; what few spans have is an attribute of the class until set."""

    #: identity of what an announced beginning was about
    subject = 0
    node: NodeTrace | PastNode | None = None
    #: the lines of all callers, the innermost first
    stack: tuple[tuple[CodeType, int], ...] = ()
    inputs: tuple[Like, ...] = ()
    outputs: tuple[Like, ...] = ()
    made = 0
    freed = 0
    #: the part that ended last
    last_part: Span | None = None
    #: nanoseconds that the recorder itself took, which are not part of the program's time
    watching = 0
    number = 0
    start = 0
    end = 0

    def __init__(
        self, kind: str, name: str, phase: str, code: CodeType | None, lasti: int,
        scope: str | None, thread: int, parent: Span | None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.name = name
        self.phase = phase
        self.code = code
        self.lasti = lasti
        self.scope = scope
        self.thread = thread
        self.parent = parent

    def parent_of_kind(self, kind: str) -> Span | None:
        """Return the nearest span of a kind that this one is a part of."""
        span = self.parent
        while span is not None and span.kind != kind:
            span = span.parent
        return span


class NodeTrace(weakref.ref[Any]):
    """A `RecordedNode` in the making: a weak reference to the node, which notes its end."""

    __slots__ = (
        "code", "freed", "lasti", "made", "name", "number", "operands", "ran", "saved", "scope",
        "seq", "span",
    )  # fmt: skip

    name: str
    seq: int
    code: CodeType | None
    lasti: int
    scope: str | None
    #: sequence numbers
    operands: list[int | None]
    span: Span
    made: int
    ran: int | None
    freed: int | None
    saved: list[tuple[MemoryTrace, str]]
    number: int

    def __new__(cls, node: Any, span: Span) -> NodeTrace:
        trace: NodeTrace = super().__new__(cls, node, _note_death)
        trace.name = node.short_name()
        trace.seq = node.seq
        trace.code, trace.lasti, trace.scope = node.code, node._lasti, node.scope
        trace.operands = [None if edge is None else edge[0].seq for edge in node.edges]
        trace.span, trace.made = span, span.end
        trace.ran = trace.freed = None
        trace.saved = []
        return trace

    def __init__(self, node: Any, span: Span) -> None:
        super().__init__(node, _note_death)  # pyright: ignore[reportCallIssue]


def _note_death(trace: NodeTrace) -> None:
    if trace.freed is None:
        trace.freed = perf_counter_ns()


class MemoryTrace(weakref.ref[Any]):
    """An `Allocation` in the making: a weak reference to the array that owns the memory."""

    __slots__ = (
        "born", "bytes", "freed", "identity", "kind", "like", "number", "owners", "site", "span",
    )  # fmt: skip

    #: the identity of the array that owns the memory
    identity: int
    kind: str
    like: Like
    bytes: int
    born: int
    span: Span | None
    #: code object and offset of the line that first used it, if no span has made it
    site: tuple[CodeType | None, int]
    freed: int | None
    #: what it belongs to beside nodes: kind, identity of the parameter, name
    owners: tuple[tuple[str, int, str], ...]
    number: int


class PastNode:
    """A `RecordedNode` in the making, of a library that tells of its nodes afterwards."""

    def __init__(
        self, name: str, seq: int, made_by: Span, operands: list[int | None], made: int
    ) -> None:
        self.name = name
        self.seq = seq
        self.code, self.lasti, self.scope = made_by.code, made_by.lasti, made_by.scope
        self.operands = operands
        self.span = made_by
        self.made = made
        self.ran: int | None = None
        self.freed: int | None = None
        self.saved: list[tuple[Any, str]] = []
        self.number = 0


class PastMemory:
    """An `Allocation` in the making, of a library that tells of its memory afterwards."""

    def __init__(self, kind: str, size: int, born: int, span: Span | None) -> None:
        self.kind = kind
        self.bytes = size
        self.born = born
        self.span = span
        self.like: Like = (size,), "bytes"
        self.site: tuple[CodeType | None, int] = (None, 0)
        self.freed: int | None = None
        self.owners: tuple[tuple[str, int, str], ...] = ()
        self.number = 0
