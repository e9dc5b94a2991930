"""Matrix products on the library's own threads, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
from pellucid._native import compiled
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.backend import NumpyBackend
from tests.samples.grouped import together

SHAPES = [
    ((3, 4), (4, 5)),
    ((1, 4), (4, 1)),
    ((3, 1), (1, 5)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((6, 1, 3, 4), (2, 4, 1)),
    ((2, 3, 1), (2, 1, 5)),
    ((0, 3, 4), (0, 4, 5)),
    ((97, 300), (300, 260)),
    ((700, 90), (90, 65)),
    ((33, 64, 40), (40, 64)),
]
#: how an array of a shape is laid out in memory
LAYOUTS = {
    "in order": lambda x: x,
    "turned": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "with gaps between rows": lambda x: np.repeat(x, 2, -2)[..., ::2, :],
    "with gaps between columns": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
    "batch inside": lambda x: (
        np.ascontiguousarray(np.moveaxis(x, 0, -2)).swapaxes(0, -2)
        if x.ndim == 2
        else np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -2)), -2, 0)
    ),
}

#: NumPy's own products and sums promise no such thing
needs_compiled = pytest.mark.skipif(compiled is None, reason="there is no compiled module")


def draw(shape, dtype, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@together()
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_products_are_numpys_whatever_the_layout(first, second, dtype):
    exact = draw(first, np.float64) @ draw(second, np.float64, 1)
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    for arrange in LAYOUTS.values():
        for rearrange in LAYOUTS.values():
            a, b = arrange(draw(first, dtype)), rearrange(draw(second, dtype, 1))
            found = cpu.matmul(a, b)
            assert found.dtype == dtype
            exact = a.astype(np.float64) @ b.astype(np.float64)
            np.testing.assert_allclose(found, exact, rtol=tolerance, atol=tolerance * 30)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_vectors_are_numpys_whatever_the_layout(dtype):
    for rows, inner in [(1, 1), (3, 7), (5, 300), (90, 700)]:
        vector = draw((inner,), dtype, 1)
        for arrange in (
            LAYOUTS["in order"],
            LAYOUTS["turned"],
            LAYOUTS["with gaps between columns"],
        ):
            matrix = arrange(draw((rows, inner), dtype))
            pairs = [(matrix, vector), (vector, matrix.T), (matrix[0], vector)]
            for a, b in pairs:
                found = pellucid.matmul(*map(pellucid.from_numpy, (a, b)))
                exact = a.astype(np.float64) @ b.astype(np.float64)
                tolerance = 1e-5 if dtype == np.float32 else 1e-12
                np.testing.assert_allclose(found, exact, rtol=tolerance, atol=tolerance * 30)


def test_nan_and_infinity_pass_through_products():
    a = np.array([[np.nan, 1, 2], [np.inf, 0, 1]], np.float32)
    b = np.array([[1, 0], [np.inf, 1], [2, -1]], np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(cpu.matmul(a, b), NumpyBackend().matmul(a, b))


@needs_compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_does_not_change_a_bit(dtype, threads):
    sizes = np.random.default_rng(0).integers(90, 420, (12, 3))
    for rows, inner, columns in sizes:
        a, b = draw((rows, inner), dtype), draw((columns, inner), dtype, 1).T
        found = []
        for count in (1, 2, 3):
            pellucid.set_num_threads(count)
            found.append(cpu.matmul(a, b).tobytes())
        assert len(set(found)) == 1, (rows, inner, columns)


def test_a_product_leaves_the_threads_of_blas_as_they_were(threads):
    pellucid.set_num_threads(2)
    cpu.matmul(draw((300, 300), np.float32), draw((300, 300), np.float32, 1))
    assert pellucid.get_num_threads() == 2
    assert {get() for get, _ in pellucid.settings._blas()} <= {2}


@pytest.mark.parametrize("shape", [(5, 3), (2, 5, 3)])
@pytest.mark.parametrize("biased", [True, False])
def test_linear_adds_its_bias_to_every_row(shape, biased):
    x, weight, bias = draw(shape, np.float32), draw((4, 3), np.float32, 1), draw(4, np.float32, 2)
    tensors = [pellucid.from_numpy(each) for each in (x, weight, bias)]
    found = pellucid.nn.functional.linear(*tensors[: 2 + biased]).numpy()
    np.testing.assert_allclose(found, x @ weight.T + bias * biased, rtol=1e-5, atol=1e-6)
