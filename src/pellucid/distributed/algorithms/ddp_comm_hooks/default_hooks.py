"""Averages of gradients, in full or in half precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.dtypes import bfloat16, dtype, float16
from pellucid.futures import Future
from pellucid.nn.parallel.reducer import CommHook, GradBucket
from pellucid.processes.collectives import all_reduce
from pellucid.processes.groups import get_world_size


def averaged(group: Any, tensor: Any) -> Future[Any]:
    """Start to average a tensor over a group, in place; return a future of it."""
    tensor.div_(get_world_size(group))
    work = all_reduce(tensor, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average the gradients as they are."""
    return averaged(process_group, bucket.buffer())


def _compressed(kind: dtype, group: Any, bucket: GradBucket) -> Future[Any]:
    buffer = bucket.buffer()
    reduced = averaged(group, buffer.to(kind))
    return reduced.then(lambda future: buffer.copy_(future.value()))


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average the gradients in float16, which halves what is kept of them."""
    return _compressed(float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average the gradients in bfloat16, which halves what is kept of them."""
    return _compressed(bfloat16, process_group, bucket)


def _wrapped(hook: CommHook, kind: dtype) -> Callable[[Any, GradBucket], Future[Any]]:
    def compressing(state: Any, bucket: GradBucket) -> Future[Any]:
        rounded = bucket.buffer().to(kind).to(bucket.buffer().dtype)
        bucket.set_buffer(rounded)
        return hook(state, bucket)

    return compressing


def fp16_compress_wrapper(hook: CommHook) -> Callable[[Any, GradBucket], Future[Any]]:
    """Return a hook that rounds gradients to float16 before another hook exchanges them."""
    return _wrapped(hook, float16)


def bf16_compress_wrapper(hook: CommHook) -> Callable[[Any, GradBucket], Future[Any]]:
    """Return a hook that rounds gradients to bfloat16 before another hook exchanges them."""
    return _wrapped(hook, bfloat16)
