"""`pellucid.array_api` computes what the array API standard says, next to array-api-strict."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import pellucid as torch
from pellucid import array_api as xp

checks = pytest.importorskip("tests.array_api.checks")

#: what PyTorch's tensors have otherwise, and ours as theirs: operators take a 0-d tensor for a
#: number and do not combine large unsigned integers, ``@`` wants one dtype, a zero remainder
#: is +0, slices go forward, ``size`` is a method
AS_IN_PYTORCH = {
    "operators": re.compile(r" y  \[.*([xy]: \w+\[\]|uint(16|32|64))|x @ y|1\.5 % x"),
    "searching": re.compile(r"x\[:, ::-1\]"),
    "manipulation": re.compile(r"x\.size"),
    # of complex infinities array-api-strict has NumPy's, the standard others: tested below
    "elementwise": re.compile(r"xp\.expm1\(x\)  \[x: complex"),
}


@pytest.mark.parametrize("chapter", checks.CHAPTERS)
def test_a_chapter_of_the_standard_is_computed_as_it_says(chapter: str) -> None:
    known = AS_IN_PYTORCH.get(chapter)
    wrong = checks.failures(xp, chapter)
    assert len(checks.expected(chapter)) > 100
    assert [each for each in wrong if not (known and known.search(each))] == []


def test_every_function_of_the_standard_is_there_with_its_parameters() -> None:
    # scikit-learn gives ``n`` by position
    assert checks.failures_of_signatures(xp) == [".diff has other parameters"]


@pytest.mark.parametrize(
    ("dividend", "divisor", "quotient"),
    [("inf", 2, "inf"), ("inf", -2, "-inf"), ("-inf", 2, "-inf"), ("-inf", -2, "inf"),
     (2, "inf", "0.0"), (2, "-inf", "-0.0"), (-2, "inf", "-0.0"), (-2, "-inf", "0.0"),
     ("inf", "inf", "nan"), ("-inf", "inf", "nan"), (7, 2, "3.0"), (-7, 2, "-4.0")],
)  # fmt: skip
def test_floor_division_of_infinite_numbers_is_that_of_the_standard(
    dividend: Any, divisor: Any, quotient: str
) -> None:
    found = xp.floor_divide(xp.asarray(float(dividend)), xp.asarray(float(divisor)))
    assert str(found.item()) == quotient


def test_the_sign_of_a_complex_number_without_a_direction_is_nan() -> None:
    found = xp.sign(xp.asarray([complex("inf"), complex("nanj"), 3 - 4j, 0j]))
    assert [str(each) for each in found.tolist()[:2]] == ["(nan+nanj)"] * 2
    assert found.tolist()[2:] == pytest.approx([0.6 - 0.8j, 0j])


def test_what_the_standard_refuses_is_refused() -> None:
    assert checks.failures_to_refuse(xp) == []


def test_a_tensor_names_its_namespace() -> None:
    x = torch.ones(2)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match=r"the array API standard of '2019.1' is not there"):
        x.__array_namespace__(api_version="2019.1")
    with pytest.raises(RuntimeError, match="'cuda' is not available"):
        x.to_device("cuda")
    with pytest.raises(ValueError, match="stream should be None"):
        x.to_device("cpu", stream=1)


def test_the_namespace_says_what_it_has() -> None:
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] is torch.float32
    assert info.default_device() == torch.device("cpu")
    assert info.devices() == (torch.device("cpu"),)
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]


def test_functions_of_the_standard_are_recorded_and_differentiated() -> None:
    x = torch.tensor([[1.0, -2.0], [3.0, 0.5]], dtype=torch.float64, requires_grad=True)

    def value(t: torch.Tensor) -> torch.Tensor:
        row = xp.linalg.vecdot(xp.tanh(t), xp.asarray([1.0, 2.0], dtype=xp.float64))
        return xp.sum(xp.cumulative_prod(row)) + xp.prod(t, axis=(0, 1)) + xp.var(xp.asarray(t))

    assert torch.autograd.gradcheck(value, x)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("xp.vecdot(xp.ones((0,)), xp.ones((1,)))", ValueError),
        ("xp.linalg.cross(xp.ones((2, 3)), xp.ones((2,)))", ValueError),
        ("xp.linalg.cross(xp.ones((3, 2)), xp.ones((3, 2)))", ValueError),
        ("xp.expand_dims(xp.ones((2,)), (0, 0))", ValueError),
        ("xp.expand_dims(xp.ones((2,)), (0, -3))", ValueError),
        ("xp.expand_dims(xp.ones((2,)), (0, 4))", IndexError),
        ("xp.broadcast_shapes((3,), (4,))", ValueError),
    ],
)
def test_what_the_standard_forbids_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        eval(text, {"xp": xp})


def test_vectors_are_multiplied_with_broadcasting() -> None:
    found = xp.linalg.cross(torch.ones(4, 3), torch.tensor([1.0, 2.0, 3.0]))
    assert found.tolist() == [[1.0, -2.0, 1.0]] * 4


@pytest.mark.parametrize(
    ("power", "result"),
    [
        (complex("inf+0j"), (math.inf, 0)), (complex("-inf+infj"), (-1, 0)),
        (complex("inf+infj"), (math.inf, math.nan)), (complex("-inf+nanj"), (-1, 0)),
        (complex("inf+nanj"), (math.inf, math.nan)), (complex("nan+0j"), (math.nan, 0)),
    ],
)  # fmt: skip
def test_expm1_of_complex_infinities_is_that_of_exp(
    power: complex, result: tuple[float, float]
) -> None:
    found = xp.expm1(torch.tensor(power))
    assert abs(found.real.item()) == pytest.approx(abs(result[0]), nan_ok=True)
    assert abs(found.imag.item()) == pytest.approx(result[1], nan_ok=True)


def test_expm1_of_a_complex_zero_has_a_real_part_without_a_sign() -> None:
    found = xp.expm1(torch.tensor([complex(-0.0, 0.0), complex(-0.0, -0.0)]))
    assert [math.copysign(1, each) for each in found.real.tolist()] == [1, 1]
    assert [math.copysign(1, each) for each in found.imag.tolist()] == [1, -1]
