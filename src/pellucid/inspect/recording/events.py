"""What a recording consists of: plain numbers and text, which keep nothing alive.

All times are nanoseconds since the recording began. Where one thing refers to another, it has the
other's ``number``, which is its place in the tuple that it stands in. What there are many of is a
named tuple, which is made several times faster than a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pellucid.autograd.sites import place_text
from pellucid.inspect.recording.measures import ratio_of_norms
from pellucid.tensors.summary import Summary


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the program.

    Attributes:
        number: Its place in the recording's ``lines``.
        file: The path of the file.
        line: The number of the line, from 1.
        function: The name of the function that it stands in.
        text: The statement, on one line.
    """

    number: int
    file: str
    line: int
    function: str
    text: str

    @property
    def where(self) -> str:
        """The line as ``file.py:LINE``."""
        return place_text(self.file, self.line)


class Event(NamedTuple):
    """Something that took time.

    Attributes:
        number: Its place in the recording's ``events``, which are sorted by their beginnings.
        kind: ``op``, ``function`` (of several ops), ``custom`` (the forward of a custom function),
            ``node`` (one that ran backward), ``backward`` (a whole pass), ``step`` (of an
            optimizer), ``module`` (one that no other module called), ``exchange`` (the wait for one
            with other ranks), or ``range`` (a block that the program has named).
        name: Such as ``mul``, ``MulBackward0``, ``backward``, ``Adam.step``.
        phase: ``forward``, ``backward`` or ``update``.
        line: The number of the line it belongs to: of a node the line that made it.
        module: The dotted name of the module it belongs to; empty outside of modules.
        thread: The number of the thread.
        step: The number of the step.
        parent: The number of the event that it is a part of.
        start: When it began.
        end: When it ended.
        self_time: What is left of its duration without the events that are part of it.
        node: The number of the node that it made or ran.
        inputs: Dtypes and shapes of the operands, as ``float32[3, 4]``.
        outputs: Dtypes and shapes of the results.
        made: The bytes of new memory that it left behind.
        freed: The bytes of memory that were freed while it ran.
        stack: The numbers of the lines of all callers, the innermost first, where that was asked
            for.
    """

    number: int
    kind: str
    name: str
    phase: str
    line: int | None
    module: str
    thread: int
    step: int
    parent: int | None
    start: int
    end: int
    self_time: int
    node: int | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    made: int
    freed: int
    stack: tuple[int, ...] = ()

    @property
    def duration(self) -> int:
        """How long it took."""
        return self.end - self.start


class RecordedNode(NamedTuple):
    """A node of the graph, from its making to its end.

    Attributes:
        number: Its place in the recording's ``nodes``, in the order of their making.
        name: Such as ``MulBackward0``.
        event: The number of the event that made it.
        line: The number of the line that made it.
        module: The dotted name of the module that made it.
        operands: The numbers of the nodes that made its operands; None for an operand that needs no
            gradient, is a leaf, or was made before the recording.
        saved: The numbers of the allocations that it keeps.
        made: When it was made.
        ran: When its last run backward ended; None if it never ran.
        freed: When what it saved was let go, or it died; None if neither has happened.
    """

    number: int
    name: str
    event: int | None
    line: int | None
    module: str
    operands: tuple[int | None, ...]
    saved: tuple[int, ...]
    made: int
    ran: int | None
    freed: int | None


class RecordedExchange(NamedTuple):
    """This rank's part in an exchange with other ranks.

    Attributes:
        call: What was called, with dtypes and shapes.
        key: What the parts of all ranks have in common; None where that is not known.
        members: The global ranks that take part.
        begun: When this rank began it.
        line: The number of the line that began it.
        waits: The numbers of the events in which this rank stood still for it.
    """

    call: str
    key: tuple[Any, ...] | None
    members: tuple[int, ...]
    begun: int
    line: int | None
    waits: tuple[int, ...]


