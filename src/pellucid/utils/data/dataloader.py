"""The data loader: batches of a set, in an order, made one at a time."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, cast

from pellucid.errors import ArgumentError
from pellucid.utils.data.collate import default_collate, default_convert
from pellucid.utils.data.dataset import IterableDataset
from pellucid.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    drawn_seed,
)


class DataLoader:
    """Iterate over a set in batches.

    ``shuffle`` visits the samples in a new random order each time, drawn from ``generator`` or the
    global one as PyTorch draws it. ``batch_size=None`` gives single samples. ``collate_fn`` makes a
    batch of a list of samples. Batches are made in this process: ``num_workers`` above zero raises
    NotImplementedError. Raises ValueError for arguments that exclude each other.

    >>> import pellucid as torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(5))
    >>> [batch.tolist() for (batch,) in torch.utils.data.DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self._streams = isinstance(dataset, IterableDataset)
        if self._streams:
            _check_stream(shuffle, sampler, batch_sampler)
        _check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not self._streams:
            sampler = (
                RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None and not self._streams:
            batch_sampler = BatchSampler(cast("Any", sampler), batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        self.generator = generator
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        batched = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
                stacklevel=2,
            )
        # PyTorch draws a seed for its workers with each iterator, also when there are none. So that
        # the numbers that follow are the same, one is drawn here too.
        drawn_seed(self.generator)
        return self._stream() if self._streams else self._lookups()

    def _lookups(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
            return
        whole = getattr(self.dataset, "__getitems__", None)
        for indices in self.batch_sampler:
            samples = whole(indices) if whole else [self.dataset[index] for index in indices]
            yield self.collate_fn(samples)

    def _stream(self) -> Iterator[Any]:
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self) -> int:
        if not self._streams:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        part = count / self.batch_size
        return math.floor(part) if self.drop_last else math.ceil(part)


def get_worker_info() -> None:
    """Return ``None``: batches are made in the main process."""
    return


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ArgumentError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if num_workers > 0:
        raise NotImplementedError(
            f"num_workers={num_workers} is not there yet: pellucid makes batches in the process "
            "that asks for them. Leave num_workers at 0."
        )
    if timeout < 0:
        raise ArgumentError("timeout option should be non-negative")
    if prefetch_factor is not None:
        raise ArgumentError(
            "prefetch_factor option could only be specified in multiprocessing. let num_workers > "
            "0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if persistent_workers:
        raise ArgumentError("persistent_workers option needs num_workers > 0")


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
