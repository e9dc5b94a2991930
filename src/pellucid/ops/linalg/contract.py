"""Contractions: sums of products over named indices."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.core.call.compiled import regular
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import multilinear
from pellucid.errors import ArgumentError, DtypeError, ShapeError
from pellucid.ops.linalg.matmul import c_name
from pellucid.shapes import dim_from_end, items_of

#: one for each dimension that an array may have, and one for those that ``...`` stands for
_MOST_SUBSCRIPTS = 65
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@multilinear(torch_kernel_name="bmm", node_name="bmm")
def contract(be, input, other, /, left, right, kept):
    """Multiply two tensors whose dimensions bear names, and sum over names that ``kept`` lacks.

    No name occurs twice in one tensor, and a name that ``kept`` lacks occurs in both.
    """
    first_order, second_order, batch, rows, made_order = _orders(left, right, kept)
    first, second = input.transpose(first_order), other.transpose(second_order)
    together, single = first.shape[:batch], first.shape[batch : batch + rows]
    summed = first.shape[batch + rows :]
    columns = second.shape[batch + len(summed) :]
    shape = (prod(single), prod(summed)), (prod(summed), prod(columns))
    if batch:
        several = prod(together)
        product = be.matmul(first.reshape(several, *shape[0]), second.reshape(several, *shape[1]))
    else:
        product = first.reshape(shape[0]).dot(second.reshape(shape[1]))
    return product.reshape((*together, *single, *columns)).transpose(made_order)


Names = tuple[Any, ...]


@functools.lru_cache(maxsize=256)
def _orders(
    left: Names, right: Names, kept: Names
) -> tuple[list[int], list[int], int, int, list[int]]:
    """Return the operands' dimensions as a product of matrices takes them, and the result's order.

    Between them: how many dimensions of the first are those of a batch, and how many of its rows.
    """
    shared = [name for name in left if name in right]
    batch = [name for name in shared if name in kept]
    summed = [name for name in shared if name not in kept]
    rows = [name for name in left if name not in right]
    columns = [name for name in right if name not in left]
    first = [left.index(name) for name in (*batch, *rows, *summed)]
    second = [right.index(name) for name in (*batch, *summed, *columns)]
    made = (*batch, *rows, *columns)
    return first, second, len(batch), len(rows), [made.index(name) for name in kept]


@contract.vjp("input")
def contract_input(g, other, left, right, kept):
    return contract(g, other, kept, right, left)


@contract.vjp("other")
def contract_other(g, input, left, right, kept):
    return contract(g, input, kept, left, right)


@public("tensordot functional.tensordot", out=EXACT, reads_late=True)
@autocasts(Autocast.LOWER)
def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Sum products over dimensions of both tensors.

    ``dims`` is how many of the last of ``a`` and the first of ``b``, or a list for each.

    Args:
        a: First tensor.
        b: Second tensor.
        dims: Number of dimensions to contract, or two lists of dimensions.

    Raises:
        RuntimeError: If the dtypes differ, or the sizes of the dimensions that are summed over.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(3, 4, 5)).shape
    torch.Size([2, 5])
    """
    if a._array.dtype != b._array.dtype:
        raise DtypeError("both inputs should have same dtype")
    if hasattr(dims, "item"):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise ShapeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise ShapeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(a.ndim - dims, a.ndim)), list(range(dims))
        labels = [position - a.ndim for position in first]
    else:
        first, second = (
            [each] if isinstance(each, int) else list(items_of(each)) for each in items_of(dims)
        )
        labels = list(first)
        first = [dim_from_end(each, a.ndim) for each in first]
        second = [dim_from_end(each, b.ndim) for each in second]
    if len(first) != len(second):
        raise ShapeError("both dimension lists should have same length")
    for one, two, label in zip(first, second, labels, strict=True):
        if 1 in (a.shape[one], b.shape[two]):  # broadcast: the sum over the other one's elements
            a, b = a.sum(one, keepdim=True), b.sum(two, keepdim=True)
        if a.shape[one] != b.shape[two]:
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {a.shape[one]} in dim "
                f"{label} and second has size {b.shape[two]} in dim {two}"
            )
    left = list(range(a.ndim))
    right = [a.ndim + position for position in range(b.ndim)]
    for one, two in zip(first, second, strict=True):
        right[two] = left[one]
    kept = [n for n in left if n not in right] + [n for n in right if n not in left]
    return contract(a, b, tuple(left), tuple(right), tuple(kept))


# ---- einsum -----------------------------------------------------------------------------------


