"""Sorting and selection against Python's own, with NaN as the largest value."""

from __future__ import annotations

from collections import Counter
from math import isnan

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from tests.samples.grouped import together

RNG = np.random.default_rng(19)
NAN = np.nan
AXES = [((7,), 0), ((4, 5), 0), ((4, 5), 1), ((2, 5, 3), -2), ((3, 1), 1)]
each_axis = pytest.mark.parametrize(("shape", "axis"), AXES)
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
directions = pytest.mark.parametrize("descending", [False, True])


def with_ties(shape, dtype):
    x = RNG.integers(0, 4, shape).astype(dtype)
    if x.dtype.kind == "f":
        x[RNG.random(shape) < 0.2] = NAN
    return x


def size_of(value):
    """Order numbers, then NaN."""
    return (True, 0.0) if isnan(value) else (False, value)


def along(function, x, axis):
    """Apply to every line along `axis` a function of a list that returns values and indices."""
    lines = np.moveaxis(x, axis, -1)
    results = [function(lines[at].tolist()) for at in np.ndindex(lines.shape[:-1])]
    shaped = [np.array([r[i] for r in results]) for i in (0, 1)]
    tail = shaped[0].shape[1:]
    shaped = [s.reshape((*lines.shape[:-1], *tail)) for s in shaped]
    return [np.moveaxis(s, -1, axis) if tail else s for s in shaped]


def agree(selected, expected):
    for actual, wanted in zip(selected, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)
    assert selected[1].dtype == np.int64


def sorted_line(line, descending=False):
    order = sorted(range(len(line)), key=lambda i: size_of(line[i]), reverse=descending)
    return [line[i] for i in order], order


@together()
@each_axis
@dtypes
@directions
def test_stable_sort_keeps_equal_values_in_order(shape, axis, dtype, descending):
    x = with_ties(shape, dtype)
    expected = along(lambda line: sorted_line(line, descending), x, axis)
    agree(be.sort(x, axis, descending, True), expected)
    np.testing.assert_array_equal(be.argsort(x, axis, descending), expected[1])


@together()
@each_axis
@directions
def test_unstable_sort_returns_the_same_values(shape, axis, descending):
    x = with_ties(shape, np.float32)
    values, indices = be.sort(x, axis, descending, stable=False)
    np.testing.assert_array_equal(values, be.sort(x, axis, descending)[0])
    np.testing.assert_array_equal(np.take_along_axis(x, indices, axis), values)


@together()
@each_axis
@dtypes
@pytest.mark.parametrize("largest", [False, True])
def test_topk_is_the_head_of_the_sorted_line(shape, axis, dtype, largest):
    x = with_ties(shape, dtype)
    whole = be.sort(x, axis, descending=largest)[0]
    for k in range(shape[axis] + 1):
        head = np.take(whole, range(k), axis)
        values, indices = be.topk(x, k, axis, largest)
        np.testing.assert_array_equal(values, head)
        np.testing.assert_array_equal(np.take_along_axis(x, indices, axis), values)
        distinct = np.apply_along_axis(lambda i: len(set(i.tolist())), axis, indices) if k else 0
        assert np.all(distinct == k)
        unsorted, _ = be.topk(x, k, axis, largest, sorted=False)
        np.testing.assert_array_equal(np.sort(unsorted, axis), np.sort(head, axis))


@together()
@each_axis
@dtypes
def test_kthvalue_counts_from_one(shape, axis, dtype):
    x = with_ties(shape, dtype)
    whole = be.sort(x, axis)[0]
    for k in range(1, shape[axis] + 1):
        values, indices = be.kthvalue(x, k, axis)
        np.testing.assert_array_equal(values, np.take(whole, k - 1, axis))
        kept = be.kthvalue(x, k, axis, keepdims=True)
        np.testing.assert_array_equal(np.take_along_axis(x, kept[1], axis), kept[0])
        assert indices.shape == values.shape


