"""Derivative formulas written down as programs, for the compiled engine.

A formula is called once with stand-ins, which write down the operations that are done with them. It
has to be a straight line: what looks at values cannot be written down, and stays in Python. What
looks at sizes is written down for arrays of these very sizes. See Note [Programs] in
``_native/program.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.core.batching import Batch
from pellucid.core.op import Op
from pellucid.core.plan import SavePlan

#: constants, steps, and for each operand where its gradient is found; numbers of registers: first
#: the saved values and the gradient, then the constants, then what the steps give; of what an edge
#: leads to, the complement of the edge's
Program = tuple[tuple[Any, ...], tuple[Any, ...], tuple[int, ...]]

_NO_REGISTER = -1
_FIXED = (type(None), bool, int, float, str)


class Unwritable(Exception):
    """Raised where a formula is no straight line."""


class _Tape:
    """What has been written down so far; a register is a kind and a number."""

    def __init__(self) -> None:
        self.constants: list[Any] = []
        self.steps: list[tuple[str, Any, tuple[Any, ...]]] = []

    def register(self, value: Any) -> tuple[str, int]:
        """Return where an operand of arithmetic is found."""
        if value.__class__ is StandIn and value.has_values:
            return value.register
        if value.__class__ is not float and value.__class__ is not int:
            raise Unwritable
        self.constants.append(value)
        return ("constant", len(self.constants) - 1)

    def write(self, kind: str, subject: Any, registers: tuple[Any, ...], ndim: int | None) -> Any:
        """Write a step down and return what stands for its result."""
        self.steps.append((kind, subject, registers))
        return StandIn(self, ("step", len(self.steps) - 1), ndim)

    def arithmetic(self, ufunc: np.ufunc, *operands: Any) -> Any:
        """Write down a function of NumPy's."""
        ndims = [each.ndim_or_none if each.__class__ is StandIn else 0 for each in operands]
        ndim = None if None in ndims else max(ndims)
        result = self.write("loop", ufunc, tuple(map(self.register, operands)), ndim)
        sizes = [each.sizes if each.__class__ is StandIn else () for each in operands]
        if None not in sizes:
            result.sizes = np.broadcast_shapes(*sizes)
        return result


class _Sizes:
    """The sizes of a stand-in, of which only the number is known."""

    def __init__(self, owner: StandIn) -> None:
        self.owner = owner

    def __len__(self) -> int:
        return self.owner.ndim

    def __iter__(self) -> Any:
        raise Unwritable

    def __getitem__(self, index: Any) -> Any:
        raise Unwritable

    def __eq__(self, other: object) -> bool:
        raise Unwritable

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class _KnownSizes(tuple[int, ...]):
    """The sizes of a stand-in, in a program for arrays of these sizes."""

    owner: StandIn