@public("einsum functional.einsum", reads_late=True)
@regular
@autocasts(Autocast.LOWER)
def einsum(*args: Any) -> Any:
    """Sum products of the operands' elements over the indices that the output lacks.

    ``einsum("ij,jk->ik", a, b)``, or ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. ``...`` stands for
    dimensions that broadcast; without an output, the indices that occur once come in order.

    Args:
        *args: The equation, then the tensors.

    Raises:
        RuntimeError: If the equation does not fit the number or the shapes of the operands.

    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    inputs, output, operands = _parsed(args)
    for each in operands[1:]:
        check_same_dtype(operands[0], each)
    plan = _planned(inputs, output, tuple([tuple(each.shape) for each in operands]))
    parts = [_moved(operand, moves) for operand, moves in zip(operands, plan.moves, strict=True)]
    current = parts[0]
    for step, other in zip(plan.steps, parts[1:], strict=True):
        current = contract(_moved(current, step.before), _moved(other, step.other), *step.names)
    return _moved(current, plan.end)


#: methods of a tensor to call one after the other, with their arguments
Moves = tuple[tuple[str, tuple[Any, ...]], ...]


class _Step(NamedTuple):
    """What is done with the product so far and with the next operand, and their names then."""

    before: Moves
    other: Moves
    names: tuple[Names, Names, Names]


class _Plan(NamedTuple):
    """What an equation asks of operands of certain shapes."""

    moves: tuple[Moves, ...]
    steps: tuple[_Step, ...]
    end: Moves


def _moved(operand: Any, moves: Moves) -> Any:
    for method, arguments in moves:
        operand = getattr(operand, method)(*arguments)
    return operand


@functools.lru_cache(maxsize=256)
def _planned(
    inputs: tuple[Names, ...], output: Names | None, shapes: tuple[tuple[int, ...], ...]
) -> _Plan:
    if len(shapes) != len(inputs):
        word = "fewer" if len(shapes) < len(inputs) else "more"
        raise ShapeError(f"einsum(): {word} operands were provided than specified in the equation")
    names = [_expanded(each, len(shape)) for each, shape in zip(inputs, shapes, strict=True)]
    rank = max((sum_of(1 for n in each if isinstance(n, int)) for each in names), default=0)
    written = _output(inputs, output, rank)
    _check_output(written, names)
    sizes = _sizes(names, shapes)
    prepared = [
        _without_repetition(each, shape, sizes) for each, shape in zip(names, shapes, strict=True)
    ]
    return _Plan(tuple(moves for moves, _ in prepared), *_contracted(prepared, written))


def sum_of(counts: Any) -> int:
    """Add up numbers; the name of the builtin is that of an op here."""
    return int(np.sum(np.fromiter(counts, int)))


def _parsed(args: tuple[Any, ...]) -> tuple[tuple[Names, ...], Names | None, list[Any]]:
    """Return the operands' subscripts, the output's if given, and the operands."""
    if not args:
        raise ArgumentError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(args[0], str):
        operands = list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], list | tuple):
            operands = list(operands[0])
        return *_equation(args[0]), operands
    pairs, rest = len(args) // 2, len(args) % 2
    inputs = tuple(_letters(args[2 * number + 1]) for number in range(pairs))
    return inputs, _letters(args[-1]) if rest else None, list(args[: 2 * pairs : 2])


@functools.lru_cache(maxsize=256)
def _equation(text: str) -> tuple[tuple[Names, ...], Names | None]:
    left, arrow, right = text.replace(" ", "").partition("->")
    return tuple(map(_symbols, left.split(","))), _symbols(right) if arrow else None


def _symbols(text: str) -> Names:
    before, dots, after = text.partition("...")
    for letter in before + after:
        if letter not in _LETTERS:
            raise ShapeError(
                f"einsum(): invalid subscript given at index {text.index(letter)} in the equation "
                "string, subscripts must be in [a-zA-Z]"
            )
    return (*before, *([...] if dots else []), *after)


def _letters(subscripts: Iterable[Any]) -> Names:
    taken = tuple(itertools.islice(iter(subscripts), _MOST_SUBSCRIPTS + 1))
    if len(taken) > _MOST_SUBSCRIPTS:
        raise ShapeError(
            "einsum(): the number of subscripts of an operand does not match the number of its "
            f"dimensions: it has at most {_MOST_SUBSCRIPTS - 1}"
        )
    return tuple([each if each is ... else _LETTERS[each % 52] for each in taken])


def _expanded(subscripts: Names, ndim: int) -> list[Any]:
    """Write negative numbers, counted from the end, for the dimensions of ``...``."""
    hidden = ndim - (len(subscripts) - (... in subscripts))
    if hidden < 0 or (hidden and ... not in subscripts):
        raise ShapeError(
            "einsum(): the number of subscripts in the equation "
            f"({len(subscripts) - (... in subscripts)}) does not match the number of dimensions "
            f"({ndim}) for an operand and no ellipsis was given"
        )
    names: list[Any] = []
    for each in subscripts:
        names += range(-hidden, 0) if each is ... else [each]
    return names


def _output(inputs: tuple[Names, ...], output: Names | None, rank: int) -> list[Any]:
    hidden = list(range(-rank, 0))
    if output is None:
        given = [name for each in inputs for name in each if name is not ...]
        return hidden + sorted(name for name in set(given) if given.count(name) == 1)
    names: list[Any] = []
    for each in output:
        names += hidden if each is ... else [each]
    return names


def _check_output(output: list[Any], names: list[list[Any]]) -> None:
    known = {name for each in names for name in each}
    for name in output:
        if name not in known:
            raise ShapeError(
                f"einsum(): output subscript {name} does not appear in the equation for any input "
                "operand"
            )
        if output.count(name) > 1:
            raise ShapeError(
                f"einsum(): output subscript {name} appears more than once in the output"
            )


def _sizes(names: list[list[Any]], shapes: tuple[tuple[int, ...], ...]) -> dict[Any, int]:
    sizes: dict[Any, int] = {}
    for position, (each, shape) in enumerate(zip(names, shapes, strict=True)):
        for name, size in zip(each, shape, strict=True):
            known = sizes.get(name, 1)
            if size != known and size != 1 and known != 1:
                raise ShapeError(
                    f"einsum(): subscript {name} has size {size} for operand {position} which does "
                    f"not broadcast with previously seen size {known}"
                )
            sizes[name] = size if known == 1 else known
    return sizes


def _without_repetition(
    names: list[Any], shape: tuple[int, ...], sizes: dict[Any, int]
) -> tuple[Moves, list[Any]]:
    """Take the diagonal where a name repeats, and drop dimensions of 1 that would broadcast."""
    names, lengths, moves = list(names), list(shape), []
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            moves.append(("diagonal", (0, first, second)))
            length = min(lengths[first], lengths[second])
            lengths = [n for position, n in enumerate(lengths) if position not in (first, second)]
            names = [n for position, n in enumerate(names) if position not in (first, second)]
            names, lengths = [*names, name], [*lengths, length]
    for position in reversed(range(len(names))):
        if lengths[position] == 1 and sizes[names[position]] != 1:
            moves.append(("squeeze", (position,)))
            del names[position]
    return tuple(moves), names


def _contracted(
    parts: list[tuple[Moves, list[Any]]], output: list[Any]
) -> tuple[tuple[_Step, ...], Moves]:
    """Contract from left to right, summing each name as soon as nothing else needs it."""
    _, names = parts[0]
    steps: list[_Step] = []
    for position, (_, other_names) in enumerate(parts[1:], start=1):
        later = {name for _, each in parts[position + 1 :] for name in each} | set(output)
        before, names = _summed(names, later | set(other_names))
        other, other_names = _summed(other_names, later | set(names))
        kept = [name for name in dict.fromkeys([*names, *other_names]) if name in later]
        steps.append(_Step(before, other, (tuple(names), tuple(other_names), tuple(kept))))
        names = kept
    end, names = _summed(names, set(output))
    order = [names.index(name) for name in output]
    in_order = order == list(range(len(order)))
    return tuple(steps), end if in_order else (*end, ("permute", tuple(order)))


def _summed(names: list[Any], needed: set[Any]) -> tuple[Moves, list[Any]]:
    dims = tuple(position for position, name in enumerate(names) if name not in needed)
    if not dims:
        return (), names
    return (("sum", (dims,)),), [name for name in names if name in needed]


@public("bilinear nn.functional.bilinear")
@autocasts(Autocast.AS_GIVEN)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``x1 @ weight[o] @ x2`` for each output ``o``, plus the bias.

    Shapes: ``[*, n]``, ``[*, m]``, weight ``[out, n, m]``, bias ``[out]``.

    Args:
        input1: Tensor ``[*, in1]``.
        input2: Tensor ``[*, in2]``.
        weight: Tensor ``[out, in1, in2]``.
        bias: Vector ``[out]``, or ``None``.

    Raises:
        RuntimeError: If the inputs differ in the number of dimensions or in dtype.

    >>> torch.nn.functional.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])
    """
    if input1.ndim != input2.ndim:
        raise ShapeError(
            f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}"
        )
    _check_one_dtype({"input1": input1, "input2": input2, "weight": weight, "bias": bias})
    out = einsum("...n,onm,...m->...o", input1, weight, input2)
    return out if bias is None else out + bias


def _check_one_dtype(tensors: dict[str, Any]) -> None:
    given = {name: each._array.dtype for name, each in tensors.items() if each is not None}
    if len(set(given.values())) > 1:
        names = ", ".join(f"{name}: {c_name(dtype)}" for name, dtype in given.items())
        raise DtypeError(f"All tensors must have the same dtype, got {names}")
