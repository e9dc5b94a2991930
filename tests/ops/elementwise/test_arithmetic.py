from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.errors import DomainError, DtypeError, ShapeError, UnsupportedDtypeError
from tests.samples.grouped import together


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_integers_divide_to_the_default_dtype() -> None:
    quotient = torch.tensor([7, -7]) / 2
    assert quotient.dtype == torch.float32
    assert quotient.tolist() == [3.5, -3.5]


def test_rounded_division_keeps_integers() -> None:
    x = torch.tensor([7, -7])
    assert torch.div(x, 2, rounding_mode="floor").tolist() == [3, -4]
    assert torch.div(x, 2, rounding_mode="trunc").tolist() == [3, -3]
    assert torch.div(x, 2, rounding_mode="trunc").dtype == torch.int64


def test_an_unknown_rounding_mode_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="rounding_mode to be one of None, 'trunc', or 'floor'"):
        torch.div(torch.ones(1), 2, rounding_mode="up")


@pytest.mark.parametrize("divide", [torch.floor_divide, torch.remainder, torch.fmod])
def test_integer_division_by_zero_is_an_error_with_a_number_and_with_a_tensor(divide) -> None:
    for zero in (0, torch.tensor([0])):
        with pytest.raises(DomainError, match=r"^ZeroDivisionError"):
            divide(torch.tensor([2]), zero)


def test_division_of_floats_by_zero_is_infinite_without_a_warning() -> None:
    assert (torch.tensor([1.0, -1.0]) / 0).tolist() == [np.inf, -np.inf]


def test_integers_to_a_negative_number_are_an_error() -> None:
    for dtype in (torch.int64, torch.uint8):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers"):
            torch.tensor([2], dtype=dtype) ** -1


def test_integers_to_negative_integers_leave_units_alone() -> None:
    base, exponent = torch.tensor([1, -1, -1, 2, 3]), torch.tensor([-3, -3, -2, -1, 2])
    assert (base**exponent).tolist() == [1, -1, 1, 0, 9]


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -0.5, -1, -2, 1.7, 0])
def test_shortcuts_of_powers_give_the_power(exponent: float) -> None:
    x = np.linspace(0.3, 3, 7)
    np.testing.assert_allclose((torch.tensor(x) ** exponent).numpy(), x**exponent)


