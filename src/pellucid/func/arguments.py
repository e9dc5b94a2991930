"""Arguments and outputs of functions that are differentiated: chosen, checked, taken apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.core.call.call import new_tensor as held
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import ArgumentError, GraphError
from pellucid.func.levels import detach_if_closed, outside_inference
from pellucid.func.trees import flatten, mapped
from pellucid.ops.shape.copying import cast


def _index(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise GraphError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise GraphError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def chosen(args: tuple[Any, ...], argnums: Any) -> tuple[Any, list[int]]:
    """Return the arguments to differentiate with respect to, as asked for, and their places."""
    if isinstance(argnums, int):
        position = _index(argnums, len(args))
        return args[position], [position]
    if not isinstance(argnums, tuple):
        raise GraphError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    positions = [_index(argnum, len(args)) for argnum in argnums]
    if not positions:
        raise GraphError("argnums must be non-empty")
    if len(set(positions)) < len(positions):
        raise GraphError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[position] for position in positions), positions


def replaced(args: tuple[Any, ...], positions: list[int], values: Any) -> tuple[Any, ...]:
    """Return the arguments with others at these places."""
    given = list(args)
    if len(positions) == 1 and not isinstance(values, Several):
        given[positions[0]] = values
    else:
        for position, value in zip(positions, values, strict=True):
            given[position] = value
    return tuple(given)


class Several(tuple[Any, ...]):
    """Values for several arguments, where a plain tuple is the value of one."""


def refuse_non_tensors(leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise ArgumentError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")


def refuse_complex(name: str, leaves: list[Any], what: str) -> None:
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, TensorBase) and is_complex_dtype(leaf._array.dtype):
            raise GraphError(
                f"{name}: Expected all {what}s to be real but received complex tensor at flattened "
                f"input idx: {number}"
            )


def split_aux(result: Any, has_aux: bool, head: str) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise GraphError(
            f"{head}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def detached_aux(aux: Any, has_aux: bool, closed: Callable[[Any], Any] = detach_if_closed) -> Any:
    """Return what comes beside the output without histories of the transform's own."""
    if not has_aux:
        return None
    refuse_other_aux(flatten(aux)[0])
    return mapped(closed, aux)


def refuse_other_aux(leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise GraphError(f"Expected tensors, got unsupported type {type(leaf)}")


def check_outputs(leaves: list[Any], head: str) -> None:
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise GraphError(
            f"{head}: Expected f to be a function that has non-empty output (got output = {leaves})"
        )
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise GraphError(
                f"{head}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}"
            )


def unit_rows(tensors: list[Any], start: int, stop: int) -> list[Any]:
    """Return rows ``start`` to ``stop`` of the unit matrix, cut up into the shapes of tensors."""
    rows: list[Any] = []
    offset = 0
    with outside_inference():
        for tensor in tensors:
            shape = tuple(tensor.shape)
            size = math.prod(shape)
            block = cast(held(np.eye(stop - start, size, start - offset, np.float32)), tensor.dtype)
            rows.append(block.reshape(stop - start, *shape))
            storage_of(rows[-1]).version = 1  # as where ones are written into zeros
            offset += size
    return rows
