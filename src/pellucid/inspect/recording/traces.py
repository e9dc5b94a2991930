"""What a recorder writes down while the program runs: little, and nothing that keeps memory."""

from __future__ import annotations

import weakref
from types import CodeType
from typing import Any

#: shape and dtype
Like = tuple[tuple[int, ...], Any]


class Span:
    """An `Event` in the making."""

    __slots__ = (
        "code", "end", "freed", "inputs", "kind", "lasti", "last_part", "made", "name", "node",
        "number", "outputs", "parent", "phase", "scope", "stack", "start", "subject", "thread",
        "watching",
    )  # fmt: skip

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
        #: identity of what an announced beginning was about
        self.subject = 0
        self.node: NodeTrace | None = None
        #: the lines of all callers, the innermost first
        self.stack: tuple[tuple[CodeType, int], ...] = ()
        self.inputs: tuple[Like, ...] = ()
        self.outputs: tuple[Like, ...] = ()
        self.made = 0
        self.freed = 0
        #: the part that ended last
        self.last_part: Span | None = None
        #: nanoseconds that the recorder itself took, which are no part of the program's time
        self.watching = 0
        self.number = 0
        self.start = 0
        self.end = 0

    def parent_of_kind(self, kind: str) -> Span | None:
        """Return the nearest span of a kind that this one is a part of."""
        span = self.parent
        while span is not None and span.kind != kind:
            span = span.parent
        return span


class NodeTrace:
    """A `RecordedNode` in the making."""

    __slots__ = (
        "code", "freed", "lasti", "made", "name", "number", "operands", "ran", "reference", "saved",
        "scope", "seq", "span",
    )  # fmt: skip

    def __init__(self, node: Any, span: Span | None, made: int) -> None:
        self.name: str = node.name()
        self.seq: int = node.seq
        self.code: CodeType | None = node.code
        self.lasti: int = node._lasti
        self.scope: str | None = node.scope
        self.operands: tuple[int | None, ...] = tuple(
            [None if edge is None else edge[0].seq for edge in node.edges]
        )
        self.span = span
        self.made = made
        self.ran: int | None = None
        self.freed: int | None = None
        self.saved: list[tuple[MemoryTrace, str]] = []
        self.number = 0
        self.reference: weakref.ref[Any] | None = None


class MemoryTrace:
    """An `Allocation` in the making."""

    __slots__ = (
        "born", "bytes", "code", "freed", "kind", "lasti", "like", "number", "owners", "span",
    )  # fmt: skip

    def __init__(self, array: Any, owner: Any, kind: str, born: int, span: Span | None) -> None:
        self.kind = kind
        self.like: Like = (array.shape, array.dtype)
        self.bytes: int = owner.nbytes
        self.born = born
        self.span = span
        self.code, self.lasti = (None, 0) if span is None else (span.code, span.lasti)
        self.freed: int | None = None
        #: what it belongs to beside nodes: kind, identity of the parameter, name
        self.owners: list[tuple[str, int, str]] = []
        self.number = 0


class MemoryReference(weakref.ref[Any]):
    """A weak reference to the array that owns a memory, with the trace of the memory."""

    __slots__ = ("identity", "trace")

    trace: MemoryTrace
    identity: int