def lower_median(line):
    missing = [i for i, value in enumerate(line) if isnan(value)]
    return line[missing[0]] if missing else sorted(line)[(len(line) - 1) // 2]


def lower_median_of_numbers(line):
    numbers = sorted(value for value in line if not isnan(value))
    return numbers[(len(numbers) - 1) // 2] if numbers else NAN


@together()
@each_axis
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_the_median_is_the_lower_one_and_nan_spoils_it(shape, axis, dtype):
    x = with_ties(shape, dtype)
    for kernel, definition in ((be.median, lower_median), (be.nanmedian, lower_median_of_numbers)):
        expected = np.apply_along_axis(lambda line, f=definition: f(line.tolist()), axis, x)
        values, indices = kernel(x, axis, keepdims=True)
        np.testing.assert_array_equal(values.squeeze(axis), expected)
        np.testing.assert_array_equal(np.take_along_axis(x, indices, axis), values)


def test_the_median_points_at_the_first_nan():
    assert be.median(np.array([1, NAN, 2, NAN]))[1] == 1


def first_extreme(line, largest):
    missing = [i for i, value in enumerate(line) if isnan(value)]
    best = missing[0] if missing else line.index(max(line) if largest else min(line))
    return line[best], best


@together()
@each_axis
@dtypes
def test_extremes_stand_first_and_nan_wins(shape, axis, dtype):
    x = with_ties(shape, dtype)
    largest = along(lambda line: first_extreme(line, True), x, axis)
    smallest = along(lambda line: first_extreme(line, False), x, axis)
    agree(be.max_dim(x, axis), largest)
    agree(be.min_dim(x, axis), smallest)
    np.testing.assert_array_equal(be.argmax(x, axis=axis), largest[1])
    np.testing.assert_array_equal(be.argmin(x, axis=axis), smallest[1])
    assert be.max_dim(x, axis, keepdims=True)[0].ndim == x.ndim


def running_extreme(line, better):
    values, places = [], []
    for i, value in enumerate(line):
        if not i or isnan(value) or (not isnan(values[-1]) and better(value, values[-1])):
            values.append(value)
            places.append(i)
        else:
            values.append(values[-1])
            places.append(places[-1])
    return values, places


@together()
@each_axis
@dtypes
def test_running_extremes_name_the_last_place_that_reached_them(shape, axis, dtype):
    x = with_ties(shape, dtype)
    expected = along(lambda line: running_extreme(line, lambda a, b: a >= b), x, axis)
    agree(be.cummax(x, axis), expected)
    expected = along(lambda line: running_extreme(line, lambda a, b: a <= b), x, axis)
    agree(be.cummin(x, axis), expected)


def most_frequent(line):
    counts = Counter(line)
    value = min(v for v in counts if counts[v] == max(counts.values()))
    return value, len(line) - 1 - line[::-1].index(value)


@each_axis
def test_the_mode_is_the_smallest_of_the_most_frequent(shape, axis):
    x = with_ties(shape, np.int64)
    agree(be.mode(x, axis), along(most_frequent, x, axis))


def test_unique_returns_what_is_asked():
    x = np.array([[3, 1, 3], [1, 1, 3]])
    (values,) = be.unique(x)
    assert values.tolist() == [1, 3]
    values, inverse, counts = be.unique(x, inverse=True, counts=True)
    np.testing.assert_array_equal(values[inverse], x)
    assert counts.tolist() == [3, 3]
    columns, inverse, counts = be.unique(x, axis=1, inverse=True, counts=True)
    assert columns.tolist() == [[1, 3, 3], [1, 1, 3]]
    assert inverse.tolist() == [1, 0, 2]
    assert counts.tolist() == [1, 1, 1]
    assert len(be.unique(np.array([NAN, 1, NAN]))[0]) == 3


def test_unique_consecutive_drops_only_neighbours():
    x = np.array([[1, 1, 2], [2, 1, 1]])
    values, inverse, counts = be.unique_consecutive(x)
    assert values.tolist() == [1, 2, 1]
    np.testing.assert_array_equal(values[inverse], x)
    assert counts.tolist() == [2, 2, 2]
    rows = np.array([[1, 2], [1, 2], [0, 0], [1, 2]])
    values, inverse, counts = be.unique_consecutive(rows, axis=0)
    assert values.tolist() == [[1, 2], [0, 0], [1, 2]]
    assert inverse.tolist() == [0, 0, 1, 2]
    assert counts.tolist() == [2, 1, 1]
    assert be.unique_consecutive(np.zeros(0))[0].shape == (0,)


def test_arrays_without_dimensions_are_sorted_already():
    x = np.array(3.0)
    selections = (be.sort, be.median, be.nanmedian, be.mode)
    for values, indices in (
        *(f(x) for f in selections),
        be.topk(x, 1),
        be.kthvalue(x, 1),
        be.max_dim(x, 0),
        be.min_dim(x, 0),
        be.cummax(x, 0),
        be.cummin(x, 0),
    ):
        assert values.shape == indices.shape == ()
        assert (values, indices) == (3, 0)


def test_empty_lines_are_sorted_already():
    x = np.zeros((0, 3), np.float32)
    for values, indices in (be.sort(x, 0), be.sort(x, 1), be.topk(x, 0, 0), be.cummax(x, 1)):
        assert values.size == indices.size == 0
    assert be.topk(x, 2, 1)[0].shape == (0, 2)
    assert be.median(x, 1)[0].shape == (0,)
