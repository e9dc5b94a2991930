"""Half precision: float16 and bfloat16 hold values, float32 computes, and rounding comes once."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.core.definition.op import Op, registry
from pellucid.errors import PellucidError
from tests.samples.grouped import together
from tests.samples.ops import NOT_SMOOTH, Sample, on_every_sample, samples

assert torch.nn.functional  # imports the modules whose ops are not among the public names

HALVES = [torch.float16, torch.bfloat16]
COMPLEX = {torch.float16: torch.complex32, torch.bfloat16: torch.complex64}
SPACING = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}
both = pytest.mark.parametrize("dtype", HALVES, ids=str)

CASES = [(op, sample) for op in dict(sorted(registry.items())).values() for sample in samples(op)]


every_case = on_every_sample(CASES)


# ---- every op ---------------------------------------------------------------------------------


def operands_in(sample: Sample, half: Any, dtype: Any) -> list[Any]:
    """Return operands whose values half precision holds, as tensors of another dtype."""

    def tensor(value: Any) -> Any:
        if isinstance(value, list):
            return [tensor(each) for each in value]
        if not isinstance(value, np.ndarray | np.generic):
            return value
        made = torch.from_numpy(np.array(value))
        return made.to(half).to(dtype) if made.is_floating_point() else made

    return [tensor(each) for each in sample.operands]


def leaves_of(values: list[Any]) -> list[Any]:
    return [
        leaf
        for each in values
        for leaf in (each if isinstance(each, list) else [each])
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()
    ]


def require_gradients(op: Op, operands: list[Any]) -> None:
    """Make those operands require grad by which the op has a derivative."""
    for described, value in zip(op.operands, operands, strict=False):
        if described.name in op.formulas:
            for leaf in leaves_of([value]):
                leaf.requires_grad_()


def weights_like(outputs: list[Any]) -> list[Any]:
    """Return gradients to start from, of different sizes and exact in half precision."""
    return [
        (torch.arange(each.numel()) % 5 + 1).reshape(each.shape).to(each.dtype) for each in outputs
    ]


def outputs_of(op: Op, operands: list[Any], params: dict[str, Any]) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = op.apply(operands, params)
    return list(result if isinstance(result, tuple | list) else [result])


def in_both(op: Op, sample: Sample, half: Any) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Return operands and results in half precision, and those in float32; skip if refused."""
    narrow, wide = operands_in(sample, half, half), operands_in(sample, half, torch.float32)
    if not leaves_of(narrow):
        pytest.skip("takes no floating-point tensors")
    if op.name not in NOT_SMOOTH:
        require_gradients(op, narrow)
        require_gradients(op, wide)
    try:
        results = outputs_of(op, narrow, sample.params)
    except PellucidError as error:
        if not any(name in str(error) for name in ("Half", "BFloat16", "half")):
            raise
        pytest.skip("refuses half precision")
    return narrow, results, wide, outputs_of(op, wide, sample.params)


def assert_close(actual: Any, expected: Any, tolerance: float) -> None:
    actual, expected = (
        each.detach().to(torch.complex128 if each.is_complex() else torch.float64).numpy()
        for each in (actual, expected)
    )
    finite = np.abs(expected[np.isfinite(expected)])
    scale = tolerance * float(finite.max(initial=0.0))
    np.testing.assert_allclose(actual, expected, tolerance, scale)


#: ops that look at the bits, at the dtype's limits, or make numbers that are no function of values
DTYPE_TELLS = "view_dtype nan_to_num nextafter frexp bincount"


@together("family")
@both
@every_case
def test_op_computes_in_float32_and_rounds_once(op: Op, sample: Sample, dtype: Any) -> None:
    if op.name in DTYPE_TELLS.split():
        pytest.skip("depends on the dtype itself")
    _, results, _, expected = in_both(op, sample, dtype)
    for result, wide in zip(results, expected, strict=True):
        if wide.dtype == torch.float32:
            assert result.dtype in (dtype, torch.float32)
            wide = wide.to(result.dtype)
        if wide.dtype == torch.complex64:
            wide = wide.to(COMPLEX[dtype])
        assert result.dtype == wide.dtype
        assert_close(result, wide, SPACING[dtype] / 4)


