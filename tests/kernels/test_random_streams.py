"""The random streams, against published numbers, plain definitions and the laws they follow."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.kernels.random import double_precision, single_precision, twister
from pellucid.kernels.random import stream as streams
from pellucid.kernels.random.stream import MersenneStream, write_in_memory_order
from pellucid.kernels.random.twister import DEFAULT_SEED
from tests.samples.grouped import together


def raw_draws(seed: int, count: int) -> list[int]:
    """Return the Mersenne Twister's own numbers, from NumPy's generator of old."""
    return np.random.RandomState(seed).randint(0, 1 << 32, count, dtype=np.uint32).tolist()


def plain_doubles(seed: int, count: int) -> list[float]:
    draws = raw_draws(seed, 2 * count)
    pairs = zip(draws[::2], draws[1::2], strict=True)
    return [(((high << 32) | low) & ((1 << 53) - 1)) / (1 << 53) for high, low in pairs]


# ---------------------------------------------------------------------------- published numbers


def test_first_normals_of_seed_0_are_those_known_from_pytorch() -> None:
    stream = MersenneStream(0)
    assert stream.normal((1, 7), np.float32)[0, 0] == pytest.approx(1.5410, abs=5e-5)
    assert stream.normal((1, 7), np.float32)[0, 0] == pytest.approx(0.8380, abs=5e-5)
    stream.manual_seed(0)
    assert stream.normal((1, 8), np.float32)[0, 0] == pytest.approx(1.5410, abs=5e-5)
    assert stream.normal((1, 8), np.float32)[0, 0] == pytest.approx(-0.7193, abs=5e-5)
    stream.manual_seed(0)
    both = stream.normal((2, 8), np.float32)[:, 0]
    np.testing.assert_allclose(both, [-1.1258, 0.3223], atol=5e-5)


def test_first_uniforms_of_seed_0_are_those_known_from_pytorch() -> None:
    first = MersenneStream(0).uniform(3, np.float32)
    np.testing.assert_allclose(first, [0.4963, 0.7682, 0.0885], atol=5e-5)


def test_first_normals_of_seed_42_are_those_known_from_pytorch() -> None:
    first = MersenneStream(42).normal(4, np.float32)
    np.testing.assert_allclose(first, [0.3367, 0.1288, 0.2345, 0.2303], atol=5e-5)


# ---------------------------------------------------------------------------- plain definitions


def test_single_uniforms_are_24_bits_of_a_draw() -> None:
    expected = [(draw & 0xFFFFFF) / 0x1000000 for draw in raw_draws(7, 1000)]
    np.testing.assert_array_equal(MersenneStream(7).uniform(1000, np.float32), expected)


def test_double_uniforms_are_53_bits_of_two_draws() -> None:
    np.testing.assert_array_equal(
        MersenneStream(7).uniform(1000, np.float64), plain_doubles(7, 1000)
    )


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 4, 5), (15, 15), (2, 0, 7)])
def test_few_normals_come_in_pairs_that_outlast_the_call(sizes: tuple[int, ...]) -> None:
    total = sum(sizes)
    expected = []
    uniforms = plain_doubles(9, total + 1)
    for first, second in zip(uniforms[::2], uniforms[1::2], strict=False):
        radius = math.sqrt(-2 * math.log1p(-second))
        expected += [
            radius * math.cos(2 * math.pi * first),
            radius * math.sin(2 * math.pi * first),
        ]
    stream = MersenneStream(9)
    drawn = np.concatenate([stream.normal(size, np.float64) for size in sizes])
    np.testing.assert_allclose(drawn, expected[:total], rtol=1e-14)


@pytest.mark.parametrize("size", [16, 17, 31, 32, 50])
def test_many_normals_pair_each_value_with_the_one_eight_places_on(size: int) -> None:
    tail = 16 if size % 16 else 0
    uniforms = np.array(plain_doubles(9, size + tail))
    expected = np.empty(size)
    starts = [(start, start) for start in range(0, size - 15, 16)]
    starts += [(size, size - 16)] if tail else []
    for source, target in starts:
        first, second = uniforms[source : source + 8], uniforms[source + 8 : source + 16]
        radius = np.sqrt(-2 * np.log(1 - first))
        expected[target : target + 8] = radius * np.cos(2 * np.pi * second)
        expected[target + 8 : target + 16] = radius * np.sin(2 * np.pi * second)
    np.testing.assert_allclose(MersenneStream(9).normal(size, np.float64), expected, rtol=1e-13)


def test_mean_and_std_scale_the_same_standard_normals() -> None:
    for size, dtype in itertools.product((5, 100), (np.float32, np.float64)):
        standard = MersenneStream(1).normal(size, dtype)
        scaled = MersenneStream(1).normal(size, dtype, 3.0, 2.0)
        np.testing.assert_allclose(scaled, 3 + 2 * standard, rtol=1e-5)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 4), (0, 2**28 - 1)])
def test_integers_of_a_small_range_are_remainders_of_a_draw(low: int, high: int) -> None:
    expected = [draw % (high - low) + low for draw in raw_draws(3, 100)]
    np.testing.assert_array_equal(MersenneStream(3).integers(low, high, 100), expected)


@pytest.mark.parametrize(("low", "high"), [(0, 2**28), (-(2**40), 2**62)])
def test_integers_of_a_large_range_are_remainders_of_two_draws(low: int, high: int) -> None:
    draws = raw_draws(3, 200)
    wide = [(upper << 32) | lower for upper, lower in zip(draws[::2], draws[1::2], strict=True)]
    expected = [draw % (high - low) + low for draw in wide]
    np.testing.assert_array_equal(MersenneStream(3).integers(low, high, 100), expected)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 1000])
def test_a_permutation_is_the_shuffle_done_one_exchange_at_a_time(n: int) -> None:
    expected = list(range(n))
    for place, draw in enumerate(raw_draws(4, max(n - 1, 0))):
        partner = place + draw % (n - place)
        expected[place], expected[partner] = expected[partner], expected[place]
    np.testing.assert_array_equal(MersenneStream(4).permutation(n), np.array(expected, np.int64))


def test_a_permutation_beyond_32_bits_takes_wide_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_WIDE_PERMUTATION", 50)
    draws = raw_draws(4, 200)
    expected: list[int] = []
    for place in range(100):
        partner = ((draws[2 * place] << 32) | draws[2 * place + 1]) % (place + 1)
        expected.append(place)
        expected[place], expected[partner] = expected[partner], expected[place]
    np.testing.assert_array_equal(MersenneStream(4).permutation(100), expected)


def test_samples_with_replacement_are_places_in_the_cumulative_weights() -> None:
    weights = np.array([[0.1, 0.0, 2.0, 0.4], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 5.0]])
    uniforms = np.array(plain_doubles(5, 60)).reshape(3, 20)
    expected = [
        [np.searchsorted(np.cumsum(row) / row.sum(), wanted) for wanted in wanted_in_row]
        for row, wanted_in_row in zip(weights, uniforms, strict=True)
    ]
    drawn = MersenneStream(5).multinomial(weights, 20, replacement=True)
    np.testing.assert_array_equal(drawn, expected)
    np.testing.assert_array_equal(
        MersenneStream(5).multinomial(weights[0], 20, replacement=True), expected[0]
    )


def test_samples_without_replacement_are_distinct_and_prefer_heavy_weights() -> None:
    weights = np.tile(np.array([0.0, 1.0, 2.0, 3.0, 100.0]), (2000, 1))
    drawn = MersenneStream(5).multinomial(weights, 3)
    assert all(len(set(row)) == 3 for row in drawn.tolist())
    assert 0 not in drawn
    assert np.mean(drawn[:, 0] == 4) == pytest.approx(100 / 106, abs=0.02)


def test_single_precision_functions_are_accurate() -> None:
    x = np.random.default_rng(0).random(100_000).astype(np.float32)
    exact = np.log(1 - x.astype(np.float64))
    np.testing.assert_allclose(single_precision.log(1 - x), exact, rtol=3e-7, atol=1e-7)
    angle = np.float32(2 * np.pi) * x
    sine, cosine = single_precision.sincos(angle)
    np.testing.assert_allclose(sine, np.sin(angle.astype(np.float64)), atol=2e-7)
    np.testing.assert_allclose(cosine, np.cos(angle.astype(np.float64)), atol=2e-7)


def test_fused_multiply_adds_round_once() -> None:
    random = np.random.default_rng(0)
    a, (b, c) = random.standard_normal(200), (1 / 3, -0.7)
    exact = [float(Fraction(value) * Fraction(b) + Fraction(c)) for value in a.tolist()]
    np.testing.assert_array_equal(double_precision.fused_multiply_add(a, b, c), exact)
    assert np.any(a * b + c != np.array(exact))
    huge = double_precision.fused_multiply_add(np.array([1e300]), 1e305, 1.0)
    np.testing.assert_array_equal(huge, [np.inf])


# ---------------------------------------------------------------------------- laws

LAWS: list[tuple[Callable[[MersenneStream], np.ndarray], Any]] = [
    (lambda s: s.uniform(20_000, np.float32, -1, 3), stats.uniform(-1, 4)),
    (lambda s: s.normal(20_000, np.float32, 1, 2), stats.norm(1, 2)),
    (lambda s: s.normal(20_000, np.float64, contiguous=False), stats.norm()),
    (lambda s: s.log_normal(20_000, np.float64, 0.5, 0.3), stats.lognorm(0.3, scale=math.exp(0.5))),
    (lambda s: s.exponential(20_000, np.float64, 2.5), stats.expon(scale=1 / 2.5)),
    (lambda s: s.cauchy(20_000, np.float64, 1, 2), stats.cauchy(1, 2)),
]


@pytest.mark.parametrize(("draw", "law"), LAWS)
def test_samples_follow_their_law(draw: Callable[[MersenneStream], np.ndarray], law: Any) -> None:
    assert stats.kstest(draw(MersenneStream(1)).astype(np.float64), law.cdf).pvalue > 0.01


def test_half_precision_never_reaches_the_excluded_end() -> None:
    values = MersenneStream(1).uniform(100_000, np.float16)
    assert values.max() < 1


def test_rounding_never_reaches_the_excluded_end() -> None:
    values = MersenneStream(1).uniform(100_000, np.float32, 1.0, 1.0 + 2.0**-22)
    assert set(np.unique(values)) == {1.0 + step * 2.0**-23 for step in range(2)}


def test_trials_up_to_the_first_success_are_geometric() -> None:
    trials = MersenneStream(1).geometric(50_000, np.int64, 0.3)
    assert trials.min() == 1
    observed = np.bincount(np.minimum(trials, 9))[1:]
    expected = stats.geom(0.3).pmf(np.arange(1, 9))
    expected = np.append(expected, 1 - expected.sum()) * trials.size
    assert stats.chisquare(observed, expected).pvalue > 0.01


def test_ones_have_the_probability_asked_for() -> None:
    ones = MersenneStream(1).bernoulli(0.3, 100_000, np.bool_)
    assert ones.mean() == pytest.approx(0.3, abs=0.01)
    p = np.linspace(0, 1, 5, dtype=np.float32)
    shares = MersenneStream(1).bernoulli(p, (20_000, 5)).mean(axis=0)
    np.testing.assert_allclose(shares, p, atol=0.02)


def test_a_dropout_mask_keeps_the_expectation() -> None:
    mask = MersenneStream(1).dropout_mask((200, 500), 0.25, np.float32)
    assert set(np.unique(mask)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert mask.mean() == pytest.approx(1, abs=0.01)
    assert not MersenneStream(1).dropout_mask(5, 1.0, np.float32).any()


def test_random_numbers_reach_the_ends_of_the_dtype() -> None:
    drawn = MersenneStream(1).random(5000, np.int8)
    assert (drawn.min(), drawn.max()) == (0, 127)
    assert set(MersenneStream(1).random(50, np.bool_).tolist()) == {False, True}
    exact = MersenneStream(1).random(1000, np.float32)
    assert exact.max() <= 2**24
    np.testing.assert_array_equal(exact, np.floor(exact))


def test_a_complex_normal_number_has_variance_one() -> None:
    drawn = MersenneStream(1).normal(50_000, np.complex64)
    assert np.mean(np.abs(drawn) ** 2) == pytest.approx(1, abs=0.02)


# ---------------------------------------------------------------------------- shapes and states

DRAWS: list[Callable[[MersenneStream, Any], np.ndarray]] = [
    lambda s, shape: s.uniform(shape, np.float32),
    lambda s, shape: s.normal(shape, np.float64),
    lambda s, shape: s.log_normal(shape, np.float32),
    lambda s, shape: s.integers(0, 9, shape),
    lambda s, shape: s.random(shape, np.int32),
    lambda s, shape: s.bernoulli(0.5, shape),
    lambda s, shape: s.dropout_mask(shape, 0.5, np.float32),
    lambda s, shape: s.exponential(shape, np.float32),
    lambda s, shape: s.geometric(shape, np.float32, 0.5),
    lambda s, shape: s.cauchy(shape, np.float32),
]


@together()
@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (5,), (2, 3, 4)])
def test_results_have_the_shape_asked_for_and_are_writable(draw: Any, shape: Any) -> None:
    drawn = draw(MersenneStream(1), shape)
    assert isinstance(drawn, np.ndarray)
    assert drawn.shape == shape
    assert drawn.flags.writeable
    assert drawn.flags.c_contiguous


@together()
@pytest.mark.parametrize("draw", DRAWS)
def test_a_state_brings_the_same_numbers_back(draw: Any) -> None:
    stream = MersenneStream(1)
    stream.normal(3, np.float32)
    state, copied = stream.get_state(), stream.clone()
    first = draw(stream, 19)
    np.testing.assert_array_equal(draw(copied, 19), first)
    stream.set_state(state)
    np.testing.assert_array_equal(draw(stream, 19), first)
    assert not np.array_equal(draw(stream, 190), np.resize(first, 190))


def test_a_clone_goes_its_own_way() -> None:
    stream = MersenneStream(1)
    copied = stream.clone()
    stream.uniform(10, np.float32)
    assert copied.uniform(1, np.float32) == MersenneStream(1).uniform(1, np.float32)


def test_seeding_forgets_the_normal_number_kept() -> None:
    stream = MersenneStream(1)
    first = stream.normal(3, np.float32)
    stream.manual_seed(1)
    np.testing.assert_array_equal(stream.normal(3, np.float32), first)


def test_drawing_nothing_changes_nothing() -> None:
    stream = MersenneStream(1)
    stream.normal(1, np.float32)
    state = stream.get_state()
    for draw in DRAWS:
        draw(stream, 0)
    stream.permutation(1)
    stream.dropout_mask(5, 1.0, np.float32)
    np.testing.assert_array_equal(stream.get_state(), state)


@pytest.mark.parametrize("count", [0, 1, 623, 624, 625, 1248])
def test_a_state_is_kept_at_any_place_of_the_block(count: int) -> None:
    stream, other = MersenneStream(1), MersenneStream(2)
    stream.uniform(count, np.float32)
    other.set_state(stream.get_state())
    np.testing.assert_array_equal(other.get_state(), stream.get_state())
    np.testing.assert_array_equal(other.uniform(9, np.float32), stream.uniform(9, np.float32))


def test_seeds_that_agree_in_32_bits_give_one_stream_and_keep_their_names() -> None:
    short, long = MersenneStream(5), MersenneStream(2**40 + 5)
    assert short.uniform(1, np.float32) == long.uniform(1, np.float32)
    assert long.initial_seed() == 2**40 + 5
    assert MersenneStream(-1).initial_seed() == 2**64 - 1
    assert MersenneStream().initial_seed() == DEFAULT_SEED


def test_seed_starts_a_stream_that_can_be_repeated() -> None:
    stream = MersenneStream(1)
    seed = stream.seed()
    assert seed == stream.initial_seed() != 1
    assert stream.uniform(1, np.float64) == MersenneStream(seed).uniform(1, np.float64)


def test_the_default_stream_has_a_seed_of_its_own_in_every_process() -> None:
    program = "from pellucid.kernels.random import stream; print(stream.default.initial_seed())"
    seeds = {
        int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
        for _ in range(2)
    }
    assert len(seeds) == 2
    assert not seeds & {0, DEFAULT_SEED}


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_out_of_range_changes_nothing(seed: int) -> None:
    stream = MersenneStream(1)
    with pytest.raises(ArgumentError, match="Overflow"):
        stream.manual_seed(seed)
    assert stream.uniform(1, np.float32) == MersenneStream(1).uniform(1, np.float32)


def test_what_is_no_state_is_refused_and_changes_nothing() -> None:
    stream = MersenneStream(1)
    state = stream.get_state()
    with pytest.raises(ArgumentTypeError, match="ByteTensor"):
        stream.set_state(state.astype(np.int64))
    with pytest.raises(RuntimeError, match="to be 5000"):
        stream.set_state(state[:5000])
    for place, byte in ((8, 77), (12, 0), (16, 200)):
        broken = state.copy()
        broken[place] = byte
        with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
            stream.set_state(broken)
    np.testing.assert_array_equal(stream.get_state(), state)


@pytest.mark.parametrize("shape", [(0, 3), (0,)])
def test_rows_without_categories_are_refused_and_no_rows_are_not(shape: tuple[int, ...]) -> None:
    stream = MersenneStream(1)
    assert stream.multinomial(np.ones((0, 3)), 2).shape == (0, 2)
    with pytest.raises(RuntimeError, match="sum of probabilities"):
        stream.multinomial(np.ones(shape[::-1]), 1, replacement=True)


@pytest.mark.parametrize("p", [-0.1, 1.5, math.nan])
def test_a_dropout_probability_out_of_range_is_a_value_error(p: float) -> None:
    with pytest.raises(ValueError, match="has to be between 0 and 1"):
        MersenneStream(1).dropout_mask(3, p, np.float32)


def test_an_interval_too_long_for_the_dtype_is_refused() -> None:
    with pytest.raises(RuntimeError, match="exceed the limit"):
        MersenneStream(1).uniform(3, np.float32, -3e38, 3e38)
    with pytest.raises(RuntimeError, match="to is out of bounds for Float"):
        MersenneStream(1).uniform(3, np.float32, 0, 1e39)


def test_memory_order_is_that_of_the_strides() -> None:
    base = np.zeros((2, 3, 4))
    write_in_memory_order(base.transpose(2, 0, 1), np.arange(24.0))
    np.testing.assert_array_equal(base.reshape(-1), np.arange(24.0))
    part = np.zeros((3, 8))
    write_in_memory_order(part[:, ::2].T, np.arange(12.0))
    np.testing.assert_array_equal(part[:, ::2], np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(part[:, 1::2], 0)


FORK = """
import importlib.abc, importlib.util, os, sys, threading, time
from pellucid.kernels.random.stream import MersenneStream

stream = MersenneStream(0)
drawing = threading.Event()

class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, *_):
        return importlib.util.spec_from_loader(name, self) if name == "numpy.slow" else None

    def create_module(self, spec):
        drawing.set()
        time.sleep(0.3)

    def exec_module(self, module):
        module.value = 3

def draw():
    with stream.lock:
        drawing.set()
        time.sleep(0.3)

def load():
    importlib.import_module("numpy.slow")

sys.meta_path.insert(0, Slow())
for work in (draw, load):
    drawing.clear()
    thread = threading.Thread(target=work)
    thread.start()
    drawing.wait()
    child = os.fork()
    if child == 0:
        os._exit(len(stream.uniform(importlib.import_module("numpy.slow").value, "float32")))
    thread.join()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(stream.uniform(2, "float32")))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is a matter of Unix")
def test_a_child_can_draw_that_was_forked_while_another_thread_drew_or_imported() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=60
    )
    assert found.stdout == "3 2\n3 2\n", found.stderr


def test_streams_do_not_outlive_their_last_reference() -> None:
    before = len(twister._streams)
    stream = MersenneStream(1)
    assert len(twister._streams) == before + 1
    del stream
    assert len(twister._streams) == before
