"""Lists of tensors, taken apart by device and dtype, as optimizers outside of PyTorch do."""

from __future__ import annotations

from typing import Any

from pellucid.errors import GraphError
from pellucid.tensors import Tensor

#: lists of tensors, one tensor or ``None`` of each list belonging together
Lists = list[list[Tensor | None]]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Lists, with_indices: bool = False
) -> dict[Any, tuple[Lists, list[int]]]:
    """Return the lists by device and dtype of the first one's tensors.

    Args:
        tensorlistlist: Lists of one length.
        with_indices: Whether the places in the lists are returned too.

    Raises:
        RuntimeError: If the lists differ in length, or tensors that belong together in device.

    >>> weights = [torch.ones(2), torch.ones(1, dtype=torch.float64), torch.zeros(3)]
    >>> groups = _group_tensors_by_device_and_dtype([weights], with_indices=True)
    >>> {str(dtype): places for (_, dtype), (_, places) in groups.items()}
    {'torch.float32': [0, 2], 'torch.float64': [1]}
    """
    first = tensorlistlist[0]
    if any(len(each) != len(first) for each in tensorlistlist):
        lengths = [len(each) for each in tensorlistlist]
        raise GraphError(f"tensorlists must have the same length, but they have {lengths}")
    groups: dict[Any, tuple[Lists, list[int]]] = {}
    for place, leading in enumerate(first):
        assert leading is not None
        key = leading.device, leading.dtype
        lists, places = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for mine, theirs in zip(lists, tensorlistlist, strict=True):
            mine.append(theirs[place])
        if with_indices:
            places.append(place)
    return groups
