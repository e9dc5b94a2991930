"""Random streams, against the installed PyTorch: the same samples, the same state after them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.kernels.random.stream import MersenneStream, write_in_memory_order

torch = pytest.importorskip("torch")

SIZES = [*range(41), 100, 1000, 65536, 65541]
SEEDS = [0, 2147483647, -7, 2**40 + 3]
FLOATS = [np.float16, np.float32, np.float64]
INTEGERS = [np.uint8, np.int8, np.int16, np.int32, np.int64]


class Pair:
    """Our stream and PyTorch's, advanced together and compared after every step."""

    def __init__(self, seed: int) -> None:
        self.ours = MersenneStream(seed)
        self.theirs = torch.Generator().manual_seed(seed)

    def check(self, ours: np.ndarray, theirs: Any, *, exact: bool = True, label: Any = "") -> None:
        expected = theirs.numpy()
        assert ours.shape == expected.shape, label
        assert ours.dtype == expected.dtype, label
        if exact:
            np.testing.assert_array_equal(ours, expected, err_msg=str(label))
        else:
            np.testing.assert_allclose(ours, expected, rtol=2e-15, atol=1e-15, err_msg=str(label))
        self.check_state(label)

    def check_state(self, label: Any = "") -> None:
        ours, theirs = self.ours.get_state(), self.theirs.get_state().numpy().copy()
        # The normal number kept for the next call is a double, so its last bits are the library's.
        place = slice(5024, 5032)
        kept = [state[place].copy().view(np.float64) for state in (ours, theirs)]
        np.testing.assert_allclose(kept[0], kept[1], rtol=2e-15, err_msg=str(label))
        theirs[place] = ours[place]
        np.testing.assert_array_equal(ours, theirs, err_msg=str(label))


def dtype_of(dtype: type) -> Any:
    return torch.from_numpy(np.empty(0, dtype)).dtype


def filled(size: Any, dtype: type, method: str, *arguments: Any, pair: Pair) -> Any:
    target = torch.empty(size, dtype=dtype_of(dtype))
    return getattr(target, method)(*arguments, generator=pair.theirs)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", [*FLOATS, np.complex64, np.complex128])
def test_uniform_numbers_are_equal_bit_for_bit(dtype: type, seed: int) -> None:
    pair = Pair(seed)
    for size in SIZES:
        theirs = torch.rand(size, dtype=dtype_of(dtype), generator=pair.theirs)
        pair.check(pair.ours.uniform(size, dtype), theirs, label=size)
        for low, high in ((-0.3, 0.7), (5.0, 5.0), (-1e-3, 1e4)):
            theirs = filled(size, dtype, "uniform_", low, high, pair=pair)
            pair.check(pair.ours.uniform(size, dtype, low, high), theirs, label=(size, low))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", [*FLOATS, np.complex64, np.complex128])
def test_normal_numbers_are_equal(dtype: type, seed: int) -> None:
    pair = Pair(seed)
    exact = dtype not in (np.float64, np.complex128)
    for size in SIZES:
        theirs = torch.randn(size, dtype=dtype_of(dtype), generator=pair.theirs)
        pair.check(pair.ours.normal(size, dtype), theirs, exact=exact, label=size)
        theirs = filled(size, dtype, "normal_", 0.3, 1.7, pair=pair)
        pair.check(pair.ours.normal(size, dtype, 0.3, 1.7), theirs, exact=exact, label=size)


def test_a_million_normal_numbers_are_equal_bit_for_bit() -> None:
    pair = Pair(3)
    pair.check(
        pair.ours.normal(10**6 + 5, np.float32), torch.randn(10**6 + 5, generator=pair.theirs)
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("method", "draw", "arguments"),
    [
        ("log_normal_", MersenneStream.log_normal, (0.3, 0.7)),
        ("exponential_", MersenneStream.exponential, (1.7,)),
        ("cauchy_", MersenneStream.cauchy, (0.2, 1.7)),
        ("geometric_", MersenneStream.geometric, (0.2,)),
    ],
)
def test_other_distributions_are_equal(
    method: str, draw: Callable[..., np.ndarray], arguments: tuple, dtype: type
) -> None:
    pair = Pair(11)
    for size in SIZES:
        theirs = filled(size, dtype, method, *arguments, pair=pair)
        ours = draw(pair.ours, size, dtype, *arguments)
        if dtype is np.float64 and method != "geometric_":
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=4e-15, atol=4e-15)
            pair.check_state(size)
        else:
            pair.check(ours, theirs, label=size)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_geometric_numbers_of_integer_dtype_are_equal(dtype: type) -> None:
    pair = Pair(12)
    for size in SIZES:
        theirs = filled(size, dtype, "geometric_", 0.2, pair=pair)
        pair.check(pair.ours.geometric(size, dtype, 0.2), theirs, label=size)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, np.bool_])
