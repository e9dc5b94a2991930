from __future__ import annotations

import math

import pytest

import pellucid as torch
from pellucid.errors import DtypeError, ShapeError


def test_where_alone_gives_indices() -> None:
    rows, columns = torch.where(torch.tensor([[False, True], [True, False]]))
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]


def test_where_takes_numbers_on_either_side_or_on_both() -> None:
    condition, x = torch.tensor([True, False]), torch.tensor([5, 6])
    assert torch.where(condition, x, 2.5).tolist() == [5.0, 2.5]
    assert torch.where(condition, 0, x).tolist() == [0, 6]
    assert torch.where(condition, 1, 2).dtype == torch.int64
    assert torch.where(condition, 1.0, 2).dtype == torch.float32
    assert x.where(condition, 0).tolist() == [5, 0]


def test_where_wants_a_boolean_condition_and_both_values() -> None:
    x = torch.ones(2)
    with pytest.raises(DtypeError, match="got a tensor with dtype Float"):
        torch.where(x, x, x)
    with pytest.raises(TypeError):
        torch.where(x > 0, x)


def test_where_keeps_what_is_not_chosen_out_of_the_gradient() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(x > 0, x, 1.0).sqrt().sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]


def test_bounds_of_clamp_pass_the_gradient_on() -> None:
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    x.clamp(-1, 1).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_tensors_as_bounds_take_the_gradient_of_what_they_bound() -> None:
    x = torch.tensor([-2.0, 0.0, 2.0])
    low = torch.tensor(-1.0, requires_grad=True)
    high = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
    x.clamp(low, high).sum().backward()
    assert low.grad.item() == 1.0
    assert high.grad.tolist() == [0.0, 0.0, 1.0]


def test_the_upper_bound_wins_over_the_lower() -> None:
    assert torch.tensor([1.0, 5.0]).clamp(3, 2).tolist() == [2.0, 2.0]


def test_clamp_without_a_bound_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        torch.ones(2).clamp()


def test_clamping_integers_by_fractions_gives_floats_but_not_in_place() -> None:
    n = torch.tensor([0, 3])
    assert n.clamp(0.5).tolist() == [0.5, 3.0]
    with pytest.raises(DtypeError, match="can't be cast"):
        n.clamp_(0.5)


def test_filling_keeps_the_dtype() -> None:
    mask = torch.tensor([True, False])
    filled = torch.tensor([3, 4]).masked_fill(mask, 1.5)
    assert filled.tolist() == [1, 4]
    assert filled.dtype == torch.int64
    assert torch.ones(2).masked_fill(mask, -math.inf).tolist() == [-math.inf, 1.0]


def test_filling_broadcasts_out_of_place_only() -> None:
    mask = torch.tensor([[True, False]])
    assert torch.ones(1).masked_fill(mask, 0).tolist() == [[0.0, 1.0]]
    with pytest.raises(ShapeError, match="doesn't match the broadcast shape"):
        torch.ones(1).masked_fill_(mask, 0)


def test_filling_wants_a_boolean_mask_and_one_value() -> None:
    x = torch.ones(2)
    with pytest.raises(DtypeError, match="only supports boolean masks"):
        x.masked_fill(torch.tensor([1, 0]), 0)
    with pytest.raises(ShapeError, match="only supports a 0-dimensional value tensor"):
        x.masked_fill(torch.tensor([True, False]), torch.ones(1))


def test_the_value_filled_in_has_a_gradient() -> None:
    value = torch.tensor(2.0, requires_grad=True)
    torch.ones(3).masked_fill(torch.tensor([True, False, True]), value).sum().backward()
    assert value.grad.item() == 2.0


def test_what_is_not_finite_is_replaced_and_has_no_gradient() -> None:
    x = torch.tensor([math.nan, math.inf, -math.inf, 1.0], requires_grad=True)
    y = torch.nan_to_num(x, nan=2.0, posinf=3.0)
    assert y.tolist() == [2.0, 3.0, pytest.approx(-3.4028235e38), 1.0]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_number_has_one_slice_to_select() -> None:
    number = torch.tensor(3.0)
    assert number.index_select(0, torch.tensor([0])).item() == 3.0
    for positions in ([0, 0], []):
        with pytest.raises(RuntimeError, match="Index to scalar can have only 1 value"):
            number.index_select(0, torch.tensor(positions, dtype=torch.int64))


def test_filling_a_number_at_no_index_leaves_it() -> None:
    number = torch.tensor(3.0)
    assert number.index_fill(0, torch.tensor([], dtype=torch.int64), 7).item() == 3.0
    assert number.index_fill(0, torch.tensor([-1, 0]), 7).item() == 7.0
    with pytest.raises(IndexError, match="index 1 is out of bounds for dimension 0 with size 1"):
        number.index_fill_(0, torch.tensor([1]), 7)
    assert number.item() == 3.0


def test_slices_of_a_vector_do_not_go_into_a_number() -> None:
    number, index = torch.tensor(3.0), torch.tensor([0])
    for call in (
        lambda: number.index_add(0, index, torch.ones(1)),
        lambda: number.index_reduce(0, index, torch.ones(1), "prod"),
        lambda: torch.zeros(2).index_reduce(0, index, torch.tensor(1.0), "prod"),
    ):
        with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
            call()
