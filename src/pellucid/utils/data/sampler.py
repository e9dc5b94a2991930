"""Orders in which the samples of a set are visited; drawn as PyTorch draws them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from pellucid.dtypes import float64, int64
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.random import Generator, multinomial, randint, randperm
from pellucid.tensors.creation import as_tensor, empty

T_co = TypeVar("T_co", covariant=True)

#: how many indices are drawn at a time where they are drawn with replacement
_CHUNK = 32


class Sampler(Generic[T_co]):
    """The base of samplers: iterables over indices, or over lists of indices.

    >>> class Backwards(torch.utils.data.Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> loader = torch.utils.data.DataLoader([5, 6, 7], batch_size=None, sampler=Backwards())
    >>> list(loader)
    [7, 6, 5]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")


class SequentialSampler(Sampler[int]):
    """A sampler of all indices in order.

    Args:
        data_source: A data set with a length.

    >>> list(torch.utils.data.SequentialSampler(range(3)))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """A sampler of indices in random order, or drawn with replacement, one pass at a time.

    Args:
        data_source: A data set with a length.
        replacement: Whether an index may be drawn more than once.
        num_samples: The number of indices; by default the length of the data set.
        generator: The source of random numbers; the global one by default.

    Raises:
        ValueError: If ``num_samples`` is not positive.

    >>> sorted(torch.utils.data.RandomSampler(range(3)))
    [0, 1, 2]
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None,
        generator: Any = None,
    ) -> None:  # fmt: skip
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise ArgumentTypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ArgumentError(
                "num_samples should be a positive integer value, but got "
                f"num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """How many samples are visited."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        # Nothing is drawn before the first index is asked for: a loader draws a seed before that.
        generator = self.generator or Generator().manual_seed(drawn_seed(None))
        if self.replacement:
            yield from self._with_replacement(generator)
        else:
            yield from self._without_replacement(generator)

    def _with_replacement(self, generator: Any) -> Iterator[int]:
        count = len(self.data_source)
        for start in range(0, self.num_samples, _CHUNK):
            size = min(_CHUNK, self.num_samples - start)
            yield from randint(count, (size,), dtype=int64, generator=generator).tolist()

    def _without_replacement(self, generator: Any) -> Iterator[int]:
        count = len(self.data_source)
        passes, rest = divmod(self.num_samples, count)
        for _ in range(passes):
            yield from randperm(count, generator=generator).tolist()
        # PyTorch draws an order for the rest even where there is none: the stream goes on from it.
        yield from randperm(count, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


def drawn_seed(generator: Any) -> int:
    """Return a seed drawn from a generator, by default the global one."""
    return int(empty((), dtype=int64).random_(generator=generator).item())


class SubsetRandomSampler(Sampler[int]):
    """A sampler of given indices in random order.

    Args:
        indices: The indices.
        generator: The source of random numbers; the global one by default.

    >>> sorted(torch.utils.data.SubsetRandomSampler([2, 5]))
    [2, 5]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """A sampler that draws indices with probabilities in proportion to weights.

    Args:
        weights: One weight per index, in one dim; they need not sum to one.
        num_samples: The number of indices to draw.
        replacement: Whether an index may be drawn more than once.
        generator: The source of random numbers; the global one by default.

    Raises:
        ValueError: If ``num_samples`` is not positive, or ``weights`` has more than one dim.

    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True,
        generator: Any = None,
    ) -> None:  # fmt: skip
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ArgumentError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ArgumentError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ArgumentError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """A sampler of lists of ``batch_size`` indices from another sampler.

    ``drop_last`` leaves out a last list that is shorter. Raises ValueError for a size that is not
    positive.

    >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ArgumentError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ArgumentError(
                f"drop_last should be a boolean value, but got drop_last={drop_last}"
            )
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # pyright: ignore[reportArgumentType]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
