"""What an op declares beside its body: wrong words are refused when the op is made."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import numpy as np
import pytest

import pellucid as torch
import pellucid.func
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import (
    COMMON,
    FLOAT_MATH,
    LIKE_FIRST,
    NUMBER_SECOND,
    OWN,
    TENSORS,
)
from pellucid.core.definition.op import registry
from pellucid.core.definition.public import public
from pellucid.core.families import elementwise, linear, op
from pellucid.interpreters.vmap.dispatch import kinds


@pytest.fixture(autouse=True)
def registry_of_before() -> Iterator[None]:
    """Forget the ops that a test declares."""
    before = dict(registry)
    yield
    registry.clear()
    registry.update(before)


def body(be, input, other, /):
    return be.add(input, other)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dtypes": COMMON.among("inptu")}, "names 'inptu', which is not an operand"),
        ({"dtypes": COMMON.numbers_for("others")}, "names 'others', which is not an operand"),
        ({"half": "widened"}, "half='widened' is none of 'upcast', 'native', 'bitwise'"),
        ({"kernel": "ad"}, "no kernel 'ad'"),
        ({"bacth": Batch.ELEMENTWISE}, "unexpected keyword argument 'bacth'"),
        ({"batch": "elementwise"}, "batch='elementwise' is no Batch"),
        ({"autocast": "lower"}, "autocast='lower' is no Autocast"),
    ],
)
def test_a_fact_in_a_wrong_word_is_refused_when_the_op_is_made(options, sentence) -> None:
    with pytest.raises(TypeError, match=sentence):
        op(**options)(body)


def test_every_kind_of_batching_has_a_rule() -> None:
    assert set(kinds) == set(Batch)


ints, floats = torch.tensor([1, 2]), torch.tensor([0.5, 1.5], dtype=torch.float64)


@pytest.mark.parametrize(
    ("rule", "operands", "dtype"),
    [
        (COMMON, (ints, floats), torch.float64),
        (COMMON, (ints, 2), torch.int64),
        (COMMON, (ints, 0.5), torch.float32),
        (FLOAT_MATH, (ints, ints), torch.float32),
        (FLOAT_MATH, (floats, ints), torch.float64),
        (LIKE_FIRST, (ints, ints.to(torch.int32)), torch.int64),
        (LIKE_FIRST, (ints.to(torch.int32), ints), torch.int32),
        (NUMBER_SECOND, (floats, 2), torch.float64),
        (COMMON.floats_if(lambda: False), (ints, ints), torch.int64),
    ],
)
def test_operands_are_computed_in_the_dtype_that_the_rule_gives(rule, operands, dtype) -> None:
    assert elementwise(dtypes=rule)(body)(*operands).dtype == dtype


@pytest.mark.parametrize(
    ("rule", "operands"),
    [(TENSORS, (ints, 2)), (NUMBER_SECOND, (2, ints)), (OWN.without_numbers(), (ints, 2))],
)
def test_a_number_is_refused_where_the_rule_takes_tensors(rule, operands) -> None:
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        elementwise(dtypes=rule)(body)(*operands)


def test_operands_that_keep_their_dtypes_do_not_meet() -> None:
    seen = []

    def looking(be, input, other, /):
        seen.append((input.dtype, other.dtype))
        return input

    op(dtypes=OWN)(looking)(floats, ints)
    assert seen == [(np.dtype(np.float64), np.dtype(np.int64))]


def test_an_op_with_a_kernel_needs_no_body() -> None:
    @elementwise(kernel="hypot")
    def hypotenuse(be, input, other, /):
        """Return the length of the longest side."""

    assert hypotenuse(torch.tensor(3.0), 4).item() == 5.0
    assert hypotenuse.__doc__ == "Return the length of the longest side."


def test_an_op_of_a_declared_kind_is_batched_without_a_rule_of_its_own() -> None:
    @linear(batch=Batch.ELEMENTWISE, kernel="negative")
    def opposite(be, input, /):
        """Return the opposite."""

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert torch.equal(torch.vmap(opposite)(x), -x)


def test_an_op_that_declares_a_policy_is_cast_by_autocast() -> None:
    @op(autocast=Autocast.LOWER)
    def total(be, input, /):
        return be.sum(input)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert total(torch.ones(3)).dtype == torch.bfloat16
    assert total(torch.ones(3)).dtype == torch.float32


def test_a_composite_takes_its_policy_along() -> None:
    @autocasts(Autocast.FLOAT32)
    def function(input):
        return input

    assert function.autocast is Autocast.FLOAT32


def test_an_order_that_leaves_an_argument_out_is_refused() -> None:
    with pytest.raises(TypeError, match=r"order= of body must name each of input, other once"):
        op(order=("input",))(body)


def test_arguments_come_in_the_order_that_the_op_declares() -> None:
    @op(order=("input", "times", "other"))
    def scaled_sum(be, input, other, /, times, *, sign=1):
        """Return ``input + sign * times * other``."""
        return be.add(input, be.multiply(other, sign * times))

    @scaled_sum.vjp("input")
    def scaled_sum_input(g):
        return g

    @scaled_sum.vjp("other")
    def scaled_sum_other(g, times, sign):
        return g * (sign * times)

    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    assert list(inspect.signature(scaled_sum).parameters) == ["input", "times", "other", "sign"]
    assert scaled_sum(x, 2, y).tolist() == [7.0, 10.0]
    assert scaled_sum(other=y, input=x, times=2, sign=-1).tolist() == [-5.0, -6.0]
    x.requires_grad_(False)
    y.requires_grad_()
    scaled_sum(x, 2, y).sum().backward()
    assert y.grad.tolist() == [2.0, 2.0]
    _, tangent = torch.func.jvp(lambda y: scaled_sum(x, 3, y), (y.detach(),), (torch.ones(2),))
    assert tangent.tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match=r"argument 'other' \(position 3\) must be Tensor"):
        scaled_sum(x, 2, "text")


@pytest.mark.parametrize("needed", [(0,), (3,), (1, 4), (0, 1, 2, 3, 4)])
def test_an_op_of_five_operands_differentiates_those_that_require_grad(needed) -> None:
    @op
    def product_of_five(be, a, b, c, d, e=None, /):
        """Return the product."""
        return be.multiply(be.multiply(be.multiply(a, b), be.multiply(c, d)), e)

    for name in "abcde":
        others = [each for each in "abcde" if each != name]
        source = f"def vjp(g, {', '.join(others)}):\n    return g * {' * '.join(others)}"
        space: dict = {}
        exec(source, space)
        product_of_five.vjp(name)(space["vjp"])
    values = [2.0, 3.0, 5.0, 7.0, 11.0]
    tensors = [torch.tensor(v, requires_grad=i in needed) for i, v in enumerate(values)]
    result = product_of_five(*tensors)
    result.backward()
    for i, (tensor, value) in enumerate(zip(tensors, values, strict=True)):
        expected = pytest.approx(2310.0 / value) if i in needed else None
        assert (None if tensor.grad is None else tensor.grad.item()) == expected


@pytest.mark.parametrize("option", ["method", "inplace", "foreach"])
def test_a_declaration_that_would_yield_nothing_is_refused(option):
    with pytest.raises(TypeError, match=rf"{option}=True\) would declare nothing"):
        public("nn.functional.own_squareplus", **{option: True})


def test_an_inplace_name_of_a_function_with_a_dot_is_no_nothing():
    assert callable(public("nn.functional.own_squareplus own_squareplus_", inplace=True))


@pytest.mark.parametrize("name", ["out", "kept"])
def test_an_argument_may_not_be_called_what_an_output_is_called(name):
    arguments = {"out": "def f(be, input, out, /): ...", "kept": "def f(be, input, /, kept): ..."}
    space = {}
    exec(arguments[name], space)

    def kept(arrays):
        return len(arrays)

    with pytest.raises(TypeError, match=f"f has an argument '{name}', which is the name of its"):
        op(noted=kept)(space["f"])