def test_a_power_of_zero_has_gradient_zero_where_the_exponent_is_zero() -> None:
    x = leaf(0.0, 2.0)
    (x**0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_zero_to_a_power_has_gradient_zero_by_the_exponent() -> None:
    exponent = leaf(0.0, 2.0)
    (0 * torch.ones(2, dtype=torch.float64) ** 1).pow(exponent).sum().backward()
    assert exponent.grad.tolist() == [0.0, 0.0]


def test_booleans_cannot_be_subtracted_or_negated() -> None:
    flag = torch.tensor([True])
    with pytest.raises(DtypeError, match="with two bool tensors is not supported"):
        flag - flag
    for other in (torch.ones(1), torch.tensor([1]), 1):
        with pytest.raises(DtypeError, match="with a bool tensor is not supported"):
            other - flag
    with pytest.raises(DtypeError, match="with a bool tensor is not supported"):
        torch.ones(1) - True
    with pytest.raises(DtypeError, match="Negation, the `-` operator, on a bool tensor"):
        -flag


def test_a_fractional_alpha_does_not_go_with_integers() -> None:
    with pytest.raises(DtypeError, match="argument alpha must not be a floating point number"):
        torch.add(torch.tensor([1]), torch.tensor([2]), alpha=1.5)


def test_shapes_that_do_not_broadcast_are_named_with_the_dimension() -> None:
    with pytest.raises(ShapeError) as caught:
        torch.ones(4, 2) * torch.ones(3)
    first, *rest = str(caught.value).splitlines()
    assert first == (
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"
    )
    assert "mul(input: float32[4, 2], other: float32[3])" in rest[0]


def test_an_inplace_result_must_fit_the_shape_and_the_dtype() -> None:
    x = torch.ones(3)
    with pytest.raises(ShapeError, match=r"output with shape \[3\] doesn't match .* \[2, 3\]"):
        x.add_(torch.ones(2, 3))
    n = torch.tensor([1])
    with pytest.raises(DtypeError, match=r"result type Float can't be cast to .* Long"):
        n.div_(2)
    with pytest.raises(DtypeError, match=r"result type Float can't be cast to .* Long"):
        n.exp_()
    assert x.tolist() == [1.0, 1.0, 1.0]
    assert n.tolist() == [1]


def test_extrema_share_the_gradient_of_equal_elements() -> None:
    for extremum in (torch.maximum, torch.minimum):
        a, b = leaf(1.0, 2.0), leaf(1.0, 5.0)
        extremum(a, b).sum().backward()
        assert (a.grad + b.grad).tolist() == [1.0, 1.0]
        assert a.grad[0] == 0.5


def test_fmax_gives_the_gradient_to_the_number_beside_nan() -> None:
    a, b = leaf(np.nan, 1.0), leaf(2.0, np.nan)
    torch.fmax(a, b).sum().backward()
    assert a.grad.tolist() == [0.0, 1.0]
    assert b.grad.tolist() == [1.0, 0.0]


def test_gradients_at_kinks_are_zero() -> None:
    for function in (torch.abs, torch.sign, torch.relu):
        x = leaf(0.0)
        function(x).sum().backward()
        assert x.grad.tolist() == [0.0]


def test_the_gradient_of_a_root_is_infinite_at_zero() -> None:
    x = leaf(0.0)
    x.sqrt().sum().backward()
    assert x.grad.tolist() == [np.inf]


def test_an_array_on_the_left_of_an_operator_gives_a_tensor() -> None:
    x = leaf(1.0, 2.0)
    for result, expected in (
        (np.array([3.0, 3.0]) - x, [2.0, 1.0]),
        (np.array([3.0, 3.0]) / x, [3.0, 1.5]),
        (np.array([3.0, 3.0]) ** x, [3.0, 9.0]),
    ):
        assert isinstance(result, torch.Tensor)
        assert result.tolist() == expected


def test_what_is_no_number_is_a_type_error() -> None:
    for other in (None, "a", [1.0]):
        with pytest.raises(TypeError):
            torch.ones(1) + other


def test_lerp_reaches_the_end_exactly_and_refuses_other_dtypes() -> None:
    start, end = torch.tensor([0.1, 1e8]), torch.tensor([0.7, 0.3])
    assert torch.lerp(start, end, 1.0).tolist() == end.tolist()
    with pytest.raises(DtypeError, match="expected dtype float for `end` but got dtype double"):
        torch.lerp(start, end.double(), 0.5)


def test_addcdiv_refuses_integers() -> None:
    one = torch.tensor([1])
    with pytest.raises(DtypeError, match="Integer division with addcdiv is no longer supported"):
        torch.addcdiv(one, one, one)


def test_dtypes_without_the_operation_are_named() -> None:
    with pytest.raises(
        UnsupportedDtypeError, match="\"bitwise_and_cpu\" not implemented for 'Float'"
    ):
        torch.ones(1) & 1
    with pytest.raises(NotImplementedError, match="\"lt_cpu\" not implemented for 'ComplexFloat'"):
        torch.lt(torch.tensor([1j]), 1)
    with pytest.raises(NotImplementedError, match=r"torch\.sgn instead"):
        torch.sign(torch.tensor([1j]))


def test_numbers_keep_their_values_where_warnings_are_errors() -> None:
    # the generated call replaces numbers by constants; a failing one must find them again
    assert (torch.tensor([0.0]) / 0.0).isnan().tolist() == [True]
    assert (torch.tensor([1.0]) / 0).tolist() == [np.inf]


@together()
@pytest.mark.parametrize(
    "name",
    [
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "hypot",
        "atan2",
        "logaddexp",
        "logical_and",
        "isclose",
        "heaviside",
    ],
)
def test_functions_of_tensors_alone_refuse_a_number(name):
    x = torch.tensor([1.0, 2.0])
    for arguments in ((x, 2), (2, x)):
        with pytest.raises(TypeError, match="must be Tensor, not int"):
            getattr(torch, name)(*arguments)
    variant = getattr(x, f"{name}_", None)
    if variant is not None:
        with pytest.raises(TypeError, match="must be Tensor, not int"):
            variant(2)
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize(("base", "power"), [(2, 0), (1, 1), (-1, -1)])
def test_an_integer_to_a_negative_tensor_keeps_its_whole_part(base: int, power: int) -> None:
    assert (base ** torch.tensor(-1)).item() == power
    assert (torch.tensor([base]) ** torch.tensor(-1)).tolist() == [power]
