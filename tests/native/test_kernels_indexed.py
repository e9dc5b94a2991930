"""The compiled kernels that read and add where indices point, against the NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import assert_close, cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels

SHAPES = [(7,), (5, 4), (3, 1), (1, 6), (2, 3, 4), (4, 300, 70), (1, 9, 3000)]
ADDED = [np.float32, np.float64, np.int64]
ALONG = [(shape, axis) for shape in SHAPES for axis in range(-1, len(shape))]


def whole_numbers(shape, dtype):
    """Return values whose sums are exact in any order."""
    return np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)


def places(shape, axis, count):
    """Return `count` positions along an axis for every lane."""
    index_shape = list(shape)
    index_shape[axis] = count
    return np.random.default_rng(1).integers(0, shape[axis], index_shape)


@together()
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_elements_are_taken_along_any_dimension(shape, axis, dtype):
    x = whole_numbers(shape, np.int8).astype(dtype)
    for count in (1, 5):
        index = places(shape, axis, count)
        expected = cpu.take_along(x, index, axis)
        assert_close(kernels.take_along(x, index, axis), expected)
        assert_close(kernels.take_along(strided(x), strided(index), axis), expected)


def vectors_of_positions(size):
    """Return positions in one run, in several, and in none."""
    last = size - 1
    yield np.arange(size)
    yield np.r_[last, np.arange(size), 0]
    yield np.random.default_rng(1).integers(0, size, 2 * size + 1)
    yield np.repeat(np.arange(size), 2)


@together()
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_slices_are_taken_and_added_along_any_dimension(shape, axis, dtype):
    x = whole_numbers(shape, np.int8).astype(dtype)
    for positions in vectors_of_positions(shape[axis]):
        taken = cpu.take(x, positions, axis)
        assert_close(kernels.take(x, positions, axis), taken)
        assert_close(kernels.take(strided(x), strided(positions), axis), taken)
        if dtype in ADDED:
            expected = cpu.index_add(x, axis, positions, taken)
            assert_close(kernels.index_add(x, axis, positions, taken), expected)


@together()
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize("shape", SHAPES)
def test_grids_are_taken(shape, dtype):
    x = whole_numbers(shape, np.int8).astype(dtype)
    for last in vectors_of_positions(shape[-1]):
        positions = (*(np.array([n - 1, 0, 0]) for n in shape[:-1]), last)
        for given in range(1, len(shape) + 1):
            expected = cpu.take_grid(x, positions[-given:])
            assert_close(kernels.take_grid(x, positions[-given:]), expected)
            assert_close(kernels.take_grid(strided(x), positions[-given:]), expected)


@together()
@pytest.mark.parametrize("dtype", ADDED)
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_elements_are_added_along_any_dimension(shape, axis, dtype):
    index = places(shape, axis, 6)
    src, x = whole_numbers(index.shape, dtype), whole_numbers(shape, dtype)
    expected = cpu.scatter_add_along(shape, index, src, axis)
    assert_close(kernels.scatter_add_along(shape, index, src, axis), expected)
    assert_close(kernels.scatter_reduce(x, axis, index, src, "sum"), x + expected)
    assert_close(kernels.scatter_reduce(strided(x), axis, index, strided(src), "sum"), x + expected)


@together()
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_elements_are_written_along_any_dimension(shape, axis, dtype):
    index, x = places(shape, axis, 6), whole_numbers(shape, np.int8).astype(dtype)
    src = (np.arange(index.size) % 99).reshape(index.shape).astype(dtype)
    expected = cpu.scatter(x, axis, index, src)
    assert_close(kernels.scatter(x, axis, index, src), expected)
    assert_close(kernels.scatter(strided(x), axis, index, strided(src)), expected)
    number = np.array(7, dtype)
    assert_close(kernels.scatter(x, axis, index, number), cpu.scatter(x, axis, index, number))


@together()
@pytest.mark.parametrize("dtype", ADDED)
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_slices_are_added_along_any_dimension(shape, axis, dtype):
    index = np.random.default_rng(1).integers(0, shape[axis], 4)
    sizes = list(shape)
    sizes[axis] = 4
    src, x = whole_numbers(sizes, dtype), whole_numbers(shape, dtype)
    expected = cpu.index_add(x, axis, index, src)
    assert_close(kernels.index_add(x, axis, index, src), expected)
    assert_close(kernels.index_add(strided(x), axis, strided(index), strided(src)), expected)


@together()
@pytest.mark.parametrize("dtype", ADDED)
@pytest.mark.parametrize("indexed", [(), (0,), (5,), (2, 300)])
@pytest.mark.parametrize("row", [(), (1,), (3, 2), (200,)])
def test_rows_are_added_by_index(indexed, row, dtype):
    indices = np.random.default_rng(1).integers(0, 7, indexed)
    g = whole_numbers((*indexed, *row), dtype)
    found = kernels.embedding_to_weight(g, indices, 7)
    if not g.size:
        assert found is NotImplemented
        return
    assert_close(found, cpu.embedding_to_weight(g, indices, 7))


def test_sums_of_rounded_numbers_are_close():
    rng = np.random.default_rng(0)
    g, indices = rng.normal(size=(4000, 30)).astype(np.float32), rng.integers(0, 9, 4000)
    expected = cpu.embedding_to_weight(g.astype(np.float64), indices, 9).astype(np.float32)
    assert_close(kernels.embedding_to_weight(g, indices, 9), expected)


def test_special_values_go_where_they_belong():
    src = np.array([np.nan, np.inf, -np.inf, np.inf], np.float32)
    found = kernels.scatter_add_along((4,), np.array([0, 1, 2, 2]), src, 0)
    np.testing.assert_array_equal(found, np.array([np.nan, np.inf, np.nan, 0], np.float32))


def test_the_arguments_stay_as_they_are():
    x, index, src = np.zeros((3, 2)), np.array([[0, 0], [0, 1]]), np.ones((2, 2))
    kernels.scatter_reduce(x, 0, index, src, "sum")
    kernels.index_add(x, 0, np.array([1, 1]), src)
    assert not x.any()


BAD = [np.array([0, 3]), np.array([-1, 0]), np.array([0, 1], np.int32), np.array([0.0, 1.0])]


@pytest.mark.parametrize("index", BAD, ids=str)
def test_indices_outside_and_of_other_types_are_declined(index):
    x, two = np.zeros(3), np.ones(2)
    assert kernels.take_along(x, index, 0) is NotImplemented
    assert kernels.take(x, index, 0) is NotImplemented
    assert kernels.take_grid(x, (index,)) is NotImplemented
    assert kernels.scatter_add_along((3,), index, two, 0) is NotImplemented
    assert kernels.scatter_reduce(x, 0, index, two, "sum") is NotImplemented
    assert kernels.scatter(x, 0, index, two) is NotImplemented
    assert kernels.index_add(x, 0, index, two) is NotImplemented
    assert kernels.embedding_to_weight(two, index, 3) is NotImplemented


def test_what_does_not_fit_is_declined():
    x, index = np.zeros((3, 2)), np.zeros((1, 1), np.int64)
    assert kernels.take_along(x, index, 0) is NotImplemented
    assert kernels.take_along(x, index, 2) is NotImplemented
    assert kernels.take_along(np.array(["a"]), np.array([0]), 0) is NotImplemented
    assert kernels.scatter_reduce(x, 0, np.zeros((1, 2), int), x[:1], "amax") is NotImplemented
    assert kernels.index_add(x, 0, np.array([0]), np.zeros((1, 3))) is NotImplemented
    assert kernels.index_add(x, 0, np.array([0]), np.zeros((1, 2), np.float16)) is NotImplemented
