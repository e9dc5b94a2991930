"""The data loader: batches of a set, in an order, made one at a time."""

from __future__ import annotations

import math
import multiprocessing
import multiprocessing.context
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, cast

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.utils.data._utils.collate import default_collate, default_convert
from pellucid.utils.data._utils.worker import get_worker_info
from pellucid.utils.data.dataset import Indexed, IterableDataset, T_co
from pellucid.utils.data.iterators import (
    _BaseDataLoaderIter,
    _DatasetKind,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from pellucid.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

#: what makes a batch of a list of samples
_collate_fn_t = Callable[[list[Any]], Any]

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[T_co]):
    """An iterable over a data set in batches.

    Worker i is seeded with a number drawn for the pass plus i; `get_worker_info` tells it which one
    it is. An exception in a worker is raised here, with the worker's traceback as its text.

    Args:
        dataset: A data set, with indices or as a stream.
        batch_size: Samples per batch; None for single samples.
        shuffle: Whether samples are visited in a new random order in each pass, drawn as PyTorch
            draws.
        sampler: An iterable of indices, instead of ``shuffle``.
        batch_sampler: An iterable of lists of indices, instead of ``batch_size``, ``shuffle``,
            ``sampler`` and ``drop_last``.
        num_workers: The number of processes that make batches ahead; with 0 they are made in this
            process.
        collate_fn: A function that makes a batch of a list of samples; `default_collate` by
            default.
        pin_memory: Accepted for compatibility; memory is not pinned.
        drop_last: Whether a last batch that is shorter is left out.
        timeout: How many seconds to wait for a batch of a worker; 0 waits without limit.
        worker_init_fn: A function called with the worker's number in each worker.
        multiprocessing_context: A start method or a context. Where processes are not forked, the
            data set and the functions are pickled.
        generator: The source of random numbers; the global one by default.
        prefetch_factor: The number of batches that each worker makes ahead; 2 by default.
        persistent_workers: Whether workers are kept from pass to pass.
        pin_memory_device: Accepted for compatibility.
        in_order: With False, batches are returned as soon as they are made.

    Raises:
        ValueError: If arguments exclude each other.
        RuntimeError: While iterating, if a worker dies or makes no batch within ``timeout``.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5))
    >>> [batch.tolist() for (batch,) in torch.utils.data.DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, dataset: Indexed[T_co], batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Any = None, batch_sampler: Any = None, num_workers: int = 0,
        collate_fn: _collate_fn_t | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None, multiprocessing_context: Any = None,
        generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.num_workers = num_workers
        self.multiprocessing_context = multiprocessing_context
        is_stream = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if is_stream else _DatasetKind.Map
        if is_stream:
            _check_stream(shuffle, sampler, batch_sampler)
        _check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None:
            sampler = self._default_sampler(dataset, shuffle, generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(cast("Any", sampler), batch_size, drop_last)
        self.dataset: Any = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        self.generator = generator
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self.collate_fn = collate_fn or (
            default_convert if batch_sampler is None else default_collate
        )
        #: the length that a stream has given, in batches; a longer one is worth a warning
        self._IterableDataset_len_called: int | None = None
        self._iterator: _MultiProcessingDataLoaderIter | None = None
        _warn_of_many_workers(num_workers)
        self._is_complete = True

    def _default_sampler(self, dataset: Any, shuffle: bool | None, generator: Any) -> Any:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _Endless()
        return (
            RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_is_complete" in self.__dict__:
            raise ArgumentError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        """How workers are started: a context of multiprocessing, or ``None`` for the usual one."""
        return self._multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and not self.num_workers:
            raise ArgumentError(
                "multiprocessing_context can only be used with multi-process loading (num_workers "
                f"> 0), but got num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            methods = multiprocessing.get_all_start_methods()
            if context not in methods:
                raise ArgumentError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{methods!r}, but got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, multiprocessing.context.BaseContext):
            raise ArgumentTypeError(
                "multiprocessing_context option should be a valid context object or a string "
                f"specifying the start method, but got multiprocessing_context={context}"
            )
        self._multiprocessing_context = context

    @property
    def _auto_collation(self) -> bool:
        """Whether samples are put together into batches."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What tells the indices of each batch, or of each sample where there are no batches."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
                stacklevel=2,
            )
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if (
            isinstance(self._iterator, _MultiProcessingDataLoaderIter)
            and self._iterator.close.alive
        ):
            self._iterator.restart(self)
        else:
            self._iterator = cast("_MultiProcessingDataLoaderIter", self._get_iterator())
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        kind = _MultiProcessingDataLoaderIter if self.num_workers else _SingleProcessDataLoaderIter
        return kind(self)

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        count = len(self.dataset)
        if self.batch_size is not None:
            part = count / self.batch_size
            count = math.floor(part) if self.drop_last else math.ceil(part)
        self._IterableDataset_len_called = count
        return count


class _Endless(Sampler[None]):
    """Ask a stream for one more sample, again and again."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ArgumentError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ArgumentError("timeout option should be non-negative")
    if not num_workers and prefetch_factor is not None:
        raise ArgumentError(
            "prefetch_factor option could only be specified in multiprocessing. let num_workers > "
            "0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ArgumentError("prefetch_factor option should be non-negative")
    if persistent_workers and not num_workers:
        raise ArgumentError("persistent_workers option needs num_workers > 0")


def _warn_of_many_workers(num_workers: int) -> None:
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if here is not None and num_workers > here:
        warnings.warn(
            f"This DataLoader will create {num_workers} worker processes in total. Our suggested "
            f"max number of worker in current system is {here}, which is smaller than what this "
            "DataLoader is going to create. Please be aware that excessive worker creation might "
            "get DataLoader running slow or even freeze, lower the worker number to avoid "
            "potential slowness/freeze if necessary.",
            stacklevel=3,
        )


def _check_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    if shuffle:
        raise ArgumentError(
            "DataLoader with IterableDataset: expected unspecified shuffle option, but got "
            f"shuffle={shuffle}"
        )
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ArgumentError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


def _check_order(
    batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    if sampler is not None and shuffle:
        raise ArgumentError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ArgumentError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                "drop_last"
            )
    elif batch_size is None and drop_last:
        raise ArgumentError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )
