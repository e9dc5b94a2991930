"""``torch.func`` here and there: the same programs give the same numbers and the same errors."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.func

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning"),
]

BOTH = (torch, pellucid)
Pair = namedtuple("Pair", "first second")


def arrays(tree: Any) -> Any:
    """Return the result of a program as NumPy arrays, trees kept."""
    if isinstance(tree, dict):
        return {name: arrays(each) for name, each in tree.items()}
    if isinstance(tree, tuple | list):
        return [arrays(each) for each in tree]
    return tree.detach().numpy() if hasattr(tree, "detach") else tree


def compare(here: Any, there: Any, tolerance: float) -> None:
    if isinstance(there, dict):
        assert list(here) == list(there)
        here, there = list(here.values()), list(there.values())
    if isinstance(there, list):
        assert len(here) == len(there)
        for mine, theirs in zip(here, there, strict=True):
            compare(mine, theirs, tolerance)
        return
    assert np.shape(here) == np.shape(there)
    assert np.asarray(here).dtype == np.asarray(there).dtype
    np.testing.assert_allclose(here, there, rtol=tolerance, atol=tolerance)


def both(program: Any, *data: Any, tolerance: float = 1e-6) -> None:
    """Run a program ``(torch, *tensors)`` with both libraries and compare what it returns."""
    there, here = (arrays(program(lib, *(lib.tensor(each) for each in data))) for lib in BOTH)
    compare(here, there, tolerance)


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


X = draw(4, 3)
Y = draw(4, 3, seed=1)
V = draw(3)

# ---- vmap -----------------------------------------------------------------------------------

PROGRAMS = {
    "dot": lambda t, x, y, v: t.vmap(t.dot)(x, y),
    "in_dims": lambda t, x, y, v: t.vmap(lambda a, b: a * b, in_dims=(1, None))(x, x[:, 0]),
    "negative_in_dims": lambda t, x, y, v: t.vmap(lambda a, b: a.sum() * b, in_dims=(-1, 0))(x, v),
    "out_dims": lambda t, x, y, v: t.vmap(lambda a: t.outer(a, a), out_dims=2)(x),
    "two_out_dims": lambda t, x, y, v: t.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(x),
    "negative_out_dims": lambda t, x, y, v: t.vmap(lambda a: t.outer(a, a), out_dims=-1)(x),
    "no_out_dim": lambda t, x, y, v: t.vmap(lambda a: (a, v * 2), out_dims=(0, None))(x),
    "unbatched_output": lambda t, x, y, v: t.vmap(lambda a: v)(x),
    "trees": lambda t, x, y, v: t.vmap(
        lambda d: {"s": d["a"] + d["b"][0], "p": Pair(d["b"][1], d["a"])},
        in_dims=({"a": 0, "b": (None, 0)},),
    )({"a": x, "b": (v, y)}),
    "nested": lambda t, x, y, v: t.vmap(lambda a: t.vmap(lambda b: t.dot(a, b))(y))(x),
    "nested_out": lambda t, x, y, v: t.vmap(
        lambda a: t.vmap(lambda b: a * b.sum(), out_dims=1)(y), out_dims=1
    )(x),
    "nested_columns": lambda t, x, y, v: t.vmap(
        t.vmap(lambda a, b: a * b, in_dims=(0, None)), in_dims=(1, 0)
    )(x, v),
    "kwargs": lambda t, x, y, v: t.vmap(lambda a, scale: a * scale)(x, scale=3.0),
    "chunks": lambda t, x, y, v: t.vmap(lambda a, b: (a * b, a.sum()), chunk_size=3)(x, y),
    "chunk_dims": lambda t, x, y, v: t.vmap(
        lambda a: t.outer(a, a), in_dims=1, out_dims=1, chunk_size=2
    )(x),
    "one_chunk": lambda t, x, y, v: t.vmap(lambda a: a.sum(), chunk_size=9)(x),
    "where": lambda t, x, y, v: t.vmap(lambda a: t.where(a.sum() > 0, a, -a))(x),
    "select_by_index": lambda t, x, y, v: t.vmap(lambda a, i: a[i])(x, t.tensor([0, 2, 1, 0])),
    "gather_rows": lambda t, x, y, v: t.vmap(lambda i: x[i])(t.tensor([[0, 1], [3, 3]])),
    "mixed_index": lambda t, x, y, v: t.vmap(lambda a, i: a[:, i, None])(
        t.stack([x, y]), t.tensor([[0, 1], [2, 2]])
    ),
    "apart_index": lambda t, x, y, v: t.vmap(lambda a, i: a[i, :, i])(
        t.stack([x.reshape(2, 3, 2), y.reshape(2, 3, 2)]), t.tensor([[0, 1, 1], [1, 0, 1]])
    ),
    "write_index": lambda t, x, y, v: (
        t.vmap(_write_at)(x, t.tensor([[0, 2], [1, 1], [2, 0], [0, 1]]))
    ),
    "gather": lambda t, x, y, v: t.vmap(lambda a: t.gather(a, 0, a.argsort()))(x),
    "scatter": lambda t, x, y, v: t.vmap(lambda a, b: a.scatter(0, a.argsort(), b))(x, y),
    "take_along": lambda t, x, y, v: t.vmap(lambda a: t.take_along_dim(a, a.argsort(), 0))(x),
    "in_place": lambda t, x, y, v: t.vmap(_accumulate)(x, y),
    "views": lambda t, x, y, v: t.vmap(_write_part)(x),
    "zeros_like": lambda t, x, y, v: t.vmap(lambda a: t.zeros_like(a).add_(a).sub_(1))(x),
    "softmax": lambda t, x, y, v: t.vmap(lambda a: t.softmax(a, 0))(x),
    "norms": lambda t, x, y, v: t.vmap(lambda a: (t.linalg.norm(a), a.norm(), a.std()))(x),
    "linalg": lambda t, x, y, v: (
        t.vmap(lambda a: t.linalg.solve(t.outer(a, a) + t.eye(3, dtype=a.dtype), a))(x)
    ),
    "einsum": lambda t, x, y, v: t.vmap(lambda a, b: t.einsum("i,j->ij", a, b))(x, y),
    "cat": lambda t, x, y, v: t.vmap(lambda a: t.cat([a, v, a]))(x),
    "stack": lambda t, x, y, v: t.vmap(lambda a: t.stack([a, v], 1))(x),
    "max": lambda t, x, y, v: t.vmap(lambda a: a.max(0))(x),
    "topk": lambda t, x, y, v: t.vmap(lambda a: a.topk(2))(x),
    "cumsum": lambda t, x, y, v: t.vmap(lambda a: a.cumsum(-1).flip(0))(x),
    "reshape": lambda t, x, y, v: (
        t.vmap(lambda a: a.reshape(3, 1).expand(3, 2).t().unsqueeze(0))(x)
    ),
    "promotion": lambda t, x, y, v: t.vmap(lambda a: t.ones(3) * a.sum())(x),
    "unfold": lambda t, x, y, v: t.vmap(lambda a: a.unfold(0, 2, 1))(x),
    "one_hot": lambda t, x, y, v: t.vmap(lambda i: t.nn.functional.one_hot(i, 4))(t.tensor([0, 3])),
    "embedding": lambda t, x, y, v: (
        t.vmap(lambda i: t.nn.functional.embedding(i, x))(t.tensor([[0, 3], [1, 1]]))
    ),
    "cross_entropy": lambda t, x, y, v: (
        t.vmap(t.nn.functional.cross_entropy)(x, t.tensor([0, 2, 1, 1]))
    ),
    "batched_cross_entropy": lambda t, x, y, v: t.vmap(
        lambda a, i: t.nn.functional.cross_entropy(a, i, label_smoothing=0.1)
    )(t.stack([x, y]), t.tensor([[0, 2, 1, 1], [1, -100, 0, 2]])),
    "losses": lambda t, x, y, v: t.vmap(
        lambda a, b: (
            t.nn.functional.mse_loss(a, b), t.nn.functional.l1_loss(a, b),
            t.nn.functional.smooth_l1_loss(a, b),
            t.nn.functional.binary_cross_entropy_with_logits(a, (b > 0).to(a.dtype)),
        )
    )(x, y),
}  # fmt: skip


def _write_at(a: Any, places: Any) -> Any:
    out = a.new_zeros(3)
    out[places] = a[:2]
    return out


def _accumulate(a: Any, b: Any) -> Any:
    total = a.clone()
    total += b
    total.mul_(2).clamp_(min=0)
    return total


def _write_part(a: Any) -> Any:
    total = a * 1
    total[1:].mul_(3)
    total[0] = 5
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_under_vmap_gives_the_same_numbers(name):
    both(PROGRAMS[name], X, Y, V)


def test_named_tuples_come_back_as_what_they_were():
    found = pellucid.vmap(lambda a: Pair(a, a * 2))(pellucid.ones(2))
    assert isinstance(found, Pair)


# ---- random numbers --------------------------------------------------------------------------

RANDOM = {
    "randn": lambda t, a: t.randn(2),
    "rand": lambda t, a: a + t.rand(4),
    "dropout": lambda t, a: t.nn.functional.dropout(t.ones(4)),
    "dropout_of_samples": lambda t, a: t.nn.functional.dropout(a),
    "randint": lambda t, a: t.randint(0, 9, (3,)),
    "rand_like": lambda t, a: t.rand_like(a),
    "normal_": lambda t, a: a.clone().normal_(),
    "randperm": lambda t, a: t.randperm(3),
}


@pytest.mark.parametrize("randomness", ["different", "same"])
@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_are_those_of_the_same_stream(name, randomness):
    def program(lib: Any, x: Any) -> Any:
        lib.manual_seed(0)
        return lib.vmap(lambda a: RANDOM[name](lib, a), randomness=randomness)(x)

    both(program, X.astype(np.float32).reshape(3, 4))


# ---- derivatives ----------------------------------------------------------------------------


def mlp(lib: Any) -> Any:
    def apply(params: Any, x: Any) -> Any:
        hidden = lib.tanh(lib.nn.functional.linear(x, params["w1"], params["b1"]))
        return lib.nn.functional.linear(hidden, params["w2"], params["b2"])

    return apply


def parameters(lib: Any) -> Any:
    shapes = {"w1": (5, 3), "b1": (5,), "w2": (2, 5), "b2": (2,)}
    return {n: lib.tensor(draw(*s, seed=i)) for i, (n, s) in enumerate(shapes.items())}


def square_loss(lib: Any) -> Any:
    return lambda params, x, y: ((mlp(lib)(params, x) - y) ** 2).mean()


def class_loss(lib: Any) -> Any:
    return lambda params, x, y: lib.nn.functional.cross_entropy(mlp(lib)(params, x), y)


LABELS = np.array([0, 1, 1, 0])

DERIVATIVES = {
    "grad": lambda t, x: t.func.grad(lambda a: a.sin().sum())(x),
    "grad_and_value": lambda t, x: t.func.grad_and_value(lambda a: (a * a).sum())(x),
    "grad_aux": lambda t, x: (
        t.func.grad(lambda a: ((a * a).sum(), {"two": a * 2}), has_aux=True)(x)
    ),
    "argnums": lambda t, x: t.func.grad(lambda a, b: (a * b).sum(), argnums=(1, 0))(x, x + 1),
    "second": lambda t, x: t.func.grad(lambda a: t.func.grad(lambda b: (b**3).sum())(a).sum())(x),
    "confusion": lambda t, x: t.func.grad(
        lambda a: (a * t.func.grad(lambda b: (a * b).sum())(t.ones_like(a))).sum()
    )(x),
    "unused": lambda t, x: t.func.grad(lambda a: t.ones(()))(x),
    "tree": lambda t, x: t.func.grad(square_loss(t))(parameters(t), x, x[:, :2]),
    "vjp": lambda t, x: (
        t.func.vjp(lambda a: (a.sin(), a.sum()), x)[1]((x, t.tensor(2.0).to(x.dtype)))
    ),
    "vjp_value": lambda t, x: t.func.vjp(lambda a: a.sin(), x)[0],
    "jvp": lambda t, x: t.func.jvp(lambda a: a.sin() * a.sum(), (x,), (x * 2,)),
    "jvp_two": lambda t, x: t.func.jvp(lambda a, b: {"p": a * b}, (x, x + 1), (x, x * 3)),
    "jvp_aux": lambda t, x: t.func.jvp(lambda a: (a.sin(), a.cos()), (x,), (x,), has_aux=True),
    "jvp_independent": lambda t, x: t.func.jvp(lambda a: t.ones(2), (x,), (x,)),
    "jvp_of_jvp": lambda t, x: t.func.jvp(
        lambda a: t.func.jvp(lambda b: b**3, (a,), (x,))[1], (x,), (x,)
    ),
    "hvp": lambda t, x: t.func.jvp(t.func.grad(lambda a: (a**3).sum() * a.mean()), (x,), (x,)),
    "hvp_backward": lambda t, x: t.func.grad(
        lambda a: (t.func.jvp(lambda b: b.exp(), (a,), (x,))[1]).sum()
    )(x),
    "jacrev": lambda t, x: t.func.jacrev(lambda a: a.sin() @ a.t())(x),
    "jacfwd": lambda t, x: t.func.jacfwd(lambda a: a.sin() @ a.t())(x),
    "jacrev_tree": lambda t, x: t.func.jacrev(lambda p: mlp(t)(p, x))(parameters(t)),
    "jacfwd_tree": lambda t, x: t.func.jacfwd(lambda p: {"o": mlp(t)(p, x)})(parameters(t)),
    "jacrev_args": lambda t, x: t.func.jacrev(lambda a, b: (a * b, b.sum(0)), argnums=(0, 1))(x, x),
    "jacfwd_args": lambda t, x: t.func.jacfwd(lambda a, b: (a * b, b.sum(0)), argnums=(0, 1))(x, x),
    "jacrev_aux": lambda t, x: t.func.jacrev(lambda a: (a.sin(), a.sum()), has_aux=True)(x),
    "jacfwd_aux": lambda t, x: t.func.jacfwd(lambda a: (a.sin(), a.sum()), has_aux=True)(x),
    "jacrev_chunks": lambda t, x: t.func.jacrev(lambda a: (a.sin(), a.prod(1)), chunk_size=5)(x),
    "jacrev_rows": lambda t, x: t.func.jacrev(lambda a: a.cumsum(0), chunk_size=1)(x),
    "jacfwd_softmax": lambda t, x: t.func.jacfwd(lambda a: t.softmax(a, -1))(x),
    "jacrev_softmax": lambda t, x: t.func.jacrev(lambda a: t.log_softmax(a, -1).max(1).values)(x),
    "jacfwd_norm": lambda t, x: t.func.jacfwd(lambda a: t.nn.functional.layer_norm(a, (3,)))(x),
    "jacrev_norm": lambda t, x: t.func.jacrev(lambda a: t.nn.functional.layer_norm(a, (3,)))(x),
    "jacrev_solve": lambda t, x: t.func.jacrev(
        lambda a: t.linalg.inv(a.t() @ a + t.eye(3, dtype=a.dtype))
    )(x),
    "jacfwd_index": lambda t, x: t.func.jacfwd(lambda a: a[[0, 2]][:, 1:] * a[1, 0])(x),
    "jacrev_index": lambda t, x: t.func.jacrev(lambda a: a[[0, 2]][:, 1:] * a[1, 0])(x),
    "hessian": lambda t, x: t.func.hessian(lambda a: (a**3).sum() + a.prod())(x),
    "hessian_tree": lambda t, x: t.func.hessian(square_loss(t))(parameters(t), x, x[:, :2]),
    "forward_forward": lambda t, x: (
        t.func.jacfwd(t.func.jacfwd(lambda a: (a.sin() * a[0]).sum()))(x)
    ),
    "reverse_reverse": lambda t, x: (
        t.func.jacrev(t.func.jacrev(lambda a: (a.sin() * a[0]).sum()))(x)
    ),
    "reverse_forward": lambda t, x: (
        t.func.jacrev(t.func.jacfwd(lambda a: (a.sin() * a[0]).sum()))(x)
    ),
    "linearize": lambda t, x: t.func.linearize(lambda a: (a.sin(), a.sum()), x)[1](x),
    "per_sample": lambda t, x: (
        t.vmap(t.func.grad(square_loss(t)), (None, 0, 0))(parameters(t), x, x[:, :2])
    ),
    "per_sample_classes": lambda t, x: t.vmap(t.func.grad(class_loss(t)), (None, 0, 0))(
        parameters(t), x, t.tensor(LABELS)
    ),
    "per_sample_values": lambda t, x: t.vmap(t.func.grad_and_value(square_loss(t)), (None, 0, 0))(
        parameters(t), x, x[:, :2]
    ),
    "per_sample_jacobian": lambda t, x: t.vmap(t.func.jacrev(lambda a: a.sin() * a.sum()))(x),
    "per_sample_forward": lambda t, x: t.vmap(t.func.jacfwd(lambda a: a.sin() * a.sum()))(x),
    "per_sample_hessian": lambda t, x: (
        t.vmap(t.func.hessian(lambda a: a.prod() + a.exp().sum()))(x)
    ),
    "per_sample_jvp": lambda t, x: t.vmap(lambda a: t.func.jvp(t.sin, (a,), (a * 2,)))(x),
    "tangents_of_one_point": lambda t, x: t.vmap(
        lambda v: t.func.jvp(lambda a: a.sin() * v.sum(), (x[0],), (v,))[1]
    )(x),
    "pull_rows": lambda t, x: t.vmap(t.func.vjp(lambda a: a.sin() * a.sum(), x[0])[1])(x),
    "grad_over_vmap": lambda t, x: t.func.grad(
        lambda p: t.vmap(square_loss(t), (None, 0, 0))(p, x, x[:, :2]).sum()
    )(parameters(t)),
    "nested_per_sample": lambda t, x: t.vmap(
        lambda p: t.vmap(t.func.grad(lambda q, a: (q * a).sin().sum()), (None, 0))(p, x)
    )(x),
    "third": lambda t, x: t.vmap(t.func.grad(t.func.grad(t.func.grad(t.sin))))(x[:, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_are_the_same(name):
    both(DERIVATIVES[name], X, tolerance=1e-9)


def test_outer_graph_stays_attached():
    def program(lib: Any, x: Any, v: Any) -> Any:
        v.requires_grad_()
        gradient = lib.func.grad(lambda a: ((a * v) ** 2).sum())(x)
        gradient.sum().backward()
        return gradient.requires_grad, v.grad

    both(program, X, V)


def test_arguments_that_require_grad_keep_their_graph():
    def program(lib: Any, x: Any) -> Any:
        x.requires_grad_()
        gradients = lib.vmap(lib.func.grad(lambda a: (a**3).sum()))(x)
        gradients.sum().backward()
        return x.grad

    both(program, X)


def test_nothing_stays_attached_without_need():
    def program(lib: Any, x: Any) -> Any:
        found = lib.func.grad_and_value(lambda a: (a**3).sum())(x)
        nested = lib.func.grad(lambda a: lib.func.grad(lambda b: (b**3).sum())(a).sum())(x)
        value, _ = lib.func.vjp(lib.sin, x)
        return [each.requires_grad for each in (*found, nested, value)]

    both(program, X)


def cnn(lib: Any) -> Any:
    lib.manual_seed(0)
    return lib.nn.Sequential(
        lib.nn.Conv2d(1, 3, 3, stride=2, padding=1), lib.nn.GroupNorm(1, 3), lib.nn.ReLU(),
        lib.nn.MaxPool2d(2), lib.nn.Conv2d(3, 4, 2, groups=1), lib.nn.AvgPool2d(2, 1),
        lib.nn.Flatten(), lib.nn.Linear(4 * 2 * 2, 3),
    )  # fmt: skip


IMAGES = draw(4, 1, 15, 15).astype(np.float32)


def test_per_sample_gradients_of_a_convolutional_network():
    def program(lib: Any, images: Any, labels: Any) -> Any:
        model = cnn(lib)
        params = {name: each.detach() for name, each in model.named_parameters()}

        def loss(params: Any, image: Any, label: Any) -> Any:
            scores = lib.func.functional_call(model, params, (image.unsqueeze(0),))
            return lib.nn.functional.cross_entropy(scores, label.unsqueeze(0))

        return lib.vmap(lib.func.grad(loss), in_dims=(None, 0, 0))(params, images, labels)

    both(program, IMAGES, LABELS, tolerance=1e-4)


def test_ensemble_of_stacked_models():
    def program(lib: Any, images: Any) -> Any:
        lib.manual_seed(1)
        models = [cnn(lib) for _ in range(1)]
        for _ in range(2):
            models.append(lib.nn.Sequential(*[type_of(layer, lib) for layer in models[0]]))
        params, buffers = lib.func.stack_module_state(models)
        assert all(each.requires_grad and each.is_leaf for each in params.values())

        def call(params: Any, buffers: Any, x: Any) -> Any:
            return lib.func.functional_call(models[0], (params, buffers), (x,))

        shared = lib.vmap(call, (0, 0, None))(params, buffers, images)
        own = lib.vmap(call, (0, 0, 0))(params, buffers, lib.stack([images] * 3))
        shared.sum().backward()
        return shared, own, {name: each.grad for name, each in params.items()}

    both(program, IMAGES, tolerance=1e-4)


def type_of(layer: Any, lib: Any) -> Any:
    """Return a layer like this one with other numbers."""
    import copy

    copied = copy.deepcopy(layer)
    for parameter in copied.parameters():
        with lib.no_grad():
            parameter.mul_(0.7).add_(0.1)
    return copied


def test_jacobians_through_convolution_and_pooling():
    def program(lib: Any, images: Any) -> Any:
        model = cnn(lib)
        small = images[:1]
        params = {name: each.detach() for name, each in model.named_parameters()}
        call = lambda p: lib.func.functional_call(model, p, (small,))  # noqa: E731
        return lib.func.jacrev(call)(params), lib.func.jacfwd(call)(params)

    both(program, IMAGES, tolerance=1e-4)


# ---- errors ---------------------------------------------------------------------------------


def _unbatched_write(t: Any) -> Any:
    kept = t.zeros(3)

    def write(a: Any) -> Any:
        kept[0] = a[0]
        return kept

    return write


ERRORS = {
    "item": lambda t, x: t.vmap(lambda a: a.sum().item())(x),
    "float": lambda t, x: t.vmap(lambda a: float(a.sum()))(x),
    "branch": lambda t, x: t.vmap(lambda a: a if a.sum() > 0 else -a)(x),
    "numpy": lambda t, x: t.vmap(lambda a: a.numpy())(x),
    "tolist": lambda t, x: t.vmap(lambda a: a.tolist())(x),
    "random": lambda t, x: t.vmap(lambda a: a + t.rand(3))(x),
    "dropout": lambda t, x: t.vmap(t.nn.functional.dropout)(x),
    "nonzero": lambda t, x: t.vmap(lambda a: a.nonzero())(x),
    "mask": lambda t, x: t.vmap(lambda a: a[a > 0])(x),
    "copy_": lambda t, x: t.vmap(lambda a: t.zeros(3, dtype=x.dtype).copy_(a))(x),
    "setitem": lambda t, x: t.vmap(_unbatched_write(t))(x),
    "no_tensor": lambda t, x: t.vmap(lambda a: 3)(x),
    "none": lambda t, x: t.vmap(lambda a: None)(x),
    "out_dims": lambda t, x: t.vmap(lambda a: (a, a), out_dims=(0,))(x),
    "out_dim_range": lambda t, x: t.vmap(lambda a: a, out_dims=3)(x),
    "out_dim_kind": lambda t, x: t.vmap(lambda a: a, out_dims="x")(x),
    "out_dim_none": lambda t, x: t.vmap(lambda a: a, out_dims=None)(x),
    "in_dims": lambda t, x: t.vmap(lambda a: a, in_dims=(0, 0))(x),
    "in_dims_kind": lambda t, x: t.vmap(lambda a: a, in_dims=[0])(x),
    "in_dim_kind": lambda t, x: t.vmap(lambda a: a, in_dims=("x",))(x),
    "in_dim_range": lambda t, x: t.vmap(lambda a: a, in_dims=2)(x),
    "in_dim_number": lambda t, x: t.vmap(lambda a, b: a)(x, 3.0),
    "sizes": lambda t, x: t.vmap(lambda a, b: a)(x, x[:2]),
    "nothing_batched": lambda t, x: t.vmap(lambda a: a, in_dims=(None,))(x),
    "no_inputs": lambda t, x: t.vmap(lambda: 3)(),
    "randomness": lambda t, x: t.vmap(lambda a: a, randomness="any")(x),
    "chunk_size": lambda t, x: t.vmap(lambda a: a, chunk_size=0)(x),
    "same_chances": lambda t, x: t.vmap(t.bernoulli, randomness="same")(x.sigmoid()),
    "requires_grad_": lambda t, x: t.vmap(lambda a: a.requires_grad_())(x),
    "backward": lambda t, x: t.vmap(lambda a: a.sum().backward())(x),
    "backward_in_grad": lambda t, x: t.func.grad(lambda a: (a.sum().backward(), a.sum())[1])(x),
    "grad_dims": lambda t, x: t.func.grad(lambda a: a)(x),
    "grad_number": lambda t, x: t.func.grad(lambda a: 3)(x),
    "grad_integers": lambda t, x: t.func.grad(lambda a: a.sum())(x.long()),
    "grad_of_number": lambda t, x: t.func.grad(lambda a: a)(3.0),
    "grad_argnums": lambda t, x: t.func.grad(lambda a: a.sum(), argnums=2)(x),
    "grad_empty": lambda t, x: t.func.grad(lambda a: a.sum(), argnums=())(x),
    "grad_twice": lambda t, x: t.func.grad(lambda a: a.sum(), argnums=(0, 0))(x),
    "grad_aux": lambda t, x: t.func.grad(lambda a: a.sum(), has_aux=True)(x),
    "in_place_on_argument": lambda t, x: t.func.grad(lambda a: a.mul_(2).sum())(x),
    "jvp_primals": lambda t, x: t.func.jvp(t.sin, x, x),
    "jvp_structure": lambda t, x: t.func.jvp(t.sin, (x,), (x, x)),
    "jvp_shape": lambda t, x: t.func.jvp(t.sin, (x,), (x[0],)),
    "jvp_strict": lambda t, x: t.func.jvp(lambda a: t.ones(2), (x,), (x,), strict=True),
    "vjp_structure": lambda t, x: t.func.vjp(t.sin, x)[1]((x, x)),
    "vjp_shape": lambda t, x: t.func.vjp(t.sin, x)[1](x[0]),
    "vjp_integers": lambda t, x: t.func.vjp(lambda a: a.long(), x),
    "vjp_nothing": lambda t, x: t.func.vjp(lambda a: None, x),
    "jacrev_complex": lambda t, x: t.func.jacrev(t.sin)(x + 0j),
    "jacfwd_complex": lambda t, x: t.func.jacfwd(t.sin)(x + 0j),
    "jacrev_chunk": lambda t, x: t.func.jacrev(t.sin, chunk_size=0)(x),
    "stack_none": lambda t, x: t.func.stack_module_state([]),
    "stack_classes": lambda t, x: t.func.stack_module_state([t.nn.Linear(1, 1), t.nn.ReLU()]),
    "stack_modes": lambda t, x: t.func.stack_module_state(
        [t.nn.Linear(1, 1), t.nn.Linear(1, 1).eval()]
    ),
    "bilinear_sizes": lambda t, x: t.vmap(lambda a: a @ t.ones(4, dtype=a.dtype))(x),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_the_same_class_and_begin_alike(name):
    found = []
    for lib in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared
            ERRORS[name](lib, lib.tensor(X))
        found.append(caught.value)
    there, here = found
    assert isinstance(here, type(there))
    if name != "bilinear_sizes":
        wanted = " ".join(str(there).split())[:60].replace("torch.", "")
        assert " ".join(str(here).split()).replace("torch.", "").startswith(wanted)
