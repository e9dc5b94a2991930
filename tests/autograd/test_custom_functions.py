from __future__ import annotations

import gc
import warnings
import weakref

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import Function
from pellucid.autograd.function import InplaceFunction, once_differentiable


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor=3):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def returning(value):
    """Make a function of two arguments whose backward returns this."""

    class Wrong(Function):
        @staticmethod
        def forward(ctx, x, factor):
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return value(g)

    return Wrong


def test_backward_gets_what_forward_saved():
    x = leaf(1, 2)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_the_node_is_named_after_the_function():
    y = Square.apply(leaf(1))
    assert y.grad_fn.name() == "SquareBackward"
    assert type(y.grad_fn).__name__ == "SquareBackward"


def test_attributes_of_the_context_are_found_on_the_node():
    assert Scale.apply(leaf(1), 5).grad_fn.factor == 5


def test_attributes_may_have_the_names_that_the_engine_uses_itself():
    class Busy(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.shape = ctx.dtype = ctx.saved = ctx.edges = ctx.metas = ctx.code = "mine"
            ctx.extra = ctx.seq = ctx.params = ctx.scope = "mine"
            return x * 2

        @staticmethod
        def backward(ctx, g):
            assert {ctx.shape, ctx.dtype, ctx.saved, ctx.edges, ctx.extra} == {"mine"}
            return g * 2

    x = leaf(1, 2)
    Busy.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_context_can_be_set_up_apart_from_forward():
    class Cube(Function):
        @staticmethod
        def forward(x, factor=1):
            return x * x * x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, factor = inputs
            ctx.save_for_backward(x)
            ctx.factor = factor

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g * ctx.factor, None

    x = leaf(2)
    Cube.apply(x).backward()
    assert x.grad.tolist() == [12]
    x.grad = None
    Cube.apply(x, factor=2).backward()
    assert x.grad.tolist() == [24]


def test_arguments_may_be_given_by_name():
    x = leaf(1)
    Scale.apply(x, factor=7).backward()
    assert x.grad.tolist() == [7]


def test_forward_records_nothing():
    class Watch(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.recorded = (x * 2).requires_grad
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    assert Watch.apply(leaf(1)).grad_fn.recorded is False


def test_outputs_and_none_can_be_saved():
    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(y, None)
            return y

        @staticmethod
        def backward(ctx, g):
            y, nothing = ctx.saved_tensors
            assert nothing is None
            return g * y

    x = leaf(3)
    Doubled.apply(x).backward()
    assert x.grad.tolist() == [9]


def test_a_saved_leaf_comes_back_as_itself():
    x = leaf(1)
    assert Square.apply(x).grad_fn.saved_tensors[0] is x


def test_only_tensors_can_be_saved():
    class Wrong(Square):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None, 3)
            return x

    with pytest.raises(TypeError, match="can only save variables, but argument 2 is of type int"):
        Wrong.apply(leaf(1))


def test_saved_values_are_freed_by_backward():
    y = Square.apply(leaf(1))
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn.saved_tensors
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_change_of_a_saved_value_is_noticed():
    x = leaf(1, 2)
    y = Square.apply(x).sum()
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


def test_second_derivatives_go_through_backward():
    x = leaf(3)
    (g,) = torch.autograd.grad(Square.apply(Square.apply(x)), x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert (g.item(), h.item()) == (108, 108)


def test_a_saved_output_can_be_differentiated_again():
    class Root(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.sqrt()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g / (2 * y)

    x = torch.tensor([4.0, 9.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Root.apply, (x,))
    assert torch.autograd.gradgradcheck(Root.apply, (x,), fast_mode=True)


def test_needs_input_grad_says_which_inputs_require_grad():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, x, y, n):
            ctx.save_for_backward(x, y)
            return x * y * n

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            x, y = ctx.saved_tensors
            return g * y, g * x, None

    Product.apply(leaf(1), torch.ones(1), 1).backward()
    a, b = leaf(1), leaf(1)
    torch.autograd.grad(Product.apply(a, b, 1), b)
    Product.apply(a, b, 1).backward(inputs=[a])
    assert seen == [(True, False, False), (False, True, False), (True, False, False)]


def test_outputs_need_not_be_tensors():
    seen = []

    class Mixed(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, 5, "s", None, x.long()

        @staticmethod
        def backward(ctx, *gs):
            seen.append([None if g is None else g.tolist() for g in gs])
            return gs[0] * 2

    x = leaf(1, 2)
    y, five, text, nothing, integers = Mixed.apply(x)
    assert (five, text, nothing, integers.requires_grad) == (5, "s", None, False)
    y.sum().backward()
    assert seen == [[[1, 1], None, None, None, [0, 0]]]
    assert x.grad.tolist() == [2, 2]


def test_gradients_that_did_not_arrive_are_zeros_unless_they_are_not_wanted():
    def pair(materialize: bool):
        class Pair(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 1, x * 1

            @staticmethod
            def backward(ctx, g, h):
                seen.append(h if h is None else h.tolist())
                return g

        return Pair

    seen: list[object] = []
    pair(True).apply(leaf(1))[0].backward()
    pair(False).apply(leaf(1))[0].backward()
    assert seen == [[0], None]


def test_outputs_can_be_marked_as_not_differentiable():
    class Largest(Function):
        @staticmethod
        def forward(ctx, x):
            mask = x * 1
            ctx.mark_non_differentiable(mask)
            return x * 2, mask

        @staticmethod
        def backward(ctx, g, h):
            return g * 2

    y, mask = Largest.apply(leaf(1))
    assert y.requires_grad
    assert not mask.requires_grad


def test_an_input_returned_as_is_becomes_a_view_that_may_not_be_changed():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = leaf(1, 2)
    y = Same.apply(x)
    assert y is not x
    with pytest.raises(
        RuntimeError, match="Output 0 of Same is a view and is being modified inplace"
    ):
        y.add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


class First(Function):
    @staticmethod
    def forward(ctx, x):
        return x[0]

    @staticmethod
    def backward(ctx, g):
        full = torch.zeros(2)
        full[0] = g * 5
        return full


def test_a_view_from_forward_may_not_be_changed():
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        First.apply(leaf(1, 2) * 1).add_(1)


def test_a_view_from_forward_cannot_follow_a_change_of_its_base():
    z = leaf(1, 2) * 1
    y = First.apply(z)
    z.add_(1)
    with pytest.raises(
        RuntimeError, match="its base or another view of its base has been modified"
    ):
        y.grad_fn


class TimesTwo(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_an_input_changed_in_place_takes_up_the_history():
    x = leaf(1, 2)
    z = x * 1
    assert TimesTwo.apply(z) is z
    assert z.grad_fn.name() == "TimesTwoBackward"
    z.sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_a_view_changed_in_place_gives_its_base_the_history():
    x = leaf(1, 2)
    z = x * 1
    TimesTwo.apply(z[0])
    assert z.tolist() == [2, 2]
    z.sum().backward()
    assert x.grad.tolist() == [2, 1]


def test_a_leaf_cannot_be_changed_in_place():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used"):
        TimesTwo.apply(leaf(1))


def test_what_is_changed_must_be_returned():
    class Hidden(TimesTwo):
        @staticmethod
        def forward(ctx, x):
            TimesTwo.forward(ctx, x)
            return x * 1

    with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not"):
        Hidden.apply(leaf(1) * 1)


def test_a_changed_view_must_be_the_only_output():
    class Two(TimesTwo):
        @staticmethod
        def forward(ctx, x):
            return TimesTwo.forward(ctx, x), x * 1

    with pytest.raises(RuntimeError, match="your Function cannot return more than one Tensor"):
        Two.apply((leaf(1, 2) * 1)[0])


def test_marking_what_is_no_input_warns():
    class Odd(TimesTwo):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        Odd.apply(leaf(1) * 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda g: g, r"incorrect number of gradients \(expected 2, got 1\)"),
        (lambda g: (g, None, g), r"incorrect number of gradients \(expected 2, got 3\)"),
        (lambda g: (g, g), "different than None at position 2"),
        (lambda g: ("a", None), r"expected Variable or None \(got str\)"),
        (lambda g: (torch.ones(3), None), r"invalid gradient at index 0 - got \[3\] but expected"),
    ],
)
def test_what_backward_returns_is_checked(value, message):
    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match=message):
        returning(value).apply(x, 2).sum().backward()
    assert x.grad is None


def test_more_values_than_arguments_may_be_none():
    x = leaf(1)
    returning(lambda g: (g * 2, None, None)).apply(x, 2).backward()
    assert x.grad.tolist() == [2]


def test_a_gradient_of_another_dtype_is_converted():
    x = leaf(1)
    returning(lambda g: (g.double(), None)).apply(x, 2).backward()
    assert x.grad.dtype is torch.float32


def test_once_differentiable_refuses_a_second_derivative():
    class Once(Square):
        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return torch.from_numpy(2 * x.detach().numpy() * g.detach().numpy())

    x = leaf(3)
    Once.apply(x).backward()
    assert x.grad.tolist() == [6]
    weight = leaf(1)
    (g,) = torch.autograd.grad(Once.apply(x), x, weight, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        g.backward()


def test_a_function_is_not_instantiated():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        function = Square()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward"):
        function(leaf(1))


def test_missing_halves_are_named():
    class Nothing(Function):
        pass

    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Nothing.apply(leaf(1))
    with pytest.raises(NotImplementedError, match="implement either the backward or vjp method"):
        Half.apply(leaf(1)).backward()


def test_backward_may_be_called_vjp_but_not_both():
    class Named(Half2):
        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = leaf(1)
    Named.apply(x).backward()
    assert x.grad.tolist() == [2]

    class Both(Named):
        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(x).backward()


class Half2(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


def test_nothing_is_recorded_without_grad_mode():
    with torch.no_grad():
        assert Square.apply(leaf(1)).grad_fn is None
    assert Square.apply(torch.ones(1)).grad_fn is None


def test_saving_leaves_no_garbage_behind():
    class SavesBoth(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, _ = ctx.saved_tensors
            return 2 * x * g

    gc.collect()
    gc.disable()
    try:
        x = leaf(1, 2)
        y = SavesBoth.apply(x * 1)
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert node() is None
        y = SavesBoth.apply(x * 1)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_saved_tensor_hooks_hold_for_custom_functions():
    packed = []

    def pack(tensor):
        packed.append(tensor.numpy().copy())
        return len(packed) - 1

    x = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda i: torch.from_numpy(packed[i])):
        y = Square.apply(x)
    y.backward()
    np.testing.assert_array_equal(packed, [[3]])
    assert x.grad.tolist() == [6]


def test_a_raw_saved_tensor_takes_hooks():
    x = leaf(3)
    y = Square.apply(x)
    y.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t * 1, lambda t: t * 10)
    y.backward()
    assert x.grad.tolist() == [60]


def test_inplace_function_keeps_its_flag():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert InplaceFunction(inplace=True).inplace
