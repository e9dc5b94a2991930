"""What is asked of a tensor before a result is written into it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase, is_inference
from pellucid.dtypes import castable, scalar_name
from pellucid.errors import DtypeError, GraphError, ShapeError
from pellucid.shapes import may_overlap


def check_result_dtype(result: Any, wanted: Any) -> None:
    """Raise where the result's dtype has no place in the tensor's."""
    if not castable(result, wanted):
        raise DtypeError(
            f"result type {scalar_name(result)} can't be cast to the desired output type "
            f"{scalar_name(wanted)}"
        )


def check_result_shape(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Raise where a result has another shape than the tensor."""
    if shape != wanted:
        raise ShapeError(
            f"output with shape {list(wanted)} doesn't match the broadcast shape {list(shape)}"
        )


#: operations that write, once and in place, to whatever element stands for several; with PyTorch's
#: names, and what its warnings say of indexing
_WRITES_TO_EXPANDED = {
    "masked_fill": ("masked_fill_", "tensor[mask] = scalar"),
    "put_index": ("index_put_", "tensor[indices] = tensor"),
    "threshold": None,
}


def check_writable(tensor: TensorBase, name: str = "") -> None:
    """Raise where one element stands for several, or the tensor belongs to inference mode.

    Args:
        tensor: The tensor that is written to.
        name: The name of the operation, where it may be one of the few that take such tensors.
    """
    array = tensor._array
    if 0 in array.strides and repeats_elements(array):
        if name in _WRITES_TO_EXPANDED:
            _warn_of_expanded(name)
            check_mode(tensor)
            return
        raise GraphError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    check_mode(tensor)


def _warn_of_expanded(name: str) -> None:
    if (told := _WRITES_TO_EXPANDED[name]) is None:
        return
    called, indexing = told
    warnings.warn(
        f"Use of {called} on expanded tensors is deprecated. Please clone() the tensor before "
        f"performing this operation. This also applies to advanced indexing e.g. {indexing}",
        UserWarning,
        stacklevel=user_stacklevel(),
    )


def repeats_elements(array: Any) -> bool:
    """Return whether one element of an array's memory stands for several of its elements."""
    return not array.flags.forc and may_overlap(array.shape, array.strides)


def by_element(function: Callable[[Any], Any], array: Any) -> Any:
    """Apply a function to the elements of an array; one that stands for several stays one."""
    if array.__class__ is not np.ndarray or 0 not in array.strides or not array.size:
        return function(array)
    once = tuple([slice(None) if step else slice(1) for step in array.strides])
    return np.broadcast_to(function(array[once]), array.shape)


def check_mode(tensor: TensorBase) -> None:
    """Raise where a tensor that belongs to inference mode would be changed outside it."""
    if is_inference(tensor) and not modes.inference:
        raise GraphError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
            "a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def shares_storage(tensor: TensorBase, value: Any) -> bool:
    """Return whether a value is another tensor over the same storage."""
    storage = tensor._storage
    if storage is None or value is tensor or not isinstance(value, TensorBase):
        return False
    return value._storage is storage


def check_overlap(tensor: TensorBase, operands: tuple[Any, ...], *, apart: bool = False) -> None:
    """Raise where another operand has some, and not all, of its elements in the written memory.

    With ``apart`` it may not have all of them there either.
    """
    if apart and tensor._array.size and any(each is tensor for each in operands):
        raise _overlapping()
    if tensor._storage is None:
        return
    target = tensor._array
    for other in operands:
        if not shares_storage(tensor, other):
            continue
        array = other._array
        if not apart and _are_one_region(array, target):
            continue
        if array.flags.forc and target.flags.forc and np.may_share_memory(array, target):
            raise _overlapping()


def _are_one_region(array: Any, target: Any) -> bool:
    """Return whether two arrays look at the same elements of memory in the same order."""
    if array.ctypes.data != target.ctypes.data or array.shape != target.shape:
        return False
    steps = zip(array.strides, target.strides, array.shape, strict=True)
    return all(first == second or size == 1 for first, second, size in steps)


def _overlapping() -> GraphError:
    return GraphError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer "
        "to a single memory location. Please clone() the tensor before performing the operation."
    )
