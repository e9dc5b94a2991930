"""Making one batch of many samples."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from pellucid.dtypes import float64
from pellucid.errors import ArgumentTypeError
from pellucid.ops.shape.join import stack
from pellucid.tensors import Tensor
from pellucid.tensors.creation import as_tensor, tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack samples to a batch.

    Args:
        batch: A list of samples: tensors, arrays, numbers, strings, or mappings, tuples and lists
            of such, all of the same structure.

    Returns:
        Tensors with a leading batch dim, in the structure of a sample; strings stay a list or
        tuple.

    Raises:
        TypeError: If a sample is of another kind.
        RuntimeError: If sequences have different lengths.

    >>> torch.utils.data.default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Sequence[Any], *, collate_fn_map: dict[Any, Any] | None = None) -> Any:
    """Make a batch of samples, with functions for the types that a table names.

    A function is called as ``function(batch, collate_fn_map=table)``; a key is a type, or a tuple
    of types. Mappings, tuples and lists are gone through. Raises TypeError for other samples.

    >>> from pellucid.utils.data._utils.collate import collate
    >>> collate([1, 2], collate_fn_map={int: lambda batch, collate_fn_map: sum(batch)})
    3
    """
    first = batch[0]
    table = collate_fn_map or {}
    chosen = table.get(type(first)) or next(
        (function for kind, function in table.items() if isinstance(first, kind)), None
    )
    if chosen is not None:
        return chosen(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _like_mapping(
            first, {key: collate([d[key] for d in batch], collate_fn_map=table) for key in first}
        )
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        columns = zip(*batch, strict=False)
        return type(first)(*(collate(each, collate_fn_map=table) for each in columns))
    if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        return _collate_sequences(batch, table)
    raise _refusal(type(first))


def _refusal(kind: Any) -> ArgumentTypeError:
    return ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {kind}"
    )


def collate_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Stack tensors."""
    return stack(list(batch), 0)


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Stack NumPy's arrays or scalars; raise TypeError for strings and objects."""
    dtype = np.asarray(batch[0]).dtype
    if dtype.kind not in "biufc":
        raise _refusal(dtype)
    return stack([as_tensor(each) for each in batch], 0)


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Make a tensor of float64."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Make a tensor of integers or truth values."""
    return tensor(batch)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Keep strings as they are."""
    return batch


#: what `default_collate` does with samples that hold no others
default_collate_fn_map: dict[Any, Any] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    float: collate_float_fn,
    (np.bool_, np.number, np.object_): collate_numpy_array_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def _like_mapping(first: Any, values: dict[Any, Any]) -> Any:
    """Return the values in a mapping of the samples' class, where it can be made."""
    try:
        if isinstance(first, MutableMapping):
            made = copy.copy(first)
            made.update(values)
            return made
        return type(first)(values)
    except TypeError:
        return values


def _collate_sequences(batch: Sequence[Any], table: dict[Any, Any]) -> Any:
    first = batch[0]
    if any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    collated = [collate(values, collate_fn_map=table) for values in zip(*batch, strict=True)]
    if isinstance(first, tuple | list | MutableSequence):
        return collated
    try:
        return type(first)(collated)
    except TypeError:
        return collated


def default_convert(data: Any) -> Any:
    """Convert arrays to tensors, also inside of mappings, tuples and lists.

    Args:
        data: An array, or a container of arrays; all else is returned unchanged.

    Returns:
        The same structure with tensors for arrays.

    >>> torch.utils.data.default_convert({"a": 1, "b": [2]})
    {'a': 1, 'b': [2]}
    """
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return as_tensor(data) if np.asarray(data).dtype.kind in "biufc" else data
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(each) for each in data]
    return data
