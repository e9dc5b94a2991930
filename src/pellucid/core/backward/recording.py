"""Derivative formulas written down as programs, for the compiled engine.

A formula is called once with stand-ins, which write down the operations that are done with them. It
has to be a straight line: what looks at values cannot be written down, and stays in Python. What
looks at sizes is written down for arrays of these very sizes. What else it reads has to be fixed,
see Note [Fixed formulas] in `pellucid.core.backward.formula_reads`. For the rest see Note
[Programs] in ``_native/engine/program.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.core.backward.formula_reads import Read, is_constant, reads_of
from pellucid.core.backward.plan import SavePlan
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.op import Op


class Program(NamedTuple):
    """A backward as a straight line, for the compiled module.

    Registers have numbers: first come the saved values and the gradient, then the constants, then
    what the steps give. Of what an edge leads to, the number is the complement of the edge's.
    """

    constants: tuple[Any, ...]
    steps: tuple[Any, ...]
    #: for each operand the register of its gradient
    results: tuple[int, ...]
    keeps_to_rows: bool
    #: the variables that the formulas read
    reads: tuple[Read, ...]


_NO_REGISTER, _LISTED = -1, -2


class Unwritable(Exception):
    """Raised where a formula is not straight-line code."""


class _Tape:
    """What has been written down so far; a register is a kind and a number."""

    def __init__(self) -> None:
        self.constants: list[Any] = []
        self.steps: list[tuple[str, Any, tuple[Any, ...]]] = []
        #: whether each row of a result, along dimension 0, follows from the same row of each value
        self.keeps_to_rows = True

    def register(self, value: Any) -> tuple[str, int]:
        """Return where an operand of arithmetic is found."""
        if value.__class__ is StandIn and value.has_values:
            return value.register
        if value.__class__ is not float and value.__class__ is not int:
            raise Unwritable
        self.constants.append(value)
        return ("constant", len(self.constants) - 1)

    def write(
        self, kind: str, subject: Any, registers: tuple[Any, ...], ndim: int | None,
        keeps_to_rows: bool = False,
    ) -> Any:  # fmt: skip
        """Write a step down and return what stands for its result."""
        self.steps.append((kind, subject, registers))
        self.keeps_to_rows = self.keeps_to_rows and keeps_to_rows
        return StandIn(self, ("step", len(self.steps) - 1), ndim)

    def arithmetic(self, ufunc: np.ufunc, *operands: Any) -> Any:
        """Write down a function of NumPy's."""
        ndim, aligned = _broadcast_ndim(operands)
        result = self.write("loop", ufunc, tuple(map(self.register, operands)), ndim, aligned)
        return result.known_by(ufunc, operands)


def _broadcast_ndim(operands: tuple[Any, ...]) -> tuple[int | None, bool]:
    """Return how many dimensions a broadcast has, None if unknown, and whether rows stay rows."""
    ndims = [each.ndim_or_none if each.__class__ is StandIn else 0 for each in operands]
    if None in ndims or any(each.__class__ is list for each in operands):
        return None, False
    return max(ndims), len({ndim for ndim in ndims if ndim}) == 1


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


def _example_of(argument: Any) -> Any:
    """Return the example of a stand-in, anything else as it is; LookupError if there is none."""
    if argument.__class__ is list:
        return [_example_of(each) for each in argument]
    if argument.__class__ is StandIn and argument.example is None:
        raise LookupError
    return argument.example if argument.__class__ is StandIn else argument


