"""Making one batch: looking samples up, or taking them from a stream, and collating them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


class MapFetcher:
    """A fetcher of samples by their indices."""

    def __init__(
        self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate_fn = collate_fn
        self._whole: Callable[[Any], Any] | None = getattr(dataset, "__getitems__", None)

    def fetch(self, index: Any) -> Any:
        """Return the batch of some indices, or the sample at one."""
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if self._whole is not None:
            return self.collate_fn(self._whole(index))
        dataset = self.dataset
        return self.collate_fn([dataset[each] for each in index])


class StreamFetcher:
    """A fetcher of the next samples of a stream."""

    def __init__(
        self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.samples: Iterator[Any] = iter(dataset)
        self.batched = batched
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, index: Any) -> Any:
        """Return the next batch or sample; raise StopIteration at the end of the stream."""
        if not self.batched:
            return self.collate_fn(next(self.samples))
        batch = list(itertools.islice(self.samples, len(index)))
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate_fn(batch)


Fetcher = MapFetcher | StreamFetcher