@together("family")
@both
@every_case
def test_gradients_are_those_of_float32_rounded(op: Op, sample: Sample, dtype: Any) -> None:
    if not op.formulas or op.name in (*NOT_SMOOTH, *DTYPE_TELLS.split()):
        pytest.skip("has no derivative to compare")
    narrow, results, wide, expected = in_both(op, sample, dtype)
    for values in (results, expected):
        roots = [each for each in values if each.requires_grad and not each.is_complex()]
        if not roots:
            pytest.skip("nothing to differentiate")
        try:
            torch.autograd.backward(roots, weights_like(roots))
        except PellucidError as error:
            if "is not implemented" not in str(error):
                raise
            pytest.skip("refuses to be differentiated")
    for leaf, other in zip(leaves_of(narrow), leaves_of(wide), strict=True):
        assert (leaf.grad is None) == (other.grad is None)
        if leaf.grad is not None:
            assert leaf.grad.dtype == dtype
            # what is saved of a result has been rounded before the formula sees it
            assert_close(leaf.grad, other.grad, 8 * SPACING[dtype])


# ---- precision --------------------------------------------------------------------------------


@both
def test_sums_do_not_stop_growing(dtype: Any) -> None:
    ones = torch.ones(3000, dtype=dtype)
    wanted = torch.tensor(3000.0).to(dtype)
    assert ones.sum() == wanted
    assert ones @ ones == wanted
    assert ones.mean() == 1
    assert ones.cumsum(0)[-1] == wanted
    weight = torch.ones(1, dtype=dtype, requires_grad=True)
    (weight * ones).sum().backward()
    assert weight.grad == wanted


@both
def test_number_is_not_rounded_before_it_is_used(dtype: Any) -> None:
    x = torch.linspace(1, 2, 50).to(dtype)
    wanted = (x.float() * 0.1).to(dtype)
    assert torch.equal(x * 0.1, wanted)
    assert torch.equal(0.1 * x, wanted)
    assert torch.equal(x.clone().mul_(0.1), wanted)
    assert torch.equal(x.add(x, alpha=0.1), (x.float() + 0.1 * x.float()).to(dtype))


@both
def test_what_overflows_becomes_infinite_without_a_warning(dtype: Any) -> None:
    big = torch.full((2,), torch.finfo(dtype).max, dtype=dtype)
    assert (big * 2).isinf().all()
    assert big.exp().isinf().all()
    assert torch.full((2,), 1e39, dtype=torch.float64).to(dtype).isinf().all()
    changed = big.clone()
    changed *= 4
    assert changed.isinf().all()


# ---- bfloat16 as a dtype ----------------------------------------------------------------------


def run_alone(program: str) -> str:
    source = str(Path(torch.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": source},
    ).stdout.strip()  # fmt: skip


def test_package_behind_bfloat16_is_imported_when_it_is_used() -> None:
    program = """
import sys, pellucid as torch
torch.ones(2, dtype=torch.float16).exp()
assert torch.bfloat16.itemsize == 2 and torch.bfloat16.is_floating_point
print("ml_dtypes" in sys.modules, end=" ")
torch.zeros(1).to(torch.bfloat16)
print("ml_dtypes" in sys.modules)
"""
    assert run_alone(program) == "False True"


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        (torch.float16, torch.float32), (torch.float32, torch.float32),
        (torch.float64, torch.float64), (torch.int64, torch.bfloat16),
        (torch.bool, torch.bfloat16), (torch.complex64, torch.complex64),
        (torch.complex128, torch.complex128),
    ],
)  # fmt: skip
def test_bfloat16_meets_other_dtypes(other: Any, wanted: Any) -> None:
    assert torch.promote_types(torch.bfloat16, other) == wanted
    assert torch.promote_types(other, torch.bfloat16) == wanted
    assert (torch.ones(2, dtype=torch.bfloat16) + torch.ones(2, dtype=other)).dtype == wanted