def test_integers_of_small_ranges_are_equal(dtype: type) -> None:
    pair = Pair(5)
    most = 2 if dtype is np.bool_ else 100
    for size in SIZES:
        theirs = torch.randint(0, most, (size,), dtype=dtype_of(dtype), generator=pair.theirs)
        pair.check(pair.ours.integers(0, most, size, dtype), theirs, label=size)
        theirs = filled(size, dtype, "random_", pair=pair)
        pair.check(pair.ours.random(size, dtype), theirs, label=size)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 1),
        (-5, 7),
        (0, 2**28 - 1),
        (0, 2**28),
        (-(2**31), 2**31),
        (0, 2**33),
        (-(2**40), 2**62),
        (-(2**63), 2**63 - 1),
        (0, 2**63 - 1),
    ],
)
def test_integers_of_large_ranges_are_equal(low: int, high: int) -> None:
    pair = Pair(5)
    for size in (0, 1, 2, 17, 1000):
        theirs = torch.randint(low, high, (size,), generator=pair.theirs)
        pair.check(pair.ours.integers(low, high, size), theirs, label=size)


def test_integers_of_all_64_bits_are_equal() -> None:
    pair = Pair(6)
    theirs = filled(100, np.int64, "random_", -(2**63), None, pair=pair)
    pair.check(pair.ours.integers(-(2**63), 2**63, 100), theirs)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float64])
def test_permutations_are_equal(dtype: type) -> None:
    pair = Pair(8)
    for size in SIZES:
        theirs = torch.randperm(size, dtype=dtype_of(dtype), generator=pair.theirs)
        pair.check(pair.ours.permutation(size, dtype), theirs, label=size)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, np.bool_])
def test_bernoulli_samples_of_one_probability_are_equal(dtype: type) -> None:
    pair = Pair(9)
    for size in SIZES:
        for p in (0.0, 0.3, 1.0):
            theirs = filled(size, dtype, "bernoulli_", p, pair=pair)
            pair.check(pair.ours.bernoulli(p, size, dtype), theirs, label=(size, p))


@pytest.mark.parametrize("dtype", FLOATS)
def test_bernoulli_samples_of_many_probabilities_are_equal(dtype: type) -> None:
    pair = Pair(10)
    random = np.random.default_rng(0)
    for size in SIZES:
        p = random.random(size).astype(dtype)
        theirs = torch.bernoulli(torch.from_numpy(p), generator=pair.theirs)
        pair.check(pair.ours.bernoulli(p), theirs, label=size)
        theirs = torch.empty(3, size).bernoulli_(torch.from_numpy(p), generator=pair.theirs)
        pair.check(pair.ours.bernoulli(p, (3, size), np.float32), theirs, label=size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("replacement", [False, True])
def test_multinomial_samples_are_equal(replacement: bool, dtype: type) -> None:
    pair = Pair(13)
    random = np.random.default_rng(0)
    for size in (1, 2, 3, 27, 100, 5000):
        for shape in ((size,), (4, size)):
            weights = (random.random(shape) * random.integers(0, 2, shape) + 0.01).astype(dtype)
            for n in sorted({1, min(size, 2), min(size, 9), size}):
                theirs = torch.multinomial(
                    torch.from_numpy(weights), n, replacement, generator=pair.theirs
                )
                ours = pair.ours.multinomial(weights, n, replacement)
                pair.check(ours, theirs, label=(shape, n))


DRAWN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "bernoulli": lambda torch, a, b: torch.bernoulli(a),
    "bernoulli of one probability": lambda torch, a, b: a.bernoulli(0.5),
    "poisson": lambda torch, a, b: torch.poisson(a),
    "binomial": lambda torch, a, b: torch.binomial(b, a),
    "normal of means": lambda torch, a, b: torch.normal(a, 2.0),
    "normal of deviations": lambda torch, a, b: torch.normal(0.5, a),
    "normal of both": lambda torch, a, b: torch.normal(a, b[0]),
    "normal of constants": lambda torch, a, b: torch.normal(a.detach(), 1.0),
}


def _history(torch: Any, draw: Callable[[Any, Any, Any], Any]) -> list[Any]:
    """Return the node of random numbers, what it leads to, and which gradients come there."""
    a, b = (torch.full((2, 3), 0.5, requires_grad=True) for _ in range(2))
    drawn = draw(torch, a, b)
    if drawn.grad_fn is None:
        return [None]
    leads_to = [each is not None for each, _ in drawn.grad_fn.next_functions]
    try:
        drawn.sum().backward()
    except RuntimeError as error:
        return [drawn.grad_fn.name(), leads_to, str(error).split("\n")[0]]
    gradients = [None if each.grad is None else each.grad.tolist() for each in (a, b)]
    return [drawn.grad_fn.name(), leads_to, gradients]