def _operator(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: self.tape.arithmetic(ufunc, self, other)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: self.tape.arithmetic(ufunc, other, self)


class StandIn:
    """An array of which only the number of dimensions is known, while a formula is written down."""

    __slots__ = ("example", "known_dtype", "ndim_or_none", "register", "sizes", "tape")
    __array_ufunc__ = None
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, tape: _Tape, register: tuple[str, int], ndim: int | None) -> None:
        self.tape = tape
        #: where it is found
        self.register = register
        self.ndim_or_none = ndim
        #: the sizes, if they are known, and an array of them
        self.sizes: tuple[int, ...] | None = None
        self.example: Any = None
        self.known_dtype: np.dtype[Any] | None = None

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

    def show(self, example: Any) -> StandIn:
        """Take on the sizes of an array."""
        self.example, self.sizes, self.ndim_or_none = example, example.shape, example.ndim
        return self

    def known_by(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> StandIn:
        """Take on the sizes of what a function gives for the examples, where all have one."""
        try:
            examples = [_example_of(each) for each in arguments]
        except LookupError:
            return self
        return self.show(function(*examples))

    def reshape(self, *sizes: Any) -> Any:
        """Write down a change of sizes to known ones."""
        given = tuple(sizes[0]) if isinstance(sizes[0], tuple) else sizes
        if not all(isinstance(size, int) for size in given):
            raise Unwritable
        keeps = bool(self.sizes and given and self.sizes[0] == given[0] and prod(given))
        subject = (-1, *given[1:]) if keeps else given
        registers = (self.tape.register(self),) * 2
        result = self.tape.write("reshape", subject, registers, len(given), keeps)
        result.known_dtype = self.known_dtype
        return result if self.example is None else result.show(self.example.reshape(given))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the gradient; that of other values may be another one the next time."""
        if self.known_dtype is None:
            raise Unwritable
        return self.known_dtype

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
        result = self.tape.write("transpose", None, (self.tape.register(self),) * 2, self.ndim)
        return result if self.example is None else result.show(self.example.mT)


def write_program(
    backward: Any, ndims: tuple[int, ...], count: int, dtype: np.dtype[Any], params: Any,
    place: tuple[int, int] | None = None, examples: tuple[Any, ...] | None = None,
) -> Program | None:  # fmt: skip
    """Return a backward's program for arrays of these numbers of dimensions.

    The first ``count`` are those of the saved values, -1 for None, and of the gradient, the others
    those of what the edges lead to, -1 where they lead nowhere. ``place`` says of how many
    gradients that may arrive at a node of several outputs which one does. With ``examples``, which
    are the arrays and the shapes of what the edges lead to, it is a program for arrays of these
    sizes alone. ``None`` if it cannot be written down.
    """
    plan = getattr(backward, "plan", None)
    if plan is None or plan.op.variadic:
        return None
    reads = _reads_of_plan(plan)
    if reads is None:
        return None
    tape = _Tape()

    def stand_ins(kind: str, these: tuple[int, ...]) -> list[Any]:
        return [StandIn(tape, (kind, i), n) if n >= 0 else None for i, n in enumerate(these)]

    values, likes = stand_ins("value", ndims[:count]), stand_ins("like", ndims[count:])
    values[-1].known_dtype = dtype
    for value, example in zip(values, examples or (), strict=False):
        if value is not None:
            value.show(example)
    for like, sizes in zip(likes, (examples or ())[count:], strict=False):
        if like is not None:
            like.sizes = sizes
    try:
        results = _results(plan, values, likes, params, place)
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
    return Program(
        tuple(tape.constants),
        tuple(steps),
        tuple(_NO_REGISTER if each is None else numbered(each.register) for each in results),
        tape.keeps_to_rows,
        reads,
    )


def _reads_of_plan(plan: SavePlan) -> tuple[Read, ...] | None:
    """Return the variables that the formulas of a plan read; ``None`` if not all are fixed."""
    reads: list[Read] = []
    for formula in plan.formulas:
        found = () if formula is None else reads_of(formula.function)
        if found is None:
            return None
        reads += found
    return tuple(reads)


def _arguments(kind: str, registers: tuple[Any, ...], numbered: Callable[..., int]) -> Any:
    if kind in ("call", "pointwise"):
        names, arguments = registers
        return names, tuple(_argument(place, fixed, numbered) for place, fixed in arguments)
    first, second = numbered(registers[0]), numbered(registers[-1])
    return first, second


def _argument(register: Any, constant: Any, numbered: Callable[..., int]) -> tuple[int, Any]:
    if register is None:
        return _NO_REGISTER, constant
    if register[0] == "list":
        return _LISTED, tuple(map(numbered, constant))
    return numbered(register), None


def _results(
    plan: SavePlan, values: list[Any], likes: list[Any], params: Any, place: tuple[int, int] | None
) -> list[Any]:
    """Call the formulas of a plan with stand-ins."""
    g = values[-1]
    if place is not None:
        g = [g if i == place[1] else None for i in range(place[0])]
    results: list[Any] = plan.gradients(g, values[:-1], params, likes, plan.needed)
    for result in results:
        if result is not None and not (result.__class__ is StandIn and result.has_values):
            raise Unwritable
    return results


def write_call(function: Any, arguments: tuple[Any, ...], names: tuple[str, ...]) -> Any:
    """Write down that an op is called with stand-ins among its arguments, the last ones by name."""
    op: Op = function.op
    first = arguments[0][:1] if arguments[0].__class__ is list else ()
    tape = next(each.tape for each in (*first, *arguments) if each.__class__ is StandIn)
    if op.many or len(op.outputs) > 1:
        raise Unwritable
    if op.name == "expand" and isinstance(arguments[1], _Sizes | _KnownSizes):
        like = arguments[1].owner
        result = tape.write("expand", None, (tape.register(arguments[0]), like.register), like.ndim)
        return (
            result if like.sizes is None else result.known_by(function, (arguments[0], like.sizes))
        )
    if op.name == "matmul" and [each.ndim_or_none for each in arguments] == [2, 2]:
        result = tape.write("product", None, tuple(map(tape.register, arguments)), 2)
        return result.known_by(function, arguments)
    pointwise = op.batch is Batch.ELEMENTWISE
    registers = tuple(map(_placed, arguments))
    positional = len(arguments) - len(names)
    by_name = dict(zip(names, arguments[positional:], strict=True))
    ndim, keeps = _broadcast_ndim(arguments) if pointwise else _summed_ndim(op, arguments, by_name)
    kind = "pointwise" if pointwise else "call"
    result = tape.write(kind, function, (names, registers), ndim, keeps)
    if pointwise or not any(map(_is_mask, arguments)):
        result.known_by(partial(function, **by_name), arguments[:positional])
    return result


def _summed_ndim(
    op: Op, arguments: tuple[Any, ...], by_name: dict[str, Any]
) -> tuple[int | None, bool]:
    """Return how many dimensions sums have, None for anything else, and whether rows stay rows."""
    given = dict(zip((param.name for param in op.params), arguments[1:], strict=False)) | by_name
    ndim = getattr(arguments[0], "ndim_or_none", None)
    dims = given.get("dim")
    is_sum = op.batch is Batch.OVER_DIMS and op.family.jvp == "linear"
    if not is_sum or given.get("keepdim") is not True or ndim is None or dims is None:
        return None, False
    dims = dims if isinstance(dims, tuple | list) else (dims,)
    return ndim, bool(dims) and all(dim % ndim for dim in dims)


def _placed(argument: Any) -> tuple[tuple[str, int] | None, Any]:
    """Return the register in which an argument is found, or the argument itself.

    Of a list of stand-ins the registers are the constant, with the word "list" for a register.
    """
    if argument.__class__ is list and any(each.__class__ is StandIn for each in argument):
        if not all(each.__class__ is StandIn and each.has_values for each in argument):
            raise Unwritable
        return ("list", 0), tuple(each.register for each in argument)
    if argument.__class__ is StandIn:
        if not argument.has_values:
            raise Unwritable
        return argument.register, None
    fixed = tuple(argument) if argument.__class__ is _KnownSizes else argument
    if not _is_fixed(fixed):
        raise Unwritable
    return None, fixed


def _is_fixed(value: Any) -> bool:
    if value.__class__ is tuple or value.__class__ is list:
        return all(map(_is_fixed, value))
    if value.__class__ is slice:
        return _is_fixed((value.start, value.stop, value.step))
    return is_constant(value)


def _is_mask(argument: Any) -> bool:
    """Return whether the number of elements that are true may decide about sizes."""
    return argument.__class__ is StandIn and getattr(argument.example, "dtype", None) == np.bool_
