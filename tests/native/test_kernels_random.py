"""Random numbers of compiled kernels: the same bits as from the NumPy ones."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.kernels.random import rejection
from pellucid.kernels.random import stream as streams
from tests.native.kernel_samples import cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels


@together()
@pytest.mark.parametrize("groups", [0, 1, 5, 4000])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (-3.0, 0.7), (1.0, 0.0), (0, 2)])
def test_normal_numbers_have_the_bits_of_the_numpy_kernel(groups, mean, std):
    draws = np.random.default_rng(0).integers(0, 1 << 24, (groups, 16))
    uniforms = (draws * 2.0**-24).astype(np.float32)
    uniforms[:1, :3] = 0, 1 - 2.0**-24, 0.5
    expected = cpu.grouped_normals(uniforms, mean, std)
    found = kernels.grouped_normals(uniforms, mean, std)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(kernels.grouped_normals(strided(uniforms), mean, std), expected)


def test_the_number_of_threads_changes_no_bits():
    uniforms = np.random.default_rng(0).random((5000, 16), np.float32)
    count = kernels.get_num_threads()
    try:
        kernels.set_num_threads(1)
        alone = kernels.grouped_normals(uniforms, 1.0, 2.0)
        kernels.set_num_threads(2)
        np.testing.assert_array_equal(kernels.grouped_normals(uniforms, 1.0, 2.0), alone)
    finally:
        kernels.set_num_threads(count)


def test_other_shapes_and_types_are_declined():
    assert kernels.grouped_normals(np.zeros((2, 16)), 0.0, 1.0) is NotImplemented
    assert kernels.grouped_normals(np.zeros((2, 8), np.float32), 0.0, 1.0) is NotImplemented


@pytest.fixture
def without_compiled(monkeypatch):
    """Return a function that draws from the same stream with and without the compiled kernels."""

    def both(draw):
        results = []
        for native in (kernels, None):
            for module in (streams, rejection):
                monkeypatch.setattr(module, "native", native)
            stream = streams.MersenneStream(11)
            stream.normal(3, np.float64)  # one is left over
            drawn = [draw(stream), draw(stream)]
            results.append((drawn, stream.get_state()))
        return results

    return both


RATES = np.array([0.0, 0.3, 9.99, 10.0, 12.5, 1e3, 1e8, 0.0, 40.0])
CONCENTRATIONS = np.array([2.0, 0.5, 1.0, 1e-3, 30.0, 0.0, np.nan, -1.0, 1e-40])
PROBABILITIES = np.array([0.0, 0.1, 0.5, 0.7, 1.0, 0.4, np.nan, 0.999, 0.5])
COUNTS = np.array([5.0, 3.0, 40.0, 1000.0, 7.0, -1.0, 5.0, 1e6, 0.0])
WEIGHTS = np.array([[0.0, 1.0, 0.0, 2.0, 0.5], [1e30, 1.0, 1e30, 0.0, 0.0]])

DRAWS = {
    "uniform": lambda s: s.uniform((3, 5), np.float32),
    "uniform doubles": lambda s: s.uniform(7, np.float64, -1.0, 3.0),
    "uniform up to the end of a state": lambda s: s.uniform(2 * 624 - 8, np.float32),
    "uniform from several states": lambda s: s.uniform(1999, np.float32),
    "normal": lambda s: s.normal(37, np.float32, 1.0, 2.0),
    "few normal": lambda s: s.normal(5, np.float32),
    "integers": lambda s: s.integers(-7, 1000, (2, 9), np.int64),
    "bytes": lambda s: s.integers(0, 256, 300, np.uint8),
    "bernoulli": lambda s: s.bernoulli(np.linspace(0, 1, 50, dtype=np.float32)),
    "dropout": lambda s: s.dropout_mask((5, 9), 0.3, np.float32),
    "dropout from several states": lambda s: s.dropout_mask((30, 41), 0.3, np.float32),
    "dropout of doubles": lambda s: s.dropout_mask(40, 0.9, np.float64),
    "exponential": lambda s: s.exponential(500, np.float64, 0.3),
    "multinomial": lambda s: s.multinomial(np.linspace(0, 1, 40).reshape(4, 10), 6),
    "multinomial with replacement": lambda s: s.multinomial(WEIGHTS, 1000, True),
    "multinomial with replacement in single precision": lambda s: s.multinomial(
        WEIGHTS.astype(np.float32), 37, True
    ),
    "multinomial of a sum that overflows": lambda s: s.multinomial(
        np.full((1, 9), 1e38, np.float32), 20, True
    ),
    "multinomial of zeros": lambda s: s.multinomial(np.eye(4, dtype=np.float32), 3),
    "gamma": lambda s: rejection.standard_gamma(s, CONCENTRATIONS.repeat(30)),
    "gamma in single precision": lambda s: rejection.standard_gamma(
        s, CONCENTRATIONS.astype(np.float32).reshape(3, 3)
    ),
    "dirichlet": lambda s: rejection.dirichlet(s, np.full((4, 3), 0.2)),
    "poisson": lambda s: rejection.poisson(s, RATES.repeat(30)),
    "poisson in single precision": lambda s: rejection.poisson(s, RATES.astype(np.float32)),
    "binomial": lambda s: rejection.binomial(s, COUNTS.repeat(30), PROBABILITIES.repeat(30)),
    "nothing": lambda s: rejection.standard_gamma(s, np.zeros(2)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_and_the_state_behind_them_are_those_of_python(name, without_compiled):
    (compiled, compiled_state), (python, python_state) = without_compiled(DRAWS[name])
    for one, other in zip(compiled, python, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(compiled_state, python_state)


def test_states_are_read_in_memory_only_where_they_lie_as_numpy_shows_them():
    twister, other, permuted = np.random.MT19937(3), np.random.MT19937(4), np.random.PCG64(3)
    state = twister.state["state"]
    words = state["key"].astype(np.uint32).tobytes() + np.int32(state["pos"]).tobytes()
    assert kernels.learn_twister(twister, words) is True
    assert kernels.learn_twister(other, words) is False
    assert kernels.learn_twister(permuted, words) is False
    assert kernels.twister_words(twister.capsule) == words
    assert kernels.set_twister_words(other.capsule, words) is None
    np.testing.assert_array_equal(other.random_raw(700), twister.random_raw(700))
    assert kernels.twister_words(permuted.capsule) is NotImplemented
    assert kernels.set_twister_words(permuted.capsule, words) is NotImplemented


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_of_rows_are_found_as_a_stable_sort_finds_them(dtype):
    x = np.random.default_rng(0).integers(0, 5, (3, 4, 20)).astype(dtype)
    x[0, 0, ::3], x[1, 0, 4], x[2, 1, :2] = np.nan, np.inf, -np.inf
    for n in (1, 7, 20):
        expected = np.argsort(-x, axis=-1, kind="stable")[..., :n]
        np.testing.assert_array_equal(kernels.largest_places(x, n), expected)
    assert kernels.largest_places(x, 21) is NotImplemented


def test_small_tensors_are_made_as_without_the_compiled_call() -> None:
    calls = [
        (torch.arange, (7,)), (torch.arange, (2, 9)), (torch.arange, (0,)), (torch.eye, (3,)),
        (torch.zeros, (2, 3)), (torch.zeros, ((2, 3),)), (torch.zeros, (0,)), (torch.ones, (4,)),
        (torch.rand, (3, 4)), (torch.rand, ((5,),)), (torch.rand, ((),)), (torch.rand, (0, 2)),
        (torch.randn, (4, 4)), (torch.randn, ((5, 7),)), (torch.randn, (3,)), (torch.randn, (17,)),
        (torch.randint, (9, (3, 4))), (torch.randint, (2, 5, (6,))),
        (torch.randint, (1 << 40, (2,))),
        (torch.randperm, (0,)), (torch.randperm, (1,)), (torch.randperm, (50,)),
    ]  # fmt: skip
    generator = torch.Generator()
    for make, given in calls:
        torch.manual_seed(3)
        generator.manual_seed(3)
        named = {"generator": generator} if "rand" in make.__name__ else {"device": "cpu"}
        found, expected = make(*given), make(*given, **named)
        assert torch.equal(found, expected), (make, given)
        assert (found.dtype, found.stride()) == (expected.dtype, expected.stride())
        assert torch.equal(torch.get_rng_state(), generator.get_state())


def test_modes_decide_what_small_tensors_are() -> None:
    with torch.device("meta"):
        assert torch.arange(3).is_meta
        assert torch.rand(3).is_meta
    with torch.inference_mode():
        assert torch.eye(2).is_inference()
    torch.set_default_dtype(torch.float64)
    try:
        assert {each.dtype for each in (torch.eye(2), torch.rand(2), torch.randn(20))} == {
            torch.float64
        }
    finally:
        torch.set_default_dtype(torch.float32)
    for wrong in (lambda: torch.eye(-1), lambda: torch.randint(0, (2,)), lambda: torch.rand(-1)):
        with pytest.raises(RuntimeError):
            wrong()
    draws = torch.func.vmap(lambda x: x + torch.rand(2), randomness="different")(torch.zeros(3, 2))
    assert draws.unique().numel() == 6