@pytest.mark.parametrize("what", DRAWN)
def test_random_numbers_have_the_history_of_their_parameters(what: str) -> None:
    assert _history(pellucid, DRAWN[what]) == _history(torch, DRAWN[what])


@pytest.mark.parametrize("shape", [(8,), (4, 3), (2, 3, 4), (2, 3, 2, 2), (2, 3, 2, 2, 2)])
def test_channels_of_volumes_are_dropped_alike(shape: tuple[int, ...]) -> None:
    kept = []
    for library in (torch, pellucid):
        library.manual_seed(3)
        with warnings.catch_warnings(action="ignore"):
            kept.append(library.nn.functional.dropout3d(library.ones(shape), 0.5).tolist())
    assert kept[0] == kept[1]


def test_multinomial_of_transposed_weights_draws_by_columns_as_there() -> None:
    drawn = []
    for library in (torch, pellucid):
        library.manual_seed(3)
        drawn.append(library.multinomial(library.arange(1.0, 13).view(3, 4).t(), 2).tolist())
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 1.0])
def test_dropout_is_equal(p: float, dtype: type) -> None:
    x = np.random.default_rng(0).standard_normal((30, 7)).astype(dtype)
    with torch.random.fork_rng():
        torch.manual_seed(4)
        theirs = torch.nn.functional.dropout(torch.from_numpy(x), p).numpy()
        following = torch.rand(1).numpy()
    stream = MersenneStream(4)
    np.testing.assert_array_equal(x * stream.dropout_mask(x.shape, p, dtype), theirs)
    assert stream.uniform(1, np.float32) == following


@pytest.mark.parametrize(
    "make",
    [
        lambda empty: empty((6, 8)).T,
        lambda empty: empty((6, 16))[:, ::2],
        lambda empty: empty((3, 4, 5)).transpose(2, 0, 1),
        lambda empty: empty((5, 1, 7)).transpose(2, 1, 0),
        lambda empty: empty((4, 6, 8))[1:3, :, 2:5].transpose(1, 2, 0),
    ],
)
@pytest.mark.parametrize("method", ["normal_", "uniform_"])
def test_what_is_not_contiguous_is_filled_in_the_order_of_memory(method: str, make: Any) -> None:
    target = make(lambda shape: np.zeros(shape, np.float32))
    theirs = torch.from_numpy(make(lambda shape: np.zeros(shape, np.float32)))
    pair = Pair(14)
    getattr(theirs, method)(generator=pair.theirs)
    if method == "normal_":
        values = pair.ours.normal(target.size, np.float32, contiguous=False)
    else:
        values = pair.ours.uniform(target.size, np.float32)
    write_in_memory_order(target, values)
    pair.check(target, theirs)


def test_states_travel_in_both_directions() -> None:
    pair = Pair(15)
    pair.ours.normal(5, np.float32)
    pair.theirs.set_state(torch.from_numpy(pair.ours.get_state()))
    pair.check(pair.ours.normal(9, np.float32), torch.randn(9, generator=pair.theirs))
    torch.randn(1001, generator=pair.theirs)
    pair.ours.set_state(pair.theirs.get_state().numpy())
    pair.check(pair.ours.normal(9, np.float32), torch.randn(9, generator=pair.theirs))


def test_states_agree_at_the_end_of_a_block() -> None:
    pair = Pair(16)
    pair.check_state("untouched")
    for count in (623, 1, 1, 624, 0):
        theirs = torch.rand(count, generator=pair.theirs)
        pair.check(pair.ours.uniform(count, np.float32), theirs, label=count)


@pytest.mark.parametrize("seed", [0, 5, 2**32 + 5, 2**64 - 1, -1, -(2**63)])
def test_seeds_are_read_alike(seed: int) -> None:
    pair = Pair(seed)
    assert pair.ours.initial_seed() == pair.theirs.initial_seed()
    pair.check(pair.ours.uniform(3, np.float32), torch.rand(3, generator=pair.theirs))


def test_a_generator_without_a_seed_starts_alike() -> None:
    stream, generator = MersenneStream(), torch.Generator()
    assert stream.initial_seed() == generator.initial_seed()
    assert stream.uniform(1, np.float32) == torch.rand(1, generator=generator).numpy()


