"""Derivatives of functions, alone, nested and for many samples, against differences and loops."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)


def numbers(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def same(mine, wanted, tolerance=1e-9):
    np.testing.assert_allclose(
        mine.detach().numpy(), np.asarray(wanted), rtol=tolerance, atol=tolerance
    )


def differences(function, x, step=1e-6):
    """Return the Jacobian by central differences."""
    columns = []
    for unit in np.eye(x.numel()):
        move = torch.tensor(unit.reshape(tuple(x.shape)) * step)
        columns.append((function(x + move) - function(x - move)).numpy() / (2 * step))
    moved = np.stack(columns, -1)
    return moved.reshape(*moved.shape[:-1], *x.shape)


def wavy(x):
    return torch.sin(x).cumsum(-1) * x.sum() / (1 + x**2)


@pytest.mark.parametrize("transform", [jacrev, jacfwd])
def test_jacobians_are_what_differences_say(transform):
    x = numbers(2, 3)
    same(transform(wavy)(x), differences(wavy, x), 1e-6)


def test_hessian_is_what_differences_of_the_gradient_say():
    x = numbers(4)
    function = lambda x: wavy(x).sum()  # noqa: E731
    same(hessian(function)(x), differences(grad(function), x), 1e-6)


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd])
def test_second_derivatives_agree_in_every_order(outer, inner):
    x = numbers(3)
    function = lambda x: wavy(x).sum()  # noqa: E731
    same(outer(inner(function))(x), hessian(function)(x).numpy())


@pytest.mark.parametrize("transform", [jacrev, jacfwd, hessian])
def test_samples_have_their_own_jacobians(transform):
    x = numbers(4, 3)
    found = vmap(transform(wavy))(x)
    same(found, torch.stack([transform(wavy)(row) for row in x]).numpy())


def test_samples_have_their_own_gradients_by_shared_parameters():
    weights, x = numbers(3, 2), numbers(5, 3)
    loss = lambda w, row: (row @ w).tanh().sum()  # noqa: E731
    found = vmap(grad(loss), (None, 0))(weights, x)
    same(found, torch.stack([grad(loss)(weights, row) for row in x]).numpy())


def test_captured_samples_do_not_add_up():
    x = numbers(4, 3)
    point = numbers(3, seed=1)
    found = vmap(lambda row: grad(lambda p: (p * row).sin().sum())(point))(x)
    same(found, torch.stack([(point * row).cos() * row for row in x]).numpy())
    pushed = vmap(lambda row: jvp(lambda p: (p * row).sin(), (point,), (row,))[1])(x)
    same(pushed, torch.stack([(point * row).cos() * row * row for row in x]).numpy())


def test_a_captured_tensor_is_a_constant():
    one = torch.tensor(1.0)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(one) == 1
    assert grad(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1])(one) == 1
    assert jvp(lambda x: x * grad(lambda y: x + y)(one), (one,), (one,))[1] == 1
    assert jvp(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1], (one,), (one,))[1] == 1


def test_an_outer_graph_goes_on_through_a_gradient():
    w = numbers(3).requires_grad_()
    x = numbers(3, seed=1)
    gradient = grad(lambda x: (w * x**3).sum())(x)
    gradient.sum().backward()
    same(w.grad, 3 * x.numpy() ** 2)


def test_gradients_without_outer_graph_are_free():
    x = numbers(3)
    gradient, value = grad_and_value(lambda x: grad(lambda y: (y**3).sum())(x).sum())(x)
    outputs, pull = vjp(torch.sin, x)
    outputs.add_(1)
    assert not gradient.requires_grad
    assert not value.requires_grad
    assert not outputs.requires_grad
    assert not pull(x)[0].requires_grad
    same(gradient, 6 * x.numpy())


def test_no_grad_outside_does_not_matter_and_inside_makes_constants():
    x = numbers(3)
    with torch.no_grad():
        same(grad(lambda x: (x**2).sum())(x), 2 * x.numpy())

    def partly(x):
        with torch.no_grad():
            held = x * x
        return (held * x).sum()

    same(grad(partly)(x), x.numpy() ** 2)


def test_leaves_outside_get_no_grad():
    x = numbers(3).requires_grad_()
    grad(lambda x: (x**2).sum())(x)
    assert x.grad is None


def test_products_with_the_hessian_agree():
    x, v = numbers(4), numbers(4, seed=1)
    function = lambda x: (x**3).sum() * x.mean()  # noqa: E731
    product = hessian(function)(x) @ v
    same(jvp(grad(function), (x,), (v,))[1], product.numpy())
    same(vjp(grad(function), x)[1](v)[0], product.numpy())
    same(grad(lambda x: jvp(function, (x,), (v,))[1])(x), product.numpy())


def test_linearize_runs_its_function_once():
    runs = []

    def function(x):
        runs.append(1)
        return wavy(x)

    x, v = numbers(3), numbers(3, seed=1)
    value, push = linearize(function, x)
    for scale in (1.0, 2.0):
        same(push(v * scale), jvp(wavy, (x,), (v * scale,))[1].numpy())
    same(value, wavy(x).numpy())
    assert runs == [1]
    with pytest.raises(RuntimeError, match="doesn't match the shape"):
        push(v[:2])


def test_chunked_rows_are_those_of_the_whole():
    x = numbers(2, 3)
    for size in (1, 4, 100):
        same(jacrev(wavy, chunk_size=size)(x), jacrev(wavy)(x).numpy())


def test_trees_of_arguments_give_trees_of_gradients():
    given = {"a": numbers(2), "b": [numbers(3), (numbers(1),)]}
    found = grad(lambda tree: tree["a"].sum() * tree["b"][0].sum() + tree["b"][1][0].sum())(given)
    assert list(found) == ["a", "b"]
    assert isinstance(found["b"][1], tuple)
    same(found["a"], np.full(2, given["b"][0].sum().item()))
    blocks = jacrev(lambda tree: {"out": tree["a"] * 2})(given)
    same(blocks["out"]["a"], 2 * np.eye(2))
    assert not blocks["out"]["b"][0].numpy().any()


def test_ensembles_compute_all_models_at_once():
    models = [torch.nn.Linear(3, 2) for _ in range(4)]
    params, buffers = stack_module_state(models)
    assert buffers == {}
    assert all(each.is_leaf and each.requires_grad for each in params.values())
    x = numbers(5, 3).float()
    found = vmap(lambda p, x: functional_call(models[0], p, (x,)), (0, None))(params, x)
    same(found, torch.stack([model(x) for model in models]).detach().numpy(), 1e-6)
    found.sum().backward()
    same(params["bias"].grad, np.full((4, 2), 5.0))


def test_per_sample_gradients_add_up_to_the_batch_gradient():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(32, 3)
    ).double()
    images, labels = numbers(4, 1, 6, 6), torch.tensor([0, 2, 1, 1])
    params = {name: each.detach() for name, each in model.named_parameters()}
    entropy = torch.nn.functional.cross_entropy

    def loss(params, image, label):
        return entropy(functional_call(model, params, (image[None],)), label[None])

    found = vmap(grad(loss), (None, 0, 0))(params, images, labels)
    entropy(model(images), labels, reduction="sum").backward()
    for name, parameter in model.named_parameters():
        same(found[name].sum(0), parameter.grad.numpy())


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])
        ctx.save_for_forward(output[1])

    @staticmethod
    def backward(ctx, g, _):
        (slope,) = ctx.saved_tensors
        assert slope.ndim == g.ndim
        return g * slope

    @staticmethod
    def jvp(ctx, t):
        (slope,) = ctx.saved_tensors
        return t * slope, None


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None

    @staticmethod
    def vmap(info, in_dims, x, factor):
        assert info.batch_size == 4
        assert in_dims == (0, None)
        return Scaled.apply(x.movedim(0, -1), factor), -1


def test_functions_of_the_user_run_on_batched_tensors():
    x = numbers(4, 3)
    program = lambda a: Cube.apply(a)[0].sum()  # noqa: E731
    same(vmap(program)(x), (x**3).sum(1).numpy())
    same(vmap(grad(program))(x), 3 * x.numpy() ** 2)
    y = x.clone().requires_grad_()
    vmap(program)(y).sum().backward()
    same(y.grad, 3 * x.numpy() ** 2)
    same(vmap(vmap(lambda a: Cube.apply(a)[0]))(x), (x**3).numpy())
    same(grad(program)(x[0]), 3 * x[0].numpy() ** 2)
    same(jacrev(lambda a: Cube.apply(a)[0])(x[0]), np.diag(3 * x[0].numpy() ** 2))


def test_functions_of_the_user_say_what_vmap_does():
    x = numbers(4, 3)
    same(vmap(lambda a: Scaled.apply(a, 2.0))(x), 2 * x.numpy())
    same(vmap(grad(lambda a: Scaled.apply(a, 2.0).sum()))(x), np.full((4, 3), 2.0))


def test_functions_without_a_rule_are_refused():
    class Silent(Scaled):
        vmap = None

    class Both(Scaled):
        generate_vmap_rule = True

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

    for cls, message in (
        (Silent, "does not have vmap support"),
        (Both, "both generate_vmap_rule=True and an overridden vmap"),
    ):
        with pytest.raises(RuntimeError, match=message):
            vmap(lambda a, cls=cls: cls.apply(a, 2.0))(numbers(4, 3))
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        vmap(Old.apply)(numbers(4, 3))


def test_derivatives_under_vmap_are_looked_through_for_nan():
    with torch.autograd.set_detect_anomaly(True):
        assert torch.func.jacrev(lambda a: a * 2)(torch.ones(2)).tolist() == [[2, 0], [0, 2]]
        assert torch.func.hessian(lambda a: (a * a).sum())(torch.ones(2)).tolist() == [
            [2, 0],
            [0, 2],
        ]
        twice = torch.func.vmap(torch.func.vmap(torch.func.grad(lambda a: a * a)))
        assert twice(torch.ones(2, 1)).tolist() == [[2], [2]]
        roots = torch.func.vmap(torch.func.grad(lambda a: a.sqrt() * 0))
        assert roots(torch.ones(2)).tolist() == [0, 0]
        with (
            pytest.warns(UserWarning, match="Error detected in SqrtBackward0"),
            pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values"),
        ):
            roots(torch.tensor([1.0, 0.0]))
        x = torch.ones(2, requires_grad=True, device="meta")
        (x * x).sum().backward()
        assert x.grad.is_meta


#: transforms of `sin` inside a function that another transform pushes tangents through
INNER = {
    "value of vjp": lambda a: torch.func.vjp(torch.sin, a)[0],
    "twice the value of vjp": lambda a: torch.func.vjp(torch.sin, a)[0] * 2,
    "gradient of vjp": lambda a: torch.func.vjp(torch.sin, a)[1](torch.ones(2))[0],
    "aux of vjp": lambda a: torch.func.vjp(lambda b: (b.sin(), b * 2), a, has_aux=True)[2],
    "grad": torch.func.grad(lambda b: b.sin().sum()),
    "value of grad": lambda a: torch.func.grad_and_value(lambda b: b.sin().sum())(a)[1],
    "aux of grad": lambda a: torch.func.grad(lambda b: (b.sum(), b * 2), has_aux=True)(a)[1],
    "value of jvp": lambda a: torch.func.jvp(torch.sin, (a,), (torch.ones(2),))[0],
    "tangent of jvp": lambda a: torch.func.jvp(torch.sin, (a,), (torch.ones(2),))[1],
    "jacrev": torch.func.jacrev(torch.sin),
}


@pytest.mark.parametrize("function", INNER.values(), ids=INNER)
def test_what_is_pushed_through_a_transform_keeps_no_history(function):
    at, step = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])
    value, tangent = torch.func.jvp(function, (at,), (step,))
    assert not value.requires_grad
    assert not tangent.requires_grad
    apart = 1e-3
    change = (function(at + step * apart) - function(at - step * apart)) / (2 * apart)
    torch.testing.assert_close(tangent, change, rtol=1e-2, atol=1e-3)
    assert not torch.func.jacfwd(function)(at).requires_grad
    together = torch.func.vmap(lambda a: torch.func.jvp(function, (a,), (step,)))
    for each in together(torch.stack([at, at + 1])):
        assert not each.requires_grad


@pytest.mark.parametrize("name", [name for name in INNER if not name.endswith("of jvp")])
def test_what_is_pushed_through_a_transform_in_a_level_keeps_no_history(name):
    at, step = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(at, step)
        pushed = torch.autograd.forward_ad.unpack_dual(INNER[name](dual))
        assert not pushed.primal.requires_grad
        assert not pushed.tangent.requires_grad
    torch.testing.assert_close(pushed.tangent, torch.func.jvp(INNER[name], (at,), (step,))[1])


def test_values_of_transforms_under_vmap_keep_the_history_from_outside():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    value = torch.func.vmap(lambda a: torch.func.vjp(torch.sin, a)[0])(x)
    _, square = torch.func.vmap(torch.func.grad_and_value(lambda a: a * a))(x)
    (aux,) = torch.func.vmap(
        lambda a: torch.func.vjp(lambda b: (b.sin(), b * 3), a, has_aux=True)[2:]
    )(x)
    (slope,) = torch.autograd.grad((value + square + aux).sum(), x)
    torch.testing.assert_close(slope, (x.cos() + 2 * x + 3).detach())


@pytest.mark.parametrize("weight_shape", [(4, 1), (4, 3), (4,)], ids=str)
def test_the_tangent_of_a_product_is_differentiated_by_its_operands(weight_shape):
    weight = torch.randn(weight_shape, dtype=torch.float64, requires_grad=True)
    scale = torch.randn(4, dtype=torch.float64, requires_grad=True)
    x = torch.linspace(0.5, 1, 5, dtype=torch.float64).reshape(-1, 1)

    def function(v):
        return (v * scale).sin() @ weight

    def gradients(jacobian):
        found = torch.func.vmap(jacobian(function))(x)
        return torch.autograd.grad((found * found).sum(), [scale, weight])

    forward, reverse = gradients(torch.func.jacfwd), gradients(torch.func.jacrev)
    for one, other in zip(forward, reverse, strict=True):
        assert torch.allclose(one, other)
