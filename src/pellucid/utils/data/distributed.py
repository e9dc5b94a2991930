"""Sharing a set out among processes that train together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.random import Generator, randperm
from pellucid.ranks import ranks
from pellucid.utils.data.sampler import Sampler


class DistributedSampler(Sampler[int]):
    """A sampler of the part of a data set that belongs to one of several processes.

    Every process gets the same number of samples. ``set_epoch`` before each pass gives each pass
    another order.

    Args:
        dataset: A data set with a length.
        num_replicas: The number of processes; by default that of the process group.
        rank: The number of this process; by default that in the process group.
        shuffle: Whether the order is random.
        seed: The seed of the order, the same in all processes.
        drop_last: Whether the last samples are left out to make the parts equal; otherwise the
            first ones are repeated.

    Raises:
        ValueError: If ``rank`` is out of range.

    >>> sampler = torch.utils.data.DistributedSampler(
    ...     range(5), num_replicas=2, rank=1, shuffle=False
    ... )
    >>> list(sampler)
    [1, 3, 0]
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None,
        shuffle: bool = True, seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        num_replicas = ranks.resolved(None).size() if num_replicas is None else num_replicas
        rank = ranks.resolved(None).rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ArgumentError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        self.shuffle = shuffle
        self.seed = seed
        length = len(dataset)
        if drop_last and length % num_replicas:
            length -= num_replicas
        self.num_samples = math.ceil(length / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        indices: Any = range(count)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = randperm(count, generator=generator).tolist()
        everyone = itertools.islice(itertools.cycle(indices), self.total_size)
        return itertools.islice(everyone, self.rank, None, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which is added to the seed of the next pass."""
        self.epoch = epoch
