"""How an op that is given batched tensors runs: by its rule, or sample by sample.

One level is taken off at a time, the innermost first. A rule gets the values, with the samples
along the first dimension of those that are batched, and calls ops on them; these are dispatched
again where a value is batched at an outer level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from pellucid.autograd.modes import modes, push_interpreter
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block, temporary
from pellucid.core.call.call import common_dtype
from pellucid.core.call.interpreter import Below, Interpreter
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.op import Op, OpFunction
from pellucid.dtypes import castable, from_numpy_dtype
from pellucid.errors import DtypeError, GraphError, ShapeError
from pellucid.interpreters.vmap.batched import BatchedArray, Level, batched, level_of
from pellucid.ops.aliasing.inplace import call_inplace, inplace
from pellucid.ops.shape.copying import cast, copy
from pellucid.ops.shape.join import stack

_copy_into = inplace(copy)


class Call:
    """An op call with the innermost level taken off its operands."""

    __slots__ = ("batched", "level", "op", "operands", "params", "values")

    def __init__(
        self, op: Op, operands: tuple[Any, ...], params: dict[str, Any], level: Level
    ) -> None:
        self.op = op
        #: as they were given: tensors that look like one sample, numbers, or None
        self.operands = operands
        self.params = params
        self.level = level
        #: which operands have samples of this level
        self.batched = [level_of(each) is level for each in operands]
        #: the operands, with the samples along the first dimension where there are any
        self.values = [
            each.value if flag else each for each, flag in zip(operands, self.batched, strict=True)
        ]

    @property
    def size(self) -> int:
        """The number of samples."""
        return self.level.size

    def ndim(self, position: int) -> int:
        """Return the number of dimensions that one sample of an operand has."""
        operand = self.operands[position]
        return operand._array.ndim if isinstance(operand, TensorBase) else 0

    def shape(self, position: int) -> tuple[int, ...]:
        """Return the shape that one sample of an operand has."""
        return tuple(self.operands[position]._array.shape)

    def expanded(self, position: int) -> Any:
        """Return the value of an operand, with samples also if they are all the same."""
        value = self.values[position]
        if value is None or self.batched[position]:
            return value
        return value.expand(self.size, *value.shape)

    def run(self, *values: Any, **changed: Any) -> Any:
        """Call the op on values, with its parameters but for those that change."""
        given = (list(values),) if self.op.variadic else values
        return self.op.apply(given, {**self.params, **changed})


Rule = Callable[[Call], Any]

#: what ops of a kind do with samples along the first dimension
kinds: dict[Batch, Rule] = {}
#: what single ops do
rules: dict[Op, Rule] = {}
#: other functions that give the same as an op, called with the batched tensors
instead: dict[Op, Callable[..., Any]] = {}


def of_kind(kind: Batch) -> Callable[[Rule], Rule]:
    """Enter the rule for the ops of a kind."""

    def decorate(function: Rule) -> Rule:
        kinds[kind] = function
        return function

    return decorate


def rule(*functions: OpFunction) -> Callable[[Rule], Rule]:
    """Enter a rule for these ops."""

    def decorate(function: Rule) -> Rule:
        for each in functions:
            rules[each.op] = function
        return function

    return decorate


def composed(replaced: OpFunction) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function of batched tensors that does what an op does."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        instead[replaced.op] = function
        return function

    return decorate


def _arrays_in(params: tuple[Any, ...]) -> list[Any]:
    """Return the batched arrays among the parts of an index."""
    return [
        part
        for param in params
        if param.__class__ is tuple
        for part in param
        if part.__class__ is BatchedArray
    ]


def _innermost(operands: tuple[Any, ...], params: tuple[Any, ...]) -> Level | None:
    levels = [level for each in operands if (level := level_of(each)) is not None]
    levels += [array.level for array in _arrays_in(params)]
    return max(levels, key=lambda level: level.number) if levels else None


def _named(op: Op, params: tuple[Any, ...]) -> dict[str, Any]:
    return {param.name: value for param, value in zip(op.params, params, strict=True)}


def call(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], level: Level) -> Any:
    """Return what the op gives for every sample of the innermost level."""
    named = _named(op, params)
    if op in instead:
        given = (list(operands),) if op.variadic else operands
        return instead[op](*given, **named)
    found = Call(op, operands, named, level)
    chosen = rules.get(op)
    if chosen is None:
        chosen = one_by_one if op.batch is None else kinds[op.batch]
    return _wrapped(op, chosen(found), level)


def _wrapped(op: Op, returned: Any, level: Level) -> Any:
    """Return results as batched tensors, in the form in which the op returns them."""
    if isinstance(returned, TensorBase):
        return batched(returned, level)
    return op.returns([batched(each, level) for each in returned])


def elementwise(call: Call) -> Any:
    """Line the samples' dimensions up from the last, and leave the rest to broadcasting."""
    return call.run(*aligned(call, _in_common_dtype(call)))


def aligned(call: Call, values: list[Any]) -> list[Any]:
    """Return values whose samples all have as many dimensions as the one that has most."""
    ndim = max(call.ndim(position) for position in range(len(values)))
    return [
        with_ndim(value, ndim) if flag else value
        for value, flag in zip(values, call.batched, strict=True)
    ]


