"""Gradients exchanged as whole numbers from 0 to 255, with a scale and a zero of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.futures import Future
from pellucid.nn.parallel.reducer import GradBucket
from pellucid.processes.collectives import all_gather
from pellucid.processes.groups import default_group

Array = np.ndarray[Any, Any]

#: the numbers in which a gradient is sent
_LEAST, _MOST = 0, 255


def quantization_pertensor_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average the gradients, each rank's with one scale for the whole bucket."""
    return _averaged(process_group, bucket, bucket.memory.reshape(1, -1))


def quantization_perchannel_hook(
    process_group: Any, bucket: GradBucket, bucket_size: int = 512
) -> Future[Any]:
    """Average the gradients, with a scale for every ``bucket_size`` elements."""
    missing = bucket_size - bucket.memory.size % bucket_size
    padded = np.pad(bucket.memory, (0, missing)).reshape(-1, bucket_size)
    return _averaged(process_group, bucket, padded)


def _averaged(group: Any, bucket: GradBucket, rows: Array) -> Future[Any]:
    scales = _scales(rows)
    quantized = np.round(rows / scales[:, :1]) + scales[:, 1:]
    numbers = np.clip(quantized, _LEAST, _MOST).astype(np.uint8)
    sent = np.concatenate([scales.view(np.uint8).reshape(-1), numbers.reshape(-1)])
    size = (default_group() if group is None else group).size()
    received: Any = [new_tensor(np.empty_like(sent)) for _ in range(size)]
    work = all_gather(received, new_tensor(sent), group, async_op=True)
    assert work is not None

    def mean(_: Any) -> Any:
        total = np.zeros_like(rows, np.float32)
        for each in received:
            theirs, values = np.split(each._array, [scales.nbytes])
            scale = theirs.view(np.float32).reshape(scales.shape)
            total += scale[:, :1] * (values.reshape(rows.shape).astype(np.float32) - scale[:, 1:])
        flat = (total / np.float32(size)).reshape(-1)[: bucket.memory.size]
        return new_tensor(flat.astype(bucket.memory.dtype))

    return work.get_future().then(mean)


def _scales(rows: Array) -> Array:
    """Return scale and zero of each row, whose values, and 0, are spread over all numbers."""
    low = np.minimum(rows.min(axis=1), 0).astype(np.float32)
    high = np.maximum(rows.max(axis=1), 0).astype(np.float32)
    scale = np.maximum((high - low) / np.float32(_MOST), np.finfo(np.float32).eps)
    zero = np.clip(_LEAST - np.round(low / scale), _LEAST, _MOST)
    return np.stack([scale, zero], axis=1).astype(np.float32)