class Hold(NamedTuple):
    """A reason for which memory is kept.

    Attributes:
        kind: ``saved`` (by a node), ``parameter``, ``gradient`` (as ``.grad``) or ``state`` (of an
            optimizer).
        name: What holds it: ``MulBackward0 as other``, or the parameter's name.
        node: The number of the node that saved it.
        since: From when on.
        until: Until when; None if it is still held.
    """

    kind: str
    name: str
    node: int | None
    since: int
    until: int | None

    def covers(self, time: int) -> bool:
        """Return whether the memory is held at a time."""
        return self.since <= time and (self.until is None or time <= self.until)


class Allocation(NamedTuple):
    """One piece of memory, from its making to its end; views share that of their base.

    Attributes:
        number: Its place in the recording's ``allocations``.
        kind: ``result`` (of an op), ``saved`` (made for backward alone), ``gradient``,
            ``parameter``, ``state`` (of an optimizer), or ``input`` (made outside of ops).
        like: Dtype and shape of the tensor that it was first seen as, as ``float32[3, 4]``.
        bytes: Its size.
        event: The number of the event that made it; None for what was there before.
        line: The number of the line that made it, of an ``input`` the one that first used it.
        born: When it was made; 0 for parameters and optimizer states that were there before.
        freed: When it was freed; None if it has outlived the recording.
        holds: What held it beside the program's own variables.
    """

    number: int
    kind: str
    like: str
    bytes: int
    event: int | None
    line: int | None
    born: int
    freed: int | None
    holds: tuple[Hold, ...]

    def is_alive(self, time: int) -> bool:
        """Return whether it is there at a time."""
        return self.born <= time and (self.freed is None or time < self.freed)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of training.

    Attributes:
        number: Its place in the recording's ``steps``.
        start: When it began.
        end: When it ended.
    """

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LineGradient:
    """The gradients that arrived, in one step, at the results of one line.

    Attributes:
        step: The number of the step.
        line: The number of the line.
        norm: The root of the sum of their squares.
        zeros: The share of elements that are zero, from 0 to 1.
        nans: How many elements are not a number.
        infs: How many elements are infinite.
        count: How many elements there are.
    """

    step: int
    line: int
    norm: float
    zeros: float
    nans: int
    infs: int
    count: int


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """What one result of an operation was like, or a gradient that arrived at it.

    Attributes:
        step: The number of the step.
        kind: ``"value"`` or ``"gradient"``.
        name: The operation, or the node that the gradient arrived at.
        line: The number of the line; None where it is not known.
        module: The dotted name of the module; empty outside of modules.
        call: How many times the line's module and operation had run before in this step.
        time: When it was, in nanoseconds since the recording began.
        summary: Shape, mean, deviation, range, zeros, NaN, a histogram and a small picture.
        node: The number of the node that the operation made, or at which the gradient arrived; None
            where there is none.
        whole: A copy of all elements, with ``record(values="whole")``; not written to files.
    """

    step: int
    kind: str
    name: str
    line: int | None
    module: str
    call: int
    time: int
    summary: Summary
    node: int | None = None
    whole: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ParameterGradient:
    """The gradient of a parameter as an optimizer found it, and what the step made of it.

    Attributes:
        step: The number of the step.
        name: The name of the parameter.
        norm: The norm of the gradient; 0 if there was none.
        zeros: The share of its elements that are zero, from 0 to 1.
        nans: How many elements are not a number.
        infs: How many elements are infinite.
        count: How many elements there are.
        weight: The norm of the parameter before the step.
        update: The norm of the change that the step made to it.
    """

    step: int
    name: str
    norm: float
    zeros: float
    nans: int
    infs: int
    count: int
    weight: float
    update: float

    @property
    def ratio(self) -> float:
        """The norm of the update divided by that of the parameter; infinite for one of zeros."""
        return ratio_of_norms(self.update, self.weight)