def test_bfloat16_prints_and_reads_as_numbers() -> None:
    x = torch.tensor([1.1, 2.5], dtype=torch.bfloat16)
    assert repr(x) == "tensor([1.1016, 2.5000], dtype=torch.bfloat16)"
    assert x.tolist() == [1.1015625, 2.5]
    assert x[0].item() == 1.1015625
    assert x.element_size() == 2
    assert x.type() == "torch.BFloat16Tensor"
    assert x.is_floating_point()
    assert x.bfloat16() is x
    assert torch.finfo(torch.bfloat16).eps == 2.0**-7


def test_bfloat16_has_no_numpy_array() -> None:
    x = torch.ones(2, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        x.numpy()
    with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type bfloat16"):
        torch.from_numpy(x._array)


def test_bfloat16_can_be_the_default() -> None:
    torch.set_default_dtype(torch.bfloat16)
    try:
        assert torch.tensor([1.5]).dtype == torch.ones(2).dtype == torch.bfloat16
        assert torch.arange(3).exp().dtype == torch.bfloat16
        assert torch.nn.Linear(2, 2)(torch.ones(1, 2)).dtype == torch.bfloat16
    finally:
        torch.set_default_dtype(torch.float32)


def test_bfloat16_orders_and_selects() -> None:
    x = torch.tensor([3.0, -1.0, 2.0, float("nan")], dtype=torch.bfloat16)
    assert x.sort()[1].tolist() == [1, 2, 0, 3]
    assert x.argmax() == 3
    assert x[:3].topk(2)[0].tolist() == [3.0, 2.0]
    assert x[x > 0].tolist() == [3.0, 2.0]
    assert x.isnan().tolist() == [False, False, False, True]
    x[0] = 0.1
    assert x[0].item() == 0.10009765625


@both
def test_copies_and_files_keep_half_precision(dtype: Any, tmp_path: Path) -> None:
    layer = torch.nn.Linear(3, 2).to(dtype)
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    loaded = torch.load(tmp_path / "layer.pt")
    assert loaded["weight"].dtype == dtype
    assert torch.equal(loaded["weight"], layer.weight)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other.weight, layer.weight)


def test_safetensors_keep_bfloat16(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    from pellucid.interop.safetensors_files import load_file, save_file

    given = {"x": torch.ones(2, 3, dtype=torch.bfloat16), "s": torch.tensor(1.5)}
    save_file(given, tmp_path / "x.safetensors")
    loaded = load_file(tmp_path / "x.safetensors")
    assert loaded["x"].dtype == torch.bfloat16
    assert torch.equal(loaded["x"], given["x"])
    assert loaded["s"].shape == ()


@both
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_optimizers_follow_float32_on_parameters_of_half_precision(name: str, dtype: Any) -> None:
    steps = []
    for precision in (dtype, torch.float32):
        weight = torch.tensor([1.0, -2.0, 0.5], dtype=precision, requires_grad=True)
        optimizer = getattr(torch.optim, name)([weight], lr=0.05)
        for _ in range(3):
            optimizer.zero_grad()
            (weight * weight).sum().backward()
            optimizer.step()
        assert weight.dtype == precision
        steps.append(weight)
    assert_close(*steps, 6 * SPACING[dtype])


@both
def test_second_derivatives_and_forward_mode_in_half_precision(dtype: Any) -> None:
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0]
    assert second.tolist() == [6.0, 12.0]
    _, slope = torch.autograd.functional.jvp(lambda x: x * x, x, torch.ones_like(x))
    assert slope.tolist() == [2.0, 4.0]
    assert slope.dtype == dtype


