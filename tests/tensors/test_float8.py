"""float8: numbers of eight bits that hold values; few operations compute with them."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from fractions import Fraction
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

SIGNED = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
NAMES = [*SIGNED, "float8_e8m0fnu"]
VALUES = [0.5, 2.0, 1.0, 4.0, 16.0, 8.0]

by_name = pytest.mark.parametrize("name", NAMES)


def made(name: str, values: list[float] = VALUES) -> torch.Tensor:
    return torch.tensor(values).to(getattr(torch, name))


def of_codes(name: str) -> torch.Tensor:
    """Return all 256 numbers of a dtype."""
    return torch.arange(256).to(torch.uint8).view(getattr(torch, name))


def codes(x: torch.Tensor) -> np.ndarray:
    return x.view(torch.uint8).numpy()


def floats(seed: int = 0) -> np.ndarray:
    """Return numbers of single precision of all sizes, and those that are midway between others."""
    bits = np.random.default_rng(seed).integers(0, 2**32, 20_000, dtype=np.uint32)
    edges = (np.arange(0, 65536, 8, dtype=np.uint32) << 16)[:, None] + np.array(
        [0, 1, 0xFFFFFFFF], np.uint32
    )
    special = np.array([0, -0.0, np.inf, -np.inf, 1e-45, 3e38], np.float32).view(np.uint32)
    return np.concatenate([bits, edges.ravel(), special]).view(np.float32)


@by_name
def test_all_codes_are_read_as_their_numbers(name: str) -> None:
    x = of_codes(name)
    with warnings.catch_warnings(action="ignore"):
        wanted = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name)).astype(np.float32)
    for wider in (torch.float32, torch.float64, torch.bfloat16):
        np.testing.assert_array_equal(x.to(wider).float().numpy(), wanted)
    np.testing.assert_array_equal(x.isnan().numpy(), np.isnan(wanted))
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(codes(x.float().to(x.dtype))[numbers], codes(x)[numbers])


def nearest(value: float, numbers: dict[Fraction, int]) -> set[int]:
    """Return the codes of the numbers that are nearest: two, of an even and an odd one, midway."""
    exact = Fraction(value)
    distance = min(abs(each - exact) for each in numbers)
    return {code for each, code in numbers.items() if abs(each - exact) == distance}


@pytest.mark.parametrize("name", SIGNED)
def test_numbers_are_rounded_to_the_nearest_and_ties_to_even(name: str) -> None:
    known = of_codes(name).double().tolist()
    numbers = {Fraction(each): code for code, each in enumerate(known[:128]) if np.isfinite(each)}
    positive = sorted(numbers)
    middles = [float(a + b) / 2 for a, b in pairwise(positive)]
    given = [*middles, *np.random.default_rng(1).uniform(0, float(positive[-1]), 300)]
    for value, code in zip(given, codes(torch.tensor(given).to(getattr(torch, name))), strict=True):
        best = nearest(np.float32(value).item(), numbers)
        assert code in best
        assert len(best) == 1 or code % 2 == 0


@pytest.mark.parametrize("name", SIGNED)
def test_rounding_is_that_of_ml_dtypes_within_the_limits(name: str) -> None:
    x = floats()
    limit = torch.finfo(getattr(torch, name)).max
    with np.errstate(invalid="ignore"):
        wanted = x.astype(getattr(ml_dtypes, name)).view(np.uint8)
    within = np.abs(x) <= limit
    np.testing.assert_array_equal(codes(torch.from_numpy(x).to(getattr(torch, name)))[within],
                                  wanted[within])  # fmt: skip


def test_what_is_too_large_is_the_largest_infinite_or_not_a_number() -> None:
    large = [1e9, -1e9, np.inf, -np.inf, 465.0]
    assert made("float8_e4m3fn", large).tolist() == [448.0, -448.0, 448.0, -448.0, 448.0]
    assert made("float8_e5m2", large[:4]).tolist() == [np.inf, -np.inf, np.inf, -np.inf]
    for name in ("float8_e4m3fnuz", "float8_e5m2fnuz"):
        assert made(name, large[:4]).isnan().all()
    for name in NAMES:
        assert made(name, [np.nan]).isnan().all()
    x = torch.zeros(2, dtype=torch.float8_e4m3fn)
    x.copy_(torch.tensor([1e9, -1e9]))
    assert x.tolist() == [448.0, -448.0]
    assert (x * x).tolist() == x.mul_(x).tolist() == [448.0, 448.0]
    assert torch.mul(x.float(), 2, out=x).tolist() == [448.0, 448.0]


def test_e8m0fnu_keeps_the_exponent_alone() -> None:
    x = floats()
    x = x[np.isfinite(x) & (np.abs(x) >= 2.0**-126) & (np.abs(x) < 2.0**127)]
    mantissas, exponents = np.frexp(np.abs(x.astype(np.float64)))
    # from 1.5 times a power on, the next one is as near, and the power is odd
    powers = np.ldexp(1.0, exponents - (mantissas < 0.75))
    found = torch.from_numpy(x).to(torch.float8_e8m0fnu)
    np.testing.assert_array_equal(found.double().numpy(), powers)
    assert made("float8_e8m0fnu", [0.0]).tolist() == [2.0**-127]
    assert made("float8_e8m0fnu", [np.inf, -np.inf, np.nan]).isnan().all()
    assert not torch.float8_e8m0fnu.is_signed


@by_name
def test_numbers_of_other_dtypes_go_by_way_of_single_precision(name: str) -> None:
    dtype = getattr(torch, name)
    for other in (torch.int64, torch.uint8, torch.float64, torch.float16, torch.bfloat16):
        x = torch.tensor([0, 1, 3, 7, 100]).to(other)
        assert codes(x.to(dtype)).tolist() == codes(x.float().to(dtype)).tolist()
        back = x.to(dtype)
        assert back.to(other).tolist() == back.float().to(other).tolist()
    just_above_midway = 1.0625 + 1e-12
    for x in (
        torch.tensor([just_above_midway], dtype=dtype),
        torch.full((1,), just_above_midway, dtype=dtype),
        torch.zeros(1).to(dtype).fill_(just_above_midway),
    ):
        assert codes(x) == codes(torch.tensor([1.0625]).to(dtype))


@by_name
def test_it_is_a_dtype_of_one_byte(name: str) -> None:
    x = made(name)
    assert (x.element_size(), x.itemsize, x.nbytes) == (1, 1, 6)
    assert x.is_floating_point()
    assert repr(x.dtype) == f"torch.{name}"
    assert f"dtype=torch.{name}" in repr(x)
    assert x.type() == f"torch.F{name[1:]}Tensor"
    limits = ml_dtypes.finfo(getattr(ml_dtypes, name))
    assert torch.finfo(x.dtype).max == float(limits.max)
    assert torch.finfo(x.dtype).tiny == float(limits.tiny)


@by_name
def test_copies_files_and_libraries_keep_the_bits(name: str) -> None:
    x = of_codes(name)
    file = io.BytesIO()
    torch.save({"x": x, "y": x[3:9]}, file)
    file.seek(0)
    for same in (
        copy.deepcopy(x), pickle.loads(pickle.dumps(x)), torch.load(file)["x"], x.clone(),
        torch.from_dlpack(x), x.view(torch.int8).view(x.dtype), x.detach(),
    ):  # fmt: skip
        assert same.dtype is x.dtype
        np.testing.assert_array_equal(codes(same), codes(x))
    shared = torch.from_dlpack(x)
    shared[0] = 2.0
    assert x[0].item() == 2.0


@by_name
def test_views_and_indices_move_the_bits(name: str) -> None:
    x = made(name).reshape(2, 3)
    plain = torch.tensor(VALUES).reshape(2, 3)
    first = torch.tensor([1, 0])
    for look in (
        lambda v: v.t(), lambda v: v[:, 1], lambda v: v[:, ::2], lambda v: v[1, 2],
        lambda v: v.expand(2, 2, 3), lambda v: v.as_strided((2, 2), (1, 2), 1),
        lambda v: v.unfold(1, 2, 1), lambda v: v.t().contiguous(), lambda v: v.t().reshape(-1),
        lambda v: v[first], lambda v: v[:, [0, 2]], lambda v: v[plain > 1], lambda v: v.flip(0),
        lambda v: torch.cat([v, v.clone()], 1), lambda v: torch.stack([v, v]),
        lambda v: v.index_select(0, first), lambda v: v.repeat(2, 2), lambda v: v.roll(1),
        lambda v: torch.where(plain > 1, v, v[0]), lambda v: v.t()[::2].clone(),
        lambda v: torch.nn.functional.embedding(first, v), lambda v: v[:0],
        lambda v: v.expand(2, 2, 3).clone(), lambda v: v.split(2, 1)[1], lambda v: v.diagonal(),
    ):  # fmt: skip
        assert look(x).dtype is x.dtype
        assert look(x).tolist() == look(plain).tolist()
        assert look(x).float().tolist() == look(plain).tolist()


@by_name
def test_what_is_written_is_rounded(name: str) -> None:
    for write in (
        lambda v: v.__setitem__(0, 3.0), lambda v: v.__setitem__([0, 1], 3.0),
        lambda v: v.__setitem__(slice(1, 3), torch.tensor([3.0, 3.1])),
        lambda v: v.copy_(torch.arange(1, 7)), lambda v: v.fill_(3.3),
        lambda v: v.fill_(torch.tensor(3.3)), lambda v: v[::2].copy_(torch.tensor([1.1, 3, 5])),
    ):  # fmt: skip
        if name == "float8_e8m0fnu" and write(torch.zeros(6)) is None:
            continue  # there is no kernel for lists of indices, and no midway
        x, plain = made(name), torch.tensor(VALUES)
        write(x)
        write(plain)
        assert codes(x).tolist() == codes(plain.to(x.dtype)).tolist()


@together()
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("compute", "kernel"),
    [
        (lambda x: x + x, "add_stub"), (lambda x: x + 1, "add_stub"),
        (lambda x: x - x, "add_stub"), (lambda x: x * 2, "mul_cpu_reduced_float"),
        (lambda x: x / x, "div_cpu"), (lambda x: -x, "neg_cpu"), (lambda x: x < x, "lt_cpu"),
        (lambda x: x.sum(), "sum_cpu"), (lambda x: x.exp(), "exp_vml_cpu"),
        (lambda x: x.max(), "max_all"), (lambda x: x.sort(), "sorting_kernel_method_name"),
        (lambda x: x @ x, "dot"), (lambda x: x.add_(1), "add_stub"),
        (lambda x: x.uniform_(), "check_uniform_bounds"), (lambda x: x.nonzero(), "nonzero"),
        (lambda x: torch.arange(3, dtype=x.dtype), "arange_cpu"),
        (lambda x: torch.ones(2).sum(dtype=x.dtype), "sum_cpu"),
    ],
)  # fmt: skip
def test_most_operations_are_refused(name: str, compute: object, kernel: str) -> None:
    sentence = rf'^"{kernel}.* not implemented for .F{name[1:]}'
    with pytest.raises(NotImplementedError, match=sentence):
        compute(made(name))  # type: ignore[operator]


@pytest.mark.parametrize("other", ["float32", "int64", "bool", "complex64", "float8_e5m2fnuz"])
def test_there_is_no_dtype_that_it_meets_others_in(other: str) -> None:
    x = made("float8_e4m3fn")
    y = torch.ones(6, dtype=getattr(torch, other))
    for meet in (
        lambda: x + y, lambda: x == y, lambda: torch.cat([x, y]),
        lambda: torch.promote_types(x.dtype, y.dtype), lambda: torch.result_type(y, x),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=r"^Promotion for Float8 Types is not supported"):
            meet()
    assert torch.result_type(x, 1.5) is x.dtype


@pytest.mark.parametrize("name", SIGNED)
def test_products_are_rounded_once(name: str) -> None:
    x, y = (made(name, values) for values in ([1.5, 2.0, -3.0, 0.5], [1.25, 1.5, 1.75, 3.0]))
    wide = x.float() * y.float()
    assert codes(x * y).tolist() == codes(wide.to(x.dtype)).tolist()
    left, right = x.reshape(2, 2), y.reshape(2, 2)
    wide = left.float() @ right.float()
    assert codes(left @ right).tolist() == codes(wide.to(x.dtype)).tolist()
    assert x.abs().tolist() == [1.5, 2.0, 3.0, 0.5]
    assert (x == y).tolist() == [False] * 4
    assert (x == 1.51).tolist() == [True, False, False, False]  # the number is rounded, too


@by_name
def test_gradients_pass_conversions(name: str) -> None:
    leaf = torch.ones(3, requires_grad=True)
    (leaf.to(getattr(torch, name)).float() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert leaf.grad is not None
    rounded = torch.tensor([1.0, 2.0, 3.0]).to(getattr(torch, name)).float()
    assert leaf.grad.tolist() == rounded.tolist()
    short = made(name).requires_grad_()
    short.float().sum().backward()
    assert short.grad is not None
    assert short.grad.dtype is short.dtype


def test_layers_can_be_kept_in_it() -> None:
    layer = torch.nn.Linear(3, 2)
    wanted = {name: each.to(torch.float8_e5m2) for name, each in layer.state_dict().items()}
    layer.to(torch.float8_e5m2)
    other = torch.nn.Linear(3, 2).to(torch.float8_e5m2)
    other.load_state_dict(layer.state_dict())
    for name, each in other.state_dict().items():
        assert codes(each).tolist() == codes(wanted[name]).tolist()
    assert layer.float().weight.dtype is torch.float32
    with pytest.raises(NotImplementedError, match="check_uniform_bounds"):
        torch.nn.Linear(3, 2, dtype=torch.float8_e5m2)


def test_numpy_and_the_default_do_not_take_it() -> None:
    x = made("float8_e4m3fn")
    for use in (lambda: x.numpy(), lambda: np.asarray(x)):
        with pytest.raises(TypeError, match="Got unsupported ScalarType Float8_e4m3fn"):
            use()
    with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type float8_e4m3fn"):
        torch.from_numpy(x._array)
    with pytest.raises(TypeError, match="couldn't find storage object"):
        torch.set_default_dtype(x.dtype)
    with pytest.raises(RuntimeError, match="value cannot be converted to type c10::Float8_e4m3fn"):
        torch.full((2,), 1000.0, dtype=x.dtype)


def test_the_alternative_to_zero_is_printed_as_it_is() -> None:
    zeros = torch.zeros(2, dtype=torch.float8_e8m0fnu)
    assert repr(zeros) == "tensor([0., 0.], dtype=torch.float8_e8m0fnu)"
    assert "5.8775e-39" in repr(made("float8_e8m0fnu", [1e9, 0.0]))
