"""What `pellucid.func` refuses, as PyTorch does."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.func import grad, jacfwd, jvp, vjp

MATRICES = torch.eye(3) + 1


@pytest.mark.parametrize(
    "function",
    [
        lambda row: row.cumsum(1),
        lambda row: row.transpose(0, 1),
        lambda row: row.sort(-2),
        lambda row: row.flip(1),
        lambda row: row.unbind(1),
    ],
)
def test_a_dimension_of_all_samples_is_none_of_one_sample(function):
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.vmap(function)(MATRICES)


@pytest.mark.parametrize(
    "function", [torch.linalg.inv, torch.linalg.svd, torch.linalg.det, torch.tril]
)
def test_rows_are_not_taken_for_a_matrix(function):
    with pytest.raises(RuntimeError, match="must have at least 2 dimensions"):
        torch.vmap(function)(MATRICES)


def test_random_numbers_beside_tangents_are_refused_or_drawn_for_each():
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error"):
        jacfwd(lambda x: x * torch.rand(3))(x)
    same = jacfwd(lambda x: x.sum() * torch.rand(1), randomness="same")(x)
    different = jacfwd(lambda x: x.sum() * torch.rand(1), randomness="different")(x)
    assert len(set(same.flatten().tolist())) == 1
    assert len(set(different.flatten().tolist())) == 3


def test_jacobians_with_different_numbers_take_trees_and_several_arguments():
    def function(tree, y):
        return {"out": tree["a"] * y + 0 * torch.rand(2)}, torch.rand(2)

    a, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    found, aux = jacfwd(function, (0, 1), has_aux=True, randomness="different")({"a": a}, y)
    assert found["out"][0]["a"].tolist() == [[3, 0], [0, 4]]
    assert found["out"][1].tolist() == [[1, 0], [0, 2]]
    assert aux.shape == (2,)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: grad(f, has_aux=True)(torch.ones(2)),
        lambda f: vjp(f, torch.ones(2), has_aux=True),
        lambda f: jvp(f, (torch.ones(2),), (torch.ones(2),), has_aux=True),
    ],
)
def test_what_comes_beside_the_output_must_be_tensors(transform):
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type <class 'str'>"):
        transform(lambda x: (x.sum(), {"name": "text"}))


def test_recording_is_not_switched_on_inside_a_transform():
    with pytest.raises(RuntimeError, match=r"attempting to call Tensor\.requires_grad_"):
        grad(lambda x: x.requires_grad_().sum())(torch.ones(2))
    made = grad(lambda x: (x * torch.ones(2, requires_grad=True)).sum())(torch.ones(2))
    assert made.tolist() == [1, 1]


def test_hooks_of_saved_tensors_are_refused_around_and_inside_a_transform():
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)

    def hooked(x):
        with hooks:
            return (x * x).sum()

    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        grad(hooked)(torch.ones(2))
    with hooks, pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        grad(torch.sum)(torch.ones(2))


def test_a_function_of_its_own_must_say_what_it_returns_for_samples():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            return x * 2

    with pytest.raises(RuntimeError, match="Expected the vmap staticmethod to have two returns"):
        torch.vmap(Double.apply)(torch.ones(2))


def test_printing_numbers_the_levels_of_nested_maps():
    seen = []
    torch.vmap(torch.vmap(lambda x: seen.append(repr(x)) or x))(torch.ones(2, 2))
    assert seen[0].startswith("BatchedTensor(lvl=2, bdim=0, value=\n    BatchedTensor(lvl=1")


def test_memory_of_a_sample_cannot_be_asked_for():
    for ask, error in (
        (lambda x: x.data_ptr(), RuntimeError),
        (lambda x: x.storage(), NotImplementedError),
        (lambda x: x.untyped_storage(), NotImplementedError),
    ):
        with pytest.raises(error, match="Cannot access"):
            torch.vmap(ask)(torch.ones(2, 3))
    assert torch.vmap(lambda x: x.resize_(2))(torch.ones(2, 3)).shape == (2, 2)