def _operator(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: self.tape.arithmetic(ufunc, self, other)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: self.tape.arithmetic(ufunc, other, self)


class StandIn:
    """An array of which only the number of dimensions is known, while a formula is written down."""

    __slots__ = ("ndim_or_none", "register", "sizes", "tape")
    __array_ufunc__ = None
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, tape: _Tape, register: tuple[str, int], ndim: int | None) -> None:
        self.tape = tape
        #: where it is found
        self.register = register
        self.ndim_or_none = ndim
        #: the sizes, if they are known
        self.sizes: tuple[int, ...] | None = None

    __add__, __radd__ = _operator(np.add), _reflected(np.add)
    __sub__, __rsub__ = _operator(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _operator(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _operator(np.divide), _reflected(np.divide)
    __lt__, __le__ = _operator(np.less), _operator(np.less_equal)
    __gt__, __ge__ = _operator(np.greater), _operator(np.greater_equal)
    __eq__ = _operator(np.equal)
    __ne__ = _operator(np.not_equal)
    __and__, __or__ = _operator(np.bitwise_and), _operator(np.bitwise_or)

    def __neg__(self) -> Any:
        return self.tape.arithmetic(np.negative, self)

    def __bool__(self) -> bool:
        raise Unwritable

    @property
    def has_values(self) -> bool:
        """Whether it stands for an array, and not only for what an edge leads to."""
        return self.register[0] != "like"

    @property
    def ndim(self) -> int:
        if self.ndim_or_none is None:
            raise Unwritable
        return self.ndim_or_none

    @property
    def shape(self) -> Any:
        if self.sizes is None:
            return _Sizes(self)
        known = _KnownSizes(self.sizes)
        known.owner = self
        return known

    @property
    def mT(self) -> Any:
        if self.ndim != 2:
            raise Unwritable
        return self.tape.write("transpose", None, (self.tape.register(self),) * 2, 2)


def write_program(
    backward: Any, ndims: tuple[int, ...], count: int, dtype: np.dtype[Any], params: Any,
    shapes: tuple[Any, ...] | None = None,
) -> Program | None:  # fmt: skip
    """Return a backward's program for arrays of these numbers of dimensions.

    The first ``count`` are those of the saved values and of the gradient, the others those of what
    the edges lead to, -1 where they lead nowhere. With ``shapes`` it is a program for arrays of
    these sizes alone. ``None`` if it cannot be written down.
    """
    plan = getattr(backward, "plan", None)
    if plan is None or plan.op.variadic or len(plan.op.outputs) > 1 or plan.op.aux:
        return None
    tape = _Tape()
    values = [StandIn(tape, ("value", i), ndim) for i, ndim in enumerate(ndims[:count])]
    likes = [
        StandIn(tape, ("like", i), ndim) if ndim >= 0 else None
        for i, ndim in enumerate(ndims[count:])
    ]
    if shapes is not None:
        for each, sizes in zip((*values, *likes), shapes, strict=True):
            if each is not None:
                each.sizes = sizes
    try:
        results = _results(plan, values, likes, params)
    except Exception:  # noqa: BLE001 - whatever a formula makes of a stand-in, it stays in Python
        return None
    places = {"value": 0, "constant": count, "step": count + len(tape.constants)}

    def numbered(register: tuple[str, int]) -> int:
        kind, number = register
        return ~number if kind == "like" else places[kind] + number

    steps = [
        (kind, subject, _arguments(kind, registers, numbered))
        for kind, subject, registers in tape.steps
    ]
    return (
        tuple(tape.constants),
        tuple(steps),
        tuple(_NO_REGISTER if each is None else numbered(each.register) for each in results),
    )


def _arguments(kind: str, registers: tuple[Any, ...], numbered: Callable[..., int]) -> Any:
    if kind in ("call", "pointwise"):
        return tuple(
            (_NO_REGISTER, constant) if register is None else (numbered(register), None)
            for register, constant in registers
        )
    first, second = numbered(registers[0]), numbered(registers[-1])
    return first, second


def _results(plan: SavePlan, values: list[Any], likes: list[Any], params: Any) -> list[Any]:
    """Call the formulas of a plan with stand-ins."""
    results: list[Any] = plan.gradients(values[-1], values[:-1], params, likes, plan.needed)
    for result in results:
        if result is not None and not (result.__class__ is StandIn and result.has_values):
            raise Unwritable
    return results


def write_call(function: Any, arguments: tuple[Any, ...], named: bool) -> Any:
    """Write down that an op is called with stand-ins among its arguments."""
    op: Op = function.op
    tape = next(each.tape for each in arguments if each.__class__ is StandIn)
    if named or not op.single:
        raise Unwritable
    if op.name == "expand" and isinstance(arguments[1], _Sizes | _KnownSizes):
        like = arguments[1].owner
        return tape.write("expand", None, (tape.register(arguments[0]), like.register), like.ndim)
    stand_ins = [each for each in arguments if each.__class__ is StandIn]
    if op.name == "matmul" and [each.ndim_or_none for each in arguments] == [2, 2]:
        return tape.write("product", None, tuple(map(tape.register, arguments)), 2)
    if any(each.__class__ is not StandIn and not isinstance(each, _FIXED) for each in arguments):
        raise Unwritable
    if not all(each.has_values for each in stand_ins):
        raise Unwritable
    registers = tuple(
        (each.register, None) if each.__class__ is StandIn else (None, each) for each in arguments
    )
    kind = "pointwise" if op.batch is Batch.ELEMENTWISE else "call"
    return tape.write(kind, function, registers, None)
