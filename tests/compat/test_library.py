"""Operators that programs define, and the full names of PyTorch's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import library
from pellucid.compat.op_checks import OpCheckError


@pytest.fixture
def sine() -> Any:
    @library.custom_op("test_library::sine", mutates_args=())
    def sine(x: torch.Tensor, rate: float = 1.0) -> torch.Tensor:
        """Return the sine."""
        return torch.from_numpy(np.sin(x.numpy() * rate))

    return sine


class TestCustomOperators:
    def test_one_is_called_by_itself_and_by_its_full_name(self, sine: Any) -> None:
        x = torch.tensor([0.5, 2.0])
        wanted = np.sin(2 * x.numpy())
        np.testing.assert_array_equal(sine(x, rate=2.0).numpy(), wanted)
        np.testing.assert_array_equal(torch.ops.test_library.sine(x, 2.0).numpy(), wanted)
        np.testing.assert_array_equal(torch.ops.test_library.sine.default(x, 2.0).numpy(), wanted)
        assert not hasattr(torch.ops.test_library, "cosine")

    def test_its_derivative_is_what_is_registered(self, sine: Any) -> None:
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0])
            ctx.rate = inputs[1]

        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.rate * (ctx.saved_tensors[0] * ctx.rate).cos(), None

        sine.register_autograd(backward, setup_context=setup_context)
        x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: sine(x, 3.0), x)
        sine(x, rate=3.0).sum().backward()
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), 3 * np.cos(3 * x.detach().numpy()))

    def test_without_a_derivative_backward_says_so(self, sine: Any) -> None:
        y = sine(torch.ones(2, requires_grad=True))
        assert y.requires_grad
        with pytest.raises(RuntimeError, match="no autograd formula was registered"):
            y.sum().backward()

    def test_what_is_given_may_not_be_returned(self) -> None:
        same = library.custom_op("test_library::same", lambda x: x, mutates_args=())
        with pytest.raises(RuntimeError, match="must not also be an input"):
            same(torch.ones(1))

    def test_a_library_defines_names_and_gives_kernels_later(self) -> None:
        fragments = library.Library("test_fragments", "DEF")
        fragments.define("twice(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="no kernel"):
            torch.ops.test_fragments.twice(torch.ones(1))
        fragments.impl("twice", lambda x: 2 * x, "CPU")
        assert torch.ops.test_fragments.twice(torch.ones(1)).item() == 2
        library.define("test_fragments::half", "(Tensor x) -> Tensor")
        library.impl("test_fragments::half", "cpu")(lambda x: x / 2)
        library.register_fake("test_fragments::half")(lambda x: x)
        assert torch.ops.test_fragments.half(torch.ones(1)).item() == 0.5
        with pytest.raises(RuntimeError, match="does not exist"):
            library.impl("test_fragments::third", "cpu", lambda x: x)

    def test_rules_for_which_there_is_no_use_leave_it_as_it_is(self, sine: Any) -> None:
        sine.register_autocast("cpu", torch.bfloat16)
        sine.register_torch_dispatch(dict, lambda *a: None)
        sine.register_fake(lambda x, rate=1.0: x)
        sine.register_vmap(lambda *a: None)
        np.testing.assert_array_equal(sine(torch.ones(1)).numpy(), np.sin(np.ones(1, np.float32)))

    def test_a_schema_numbers_what_is_changed_by_its_position(self) -> None:
        def changes(x: torch.Tensor, *, y: torch.Tensor) -> None: ...

        schema = library.infer_schema(changes, mutates_args=("x", "y"))
        assert schema == "(Tensor(a0!) x, *, Tensor(a1!) y) -> ()"

    def test_a_name_has_a_namespace(self) -> None:
        with pytest.raises(ValueError, match="namespace::name"):
            library.custom_op("sine", lambda x: x, mutates_args=())


class TestFullNames:
    def test_each_is_one_object_that_may_be_a_key(self) -> None:
        table = {torch.ops.aten.mm.default: 1, torch.ops.aten.convolution_backward: 2}
        assert table[torch.ops.aten.mm.default] == 1
        assert str(torch.ops.aten.add.Tensor) == "aten.add.Tensor"
        assert torch.ops.aten.add.Tensor.name() == "aten::add.Tensor"

    def test_public_functions_can_be_called(self) -> None:
        assert torch.ops.aten.add.Tensor(torch.ones(1), 2).item() == 3
        assert torch.ops.aten.relu(torch.tensor([-1.0])).item() == 0
        assert torch.ops.aten.view.default(torch.ones(4), (2, 2)).shape == (2, 2)

    def test_others_say_that_they_are_missing(self) -> None:
        with pytest.raises(NotImplementedError, match="convolution_backward is not provided"):
            torch.ops.aten.convolution_backward(torch.ones(1))
        with pytest.raises(NotImplementedError, match="cannot be loaded"):
            torch.ops.load_library("some.so")


def test_programs_derive_context_managers_that_decorate() -> None:
    from pellucid.utils._contextlib import _DecoratorContextManager

    class Noting(_DecoratorContextManager):
        def __init__(self, notes: list[str]) -> None:
            self.notes = notes

        def __enter__(self) -> None:
            self.notes.append("in")

        def __exit__(self, *error: object) -> None:
            self.notes.append("out")

        def clone(self) -> Any:
            return type(self)(self.notes)

    notes: list[str] = []

    @Noting(notes)
    def double(x: int) -> int:
        notes.append("run")
        return 2 * x

    assert [double(2), double(3)] == [4, 6]
    assert notes == ["in", "run", "out"] * 2


def test_operators_of_a_library_with_a_private_name_are_found():
    @library.custom_op("_private::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.ops._private.twice(torch.ones(1)).item() == 2
    with pytest.raises(AttributeError):
        torch.ops._nobody


# ---- opcheck -----------------------------------------------------------------------------------


def operator(name: str, function: Any, **options: Any) -> Any:
    function.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    return library.custom_op(f"checked::{name}", function, mutates_args=(), **options)


def test_opcheck_passes_an_operator_that_does_what_it_says() -> None:
    twice = operator("twice", lambda x: 2 * x)
    twice.register_autograd(lambda ctx, g: 2 * g)
    found = library.opcheck(twice, (torch.ones(2, requires_grad=True),))
    assert set(found.values()) == {"SUCCESS"}
    assert len(found) == 4


def test_opcheck_finds_an_argument_that_is_changed() -> None:
    grown = operator("grown", lambda x: x.add_(1) * 1)
    with pytest.raises(OpCheckError, match="Argument x is not defined as mutable but was mutated"):
        library.opcheck(grown, (torch.ones(2),))


def test_opcheck_finds_an_operator_without_a_function_for_shapes() -> None:
    through = operator("through", lambda x: torch.from_numpy(x.numpy() + 1))
    found = library.opcheck(through, (torch.ones(2),), raise_exception=False)
    assert "meta" in found["test_faketensor"]
    through.register_fake(lambda x: torch.empty_like(x))
    assert library.opcheck(through, (torch.ones(2),))["test_faketensor"] == "SUCCESS"
    assert through(torch.ones(3, device="meta")).shape == (3,)


def test_opcheck_finds_values_that_change_from_run_to_run() -> None:
    drawn = operator("drawn", lambda x: torch.rand_like(x))
    found = library.opcheck(drawn, (torch.ones(2),), raise_exception=False)
    assert "other values" in found["test_aot_dispatch_dynamic"]


def test_opcheck_knows_its_checks_by_name() -> None:
    with pytest.raises(ValueError, match="test_utils="):
        library.opcheck(operator("any", lambda x: 1 * x), (torch.ones(1),), test_utils="speed")
