"""Calls of ops: what is recorded, saved, written in place and refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pellucid as torch
import pellucid.nn.functional as F
from pellucid.autograd import forward_ad
from pellucid.core.definition.op import Tensors, registry
from pellucid.core.families import elementwise, multilinear, op
from pellucid.ops.elementwise import arithmetic
from pellucid.shapes import Like


@pytest.fixture
def own_ops() -> Iterator[None]:
    """Take the ops that a test defines out of the registry afterwards."""
    before = dict(registry)
    yield
    registry.clear()
    registry.update(before)


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def saved_names(tensor: torch.Tensor) -> list[str]:
    return tensor.grad_fn.plan.saved_names


# ---- sequences of tensors, several outputs, optional tensors, numbers ---------------------------


def test_cat_gives_each_tensor_its_part_of_the_gradient_and_saves_no_values() -> None:
    a, b, constant = leaf(1, 2), leaf(3), torch.tensor([4.0])
    joined = torch.cat([a, constant, b])
    (joined * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert a.grad.tolist() == [1, 2]
    assert b.grad.tolist() == [4]
    assert constant.grad is None


def test_the_same_tensor_may_stand_twice_in_a_sequence() -> None:
    a = leaf(1, 2)
    (torch.cat([a, a]) * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert a.grad.tolist() == [4, 6]


def test_unbind_takes_outputs_whose_gradient_never_came_as_zero() -> None:
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    _, second, third = x.unbind()
    (second * 2 + third).sum().backward()
    assert x.grad.tolist() == [[0, 0], [2, 2], [1, 1]]
    assert second.grad_fn is third.grad_fn
    assert (second.output_nr, third.output_nr) == (1, 2)


def test_max_has_values_with_a_gradient_and_indices_without() -> None:
    x = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
    values, indices = x.max(dim=1)
    assert values.requires_grad
    assert not indices.requires_grad
    assert indices.dtype is torch.int64
    values.sum().backward()
    assert x.grad.tolist() == [[0, 1], [1, 0]]


def test_the_indices_of_max_may_be_changed_in_place_only_at_the_price_of_the_gradient() -> None:
    x = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
    values, indices = x.max(dim=1)
    indices.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        values.sum().backward()


def test_linear_takes_its_bias_or_none() -> None:
    x, weight, bias = torch.ones(2, 3), torch.ones(4, 3, requires_grad=True), leaf(1, 2, 3, 4)
    F.linear(x, weight).sum().backward()
    assert weight.grad.tolist() == [[2.0] * 3] * 4
    F.linear(x, weight, bias).sum().backward()
    assert bias.grad.tolist() == [2.0] * 4


@pytest.mark.parametrize("number", [3, 3.0, np.float64(3), np.int32(3)])
def test_a_number_as_operand_takes_the_dtype_of_the_tensor(number: Any) -> None:
    x = leaf(1, 2)
    for y, factor in ((x * number, float(number)), (number * x, float(number))):
        assert y.dtype is torch.float32
        [gradient] = torch.autograd.grad(y.sum(), x)
        assert gradient.tolist() == [factor, factor]
    assert (number - x).tolist() == [number - 1, number - 2]
    assert (number / x).tolist() == [number, number / 2]


def test_a_number_of_a_higher_kind_decides_the_dtype() -> None:
    whole = torch.tensor([1, 2])
    assert (whole * 2.5).dtype is torch.float32
    assert (whole * 2.5).tolist() == [2.5, 5.0]
    assert (leaf(1, 2) * 1j).dtype is torch.complex64


# ---- in place -----------------------------------------------------------------------------------


def test_mul_in_place_keeps_the_old_value_that_the_other_factor_wants() -> None:
    a, b = leaf(2, 3), leaf(5, 7)
    x = a * 1
    x.mul_(b)
    x.sum().backward()
    assert a.grad.tolist() == [5, 7]
    assert b.grad.tolist() == [2, 3]


def test_a_tensor_multiplied_in_place_by_itself_has_lost_the_factor() -> None:
    a = leaf(2, 3)
    x = a * 1
    x.mul_(x)
    assert x.tolist() == [4, 9]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        x.sum().backward()


def test_a_change_of_a_view_reaches_its_base_and_every_other_view() -> None:
    a, b = leaf(1, 2, 3, 4), leaf(10, 20)
    base = a * 1
    first, second = base.view(2, 2), base[1:3]
    second.mul_(b)
    assert base.tolist() == [1, 20, 60, 4]
    (first * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert a.grad.tolist() == [1, 20, 60, 4]
    assert b.grad.tolist() == [4, 9]


def test_a_view_of_a_view_is_a_view_of_the_base() -> None:
    a = leaf(1, 2, 3, 4)
    base = a * 1
    base.view(2, 2).t()[0].mul_(10)
    assert base.tolist() == [10, 2, 30, 4]
    base.sum().backward()
    assert a.grad.tolist() == [10, 1, 10, 1]


def test_what_is_saved_is_guarded_by_the_version_also_through_a_view() -> None:
    a = leaf(1, 2)
    x = a * 1
    y = x * x
    x[0] = 5.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    assert a.grad is None


# ---- outputs without gradient, values kept for backward only, state -----------------------------


def test_an_integer_result_has_no_history() -> None:
    x = leaf(3, 1, 2)
    assert not x.argsort().requires_grad
    assert not (x > 1).requires_grad
    assert (x > 1).grad_fn is None


def test_dropout_goes_back_through_the_mask_it_went_forward_through() -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, requires_grad=True)
    y = F.dropout(x, 0.25)
    y.sum().backward()
    assert 600 < int((y != 0).sum()) < 900
    assert x.grad.tolist() == y.tolist()


def test_max_pooling_goes_back_to_where_each_maximum_was() -> None:
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    F.max_pool2d(x, 2).sum().backward()
    assert x.grad.nonzero()[:, 2:].tolist() == [[1, 1], [1, 3], [3, 1], [3, 3]]


def test_batch_norm_updates_its_running_statistics_and_not_through_the_graph() -> None:
    torch.manual_seed(0)
    x = torch.randn(8, 2, requires_grad=True)
    mean, var = torch.zeros(2), torch.ones(2)
    y = F.batch_norm(x, mean, var, training=True, momentum=0.1)
    expected = x.detach().numpy()
    np.testing.assert_allclose(mean.numpy(), 0.1 * expected.mean(0), rtol=1e-5)
    np.testing.assert_allclose(var.numpy(), 0.9 + 0.1 * expected.var(0, ddof=1), rtol=1e-5)
    assert not mean.requires_grad
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.zeros((8, 2)), atol=1e-5)


def test_running_statistics_may_change_between_forward_and_backward() -> None:
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    mean, var = torch.zeros(2), torch.ones(2)
    first = F.batch_norm(x, mean, var, training=True)
    F.batch_norm(x * 2, mean, var, training=True)
    first.pow(2).sum().backward()
    assert x.grad is not None


# ---- what is saved ------------------------------------------------------------------------------


def test_only_what_a_needed_gradient_asks_for_is_saved() -> None:
    a, b, constant = leaf(1, 2), leaf(3, 4), torch.tensor([5.0, 6.0])
    assert sorted(saved_names(a * b)) == ["input", "other"]
    assert saved_names(a * constant) == ["other"]
    assert saved_names(constant * b) == ["input"]
    assert saved_names(a + b) == []
    assert saved_names(a.exp()) == ["out"]


def test_what_is_not_saved_may_be_changed() -> None:
    a, constant = leaf(1, 2), torch.tensor([5.0, 6.0])
    x = a + 1
    y = x * constant
    x.add_(1)
    y.sum().backward()
    assert a.grad.tolist() == [5, 6]


def test_the_value_that_is_saved_is_the_array_itself_not_a_copy() -> None:
    a, b = leaf(1, 2), leaf(3, 4)
    node = (a * b).grad_fn
    assert {id(entry[0]) for entry in node.saved} == {id(a._array), id(b._array)}


# ---- complex numbers, forward mode --------------------------------------------------------------


def test_the_gradient_by_a_complex_number_points_uphill() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2 + 4j, 6 - 2j]


def test_a_real_factor_of_a_complex_product_gets_a_real_gradient() -> None:
    x = leaf(2, 3)
    z = torch.tensor([1 + 2j, 3 - 1j])
    (x * z).real.sum().backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.tolist() == [1, 3]


def test_forward_over_reverse_gives_a_column_of_the_hessian() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.requires_grad_(), torch.tensor([0.0, 1.0, 0.0]))
        [gradient] = torch.autograd.grad((dual**3).sum() * dual[0], dual, create_graph=True)
        column = forward_ad.unpack_dual(gradient).tangent
    # f = (x0^3 + x1^3 + x2^3) x0, so its mixed second derivative by x0, x1 is 3 x1^2
    assert column.tolist() == [12, 12, 0]


# ---- mistakes in a definition are found when it is read -----------------------------------------


def test_a_derivative_that_asks_for_an_unknown_name_is_told_what_it_may_ask_for(
    own_ops: None,
) -> None:
    @elementwise
    def twice(be: Any, input: Any, /, factor: float = 2.0) -> Any:
        return be.multiply(input, factor)

    with pytest.raises(TypeError) as caught:

        @twice.vjp("input")
        def twice_input(g: Any, scale: float) -> Any:
            return g * scale

    assert "twice_input of twice asks for 'scale'" in str(caught.value)
    for name in ("factor", "g", "input", "out"):
        assert name in str(caught.value)


def test_a_derivative_by_an_unknown_operand_is_refused(own_ops: None) -> None:
    @multilinear
    def product(be: Any, input: Any, other: Any, /) -> Any:
        return be.multiply(input, other)

    with pytest.raises(TypeError, match="product has no operand 'weight'; it has input, other"):

        @product.vjp("weight")
        def product_weight(g: Any) -> Any:
            return g


def test_an_op_without_derivative_says_so_when_one_is_needed(own_ops: None) -> None:
    @op
    def mystery(be: Any, input: Any, /) -> Any:
        return be.array(input)

    assert mystery(torch.ones(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="the derivative for 'mystery' is not implemented"):
        mystery(leaf(1, 2)).sum().backward()


def test_a_new_op_needs_its_definition_and_nothing_else(own_ops: None) -> None:
    @elementwise
    def cube(be: Any, input: Any, /) -> Any:
        return be.power(input, 3)

    @cube.partial("input")
    def cube_partial(input: Any) -> Any:
        return arithmetic.mul(input, input) * 3

    x = leaf(2, 3)
    y = cube(x)
    assert y.grad_fn.name() == "CubeBackward0"
    [first] = torch.autograd.grad(y.sum(), x, create_graph=True)
    [second] = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == [12, 27]
    assert second.tolist() == [12, 18]


def test_an_op_of_a_sequence_may_be_defined_by_anyone(own_ops: None) -> None:
    @op
    def total(be: Any, tensors: Tensors, /) -> Any:
        return sum(tensors)

    @total.vjp("tensors")
    def total_tensors(g: Any, tensors: Like) -> Any:
        return [None if like is None else g for like in tensors]

    a, b = leaf(1, 2), leaf(3, 4)
    total([a, torch.ones(2), b]).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([1, 1], [1, 1])


def test_a_change_in_place_of_complex_numbers_conjugates_as_the_op_does() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = z * 1
    x.mul_(1j)
    x.real.sum().backward()
    assert z.grad.tolist() == [-1j, -1j]


def test_a_change_of_the_real_part_reaches_the_complex_numbers() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = z * 1
    x.real.mul_(2)
    assert x.tolist() == [2 + 2j, 6 - 1j]
    x.real.sum().backward()
    assert z.grad.tolist() == [2, 2]


def test_a_change_of_pairs_seen_as_complex_numbers_reaches_the_pairs() -> None:
    pairs = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    x = pairs * 1
    torch.view_as_complex(x).mul_(1j)
    assert x.tolist() == [[-2, 1], [-4, 3]]
    (x * torch.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert pairs.grad.tolist() == [[10, -1], [1000, -100]]


def test_a_comparison_in_place_cuts_the_gradient_off() -> None:
    a = leaf(1, 2)
    x = a * 3
    x.gt_(4)
    assert x.tolist() == [0, 1]
    assert x.requires_grad
    (x * a).sum().backward()
    assert a.grad.tolist() == [0, 1]


def test_truth_values_are_refused_where_there_is_no_such_operation() -> None:
    truth = torch.tensor([True, False])
    for refused in (
        lambda: truth**truth,
        lambda: True**truth,
        lambda: torch.median(truth),
        lambda: torch.median(truth, 0),
        lambda: torch.kthvalue(truth, 1),
        lambda: truth.clamp(True),
        lambda: truth.clamp_(max=False),
        lambda: torch.lerp(truth, truth, 0.5),
        lambda: torch.lerp(torch.tensor([1]), torch.tensor([2]), 0.5),
    ):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            refused()
    assert (truth**True).tolist() == [True, False]
    assert (truth**False).tolist() == [True, True]
    assert truth.clamp(torch.tensor(True)).tolist() == [True, True]


def test_results_that_have_no_place_in_the_tensor_are_refused_before_writing() -> None:
    truth, number = torch.tensor([True]), torch.tensor([1j])
    with pytest.raises(RuntimeError, match="result type Long can't be cast to the desired output"):
        truth.square_()
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex tensors"):
        number.abs_()
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
        number.relu_()
    assert truth._version == number._version == 0
    assert number.item() == 1j


def test_errors_are_of_the_class_that_pytorch_raises() -> None:
    a = torch.ones(2, 3, requires_grad=True)
    for error, wrong in (
        (NotImplementedError, lambda: torch.bincount(a)),
        (RuntimeError, lambda: torch.norm(a, p="bad")),
        (RuntimeError, lambda: torch.autograd.grad(a.sum(), "x")),
        (RuntimeError, lambda: torch.nn.functional.cosine_similarity(a, torch.ones(4))),
        (TypeError, lambda: torch.FloatTensor(torch.tensor([1, 2]))),
    ):
        with pytest.raises(error):
            wrong()


@pytest.mark.filterwarnings("ignore:var")
def test_the_variance_of_one_number_has_a_constant_gradient() -> None:
    x = torch.ones(1, requires_grad=True)
    (g,) = torch.autograd.grad(x.var(), x, create_graph=True)
    assert g.isnan().all()
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [0.0]


def test_a_number_is_its_own_matrix_transpose() -> None:
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="deprecated on 0-D tensors"):
            assert torch.tensor(2.0).mT.item() == 2.0
    finally:
        torch.set_warn_always(False)
