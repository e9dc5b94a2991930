"""What a recorder has written down, whichever library it listened to; `building` reads it."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter_ns
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.dtypes import is_differentiable
from pellucid.inspect.recording.measures import (
    NOTHING,
    Measure,
    distance,
    measure,
    sum_of_squares,
)
from pellucid.inspect.recording.traces import MemoryTrace, NodeTrace, PastMemory, PastNode, Span
from pellucid.ranks import Exchange
from pellucid.tensors.summary import Summary, summarize


class ParameterTrace:
    """What one optimizer step found of a parameter, and what it made of it."""

    __slots__ = ("_before", "_tensor", "gradient", "parameter", "time", "update", "weight")

    def __init__(self, parameter: Any, array: Any, grad: Any, time: int) -> None:
        gradient = reading.values_of(grad)
        self.parameter = id(parameter)
        self._tensor: Any = parameter
        self.time = time
        self.gradient = measure(gradient) if isinstance(gradient, np.ndarray) else NOTHING
        self._before: Any = array.copy()
        self.weight = sum_of_squares(array) ** 0.5
        self.update = 0.0

    def compare(self) -> None:
        """Note how far the parameter has moved, and let go of it and of the copy."""
        self.update = distance(reading.values_of(self._tensor), self._before)
        self._tensor = self._before = None


class Written:
    """Lists that fill between the start and the stop of a recorder.

    Args:
        gradients: Whether gradients and updates are measured.
        values: Whether results and gradients are summed up; ``"whole"``: copied, too.
    """

    def __init__(self, gradients: bool, values: bool | str) -> None:
        self.measures = gradients
        self.sums_up = bool(values)
        self.copies = values == "whole"
        #: time, kind, name, span, summary and perhaps a copy of each result and gradient
        self.values: list[tuple[int, str, str, Span, Summary, Any]] = []
        self.threads: list[str] = []
        self.spans: list[Span] = []
        self.memory: list[MemoryTrace | PastMemory] = []
        #: by sequence number
        self.nodes: dict[int, NodeTrace | PastNode] = {}
        #: time, node and measure of each gradient that arrived at a node
        self.arrived: list[tuple[int, Any, int, Measure]] = []
        self.parameters: list[ParameterTrace] = []
        #: names of leaves by identity
        self.names: dict[int, str] = {}
        #: ends of steps that the program itself has marked
        self.marks: list[int] = []
        #: exchanges that have been begun, and where
        self.exchanges: list[tuple[Exchange, Any, int]] = []
        self.began = self.ended = 0
        #: the time of day when it began, in nanoseconds
        self.clock = 0
        #: nanoseconds that the recorder itself has taken
        self.own_time = 0
        #: why nothing could be recorded
        self.missed = ""

    def mark_step(self) -> None:
        """End a step here."""
        self.marks.append(perf_counter_ns())

    def name_parameters(self, module: Any) -> Iterator[Any]:
        """Name the parameters and buffers of a module, and yield them."""
        taken = set(self.names.values())
        for name, parameter in module.named_parameters():
            self.names[id(parameter)] = f"{type(module).__name__}.{name}" if name in taken else name
            yield parameter
        for name, buffer in module.named_buffers():
            self.names.setdefault(id(buffer), name)
            yield buffer

    def note_values(self, kind: str, span: Span, name: str, arrays: list[Any], time: int) -> None:
        """Sum up the results of an op, or the gradients that arrived at a node."""
        for each in arrays:
            if is_differentiable(each.dtype):
                found = summarize(each, pictures=True)
                whole = each.copy() if self.copies else None
                self.values.append((time, kind, name, span, found, whole))


def updated_by(optimizer: Any, names: dict[int, str]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the parameters of an optimizer that have a gradient, their values and gradients.

    Those without a name are given one.
    """
    for number, group in enumerate(optimizer.param_groups):
        given = group.get("param_names")
        for position, parameter in enumerate(group["params"]):
            grad = reading.gradient_of(parameter)
            array = None if grad is None else reading.values_of(parameter)
            if isinstance(array, np.ndarray):
                if id(parameter) not in names:
                    names[id(parameter)] = (
                        given[position] if given else f"parameter {position} of group {number}"
                    )
                yield parameter, array, grad
