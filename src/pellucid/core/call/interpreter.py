"""Interpreters: what may give an op call another meaning, on one stack per thread.

``modes.interpreters`` is the stack. `pellucid.core.call.call.call` hands a call to the topmost,
which does with it what it likes and calls ``below`` to go on; below the last one the op is computed
and recorded. Vmap, autocast, forward mode and sparse tensors are interpreters; whatever wants to
see all that is computed, such as a recorder, is one with ``executed``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.op import Op

#: what an interpreter calls to go on: ``(op, operands, params)``
Below = Callable[[Op, tuple[Any, ...], tuple[Any, ...]], Any]


class Execution:
    """One call that has been computed: what was given, the arrays in it, and the results."""

    __slots__ = ("arrays", "op", "operands", "params", "results")

    def __init__(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], arrays: list[Any],
        results: list[TensorBase],
    ) -> None:  # fmt: skip
        self.op = op
        #: tensors, numbers and None; of an op of a list, the list's elements
        self.operands = operands
        self.params = params
        #: the operands' arrays, in the dtype that was computed in
        self.arrays = arrays
        self.results = results


class Interpreter:
    """One meaning of op calls; as it stands, it changes nothing."""

    #: whether it is autocast: what casts operands can be suspended
    casts = False
    #: whether it takes note of what has been computed
    notes = False

    def __init_subclass__(cls) -> None:
        cls.notes = cls.executed is not Interpreter.executed

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        """Return what an op gives; the operands of an op of a list are the list's elements."""
        return below(op, operands, params)

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        """Write an op's result into its first operand, and return that."""
        return below(op, operands, params)

    def executed(self, execution: Execution) -> None:
        """Take note of a call that has been computed and recorded."""
