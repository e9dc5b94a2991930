"""The order in memory that the results of ops have: PyTorch's rule for each kind of op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.core.memory.memory_formats import (
    channels_last_copy,
    contiguous_copy,
    has_channels_last,
)
from pellucid.dtypes import is_float8

#: given an output and the op's arguments, returns the output in the order that it has to have
Layout = Callable[[Any, tuple[Any, ...]], Any]


def as_strided(lib: Any, array: Any, shape: Any, strides: Any, **options: Any) -> Any:
    """Return a view of the memory of an array by ``lib.stride_tricks``, NumPy's or another's."""
    if array.dtype.kind != "W" and not is_float8(array.dtype):
        return lib.stride_tricks.as_strided(array, shape, strides, **options)
    # complex32 and float8 are not known to the interface that NumPy makes such views by
    words = array.view(f"i{array.itemsize}")
    return lib.stride_tricks.as_strided(words, shape, strides, **options).view(array.dtype)


def contiguous(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the output with its elements one after the other."""
    return contiguous_copy(out)


def of_images(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the output channels-last if the first operand is, else contiguous."""
    return _channels_last_if(has_channels_last(arguments[0]), out)


def of_planar_images(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the output as `of_images` does, but volumes contiguous, as PyTorch leaves them."""
    return of_images(out, arguments) if out.ndim == 4 else contiguous_copy(out)


def of_images_and_filters(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the output channels-last if one of the first two operands is, else contiguous.

    PyTorch's convolution of volumes in double precision is always contiguous.
    """
    if out.ndim == 5 and out.dtype == np.float64:
        return contiguous_copy(out)
    return _channels_last_if(any(map(has_channels_last, arguments[:2])), out)


def of_queries(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return heads of a batch in the order of their queries, of the same shape, else contiguous.

    The elements of a query have to lie next to each other.
    """
    queries = arguments[0]
    if out.ndim == 4 and out.shape == queries.shape and queries.strides[-1] == queries.itemsize:
        return follows_first_operand(out, queries)
    return contiguous_copy(out)


def of_all_joined(out: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the output channels-last if all of a list of operands are, else contiguous."""
    return _channels_last_if(all(map(has_channels_last, arguments[0])), out)


def _channels_last_if(wanted: bool, out: Any) -> Any:
    if wanted and out.ndim in (4, 5):
        return channels_last_copy(out)
    return contiguous_copy(out)


def arranged(op: Any, returned: Any, operands: Any, arguments: tuple[Any, ...]) -> Any:
    """Return what an op's body returned, its outputs in the order in memory that they have to have.

    ``operands`` are the arrays one by one, ``arguments`` what the body was given.
    """
    if op.layout is not None:
        if not isinstance(returned, list | tuple):
            return _laid_out(returned, op.layout, arguments)
        count = len(op.outputs)
        outputs = [_laid_out(out, op.layout, arguments) for out in returned[:count]]
        return [*outputs, *returned[count:]]
    return follows_first_operand(returned, *operands) if op.broadcasts else returned


def _laid_out(out: Any, layout: Layout, arguments: tuple[Any, ...]) -> Any:
    return layout(out, arguments) if isinstance(out, np.ndarray) else out


def follows_first_operand(out: Any, *operands: Any) -> Any:
    """Return the result of an elementwise op in the order of its first operand that has one.

    See Note [Layout of elementwise results].
    """
    if not isinstance(out, np.ndarray) or out.ndim < 2 or not out.size:
        return out
    if isinstance(operands[0], np.ndarray) and operands[0].strides == out.strides:
        return out
    if all(each.flags.c_contiguous for each in (out, *operands) if isinstance(each, np.ndarray)):
        return out
    order = _order(out.shape, operands)
    moved = out.transpose(order)
    if moved.flags.c_contiguous:
        return out
    return moved.copy().transpose(np.argsort(order))


# Note [Layout of elementwise results]
# PyTorch sorts the dimensions by the strides of the first operand; where it is broadcast, and so
# says nothing, the next one decides. NumPy keeps the order of the operands only where they agree,
# and is contiguous elsewhere. So a result is put in order where the first operand is not
# contiguous.


def _order(shape: tuple[int, ...], operands: tuple[Any, ...]) -> list[int]:
    """Return the dimensions from the outermost in memory to the innermost."""
    arrays = [each for each in operands if isinstance(each, np.ndarray)]
    steps = [_broadcast_strides(shape, each) for each in arrays]
    order = list(range(len(shape)))[::-1]
    for start in range(1, len(order)):
        position = start
        for inner in range(start - 1, -1, -1):
            compared = _compare(shape, steps, order[inner], order[position])
            if compared > 0:
                order[inner], order[position] = order[position], order[inner]
                position = inner
            elif compared < 0:
                break
    return order[::-1]


def _broadcast_strides(shape: tuple[int, ...], operand: Any) -> tuple[int, ...]:
    """Return an operand's strides along the dimensions of the result, 0 where it is stretched."""
    added = len(shape) - operand.ndim
    own = zip(operand.strides, operand.shape, strict=True)
    return (0,) * added + tuple(step if size > 1 else 0 for step, size in own)


def _compare(shape: tuple[int, ...], steps: list[tuple[int, ...]], near: int, far: int) -> int:
    """Return 1 if two dimensions have to change places, -1 if not, 0 if no operand says."""
    for strides in steps:
        if not strides[near] or not strides[far]:
            continue
        if strides[near] != strides[far]:
            return 1 if strides[near] > strides[far] else -1
        if shape[near] > shape[far]:
            return 1
    return 0
