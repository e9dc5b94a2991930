from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together


def test_cat_joins_dtypes_and_gives_each_its_part_of_the_gradient() -> None:
    a = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    c = torch.cat([a, torch.zeros(1, 2, dtype=torch.int64), b])
    assert c.dtype == torch.float64
    (c * torch.arange(8).view(4, 2)).sum().backward()
    assert a.grad.tolist() == [[0, 1], [2, 3]]
    assert b.grad.tolist() == [[6, 7]]
    assert b.grad.dtype == torch.float32


def test_cat_passes_over_the_old_empty_tensor() -> None:
    empty = torch.zeros(0, requires_grad=True)
    joined = torch.cat([empty, torch.ones(2, 3, requires_grad=True)], 1)
    assert joined.shape == (2, 3)
    joined.sum().backward()


def test_stack_takes_its_gradient_apart() -> None:
    a, b = (torch.ones(2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    (torch.stack([a, b], -1) * torch.tensor([[1.0, 2], [3, 4]])).sum().backward()
    assert a.grad.tolist() == [1, 3]
    assert b.grad.tolist() == [2, 4]


def test_each_joined_tensor_gets_its_own_part_of_the_gradient() -> None:
    for dtype, dim, count in ((torch.float32, 0, 5), (torch.float64, -1, 2), (torch.float32, 1, 1)):
        parts = [torch.randn(2, 3, dtype=dtype).requires_grad_(i != 1) for i in range(count)]
        for join, take_apart in ((torch.cat, np.array_split), (torch.stack, np.split)):
            joined = join(parts, dim)
            above = torch.randn(joined.shape[::-1], dtype=dtype)
            above = above.permute(*reversed(range(joined.ndim)))
            joined.backward(above, retain_graph=True)
            joined.sum().backward()
            for each, part in zip(parts, take_apart(above.numpy(), count, dim), strict=True):
                if each.requires_grad:
                    assert np.array_equal(each.grad.numpy(), part.reshape(2, 3) + 1)
                each.grad = None


def test_lengths_of_joined_tensors_survive_hooks_and_other_lengths() -> None:
    x, none = torch.ones(3, requires_grad=True), torch.ones(0, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        hooked = torch.cat([x, none, torch.ones(2), x[:1]])
    for joined in (hooked, torch.cat([x, none, torch.ones(2), x[:1]])):
        joined.backward(torch.arange(6.0))
        assert x.grad.tolist() == [5, 1, 2]
        assert none.grad is None
        x.grad = None


@together()
@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 3, 4)])
def test_stacking_agrees_with_numpy(name: str, shape: tuple[int, ...]) -> None:
    arrays = [np.random.default_rng(n).normal(size=shape) for n in range(3)]
    ours = getattr(torch, name)([torch.from_numpy(array) for array in arrays])
    assert np.array_equal(ours.numpy(), getattr(np, name)(arrays))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: torch.cat([torch.ones(2, 3), torch.ones(3, 2)]),
            RuntimeError,
            "Expected size 3 but got size 2 for tensor number 1 in the list",
        ),
        (lambda: torch.cat([torch.tensor(1)]), RuntimeError, "zero-dimensional tensor"),
        (
            lambda: torch.cat([torch.ones(2, 2), torch.ones(2)]),
            RuntimeError,
            "same number of dimensions: got 2 and 1",
        ),
        (
            lambda: torch.stack([torch.ones(2), torch.ones(3)]),
            RuntimeError,
            r"equal size, but got \[2\] at entry 0 and \[3\] at entry 1",
        ),
    ],
)
def test_tensors_that_do_not_join_are_named(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call()


def test_block_diagonal_and_products_of_vectors() -> None:
    from scipy.linalg import block_diag

    blocks = [np.ones((2, 1)), np.full((1, 3), 2.0)]
    ours = torch.block_diag(*map(torch.from_numpy, blocks))
    assert np.array_equal(ours.numpy(), block_diag(*blocks))
    pairs = torch.cartesian_prod(torch.arange(2), torch.arange(3))
    assert pairs.tolist() == [[i, j] for i in range(2) for j in range(3)]
    assert torch.combinations(torch.arange(3)).tolist() == [[0, 1], [0, 2], [1, 2]]