TOO_LARGE = {torch.float16: 1e5, torch.bfloat16: 1e39, torch.float32: 1e39}


@together()
@pytest.mark.parametrize("dtype", TOO_LARGE, ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda value, dtype: torch.linspace(0, value, 3, dtype=dtype),
        lambda value, dtype: torch.logspace(-value, 0, 1, dtype=dtype),
        lambda value, dtype: torch.full((2,), value, dtype=dtype),
        lambda value, dtype: torch.zeros(2, dtype=dtype).fill_(value),
    ],
)
def test_a_number_that_a_dtype_would_make_infinite_is_refused(make: Any, dtype: Any) -> None:
    with pytest.raises(
        RuntimeError, match=r"value cannot be converted to type .* without overflow"
    ):
        make(TOO_LARGE[dtype], dtype)
    with pytest.raises(RuntimeError, match="without overflow"):
        make(-TOO_LARGE[dtype], dtype)


@both
def test_a_mask_may_be_filled_with_infinity_but_not_with_what_overflows(dtype: Any) -> None:
    scores, mask = torch.ones(2, dtype=dtype), torch.tensor([True, False])
    assert scores.masked_fill(mask, float("-inf")).tolist() == [float("-inf"), 1]
    for fill in (scores.masked_fill, scores.clone().masked_fill_):
        with pytest.raises(RuntimeError, match="without overflow"):
            fill(mask, -TOO_LARGE[dtype])


OPTIMIZERS = [
    "SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD",
    "Rprop", "Adafactor", "Muon",
]  # fmt: skip


@together()
@both
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("slope", [6e4, 1e-7, float("inf")])
def test_steps_that_overflow_say_nothing(name: str, slope: float, dtype: Any) -> None:
    weight = torch.nn.Parameter(torch.tensor([[6e4, 1.0], [2.0, 0.0]], dtype=dtype))
    optimizer = getattr(torch.optim, name)([weight], lr=1e4)
    for _ in range(2):
        weight.grad = torch.full_like(weight, slope)
        optimizer.step()  # a warning of NumPy's would be an error here
    assert weight.dtype == dtype


functional = torch.nn.functional
COMPOSED = {
    "group_norm": (lambda x, y, z: functional.group_norm(x, 2, y[0, :, 0], z[0, :, 0]), 3),
    "attention": (functional.scaled_dot_product_attention, 3),
    "addmm": (lambda x, y, z: torch.addmm(x[0, :, :4], y[0], z[0].mT, beta=0.3, alpha=0.7), 3),
    "baddbmm": (lambda x, y, z: torch.baddbmm(x[:, :, :4], y, z.mT, beta=0.3, alpha=0.7), 3),
    "addr": (lambda x, y, z: torch.addr(x[0], y[0, :, 0], z[0, 0], alpha=0.7), 3),
    "renorm": (lambda x: torch.renorm(x, 2, 1, 1.0), 1),
    "smooth_l1_loss": (lambda x, y: functional.smooth_l1_loss(x, y, beta=0.7), 2),
    "huber_loss": (lambda x, y: functional.huber_loss(x, y, delta=0.7, reduction="none"), 2),
    "glu": (lambda x: functional.glu(x, 1), 1),
}


@both
@pytest.mark.parametrize("name", COMPOSED)
def test_what_is_made_of_several_ops_is_rounded_once(name: str, dtype: Any) -> None:
    function, count = COMPOSED[name]
    rng = np.random.default_rng(3)
    operands = [torch.tensor(rng.standard_normal((2, 4, 6))).to(dtype) for _ in range(count)]
    exact = function(*(each.double() for each in operands))
    result = function(*operands)
    assert result.dtype == dtype
    error = (result.double() - exact).abs()
    assert (error <= 0.51 * SPACING[dtype] * exact.abs() + 1e-6).all()
