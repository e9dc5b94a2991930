"""Sets of samples."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, Protocol, TypeVar, cast

from pellucid.errors import ArgumentError
from pellucid.random import randperm
from pellucid.tensors import Tensor

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Indexed(Protocol[T_co]):
    """Samples by index: a data set, or a list."""

    def __getitem__(self, index: Any, /) -> T_co: ...


class Dataset(Generic[T_co]):
    """The base of data sets with samples by index; a subclass defines ``__getitem__``.

    With ``__len__`` it can be shuffled. ``__getitems__``, if there is one, is given the indices of
    a whole batch and returns a list.

    >>> class Squares(torch.utils.data.Dataset):
    ...     def __getitem__(self, index):
    ...         return index * index
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index: Any, /) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """The base of streams of samples; a subclass defines ``__iter__``.

    >>> class Countdown(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(Countdown())
    [2, 1, 0]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[Any]) -> ChainDataset:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """A data set of tuples of rows: sample i is row i of every tensor.

    Raises AssertionError if the tensors have different numbers of rows.

    >>> data = torch.utils.data.TensorDataset(torch.tensor([1, 2]), torch.tensor([3, 4]))
    >>> data[1]
    (tensor(2), tensor(4))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensor) != len(tensors[0]) for tensor in tensors):
            sizes = [len(tensor) for tensor in tensors]
            raise AssertionError(f"Size mismatch between tensors: they have {sizes} rows")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class ConcatDataset(Dataset[T_co]):
    """The samples of several data sets, one set after the other.

    Args:
        datasets: The data sets, each with a length.

    Raises:
        AssertionError: If there are no sets, or one of them is a stream.

    >>> list(torch.utils.data.ConcatDataset([[1, 2], [3]]))
    [1, 2, 3]
    """

    def __init__(self, datasets: Iterable[Indexed[T_co]]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        if number == len(self.datasets):
            raise IndexError(f"index {idx} is out of range for {len(self)} samples")
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - before]


class ChainDataset(IterableDataset[Any]):
    """The samples of several streams, one stream after the other.

    Args:
        datasets: The streams, each an `IterableDataset`.

    >>> class Countdown(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter([1, 0])
    >>> list(torch.utils.data.ChainDataset([Countdown(), Countdown()]))
    [1, 0, 1, 0]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class StackDataset(Dataset[Any]):
    """The samples of several data sets together, as tuples, or as dicts if the sets have names.

    Args:
        args: The data sets, of the same length, for tuples.
        kwargs: The data sets by name, for dicts.

    Raises:
        ValueError: If the sets have different lengths, there are none, or only some have names.

    >>> torch.utils.data.StackDataset(image=[1, 2], text=["a", "b"])[1]
    {'image': 2, 'text': 'b'}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ArgumentError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ArgumentError("At least one dataset should be passed")
        self.datasets: Any = kwargs or args
        lengths = [len(each) for each in self._parts()]
        if any(length != lengths[0] for length in lengths):
            raise ArgumentError(f"Size mismatch between datasets: they have {lengths} samples")
        self._length = lengths[0]

    def _parts(self) -> list[Any]:
        named = isinstance(self.datasets, dict)
        return list(self.datasets.values() if named else self.datasets)

    def _together(self, parts: Iterable[Any]) -> Any:
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, parts, strict=True))
        return tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._together(part[index] for part in self._parts())

    def __getitems__(self, indices: list[int]) -> list[Any]:
        columns = [_samples_at(part, indices) for part in self._parts()]
        return [self._together(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


def _samples_at(dataset: Any, indices: list[int]) -> list[Any]:
    """Return the samples at some indices, all at once where the set can do that."""
    whole = getattr(dataset, "__getitems__", None)
    if not callable(whole):
        return [dataset[index] for index in indices]
    samples: Any = whole(indices)
    if len(samples) != len(indices):
        raise ArgumentError(
            f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}"
        )
    return samples


class Subset(Dataset[T_co]):
    """The samples of a data set at some indices.

    Args:
        dataset: The data set.
        indices: The indices of the samples.

    >>> torch.utils.data.Subset("abc", [2, 0])[0]
    'c'
    """

    def __init__(self, dataset: Indexed[T_co], indices: Sequence[int]) -> None:
        self.dataset: Any = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[each] for each in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        inner = [self.indices[index] for index in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(inner)
        return [self.dataset[index] for index in inner]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Indexed[T], lengths: Sequence[float], generator: Any = None
) -> list[Subset[T]]:
    """Divide a data set at random into subsets.

    Args:
        dataset: A data set with a length.
        lengths: The lengths of the subsets, or their fractions of the whole.
        generator: The source of random numbers; the global one by default.

    Returns:
        A list of one `Subset` per length.

    Raises:
        ValueError: If the lengths do not add up to the whole.

    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.8, 0.2])]
    [8, 2]
    """
    count = len(cast("Sized", dataset))
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths(count, lengths)
    if sum(lengths) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(count, generator=generator).tolist()
    ends = itertools.accumulate(int(length) for length in lengths)
    return [
        Subset(dataset, order[end - int(length) : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _lengths(total: int, fractions: Sequence[float]) -> list[int]:
    """Return whole lengths for fractions; what rounding leaves over goes to the first parts."""
    for index, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {index} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for index in range(total - sum(lengths)):
        lengths[index % len(lengths)] += 1
    for index, length in enumerate(lengths):
        if not length:
            warnings.warn(
                f"Length of split at index {index} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return lengths
