"""What programs ask of autograd besides gradients, as PyTorch answers."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.autograd import forward_ad as fwAD


class _Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        with pytest.warns(DeprecationWarning, match="saved_tensors"):
            (x,) = ctx.saved_variables
        return g * x


def test_the_old_name_of_saved_tensors_warns_and_gives_them():
    x = torch.tensor([2.0], requires_grad=True)
    _Identity.apply(x).backward()
    assert x.grad.tolist() == [2.0]


def test_a_function_without_a_rule_for_vmap_says_so_and_has_the_method():
    assert hasattr(_Identity, "vmap")
    with pytest.raises(NotImplementedError, match="vmap staticmethod"):
        _Identity.vmap(None, (0,), torch.ones(1))


def test_threads_of_backward_can_be_set_and_asked_for():
    asked = torch.autograd.is_multithreading_enabled
    with torch.autograd.set_multithreading_enabled(False):
        assert not asked()
        torch.autograd.set_multithreading_enabled(True)
        assert asked()
    assert asked()


def test_a_saved_tensor_is_made_by_nodes_alone():
    with pytest.raises(RuntimeError, match="forbidden"):
        torch.autograd.SavedTensor()


def test_a_class_that_is_decorated_with_a_mode_is_warned_of():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Made:
            def __init__(self):
                self.recorded = torch.is_grad_enabled()

    assert not Made().recorded


def test_values_that_had_to_be_copied_are_counted_while_backward_may_need_them():
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        y = x.clone()
        z = (y * y).sum()
        y.mul_(10)
        assert len(context.cloned) == 1
        z.backward()
        del z
        assert len(context.cloned) == 0
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_dual_tensor_shows_its_tangent():
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.ones(1), torch.zeros(1))
        assert repr(dual) == "tensor([1.], tangent=tensor([0.]))"
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            fwAD.make_dual(torch.ones(1), dual)


def linear(x):
    return x.clone() * 2


@pytest.mark.parametrize("name", ["jacobian", "vjp", "jvp"])
def test_strict_mode_refuses_a_constant_derivative_that_is_to_be_differentiated(name):
    x = torch.ones(2, requires_grad=True)
    more = () if name == "jacobian" else (torch.ones(2),)
    derivative = getattr(torch.autograd.functional, name)
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function is independent"):
        derivative(linear, x, *more, create_graph=True, strict=True)
    assert derivative(linear, x, *more, create_graph=True) is not None


def test_strict_mode_refuses_the_hessian_of_a_linear_function():
    with pytest.raises(RuntimeError, match="function with respect to input 0 is independent"):
        torch.autograd.functional.hessian(lambda x: linear(x).sum(), torch.ones(2), strict=True)


def test_a_product_is_recorded_without_grad_mode_where_a_graph_is_asked_for():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        _, found = torch.autograd.functional.vjp(
            lambda x: x * x, x, torch.ones(2), create_graph=True
        )
    assert found.requires_grad


@pytest.mark.parametrize("dense_first", [True, False])
def test_dense_and_sparse_gradients_of_one_tensor_add_up(dense_first):
    class Given(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, gradient):
            ctx.save_for_backward(gradient)
            return x

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0], None

    first = torch.sparse_coo_tensor([[0, 2]], torch.tensor([1.0, 2.0]), (3,))
    second = torch.sparse_coo_tensor([[0.0]], torch.tensor([4.0]), (3,))
    dense = torch.ones(3)
    gradients = (dense, first, second) if dense_first else (first, second, dense)
    x = torch.zeros(3, requires_grad=True)
    sum(Given.apply(x, each) for each in gradients).sum().backward()
    assert x.grad.tolist() == [6.0, 1.0, 3.0]


def test_the_old_order_of_arguments_of_embedding_bag_is_understood():
    table, rows = torch.eye(3), torch.tensor([[0, 1]])
    bag = torch.nn.functional.embedding_bag
    with pytest.warns(UserWarning, match="Argument order of nn.functional.embedding_bag"):
        found = bag(table, rows)
    assert found.equal(bag(rows, table))
