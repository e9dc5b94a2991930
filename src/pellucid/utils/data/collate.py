"""Making one batch of many samples."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from pellucid.creation import as_tensor, tensor
from pellucid.dtypes import float64
from pellucid.errors import ArgumentTypeError
from pellucid.ops.join import stack
from pellucid.tensor import Tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack tensors, arrays and numbers; do so inside of mappings, tuples and lists; keep strings.

    Raises TypeError for samples of other kinds, and RuntimeError for sequences of unequal length.

    >>> import pellucid as torch
    >>> torch.utils.data.default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray | np.generic) and not isinstance(first, float):
        return _stacked_arrays(batch)
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _like_mapping(
            first, {key: default_collate([d[key] for d in batch]) for key in first}
        )
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(each) for each in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        return _collate_sequences(batch)
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first)}"
    )


def _stacked_arrays(batch: Sequence[Any]) -> Any:
    if np.asarray(batch[0]).dtype.kind not in "biufc":
        raise ArgumentTypeError(
            "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
            f"found {np.asarray(batch[0]).dtype}"
        )
    return stack([as_tensor(each) for each in batch], 0)


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


def _collate_sequences(batch: Sequence[Any]) -> Any:
    first = batch[0]
    if any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    collated = [default_collate(values) for values in zip(*batch, strict=True)]
    if isinstance(first, tuple | list | MutableSequence):
        return collated
    try:
        return type(first)(collated)
    except TypeError:
        return collated


def default_convert(data: Any) -> Any:
    """Turn arrays into tensors, inside of mappings, tuples and lists too; keep the rest.

    >>> import pellucid as torch
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
