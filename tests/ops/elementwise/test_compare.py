from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.errors import DtypeError


def test_equality_with_what_is_no_number_is_left_to_python() -> None:
    x = torch.ones(2)
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    with pytest.raises(TypeError, match="not supported between instances"):
        assert x < None


def test_comparisons_meet_in_a_common_dtype() -> None:
    assert (torch.tensor([1, 2]) == 1.5).tolist() == [False, False]
    assert (torch.tensor([1, 2]) < torch.tensor([1.5])).tolist() == [True, False]


def test_comparisons_need_no_gradient() -> None:
    assert not (torch.ones(2, requires_grad=True) > 0).requires_grad


def test_a_comparison_in_place_writes_ones_and_zeros_of_the_dtype() -> None:
    x = torch.tensor([1, 2])
    assert x.lt_(1.5).tolist() == [1, 0]
    assert x.dtype == torch.int64


def test_close_tensors_have_the_same_dtype() -> None:
    with pytest.raises(DtypeError, match=r"^Long did not match Float"):
        torch.isclose(torch.tensor([1]), torch.tensor([1.0]))
    assert not torch.allclose(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
    nan = torch.tensor([float("nan")])
    assert torch.allclose(nan, nan, equal_nan=True)


def test_equal_looks_at_shapes_first() -> None:
    assert not torch.equal(torch.ones(2), torch.ones(1, 2))
    assert torch.equal(torch.tensor([1]), torch.tensor([1.0]))
    with pytest.raises(TypeError, match="argument 'other'"):
        torch.equal(torch.ones(1), 1)


def test_signs_of_infinity_and_zero_are_seen() -> None:
    x = torch.tensor([float("inf"), float("-inf"), -0.0, float("nan")])
    assert x.isposinf().tolist() == [True, False, False, False]
    assert x.isneginf().tolist() == [False, True, False, False]
    assert x.signbit().tolist()[1:3] == [True, True]
    assert torch.tensor([3]).isposinf().tolist() == [False]


def test_heaviside_takes_its_value_at_zero() -> None:
    x = torch.tensor([-1.0, 0.0, 2.0, float("nan")])
    assert torch.heaviside(x, torch.tensor([0.5])).tolist()[:3] == [0.0, 0.5, 1.0]
    with pytest.raises(DtypeError, match="different dtypes"):
        torch.heaviside(x, torch.tensor([1]))


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_negative_tolerances_are_refused(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} must be greater than or equal to zero"):
        torch.isclose(torch.ones(1), torch.ones(1), **{name: -1})
