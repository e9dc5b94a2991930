"""Convolution against its definition as a sum over positions and taps."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from pellucid.kernels.numpy import convolution
from tests.samples.grouped import together

RNG = np.random.default_rng(7)


class Case(NamedTuple):
    x: tuple[int, ...]
    w: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1

    @property
    def settings(self):
        return self.stride, self.padding, self.dilation, self.groups


CASES = [
    Case((2, 3, 9), (4, 3, 3), (1,), (0,), (1,)),
    Case((3, 4, 11), (6, 2, 4), (3,), (2,), (2,), 2),
    Case((2, 2, 5, 6), (3, 2, 3, 2), (1, 1), (1, 0), (1, 1)),
    Case((2, 4, 7, 6), (4, 1, 3, 3), (2, 1), (1, 2), (1, 2), 4),
    Case((2, 6, 7, 5), (9, 2, 2, 3), (2, 3), (0, 1), (2, 1), 3),
    Case((3, 4, 4, 5), (5, 4, 1, 1), (1, 1), (0, 0), (1, 1)),
    Case((3, 4, 4, 5), (6, 2, 1, 1), (1, 1), (0, 0), (1, 1), 2),
    Case((2, 3, 5, 5), (2, 3, 1, 1), (2, 2), (1, 1), (1, 1)),
    Case((1, 2, 4, 4), (3, 2, 4, 4), (4, 4), (0, 0), (1, 1)),
    Case((20, 2, 4, 4), (3, 2, 3, 3), (1, 1), (1, 1), (1, 1)),
    Case((2, 2, 4, 3, 5), (3, 2, 2, 2, 3), (2, 1, 1), (1, 0, 1), (1, 1, 2)),
    Case((0, 2, 5, 5), (3, 2, 3, 3), (1, 1), (1, 1), (1, 1)),
    Case((0, 2, 5, 5), (3, 2, 1, 1), (1, 1), (0, 0), (1, 1)),
]
each_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(params=[1, 400, 1 << 20], ids=["rows", "few", "all"])
def tile_bytes(request, monkeypatch):
    """Work through the images by rows, a few at a time, and all at once."""
    monkeypatch.setattr(convolution, "_TILE_BYTES", request.param)


def convolve_by_loops(x, w, stride, padding, dilation, groups):
    size, kernel = x.shape[2:], w.shape[2:]
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    output = [
        (s + 2 * p - d * (k - 1) - 1) // step + 1
        for s, k, step, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    ]
    out = np.zeros((len(x), len(w), *output), np.result_type(x, w))
    per_group = x.shape[1] // groups
    for o in range(len(w)):
        first = o // (len(w) // groups) * per_group
        for at in product(*map(range, output)):
            for tap in product(*map(range, kernel)):
                where = [
                    a * s + t * d for a, s, t, d in zip(at, stride, tap, dilation, strict=True)
                ]
                for c in range(per_group):
                    pixel = padded[(slice(None), first + c, *where)]
                    out[(slice(None), o, *at)] += pixel * w[(o, c, *tap)]
    return out


def arrays(case, dtype=np.float64):
    values = [RNG.standard_normal(shape) for shape in (case.x, case.w)]
    if np.dtype(dtype).kind == "c":
        values = [v + 1j * RNG.standard_normal(v.shape) for v in values]
    return [v.astype(dtype) for v in values]


@together()
@each_case
def test_convolution_is_its_definition(case, tile_bytes):
    x, w = arrays(case)
    out = be.convolve(x, w, *case.settings)
    np.testing.assert_allclose(out, convolve_by_loops(x, w, *case.settings), atol=1e-12)
    assert out.flags.c_contiguous


@together()
@each_case
def test_the_three_kernels_are_one_trilinear_form(case, tile_bytes):
    x, w = arrays(case)
    out = convolve_by_loops(x, w, *case.settings)
    g = RNG.standard_normal(out.shape)
    form = np.sum(g * out)
    to_input = be.convolve_to_input(g, w, x.shape, *case.settings)
    to_weight = be.convolve_to_weight(g, x, w.shape, *case.settings)
    assert to_input.shape == x.shape
    assert to_weight.shape == w.shape
    np.testing.assert_allclose(np.sum(x * to_input), form, atol=1e-10)
    np.testing.assert_allclose(np.sum(w * to_weight), form, atol=1e-10)


@together()
@pytest.mark.parametrize("case", [case for case in CASES if case.x[0]], ids=str)
def test_transposes_put_every_value_in_its_place(case):
    """A form can hold as a sum and miss element by element; a single one finds every place."""
    x, w = arrays(case)
    g = RNG.standard_normal(be.convolve(x, w, *case.settings).shape)
    for shape, values, transposed in (
        (
            x.shape,
            lambda e: convolve_by_loops(e, w, *case.settings),
            be.convolve_to_input(g, w, x.shape, *case.settings),
        ),
        (
            w.shape,
            lambda e: convolve_by_loops(x, e, *case.settings),
            be.convolve_to_weight(g, x, w.shape, *case.settings),
        ),
    ):
        for at in RNG.permutation(int(np.prod(shape)))[:6]:
            unit = np.zeros(shape)
            unit.flat[at] = 1
            np.testing.assert_allclose(transposed.flat[at], np.sum(g * values(unit)), atol=1e-11)


@together()
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64, np.complex128, np.int64])
@pytest.mark.parametrize("case", [CASES[3], CASES[5]], ids=str)
def test_dtypes_are_kept(dtype, case):
    x, w = (
        arrays(case, dtype)
        if np.dtype(dtype).kind != "i"
        else (RNG.integers(-4, 4, case.x), RNG.integers(-4, 4, case.w))
    )
    out = be.convolve(x, w, *case.settings)
    g = RNG.integers(-3, 3, out.shape).astype(dtype)
    assert out.dtype == dtype
    assert be.convolve_to_input(g, w, x.shape, *case.settings).dtype == dtype
    assert be.convolve_to_weight(g, x, w.shape, *case.settings).dtype == dtype
    wide = np.result_type(dtype, np.float64)
    expected = convolve_by_loops(x.astype(wide), w.astype(wide), *case.settings)
    tolerance = 2e-2 if dtype == np.float16 else 1e-4
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)


def test_half_precision_sums_do_not_stall():
    x, w = np.ones((1, 4096, 1), np.float16), np.ones((1, 4096, 1), np.float16)
    assert be.convolve(x, w, (1,), (0,), (1,), 1).item() == 4096


def test_memory_order_of_the_operands_does_not_matter():
    case = CASES[4]
    x, w = arrays(case)
    g = RNG.standard_normal(be.convolve(x, w, *case.settings).shape)
    scattered = [np.asfortranarray(a) for a in (x, w, g)]
    for kernel, operands, shape in (
        (be.convolve, (0, 1), ()),
        (be.convolve_to_input, (2, 1), (x.shape,)),
        (be.convolve_to_weight, (2, 0), (w.shape,)),
    ):
        plain = kernel(*((x, w, g)[i] for i in operands), *shape, *case.settings)
        other = kernel(*(scattered[i] for i in operands), *shape, *case.settings)
        np.testing.assert_allclose(other, plain, atol=1e-12)


def test_operands_may_be_read_only():
    case = CASES[2]._replace(padding=(0, 0))
    x, w = arrays(case)
    expected = be.convolve(x, w, *case.settings)
    x.flags.writeable = w.flags.writeable = False
    np.testing.assert_array_equal(be.convolve(x, w, *case.settings), expected)
