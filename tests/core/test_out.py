"""``out=``: results written into tensors that are there already."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch


def test_the_result_is_written_into_the_memory_of_out():
    target = torch.zeros(3)
    address = target.data_ptr()
    returned = torch.add(torch.ones(3), torch.ones(3), alpha=2, out=target)
    assert returned is target
    assert target.data_ptr() == address
    assert target.tolist() == [3.0, 3.0, 3.0]


def test_out_may_be_a_part_of_another_tensor():
    whole = torch.zeros(2, 3)
    torch.exp(torch.zeros(3), out=whole[1])
    assert whole.tolist() == [[0.0] * 3, [1.0] * 3]


def test_an_empty_tensor_takes_the_shape_of_the_result():
    target = torch.empty(0)
    torch.mm(torch.ones(2, 3), torch.ones(3, 4), out=target)
    assert target.tolist() == [[3.0] * 4] * 2


def test_another_shape_is_changed_with_a_warning():
    target = torch.zeros(2)
    with pytest.warns(UserWarning, match=r"was resized since it had shape \[2\]") as caught:
        torch.add(torch.ones(3), 1, out=target)
    assert caught[0].filename == __file__
    assert target.shape == (3,)


def test_writing_counts_as_a_change_in_place():
    x = torch.ones(3, requires_grad=True)
    y = torch.zeros(3)
    loss = (x * y).sum()
    torch.mul(torch.ones(3), 2.0, out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_two_results_go_into_two_tensors():
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.int64)
    returned = torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1, out=(values, indices))
    assert values.tolist() == [5.0, 7.0]
    assert indices.tolist() == [1, 0]
    assert returned.values is values
    assert returned.indices is indices


def test_a_composite_takes_out_too():
    target = torch.empty(())
    assert torch.std(torch.tensor([1.0, 3.0]), out=target) is target
    assert target.item() == pytest.approx(2**0.5)


def test_functions_that_make_tensors_take_the_dtype_of_out():
    target = torch.empty(0, dtype=torch.int64)
    torch.zeros(2, 2, out=target)
    assert target.dtype == torch.int64
    assert target.shape == (2, 2)


def test_a_larger_dtype_of_the_same_category_takes_the_result():
    target = torch.empty(2, dtype=torch.float64)
    torch.exp(torch.tensor([0, 0]), out=target)
    assert target.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda out: torch.exp(torch.ones(2), out=out),
            "result type Float can't be cast to the desired output type Long",
        ),
        (
            lambda out: torch.mm(torch.ones(1, 2), torch.ones(2, 1), out=out),
            "Expected out tensor to have dtype float, but got long instead",
        ),
        (
            lambda out: torch.all(torch.ones(2, 2), 1, out=out),
            "all only supports bool tensor for result, got: Long",
        ),
    ],
    ids=["casting", "exact", "truth"],
)
def test_a_dtype_that_cannot_hold_the_result_is_refused_before_anything_is_written(call, sentence):
    target = torch.full((2,), 7)
    with pytest.raises(RuntimeError) as caught:
        call(target)
    assert str(caught.value).startswith(sentence)
    assert "test_out.py" in str(caught.value)
    assert target.tolist() == [7, 7]


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8])
def test_whether_all_are_true_may_be_a_byte(dtype):
    target = torch.empty(2, dtype=dtype)
    assert torch.all(torch.tensor([[1.0, 2.0], [0.0, 1.0]]), 1, out=target) is target
    assert target.tolist() == [1, 0]
    assert torch.any(torch.zeros(2, 2), 1, out=target).tolist() == [0, 0]


@pytest.mark.parametrize("which", ["operand", "out"])
def test_a_gradient_that_would_be_lost_is_refused(which):
    operand = torch.ones(2, requires_grad=which == "operand")
    target = torch.zeros(2, requires_grad=which == "out")
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.add(operand, 1, out=target)
    with torch.no_grad():
        torch.add(operand, 1, out=target)
    assert target.tolist() == [2.0, 2.0]


def test_out_that_overlaps_an_operand_in_part_is_refused():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        torch.add(x[1:], x[:-1], out=x[1:])


def test_out_that_is_an_operand_is_allowed():
    x = torch.arange(3.0)
    torch.add(x, x, out=x)
    assert x.tolist() == [0.0, 2.0, 4.0]
    torch.mul(torch.ones(3), x, out=x)
    assert x.tolist() == [0.0, 2.0, 4.0]


def test_an_expanded_out_is_refused():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.add(torch.ones(3), 1, out=torch.zeros(1).expand(3))


@pytest.mark.parametrize("out", [3, [1.0], (torch.zeros(2), torch.zeros(2))])
def test_out_that_is_no_tensor_is_refused(out):
    with pytest.raises(TypeError, match="argument 'out' must be"):
        torch.add(torch.ones(2), 1, out=out)


def test_methods_and_functions_without_it_in_pytorch_do_not_take_out():
    with pytest.raises(TypeError):
        torch.ones(2).add(1, out=torch.zeros(2))
    with pytest.raises(TypeError):
        torch.relu(torch.ones(2), out=torch.zeros(2))


@pytest.mark.parametrize("module", ["linalg", "fft", "special"])
def test_the_other_modules_take_out(module):
    call = {
        "linalg": lambda **k: torch.linalg.det(torch.eye(2), **k),
        "fft": lambda **k: torch.fft.fft(torch.ones(4), **k),
        "special": lambda **k: torch.special.expit(torch.zeros(3), **k),
    }[module]
    expected = call()
    target = torch.empty(0, dtype=expected.dtype)
    assert call(out=target) is target
    assert torch.equal(target, expected)


@pytest.mark.parametrize("bounds", [
    {"min": 0.0}, {"max": 0.5}, {"min": torch.zeros(3)}, {"max": torch.zeros(3)},
])  # fmt: skip
def test_clamp_writes_what_one_bound_makes(bounds: dict[str, Any]) -> None:
    x, out = torch.tensor([-1.0, 0.25, 2.0]), torch.empty(3)
    assert torch.clamp(x, **bounds, out=out) is out
    assert torch.equal(out, torch.clamp(x, **bounds))
