"""Kernels that do all of an op's body for usual arguments, against that body."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pellucid as torch
from pellucid.core.definition.op import registry
from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.standard_normal((4, 6))
SPECIAL = np.array(
    [[np.nan, 1.0, np.inf, -0.0], [-np.inf, np.nan, np.nan, 2.5], [0.0, 1.0, 0.5, 3]]
)
TIES = np.array([[1.0, 0.0, 1.0, 0.0, 2.0], [np.nan, 2.0, 2.0, np.nan, 1.0]])
LONGS = RANDOM.integers(-9, 9, (3, 4))
UNIQUE = RANDOM.permutation(12).reshape(3, 4)
ONE_MISSING = np.where(np.arange(24).reshape(4, 6) % 7 == 2, np.nan, ROWS)
PLACES = RANDOM.integers(0, 4, 5)
ALONG = RANDOM.integers(0, 6, (4, 6))
IMAGE = RANDOM.standard_normal((2, 8, 6, 4))
SOME = np.linspace(0, 1, 24).reshape(4, 6)  # 0 and 1 are among these probabilities
ALL_MISSING = np.full((2, 3), np.nan)
#: more than go through the loops for few; each third row has a NaN or an infinity
MANY = RANDOM.standard_normal((48, 400))
for row, column in enumerate(range(0, 400, 25)):
    MANY[3 * row, column] = (np.nan, np.inf, -np.inf)[row % 3]

#: kernel, dilation, stride, counts
WINDOWS = [
    ((3, 2), (1, 1), (1, 1), (4, 3)), ((2, 2), (2, 1), (2, 2), (2, 2)),
    ((1, 4), (3, 1), (5, 3), (2, 1)),
]  # fmt: skip
#: op, operands, parameters; arrays of floats are tried in both precisions
CASES = [
    *(("roll", [x], [step, dim]) for x in (ROWS, LONGS) for step, dim in
      [(1, 1), (-5, 0), ((2,), (-1,)), (7, None), (0, 0)]),
    *(("flip_dims", [ROWS], [dims]) for dims in [(0,), (-1,), (1, 0)]),
    *(("repeat_tiles", [x], [counts]) for x in (ROWS, LONGS) for counts in [(2, 3), (2, 1, 2)]),
    ("clamp", [SPECIAL, np.array(-0.5), np.array(1.5)], []),
    ("clamp", [SPECIAL, np.array(2.0), np.array(1.0)], []),
    ("clamp", [SPECIAL, None, np.array(0.0)], []),
    ("clamp", [SPECIAL, np.array(-0.0), None], []),
    ("nan_to_num", [SPECIAL], [None, None, None]),
    ("nan_to_num", [SPECIAL], [1, 2.5, -np.inf]),
    *(("isclose", [SPECIAL, SPECIAL + shift], [1e-5, 1e-3, equal]) for shift in (0, 9e-4, 2e-3)
      for equal in (False, True)),
    ("floor_divide", [LONGS, np.array(3)], []),
    ("floor_divide", [LONGS, np.array(-4)], []),
    ("floor_divide", [LONGS, np.where(LONGS < 1, 5, -3)], []),
    *(("one_hot_rows", [PLACES], [size]) for size in (-1, 9)),
    *(("mse", [x, x[::-1].copy()], [how]) for x in (ROWS, MANY[:9]) for how in ("mean", "sum")),
    *(("histc", [ROWS], [bins, low, high]) for bins in (1, 7, 100)
      for low, high in [(0, 0), (-1.5, 0.3)]),
    ("histc", [np.ones((2, 2))], [4, 0, 0]),
    *((name, [x], [dim, keeps]) for name in ("amax", "amin") for dim in (1, (-1,))
      for x in (MANY, MANY.reshape(-1, 3)) for keeps in (False, True)),
    *(("count_nonzero", [x], [None]) for x in (LONGS, LONGS > 2)),
    *((name, [x], [dim, keeps]) for name in ("median_dim", "nanmedian_dim")
      for x in (ROWS, ONE_MISSING, SPECIAL, ALL_MISSING) for dim in (0, -1)
      for keeps in (False, True)),
    *(("kthvalue", [x], [k, dim, False]) for x in (ROWS, ONE_MISSING, UNIQUE) for k in (1, 4)
      for dim in (0, 1) if k <= x.shape[dim]),
    *(("gather_index", [x], [(index,)]) for x in (ROWS, LONGS) for index in
      [np.array([2, -1, 0]), np.array([[1], [1]]), np.arange(len(x)) % 2 == 0, x > 0, x > 99]),
    ("put_index", [ROWS, RANDOM.standard_normal((5, 6))], [(PLACES % 4,), True]),
    ("scatter_src", [ROWS, ALONG, RANDOM.standard_normal((4, 6))], [1]),
    ("scatter_add", [ROWS, ALONG % 4, RANDOM.standard_normal((4, 6))], [0]),
    ("scatter_value", [ROWS, ALONG], [-1, 0]),
    ("index_add", [ROWS, PLACES, RANDOM.standard_normal((5, 6))], [0]),
    *(("glu_kernel", [x], [dim]) for x, dim in
      [(ROWS, -1), (ROWS, 0), (SPECIAL, 1), (IMAGE, -2), (np.zeros(2), 0)]),
    *(("binary_nll", [SOME, target], []) for target in (ROWS, SOME.round(), SOME + np.nan)),
    *((name, [x], [2]) for name in ("pixel_shuffle", "pixel_unshuffle")
      for x in (IMAGE, IMAGE[0], IMAGE.astype(np.int64), IMAGE.astype(np.int32))),
    *(("im2col", [x], [*windows]) for x in (IMAGE, IMAGE[0]) for windows in WINDOWS),
    *(("col2im", [RANDOM.standard_normal((*lead, 8 * k[0] * k[1], n[0] * n[1]))],
       [(8, 6, 4), k, dilation, stride, n]) for lead in ((), (2,))
      for k, dilation, stride, n in WINDOWS),
    *(("pad_with_own", [x], [pad, mode]) for x in (IMAGE, IMAGE[0].astype(np.int64))
      for mode in ("reflect", "replicate", "circular") for pad in [(3, 1), (0, 2, 5, 0)]),
    *(("transposed_convolution", [IMAGE[:, :4], RANDOM.standard_normal((4, 2, 3, 2)), bias],
       [size, stride, (1, 0), (1, 1), groups]) for bias in (None, ROWS[0, :2])
      for size, stride, groups in [((6, 5), (1, 1), 1), ((12, 9), (2, 2), 1)]),
    *(("argsort", [x], [dim, descending, False]) for x in (ROWS, SPECIAL, TIES, LONGS)
      for dim in (0, -1) for descending in (False, True)),
    *(("search_rows", [edges, x], [right])
      for edges in (np.sort(TIES.ravel()), np.arange(1.0), TIES[0, :0])
      for x in (SPECIAL, TIES) for right in (False, True)),
    *(("cast", [x], [dtype]) for x, dtype in
      [(ROWS.astype(np.float16), torch.float32), (LONGS > 0, torch.float32),
       (LONGS.astype(np.int32), torch.float64)]),
]  # fmt: skip


def in_precision(operand, dtype):
    is_float = isinstance(operand, np.ndarray) and operand.dtype == np.float64
    return operand.astype(dtype) if is_float else operand


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_kernel_does_what_the_body_of_its_op_does(dtype) -> None:
    for name, given, params in CASES:
        operands = [in_precision(each, dtype) for each in given]
        op = registry[name]
        assert op.compiled_kernel is not None
        kernel, count = op.compiled_kernel
        defaults = {param.name: param.default for param in op.params if param.has_default}
        named = {param.name: value for param, value in zip(op.params, params, strict=False)}
        found = getattr(kernels, kernel)(*operands, *params[:count])
        assert_close(found, op.body(cpu, *operands, **{**defaults, **named}))


FAR_APART = np.array([[-np.inf, -1500.0, -700, 3, 3, 900], [np.inf, 1, np.inf, -np.inf, 2, 0]])


def test_logarithms_of_running_sums_are_those_of_double_precision() -> None:
    for x in (
        ROWS,
        ROWS * 300,
        SPECIAL,
        FAR_APART,
        FAR_APART[:1, ::-1],
        RANDOM.random((2, 90, 70)),
    ):
        single = x.astype(np.float32)
        for given, axis in itertools.product((single, strided(single)), range(x.ndim)):
            found = kernels.logcumsumexp(given, axis)
            with np.errstate(invalid="ignore"):
                expected = np.logaddexp.accumulate(single.astype(np.float64), axis)
            np.testing.assert_allclose(found, expected, rtol=2e-7, atol=1e-12)
    assert kernels.logcumsumexp(ROWS, 0) is NotImplemented


def test_distinct_integers_are_those_of_numpy() -> None:
    for x in (LONGS, LONGS[:0], np.array(3)):
        (found,) = kernels.unique(x, False, False)
        np.testing.assert_array_equal(found, np.unique(x))
        assert torch.unique(torch.from_numpy(x)).tolist() == found.tolist()
    floats = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
    assert torch.unique(floats).tolist() == [1.0, 2.0]
    assert type(torch.unique(floats).grad_fn).__name__ == "Unique2Backward0"


def test_of_equal_values_some_place_is_found() -> None:
    for kernel in (
        kernels.median,
        kernels.nanmedian,
        lambda x, *rest: kernels.kthvalue(x, 2, *rest),
    ):
        values, places = kernel(TIES, 1, True)
        np.testing.assert_array_equal(np.take_along_axis(TIES, places, 1), values)


@together()
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("roll", (ROWS, (1, 1), (0, 1))), ("roll", (strided(ROWS), 1, 0)), ("roll", (ROWS, 1, 5)),
        ("flipped", (ROWS, (0, 0))), ("flipped", (ROWS, (2,))), ("repeated", (ROWS, (2,))),
        ("repeated", (ROWS, (-1, 1))), ("clipped", (ROWS, None, None)),
        ("clipped", (ROWS, np.array(np.nan), None)), ("clipped", (ROWS, ROWS, None)),
        ("special_replaced", (ROWS.astype(np.float32), 1e300, None, None)),
        ("close", (ROWS, ROWS[:2], 0.1, 0.1, False)), ("close", (ROWS, ROWS, -1.0, 0.1, False)),
        ("floor_quotients", (LONGS, np.array(0))), ("floor_quotients", (LONGS, np.array(-1))),
        ("mean_squared_error", (ROWS, ROWS, "none")),
        ("mean_squared_error", (ROWS, ROWS[:1], "mean")),
        ("mean_squared_error", (ROWS, ROWS.astype(np.float32), "mean")),
        ("mean_squared_error", (strided(ROWS), ROWS, "mean")),
        ("one_hot", (PLACES - 9, -1)), ("one_hot", (PLACES, 1)), ("kthvalue", (ROWS, 9, 1, False)),
        ("histogram_counts", (SPECIAL, 3, 0, 0)), ("histogram_counts", (ROWS, 3, 2, 1)),
        ("gathered", (ROWS, (np.array([9]),))), ("gathered", (ROWS, (np.ones(3, bool),))),
        ("gathered", (ROWS, (PLACES, PLACES))), ("scattered", (ROWS, ALONG + 9, ROWS, 1)),
        ("scattered_sum", (ROWS, ALONG, ROWS.astype(np.float32), 1)),
        ("slices_added", (ROWS, PLACES, ROWS, 0)), ("rows_added", (ROWS, ROWS, (PLACES,), False)),
        ("converted", (ROWS, "float32")),
        ("glu", (ROWS, 2)), ("glu", (ROWS[:3], 0)), ("glu", (LONGS, 1)),
        ("glu", (strided(ROWS), 1)),
        ("binary_losses", (ROWS, ROWS)), ("binary_losses", (SOME + np.nan, SOME)),
        ("binary_losses", (SOME, SOME[:1])), ("pixel_shuffle", (IMAGE, 3)),
        ("pixel_shuffle", (IMAGE, 0)), ("pixel_unshuffle", (IMAGE, 4)),
        ("pixel_unshuffle", (ROWS, 2)), ("pixel_shuffle", (IMAGE[:0], 2)),
        ("im2col", (IMAGE, (3, 3), (1, 1), (1, 1), (5, 2))),
        ("im2col", (LONGS.reshape(1, 3, 4), *WINDOWS[0])),
        ("col2im", (ROWS, (1, 6, 4), *WINDOWS[0])), ("col2im", (IMAGE, (8, -6, 4), *WINDOWS[0])),
        ("padded_with_own", (ROWS, (6, 0), "reflect")),
        ("padded_with_own", (ROWS, (7, 0), "circular")),
        ("padded_with_own", (ROWS, (-1, 1), "reflect")),
        ("padded_with_own", (ROWS, (1,), "reflect")),
        ("padded_with_own", (ROWS, (1, 1), "constant")),
        ("padded_with_own", (ROWS, (1 << 40, 1), "replicate")),
        ("transposed_convolution", (IMAGE, ROWS, None, (6, 4), (1, 1), (0, 0), (1, 1), 1)),
        ("unique", (ROWS, False, False)), ("unique", (LONGS, True, False)),
    ],
)  # fmt: skip
def test_what_a_kernel_does_not_take_is_left_to_the_body(name, arguments) -> None:
    assert getattr(kernels, name)(*arguments) is NotImplemented


def test_views_and_copies_are_those_of_the_bodies() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for name, params in [
        ("diagonal", (0, 0, 1)), ("diagonal", (-1, 2, 1)), ("diagonal", (1, -1, 0)),
        ("unfold", (1, 2, 1)), ("unfold", (-1, 3, 2)), ("clone", (None,)),
    ]:  # fmt: skip
        op = registry[name]
        for array in (x, x.transpose(2, 0, 1)):
            args = dict(zip([param.name for param in op.params], params, strict=True))
            found, expected = (
                op.function(torch.from_numpy(array), **args),
                op.body(cpu, array, **args),
            )
            assert_close(found.numpy(), expected)
            assert found.stride() == tuple(step // 8 for step in expected.strides)
    put = registry["diagonal_backward"]
    for g, params in [(x[0, 0], ((4, 5), 1, 0, 1)), (x[0], ((4, 3, 4), 0, -1, 0))]:
        assert_close(put.function(torch.from_numpy(g), *params).numpy(), put.body(cpu, g, *params))


def test_an_index_reads_what_numpy_reads() -> None:
    values = np.arange(24.0).reshape(4, 6)
    x = torch.tensor(values, requires_grad=True)
    places, mask = np.array([3, -4, 3]), values % 5 == 0
    for index in [
        1, -4, (1, 2), (slice(None), slice(1, None)), slice(1, -1), (slice(2), -1), (), places,
        places[0], mask, mask[:, 0], None, ..., (0, None), (slice(None, None, 2),), (places, 0),
        places[:0], places.astype(np.int32), (mask, ...),
    ]:  # fmt: skip
        parts = index if isinstance(index, tuple) else (index,)
        ours = tuple(torch.from_numpy(p) if isinstance(p, np.ndarray) else p for p in parts)
        found = x[ours if isinstance(index, tuple) else ours[0]]
        np.testing.assert_array_equal(found.detach().numpy(), values[index])
        (slope,) = torch.autograd.grad(found.sum(), x)
        expected = np.zeros_like(values)
        np.add.at(expected, index, 1)
        np.testing.assert_array_equal(slope.numpy(), expected)
    for index in (4, -5, (0, 6), 10**30, (0, 10**30), torch.tensor([4])):
        with pytest.raises((IndexError, OverflowError)):
            x[index]


def test_many_views_are_recorded_as_one_node() -> None:
    x = torch.arange(6.0).view(3, 2).requires_grad_()
    first, *_, last = x.unbind()
    assert first.grad_fn is last.grad_fn
    assert [first.output_nr, last.output_nr] == [0, 2]
    with pytest.raises(RuntimeError, match="multiple views"):
        (x * 1).chunk(2)[0].mul_(2)
    (first * 2 + last).sum().backward()
    assert x.grad.tolist() == [[2, 2], [0, 0], [1, 1]]
    a, b = torch.ones(2, requires_grad=True), torch.ones(2)
    torch.stack([a, b], 1)[:, 0].sum().backward()
    assert a.grad.tolist() == [1, 1]
    assert not torch.stack([b, b]).requires_grad
