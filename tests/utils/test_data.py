"""Data: sets, orders, batches."""

from __future__ import annotations

import itertools
from collections import namedtuple

import numpy as np
import pytest

import pellucid as torch
from pellucid.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    default_collate,
    default_convert,
    random_split,
)


class Squares(Dataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index * index


class Stream(IterableDataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self):
        return iter(range(self.count))


# ---- sets --------------------------------------------------------------------------------------


def test_rows_of_tensors_are_samples() -> None:
    data = TensorDataset(torch.arange(6).reshape(3, 2), torch.tensor([7, 8, 9]))
    assert len(data) == 3
    row, label = data[1]
    assert (row.tolist(), label.item()) == ([2, 3], 8)
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(torch.ones(2), torch.ones(3))


def test_joined_sets_follow_each_other() -> None:
    data = Squares(2) + Squares(3)
    assert isinstance(data, ConcatDataset)
    assert [data[i] for i in range(5)] == [0, 1, 0, 1, 4]
    assert data[-1] == 4
    with pytest.raises(IndexError):
        data[5]
    assert list(ChainDataset([Stream(2), Stream(1)])) == [0, 1, 0]


def test_a_subset_gives_chosen_samples() -> None:
    part = Subset(Squares(10), [3, 5])
    assert [part[0], part[1], len(part)] == [9, 25, 2]
    assert part.__getitems__([1, 0]) == [25, 9]


def test_parts_of_a_random_split_make_up_the_whole() -> None:
    parts = random_split(Squares(10), [0.55, 0.45])
    assert [len(part) for part in parts] == [6, 4]
    assert sorted(itertools.chain(*(part.indices for part in parts))) == list(range(10))
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(Squares(10), [3, 3])


def test_a_generator_makes_a_split_repeatable() -> None:
    def indices() -> list[int]:
        return random_split(Squares(20), [15, 5], torch.Generator().manual_seed(1))[0].indices

    assert indices() == indices()


# ---- orders ------------------------------------------------------------------------------------


def test_a_random_order_visits_everything_once_per_pass() -> None:
    order = list(RandomSampler(range(7), num_samples=14))
    assert sorted(order[:7]) == sorted(order[7:]) == list(range(7))


def test_an_endless_number_of_samples_is_drawn_as_it_is_asked_for() -> None:
    for replacement in (True, False):
        sampler = RandomSampler(range(5), replacement, num_samples=10**12)
        assert len(sampler) == 10**12
        assert set(itertools.islice(sampler, 100)) == set(range(5))


def test_batches_of_an_order_may_leave_out_the_last() -> None:
    assert list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert [len(BatchSampler(range(5), 2, drop)) for drop in (True, False)] == [2, 3]


# ---- batches -----------------------------------------------------------------------------------


def test_a_loader_gives_batches_in_order() -> None:
    loader = DataLoader(Squares(5), batch_size=2)
    assert [batch.tolist() for batch in loader] == [[0, 1], [4, 9], [16]]
    assert len(loader) == 3


def test_a_loader_may_drop_the_last_batch() -> None:
    loader = DataLoader(Squares(5), batch_size=2, drop_last=True)
    assert len(list(loader)) == len(loader) == 2


def test_each_pass_is_shuffled_anew_and_repeatable_by_seed() -> None:
    def passes() -> list[list[int]]:
        torch.manual_seed(0)
        loader = DataLoader(list(range(20)), batch_size=20, shuffle=True)
        return [next(iter(loader)).tolist() for _ in range(2)]

    first, second = passes()
    assert first != second
    assert sorted(first) == list(range(20))
    assert passes() == [first, second]


def test_two_passes_may_go_on_at_once() -> None:
    loader = DataLoader(Squares(3))
    pairs = [(a.item(), b.item()) for a, b in itertools.product(loader, loader)]
    assert len(set(pairs)) == 9


def test_a_stream_is_batched_as_it_comes() -> None:
    loader = DataLoader(Stream(5), batch_size=2)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
    assert list(DataLoader(Stream(2), batch_size=None)) == [0, 1]
    with pytest.raises(ValueError, match="expected unspecified shuffle option"):
        DataLoader(Stream(5), shuffle=True)


def test_samples_can_be_put_together_in_ones_own_way() -> None:
    loader = DataLoader(Squares(4), batch_size=2, collate_fn=tuple)
    assert list(loader) == [(0, 1), (4, 9)]


def test_a_set_that_gives_whole_batches_is_asked_for_them() -> None:
    class Whole(Squares):
        def __getitems__(self, indices):
            return [-index for index in indices]

    assert next(iter(DataLoader(Whole(3), batch_size=3))).tolist() == [0, -1, -2]


def test_samples_are_stacked_inside_of_structures() -> None:
    Pair = namedtuple("Pair", "x y")
    batch = default_collate([{"a": Pair(1, 2.0), "b": ["u"]}, {"a": Pair(3, 4.0), "b": ["v"]}])
    assert batch["a"].x.tolist() == [1, 3]
    assert batch["a"].y.dtype == torch.float64
    assert batch["b"] == [("u", "v")]


def test_arrays_and_numbers_become_tensors() -> None:
    assert default_collate([np.ones(2, np.float32)] * 2).dtype == torch.float32
    assert default_collate([np.float32(1), np.float32(2)]).tolist() == [1, 2]
    assert default_collate([True, False]).dtype == torch.bool
    assert default_convert([np.ones(2), "a"])[0].tolist() == [1, 1]


def test_samples_that_cannot_be_put_together_are_refused() -> None:
    with pytest.raises(TypeError, match="must contain tensors, numpy arrays, numbers"):
        default_collate([object()])
    with pytest.raises(RuntimeError, match="should be of equal size"):
        default_collate([[1], [1, 2]])
