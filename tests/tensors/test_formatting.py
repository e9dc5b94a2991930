"""The text of tensors, as strings that anyone can check by eye."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pellucid.tensors.formatting import format_item, format_tensor
from pellucid.tensors.print_options import (
    PrintOptions,
    get_printoptions,
    print_options,
    printoptions,
    set_printoptions,
)


def text_of(array: np.ndarray, **extra: Any) -> str:
    facts = {
        "dtype_name": f"torch.{array.dtype.name}",
        "default_dtype_name": "torch.float32",
        "requires_grad": False,
        "grad_fn_name": None,
    }
    return format_tensor(array, **{**facts, **extra})


@pytest.fixture
def restored_options() -> Iterator[None]:
    before = get_printoptions()
    yield
    set_printoptions(**before)


def float32(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def test_floats_have_four_digits() -> None:
    assert text_of(float32(0.1, -2.0, 3.14159265)) == "tensor([ 0.1000, -2.0000,  3.1416])"


def test_whole_floats_end_in_a_point() -> None:
    assert text_of(float32(1, -20, 300)) == "tensor([  1., -20., 300.])"


def test_whole_floats_keep_special_values_without_a_point() -> None:
    assert text_of(float32(1, np.nan, np.inf)) == "tensor([1., nan, inf])"


def test_wide_ranges_are_scientific() -> None:
    assert text_of(float32(1e-5, 1)) == "tensor([1.0000e-05, 1.0000e+00])"


def test_a_range_of_a_thousand_is_not_yet_scientific() -> None:
    assert text_of(float32(0.5, 500)) == "tensor([  0.5000, 500.0000])"


def test_numbers_beyond_a_hundred_million_are_scientific() -> None:
    assert text_of(float32(2e8)) == "tensor([2.0000e+08])"
    assert text_of(float32(1e8)) == "tensor([100000000.])"


def test_a_scalar_has_no_brackets() -> None:
    assert text_of(np.array(1.5, np.float32)) == "tensor(1.5000)"
    assert text_of(np.array(7)) == "tensor(7)"


def test_integers_and_truth_values_line_up() -> None:
    assert text_of(np.array([1, -10, 100])) == "tensor([  1, -10, 100])"
    assert text_of(np.array([True, False])) == "tensor([ True, False])"


def test_complex_numbers_have_two_formats() -> None:
    array = np.array([1 + 2j, -0.5 - 10j], np.complex64)
    assert text_of(array) == "tensor([ 1.0000+2.j, -0.5000-10.j])"


def test_unusual_dtypes_are_named() -> None:
    assert text_of(np.array([1.0])) == "tensor([1.], dtype=torch.float64)"
    assert text_of(np.array([1], np.int32)) == "tensor([1], dtype=torch.int32)"
    assert text_of(np.array([1.0]), default_dtype_name="torch.float64") == "tensor([1.])"


def test_an_empty_tensor_tells_its_size_and_dtype() -> None:
    assert text_of(float32()) == "tensor([])"
    assert text_of(np.zeros((0, 3), np.float32)) == "tensor([], size=(0, 3))"
    assert text_of(np.zeros(0, np.int64)) == "tensor([], dtype=torch.int64)"


def test_a_matrix_has_a_row_per_line() -> None:
    assert text_of(np.eye(2, dtype=np.float32)) == "tensor([[1., 0.],\n        [0., 1.]])"


def test_blocks_are_separated_by_empty_lines() -> None:
    expected = "tensor([[[0]],\n\n        [[1]]])"
    assert text_of(np.arange(2).reshape(2, 1, 1)) == expected


def test_a_long_row_is_wrapped() -> None:
    expected = (
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19])"
    )
    assert text_of(np.arange(20)) == expected


def test_a_large_tensor_shows_its_edges() -> None:
    assert text_of(np.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    expected = (
        "tensor([[1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        ...,\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.]])"
    )
    assert text_of(np.ones((50, 50), np.float32)) == expected


def test_of_many_elements_only_those_that_are_printed_are_looked_at() -> None:
    array = np.broadcast_to(np.float32(1), (1_000_000, 10_000_000))  # to read all takes hours
    assert "..." in text_of(array)


def test_history_is_named() -> None:
    assert text_of(float32(1), requires_grad=True) == "tensor([1.], requires_grad=True)"
    text = text_of(float32(1), requires_grad=True, grad_fn_name="MulBackward0")
    assert text == "tensor([1.], grad_fn=<MulBackward0>)"


def test_a_suffix_that_does_not_fit_begins_a_new_line() -> None:
    text = text_of(np.arange(9, dtype=np.float32) + 0.5, grad_fn_name="MulBackward0")
    expected = (
        "tensor([0.5000, 1.5000, 2.5000, 3.5000, 4.5000, 5.5000, 6.5000, 7.5000, 8.5000],\n"
        "       grad_fn=<MulBackward0>)"
    )
    assert text == expected


def test_a_parameter_says_so() -> None:
    text = text_of(float32(1), requires_grad=True, is_parameter=True)
    assert text == "Parameter containing:\ntensor([1.], requires_grad=True)"


def test_a_device_comes_first_and_a_tangent_last() -> None:
    text = text_of(np.array([1.0]), device="cuda:0", tangent="tensor([0.])")
    assert text == "tensor([1.], device='cuda:0', dtype=torch.float64, tangent=tensor([0.]))"


def test_views_in_any_order_print_their_values() -> None:
    array = np.arange(6).reshape(2, 3)
    assert text_of(array.T) == text_of(array.T.copy())
    assert text_of(array[:, ::-1]) == "tensor([[2, 1, 0],\n        [5, 4, 3]])"


def test_options_of_one_call_leave_the_others_alone() -> None:
    assert text_of(float32(0.5), options=PrintOptions(precision=1)) == "tensor([0.5])"
    assert text_of(float32(0.5)) == "tensor([0.5000])"


@pytest.mark.usefixtures("restored_options")
def test_set_printoptions_acts_on_later_prints() -> None:
    set_printoptions(precision=2)
    assert text_of(float32(0.5)) == "tensor([0.50])"
    set_printoptions(sci_mode=True)
    assert text_of(float32(0.5)) == "tensor([5.00e-01])"
    set_printoptions()
    assert text_of(float32(0.5)) == "tensor([0.50])"


@pytest.mark.usefixtures("restored_options")
def test_profiles_are_presets_that_arguments_refine() -> None:
    set_printoptions(profile="short", linewidth=100)
    assert print_options == PrintOptions(precision=2, edgeitems=2, linewidth=100)
    set_printoptions(profile="full")
    assert print_options == PrintOptions(threshold=float("inf"))
    set_printoptions(profile="default")
    assert print_options == PrintOptions()


@pytest.mark.usefixtures("restored_options")
def test_an_unknown_profile_is_ignored() -> None:
    set_printoptions(profile="long", precision=1)
    assert print_options == PrintOptions(precision=1)


def test_printoptions_ends_with_its_block_even_after_an_error() -> None:
    def fail_inside() -> None:
        with printoptions(precision=1):
            assert print_options.precision == 1
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert print_options == PrintOptions()


def test_one_element_formats_as_its_python_number() -> None:
    assert format_item(np.array(2 / 3), ".3f") == "0.667"
    assert format_item(np.array(5), "4d") == "   5"
    assert format_item(np.array(True), "") == "True"
