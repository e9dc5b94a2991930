"""What a recording consists of: frames of functions, and in them steps over registers."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from pellucid.parsing import parse

#: file, first and last line, first and last column
Place = tuple[int, int, int, int]


class Register(str):
    """The name under which a replay has a value."""

    __slots__ = ()


@functools.lru_cache(maxsize=4096)
def registers_in(text: str) -> tuple[ast.Name, ...]:
    """Return the registers that a statement or expression of a replay names.

    A text or an attribute that has the name of a register is none.
    """
    return tuple(
        node
        for node in ast.walk(parse(text))
        if isinstance(node, ast.Name) and node.id[0] == "r" and node.id[1:].isdigit()
    )


class Called(NamedTuple):
    """What a step calls, for those who show it, or make a graph of it."""

    #: "function", "method", "layer", "builtin", "build", "unpack" or "other"
    kind: str
    #: the function, the layer, or the method's name
    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def is_operation(self) -> bool:
        """Whether something is computed, not a container made or taken apart."""
        return self.kind not in ("build", "unpack")


class Step(NamedTuple):
    """One statement of a replay.

    Attributes:
        text: Its source, over registers and constants.
        place: The user's expression.
        called: What it calls; None for what only reads.
        outs: The registers that it writes.
        exit: The number of the exit that it takes where an error is to be caught; else None.
        reads: For what is read in its place, and changes nothing: the registers that it reads, and
            what their classes were; else None.
    """

    text: str
    place: Place
    called: Called | None = None
    outs: tuple[Register, ...] = ()
    exit: int | None = None
    reads: tuple[tuple[str, type], ...] | None = None


class Made(NamedTuple):
    """What a step gave at the recording, for people.

    Attributes:
        like: Dtype and shape as text, as ``float32[3, 4]``.
        bytes: The size of what it made; 0 where the memory was there before.
        shares: The operand whose memory it has; None if it has its own.
    """

    like: str
    bytes: int
    shares: Register | None


class Decision(NamedTuple):
    """A condition that has to be as it was when the recording was made.

    Attributes:
        condition: Its source.
        expected: Whether it was true.
        told: What it means, for people.
        exit: The number of the exit that is taken if it is not so.
        now: The source of what is handed to the exit.
        place: The user's expression.
        is_pure: Whether looking at it changes nothing.
        frame: The frame that asks for it.
    """

    condition: str
    expected: bool
    told: Told
    exit: int
    now: str
    place: Place
    is_pure: bool = False
    frame: TraceFrame | None = None


class Free(NamedTuple):
    """The end of a register's life."""

    register: Register


class Inlined(NamedTuple):
    """The call of a function that was recorded too."""

    frame: TraceFrame
    out: Register | None
    place: Place


class Told(NamedTuple):
    """A condition in words: what was looked at, and what it was."""

    what: str
    was: str


class Break(NamedTuple):
    """A place where Python has to run: what it was, why, and what can be done."""

    file: str
    line: int
    function: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        told = f"{self.file}:{self.line} in {self.function}: {self.reason}"
        return f"{told}\n    {self.remedy}" if self.remedy else told


class TraceFrame:
    """What was recorded of one call of a function."""

    def __init__(self, function: Any, parent: TraceFrame | None, event: int) -> None:
        #: the function, as it was called
        self.function = function
        self.code = function.__code__
        self.parent = parent
        #: the event of the parent in which it was called
        self.event = event
        #: what it was called with, as registers
        self.arguments: tuple[Any, Any] = ((), {})
        #: the register of the module whose forward this is
        self.module: Any = None
        self.items: list[Step | Decision | Free | Inlined] = []
        #: what each event gave: registers and constants
        self.events: list[Any] = []
        self.children: dict[int, TraceFrame] = {}
        self.result: Any = None


class Exit(BaseException):
    """Leaves a replay at a decision that fell otherwise, with all that is known there.

    No program is to catch it: it is no `Exception`.
    """

    def __init__(self, number: int, outcome: Any, error: BaseException | None = None) -> None:
        super().__init__(number)
        self.number = number
        self.outcome = outcome
        self.error = error
        self.known: dict[str, Any] = {}
        #: the frames that were open, by identity, and the event of each at which it was left
        self.path: dict[int, int] = {}

    def forget(self) -> None:
        """Forget what the frames had, the exit itself and errors among it."""
        self.known.clear()
        self.error = self.__context__ = None


class Trace:
    """A recording of one call, and the conditions under which it holds.

    Attributes:
        prologue: What is read and decided before anything is done.
        root: The frame of the function itself.
        constants: What the steps name, by the names they have.
        exits: Where a replay may be left: the frame and the event.
        breaks: Where Python had to run.
        made: What the registers of steps that call something had at the recording.
        nanoseconds: How long the recording took, with the call that was recorded.
    """

    def __init__(self) -> None:
        self.prologue: list[Step | Decision] = []
        self.root: TraceFrame
        self.constants: dict[str, Any] = {}
        self.exits: list[tuple[TraceFrame, int]] = []
        self.breaks: list[Break] = []
        self.made: dict[Register, Made] = {}
        self.nanoseconds = 0
        #: the registers of the arguments by position, then of those by name, which `run` takes
        self.arguments: list[Register] = []
        self.keywords: tuple[str, ...] = ()
        #: runs it; set by `generate`
        self.run: Callable[..., Any]
        #: its source, and the stretches of it that may run at once
        self.written: Any = None
        self.stretches: list[Any] = []
        #: registers that a replay by a backend has under the names of others
        self.renamed: dict[str, str] = {}
        #: the expressions that registers stand for, once they are asked for
        self.names: dict[str, str] | None = None
        #: how often it ran, and how often it was left on the way
        self.runs = 0
        self.left = 0
        #: the number of runs after which plain calls take turns with it, see `trial`; 0 for none
        self.judged_at = 0
        #: whether the program asks if it is compiled, which is so in a replay alone
        self.depends_on_compiling = False

    def frames(self) -> list[TraceFrame]:
        """Return all frames, callers first."""
        found, new = [], [self.root]
        while new:
            frame = new.pop()
            found.append(frame)
            new += reversed([each.frame for each in frame.items if isinstance(each, Inlined)])
        return found

    def steps(self) -> list[tuple[TraceFrame, Step]]:
        """Return all steps in the order in which they run, with their frames."""
        found: list[tuple[TraceFrame, Step]] = []

        def visit(frame: TraceFrame) -> None:
            for each in frame.items:
                if isinstance(each, Inlined):
                    visit(each.frame)
                elif isinstance(each, Step):
                    found.append((frame, each))

        visit(self.root)
        return found

    def decisions(self) -> list[Decision]:
        """Return all conditions: first those that are checked before anything runs."""
        found = [each for each in self.prologue if isinstance(each, Decision)]
        for frame in self.frames():
            found += [each for each in frame.items if isinstance(each, Decision)]
        return found