MISTAKES = [
    (lambda s: s.uniform(3, np.float32, 2, 1), lambda e: e(3).uniform_(2, 1)),
    (lambda s: s.uniform(3, np.int64), lambda e: e(3, dtype=torch.int64).uniform_()),
    (lambda s: s.normal(3, np.float32, 0, -1), lambda e: e(3).normal_(0, -1)),
    (lambda s: s.normal(3, np.int64), lambda e: e(3, dtype=torch.int64).normal_()),
    (lambda s: s.log_normal(3, np.float32, 0, 0), lambda e: e(3).log_normal_(0, 0)),
    (lambda s: s.integers(5, 5, 3), lambda e: torch.randint(5, 5, (3,))),
    (
        lambda s: s.integers(0, 300, 3, np.uint8),
        lambda e: torch.randint(0, 300, (3,), dtype=torch.uint8),
    ),
    (
        lambda s: s.integers(-5, 3, 3, np.uint8),
        lambda e: torch.randint(-5, 3, (3,), dtype=torch.uint8),
    ),
    (lambda s: s.integers(0, 5, 3, np.bool_), lambda e: e(3, dtype=torch.bool).random_(0, 5)),
    (lambda s: s.random(3, np.uint16), lambda e: e(3, dtype=torch.uint16).random_()),
    (lambda s: s.permutation(-1), lambda e: torch.randperm(-1)),
    (
        lambda s: s.permutation(3000, np.float16),
        lambda e: torch.randperm(3000, dtype=torch.float16),
    ),
    (lambda s: s.permutation(5, np.bool_), lambda e: torch.randperm(5, dtype=torch.bool)),
    (lambda s: s.bernoulli(2, 3, np.float32), lambda e: e(3).bernoulli_(2)),
    (lambda s: s.bernoulli(np.array([2.0])), lambda e: torch.bernoulli(torch.tensor([2.0]))),
    (lambda s: s.exponential(3, np.float32, 0), lambda e: e(3).exponential_(0)),
    (lambda s: s.exponential(3, np.int64), lambda e: e(3, dtype=torch.int64).exponential_()),
    (lambda s: s.geometric(3, np.float32, 1.5), lambda e: e(3).geometric_(1.5)),
    (lambda s: s.geometric(3, np.bool_, 0.5), lambda e: e(3, dtype=torch.bool).geometric_(0.5)),
    (lambda s: s.cauchy(3, np.float32, 0, -1), lambda e: e(3).cauchy_(0, -1)),
    (lambda s: s.cauchy(3, np.int32), lambda e: e(3, dtype=torch.int32).cauchy_()),
    (
        lambda s: s.multinomial(np.array([-1.0, 1]), 1),
        lambda e: torch.multinomial(torch.tensor([-1.0, 1]), 1),
    ),
    (
        lambda s: s.multinomial(np.array([np.nan, 1]), 1, True),
        lambda e: torch.multinomial(torch.tensor([np.nan, 1]), 1, True),
    ),
    (
        lambda s: s.multinomial(np.array([-1.0, 1]), 2, True),
        lambda e: torch.multinomial(torch.tensor([-1.0, 1]), 2, True),
    ),
    (
        lambda s: s.multinomial(np.array([np.inf, 1]), 2, True),
        lambda e: torch.multinomial(torch.tensor([np.inf, 1]), 2, True),
    ),
    (
        lambda s: s.multinomial(np.zeros((2, 2)), 2, True),
        lambda e: torch.multinomial(torch.zeros(2, 2), 2, True),
    ),
    (
        lambda s: s.multinomial(np.zeros((2, 2)), 1),
        lambda e: torch.multinomial(torch.zeros(2, 2), 1),
    ),
    (lambda s: s.multinomial(np.ones(2), 3), lambda e: torch.multinomial(torch.ones(2), 3)),
    (lambda s: s.multinomial(np.ones(2), 0), lambda e: torch.multinomial(torch.ones(2), 0)),
    (
        lambda s: s.multinomial(np.ones(2, np.int64), 1),
        lambda e: torch.multinomial(torch.ones(2, dtype=torch.int64), 1),
    ),
    (lambda s: s.manual_seed(2**64), lambda e: torch.Generator().manual_seed(2**64)),
    (lambda s: s.set_state(np.zeros(5056)), lambda e: torch.Generator().set_state(e(5056))),
    (
        lambda s: s.set_state(np.zeros(5056, np.uint8)),
        lambda e: torch.Generator().set_state(torch.zeros(5056, dtype=torch.uint8)),
    ),
    (
        lambda s: s.set_state(np.zeros(9, np.uint8)),
        lambda e: torch.Generator().set_state(torch.zeros(9, dtype=torch.uint8)),
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), MISTAKES)
def test_mistakes_are_refused_alike_and_draw_nothing(ours: Any, theirs: Any) -> None:
    stream = MersenneStream(0)
    before = stream.get_state()
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever PyTorch raises
        theirs(torch.empty)
    sentence = str(expected.value).split("  (Could this")[0].rstrip(". ")
    with pytest.raises(type(expected.value)) as raised:
        ours(stream)
    assert str(raised.value).startswith(sentence)
    np.testing.assert_array_equal(stream.get_state(), before)
