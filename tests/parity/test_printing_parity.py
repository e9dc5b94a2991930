"""Printing, against the installed PyTorch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pellucid.tensors.formatting import format_item, format_tensor
from pellucid.tensors.print_options import PrintOptions

torch = pytest.importorskip("torch")

SHAPES = [(), (1,), (5,), (40,), (3, 4), (2, 3, 5), (1, 2, 1, 3), (2, 0), (0,), (0, 3)]
LARGE_SHAPES = [(1001,), (40, 40), (2, 600), (600, 2), (7, 8, 20), (3, 6, 7, 9), (2, 1, 1200)]
INTEGER_DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_]


def ours(array: np.ndarray, options: PrintOptions, **extra: Any) -> str:
    """Print an array with the names PyTorch has for its dtype and its default."""
    facts = {"requires_grad": False, "grad_fn_name": None, **extra}
    return format_tensor(
        array,
        dtype_name=str(torch.from_numpy(array.reshape(-1)[:0].copy()).dtype),
        default_dtype_name=str(torch.get_default_dtype()),
        options=options,
        **facts,
    )


def assert_prints_alike(array: np.ndarray, options: PrintOptions | None = None) -> None:
    options = options or PrintOptions()
    theirs = {name: value for name, value in vars(options).items() if name != "summary"}
    with torch._tensor_str.printoptions(**theirs):
        expected = repr(torch.tensor(array))
    assert ours(array, options) == expected


def sample(shape: tuple[int, ...], dtype: type, scale: float, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape) * scale
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape) * scale
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.complex64, np.complex128])
@pytest.mark.parametrize("exponent", range(-12, 13, 2))
def test_floats_of_every_magnitude_print_alike(dtype: type, exponent: int) -> None:
    for seed, shape in enumerate(SHAPES):
        assert_prints_alike(sample(shape, dtype, 10.0**exponent, seed))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mixed_magnitudes_print_alike(dtype: type) -> None:
    random = np.random.default_rng(0)
    for spread in (1, 2, 3, 4, 6, 12):
        exponents = random.uniform(-spread, spread, (4, 7))
        assert_prints_alike((10.0**exponents).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_whole_numbers_and_special_values_print_alike(dtype: type) -> None:
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 3.0, 1000.0, 0.5, -2.25, 6e-5]
    for chosen in itertools.combinations(special, 3):
        assert_prints_alike(np.array(chosen, dtype=dtype))
    for value in special:
        assert_prints_alike(np.array(value, dtype=dtype))
        assert_prints_alike(np.full((2, 2), value, dtype=dtype))


@pytest.mark.parametrize(
    "values",
    [
        [1e100, 1.0],
        [-1e-300, 1e300],
        [1e8, 1.0],
        [1.0e8 + 1, 5e7],
        [100000.0, 101.0],
        [99999.9999, 0.1],
        [1e-4, 9.9e-5],
        [1000.0, 1.0],
        [1001.0, 1.0],
        [5e-324, 5e-324],
    ],
)
def test_boundaries_of_scientific_notation_print_alike(values: list[float]) -> None:
    assert_prints_alike(np.array(values))


@pytest.mark.parametrize("dtype", INTEGER_DTYPES)
def test_integers_and_truth_values_print_alike(dtype: type) -> None:
    random = np.random.default_rng(1)
    for shape in SHAPES + LARGE_SHAPES:
        for most in (2, 20, 120):
            low = 0 if dtype in (np.uint8, np.bool_) else -most
            assert_prints_alike(np.asarray(random.integers(low, most, shape)).astype(dtype))
    if dtype is not np.bool_:
        assert_prints_alike(np.array([np.iinfo(dtype).min, np.iinfo(dtype).max]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("shape", LARGE_SHAPES)
def test_edges_of_large_tensors_print_alike(dtype: type, shape: tuple[int, ...]) -> None:
    for exponent in (-6, 0, 3, 9):
        assert_prints_alike(sample(shape, dtype, 10.0**exponent, 3))
    # What lies outside the edges must not decide the format.
    array = np.zeros(shape, dtype)
    array.reshape(-1)[array.size // 2] = 1e20
    assert_prints_alike(array)


@pytest.mark.parametrize(
    "options",
    [
        PrintOptions(precision=2),
        PrintOptions(precision=0),
        PrintOptions(precision=10, linewidth=60),
        PrintOptions(threshold=5),
        PrintOptions(threshold=0),
        PrintOptions(threshold=5, edgeitems=1),
        PrintOptions(threshold=5, edgeitems=0),
        PrintOptions(edgeitems=0),
        PrintOptions(linewidth=20),
        PrintOptions(linewidth=5),
        PrintOptions(sci_mode=True),
        PrintOptions(sci_mode=False),
        PrintOptions(threshold=float("inf")),
    ],
    ids=str,
)
def test_options_change_the_text_alike(options: PrintOptions) -> None:
    for seed, shape in enumerate(SHAPES + LARGE_SHAPES[:4]):
        for exponent in (-7, 0, 7):
            assert_prints_alike(sample(shape, np.float32, 10.0**exponent, seed), options)
        assert_prints_alike(np.round(sample(shape, np.float64, 100.0, seed)), options)
        assert_prints_alike(sample(shape, np.complex64, 1.0, seed), options)
        assert_prints_alike(sample(shape, np.int64, 100.0, seed), options)


@pytest.mark.parametrize("default", ["float32", "float64"])
def test_dtype_is_named_unless_it_is_a_default(default: str) -> None:
    dtypes = [np.float16, np.float32, np.float64, np.complex64, np.complex128, *INTEGER_DTYPES]
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        for dtype, shape in itertools.product(dtypes, SHAPES):
            assert_prints_alike(np.ones(shape, dtype))
    finally:
        torch.set_default_dtype(before)


@pytest.mark.parametrize("width", range(1, 13))
def test_suffixes_break_onto_a_new_line_alike(width: int) -> None:
    for rows, dtype in itertools.product((1, 2), (np.float32, np.float64)):
        array = np.round(sample((rows, width), dtype, 1.0, width), 4)
        leaf = torch.tensor(array, requires_grad=True)
        options = PrintOptions()
        assert ours(array, options, requires_grad=True) == repr(leaf)
        product = leaf * 1
        text = ours(array, options, requires_grad=True, grad_fn_name="MulBackward0")
        assert text == repr(product)
        parameter = torch.nn.Parameter(torch.tensor(array))
        text = ours(array, options, requires_grad=True, is_parameter=True)
        assert text == repr(parameter)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, on entering the level
def test_a_tangent_prints_alike() -> None:
    array = np.ones(3, np.float32)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.zeros(3))
        assert ours(array, PrintOptions(), tangent="tensor([0., 0., 0.])") == repr(dual)


def test_a_subclass_prints_under_its_own_name() -> None:
    class Thing(torch.Tensor):
        pass

    array = np.arange(30, dtype=np.float32).reshape(2, 15) / 7
    expected = repr(torch.tensor(array).as_subclass(Thing))
    assert ours(array, PrintOptions(), type_name="Thing") == expected


@pytest.mark.parametrize("spec", ["", ".4f", ".2e", "10.3f", "g", "+.1f", "%"])
def test_format_specification_of_one_element_acts_alike(spec: str) -> None:
    for value in (0.1, -3.0, 1e10, float("nan")):
        array = np.array(value, np.float32)
        assert format_item(array, spec) == format(torch.tensor(array), spec)