def with_ndim(value: Any, ndim: int) -> Any:
    """Return a value whose samples have this many dimensions, new ones of size 1 in front."""
    missing = ndim + 1 - value.ndim
    if missing <= 0:
        return value
    return value.reshape(value.shape[0], *(1,) * missing, *value.shape[1:])


def _in_common_dtype(call: Call) -> list[Any]:
    """Return the values, converted where a sample's missing dimensions decide on the dtype."""
    op = call.op
    dtypes = {each._array.dtype for each in call.operands if isinstance(each, TensorBase)}
    if not op.promotes or len(dtypes) < 2:
        return call.values
    arrays = [
        each._array if isinstance(each, TensorBase) else each
        for each, meets in zip(call.operands, op.promoted, strict=True)
        if meets and each is not None
    ]
    dtype = common_dtype(op, arrays, tuple(call.params.values()))
    common = from_numpy_dtype(dtype)
    return [
        cast(value, common)
        if meets and isinstance(value, TensorBase) and value._array.dtype != dtype
        else value
        for value, meets in zip(call.values, op.promoted, strict=True)
    ]


_warned: set[str] = set()


def one_by_one(call: Call) -> Any:
    """Run the op for one sample after the other, and stack what comes out."""
    name = call.op.torch_name
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            "There is a performance drop because we have not yet implemented the batching rule for "
            f"{name}. The op runs once for each sample.",
            UserWarning,
            stacklevel=2,
        )
    return sample_by_sample(call)


def sample(call: Call, number: int) -> list[Any]:
    """Return the operands of one sample."""
    return [
        value[number] if flag else value
        for value, flag in zip(call.values, call.batched, strict=True)
    ]


def sample_by_sample(call: Call) -> Any:
    """Run sample by sample as `one_by_one`, without a warning: there is no other way."""
    found = [call.run(*sample(call, i)) for i in range(call.size)]
    if isinstance(found[0], TensorBase):
        return stack(found)
    return [stack(list(column)) for column in zip(*found, strict=True)]


def dynamic(name: str) -> Exception:
    """Return the error for an op whose result has a shape that depends on the values."""
    return GraphError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to "
        f"vmap over aten::{name}. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature."
        "\n  The result would have another shape for each sample."
    )


# ---- in place -------------------------------------------------------------------------------


def change(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], level: Level) -> Any:
    """Do an in-place op on every sample of the innermost level."""
    target = operands[0]
    if level_of(target) is not level:
        raise not_batched(_PUTTING.get(op.name, "inplace arithmetic"))
    simple = op.batch is Batch.ELEMENTWISE or op is copy.op
    numbers = all(not isinstance(each, TensorBase) for each in operands[1:])
    if simple and (numbers or all(level_of(each) is level for each in operands)):
        found = Call(op, operands, _named(op, params), level)
        values = aligned(found, found.values)
        if values[0] is found.values[0]:
            call_inplace(op, tuple(values), params)
            return target
    result = op.apply(operands, params)
    if result._array.shape != target._array.shape:
        raise ShapeError(
            f"output with shape {list(target._array.shape)} doesn't match the broadcast shape "
            f"{list(result._array.shape)}"
        )
    if not castable(result._array.dtype, target._array.dtype):
        raise DtypeError(
            f"result type {result._array.dtype} can't be cast to the desired output type "
            f"{target._array.dtype}"
        )
    _copy_into(target.value, result.value)
    return target


#: ops that PyTorch names when they cannot write to a tensor that is not batched
_PUTTING = {"put_index": "index_put_"}


def not_batched(what: str) -> Exception:
    """Return the error of a change in place of a tensor that is one for all samples."""
    return GraphError(
        f"vmap: {what}(self, *extra_args) is not possible because there "
        "exists a Tensor `other` in extra_args that has more elements than `self`. This happened "
        "due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try "
        f"to use out-of-place operators instead of {what}. If said "
        "operator is being called inside the PyTorch framework, please file a bug report instead."
        "\n  The tensor is one for all samples; make one for each with new_zeros() or zeros_like() "
        "of a batched tensor."
    )


# ---- on the stack ---------------------------------------------------------------------------


class Vmap(Interpreter):
    """The interpreter that is on the stack while tensors may be batched at a level."""

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        level = _innermost(operands, params)
        if level is None:
            return below(op, operands, params)
        return call(op, operands, params, level)

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        level = _innermost(operands, params)
        if level is None:
            return below(op, operands, params)
        return change(op, operands, params, level)


_vmap = Vmap()


@temporary
def entered(block: Block, level: Level) -> None:
    """Dispatch to batching rules at this level."""
    block._push(modes, "batch_levels", level)
    _dispatch(block)


@temporary
def tangent_level(block: Block, level: Level) -> Level:
    """Dispatch to batching rules at a level for tangents alone.

    What is computed beside them belongs to no sample of this level.
    """
    block._push(modes, "tangent_levels", level)
    _dispatch(block)
    return level


def _dispatch(block: Block) -> None:
    block._set(modes, "batching", modes.batching + 1)
    push_interpreter(block, _vmap)
