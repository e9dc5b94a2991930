"""Gathering and scattering against loops over the index."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from tests.samples.grouped import together

RNG = np.random.default_rng(13)
# shape of the array, dim, shape of the index
ALONG = [
    ((5,), 0, (7,)),
    ((3, 4), 1, (2, 6)),
    ((3, 4), 0, (5, 4)),
    ((3, 4), -1, (3, 2)),
    ((2, 3, 4), 1, (2, 5, 3)),
    ((2, 3), 0, (0, 3)),
]
along = pytest.mark.parametrize(("shape", "dim", "index_shape"), ALONG)


def places(index, dim):
    """Yield every place in the index and the place in the array that it points to."""
    for at in np.ndindex(index.shape):
        there = list(at)
        there[dim] = index[at]
        yield at, tuple(there)


def example(shape, dim, index_shape, dtype=np.float64):
    index = RNG.integers(0, shape[dim], index_shape)
    x, src = RNG.integers(-5, 5, shape), RNG.integers(-5, 5, index_shape)
    return x.astype(dtype), index, src.astype(dtype)


@along
def test_take_along_reads_where_the_index_points(shape, dim, index_shape):
    x, index, _ = example(shape, dim, index_shape)
    expected = np.zeros(index_shape)
    for at, there in places(index, dim):
        expected[at] = x[there]
    np.testing.assert_array_equal(be.take_along(x, index, dim), expected)
    np.testing.assert_array_equal(be.take_along(np.asfortranarray(x), index, dim), expected)


@together()
@along
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex128, np.int64, np.uint8])
def test_scatter_add_adds_up_repeated_indices(shape, dim, index_shape, dtype):
    _, index, src = example(shape, dim, index_shape)
    src = np.abs(src).astype(dtype)
    expected = np.zeros(shape, dtype)
    for at, there in places(index, dim):
        expected[there] += src[at]
    out = be.scatter_add_along(shape, index, src, dim)
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == dtype


@along
def test_scatter_writes_a_copy_and_the_last_one_stays(shape, dim, index_shape):
    x, index, src = example(shape, dim, index_shape)
    before = x.copy()
    expected = x.copy()
    for at, there in places(index, dim):
        expected[there] = src[at]
    np.testing.assert_array_equal(be.scatter(x, dim, index, src), expected)
    np.testing.assert_array_equal(x, before)
    for _, there in places(index, dim):
        expected[there] = 2.5
    np.testing.assert_array_equal(be.scatter(x, dim, index, 2.5), expected)


@together()
@along
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize(
    ("reduce", "function"),
    [("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("amax", np.max), ("amin", np.min)],
)
def test_scatter_reduce_reduces_what_arrives(
    shape, dim, index_shape, include_self, reduce, function
):
    x, index, src = example(shape, dim, index_shape)
    arrived = {}
    for at, there in places(index, dim):
        arrived.setdefault(there, [x[there]] if include_self else []).append(src[at])
    expected = x.copy()
    for there, values in arrived.items():
        expected[there] = function(values)
    out = be.scatter_reduce(x, dim, index, src, reduce, include_self)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_an_integer_mean_rounds_down():
    out = be.scatter_reduce(np.zeros(1, int), 0, np.array([0, 0]), np.array([3, -4]), "mean")
    assert out.tolist() == [-1]


@pytest.mark.parametrize("wrong", [-1, 3])
def test_an_index_outside_is_refused(wrong):
    x, index = np.zeros(3), np.array([0, wrong])
    message = f"index {wrong} is out of bounds for dimension 0 with size 3"
    for call in (
        lambda: be.take_along(x, index, 0),
        lambda: be.scatter(x, 0, index, 1.0),
        lambda: be.scatter_add_along((3,), index, np.ones(2), 0),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()
    with pytest.raises(IndexError, match="index out of range in self"):
        be.embedding_to_weight(np.ones((2, 4)), index, 3)
    with pytest.raises(IndexError, match="index out of range in self"):
        be.index_add(x, 0, index, np.ones(2))


def test_arrays_without_dimensions_hold_one_value():
    x, zero = np.array(2.0), np.array(0)
    assert be.take_along(x, zero, 0) == 2
    assert be.scatter(x, 0, zero, 5.0) == 5
    assert be.scatter(x, 0, zero, np.array(6.0)) == 6
    assert be.scatter_add_along((), zero, x, 0) == 2
    assert be.scatter_reduce(x, 0, zero, np.array(3.0), "prod") == 6
    assert be.index_add(x, 0, np.array([0, 0]), np.array([1.0, 2.0])) == 5


@together()
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64, np.int64])
@pytest.mark.parametrize(
    ("indices", "row"), [((6,), (3,)), ((2, 4), (2, 3)), ((0,), (3,)), ((5,), ())]
)
def test_embedding_gradient_sums_rows(dtype, indices, row):
    where = RNG.integers(0, 4, indices)
    g = RNG.integers(-5, 5, (*indices, *row)).astype(dtype)
    expected = np.zeros((4, *row), dtype)
    for at in np.ndindex(indices):
        expected[where[at]] += g[at]
    out = be.embedding_to_weight(g, where, 4)
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == dtype


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_index_add_adds_slices_to_a_copy(dim, dtype):
    x = RNG.integers(-5, 5, (3, 4, 2)).astype(dtype)
    index = np.array([1, 0, 1, 1, 0])
    shape = list(x.shape)
    shape[dim] = 5
    src = RNG.integers(-5, 5, shape).astype(dtype)
    expected = x.copy()
    for i, at in enumerate(index):
        np.moveaxis(expected, dim, 0)[at] += np.moveaxis(src, dim, 0)[i]
    out = be.index_add(x, dim, index, src)
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == dtype


MASK = np.array([[True, False, True], [False, True, True], [False] * 3, [True] * 3])
INDICES = [
    (2,),
    (slice(1, None, 2), None, -1),
    (..., 0),
    (np.array([0, -1, 0, 3]),),
    (np.array([[0, 0], [1, 3]]),),
    (slice(None), np.array([2, 2, -1])),
    (np.array([0, 0, 1]), np.array([1, 1, 2])),
    (np.array([0, 0, 1]), slice(None), np.array([1, 1, 0])),
    (np.array([[0], [0]]), None, np.array([1, 1, 2]), slice(0, 1)),
    (1, np.array([0, 0]), ...),
    (MASK,),
    (MASK[:, 0],),
    (slice(None), MASK[0], np.array([0, 1])),
    ([0, 0, 2],),
    (),
]


@together()
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_index_put_add_transposes_any_index(index):
    shape = (4, 3, 2)
    read = np.arange(24).reshape(shape)[index]
    values = RNG.integers(-5, 5, read.shape).astype(np.float64)
    expected = np.zeros(24)
    for at, value in zip(read.ravel(), values.ravel(), strict=True):
        expected[at] += value
    out = be.index_put_add(shape, np.float64, index, values)
    np.testing.assert_array_equal(out, expected.reshape(shape))


def test_index_put_add_spreads_its_values():
    out = be.index_put_add((3, 2), np.float32, (np.array([0, 0]), np.array([1, 1])), np.array(2.0))
    assert out.tolist() == [[0, 4], [0, 0], [0, 0]]
    assert out.dtype == np.float32
    assert be.index_put_add((3, 2), np.float32, (np.array([0, 0]),), np.array(2.0))[0, 0] == 4
