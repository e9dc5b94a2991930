"""`vmap` over functions of matrices: tolerances, strides, diagonals and LDL systems."""

from __future__ import annotations

import pytest

import pellucid as torch

vmap = torch.func.vmap


@pytest.fixture
def matrices():
    torch.manual_seed(3)
    return torch.rand(3, 4, 4, dtype=torch.float64)


@pytest.fixture
def bounds():
    return torch.tensor([0.01, 0.2, 0.5], dtype=torch.float64)


@pytest.mark.parametrize("name", ["atol", "rtol"])
@pytest.mark.parametrize("hermitian", [False, True])
def test_every_sample_has_its_own_tolerance(name, hermitian, matrices, bounds):
    given = matrices + matrices.mT if hermitian else matrices
    for function in (torch.linalg.pinv, torch.linalg.matrix_rank):

        def call(matrix, bound, function=function):
            return function(matrix, hermitian=hermitian, **{name: bound})

        expected = torch.stack([call(*each) for each in zip(given, bounds, strict=True)])
        assert torch.allclose(vmap(call)(given, bounds), expected)
        one = vmap(lambda bound, call=call: call(given[0], bound))(bounds)
        assert torch.allclose(one, torch.stack([call(given[0], each) for each in bounds]))


def test_a_pseudoinverse_with_a_tolerance_for_each_sample_has_its_derivative(matrices, bounds):
    def total(matrix, bound):
        return torch.linalg.pinv(matrix, atol=bound).square().sum()

    found = vmap(torch.func.grad(total))(matrices, bounds)
    for matrix, bound, slope in zip(matrices, bounds, found, strict=True):
        leaf = matrix.clone().requires_grad_()
        total(leaf, bound).backward()
        assert torch.allclose(slope, leaf.grad)


@pytest.mark.parametrize("offset", [None, 1])
def test_memory_is_looked_at_sample_by_sample(offset, matrices):
    seen = vmap(lambda x: x.as_strided((2, 3), (4, 1), offset))(matrices)
    start = offset or 0
    assert torch.equal(seen, matrices[:, :2, start : start + 3])
    nested = vmap(vmap(lambda x: x.as_strided((2,), (2,))))(matrices)
    assert torch.equal(nested, matrices[..., ::2])


def test_diagonals_are_filled_in_every_sample(matrices):
    filled = vmap(lambda x: x.clone().fill_diagonal_(7.0))(matrices)
    assert torch.equal(filled.diagonal(dim1=1, dim2=2), torch.full((3, 4), 7.0).double())
    assert torch.equal(filled.tril(-1), matrices.tril(-1))


def test_systems_are_solved_by_ldl_sample_by_sample(matrices):
    symmetric = matrices + matrices.mT
    right = torch.rand(4, 2, dtype=torch.float64)

    def solved(matrix, right):
        LD, pivots = torch.linalg.ldl_factor(matrix)
        return torch.linalg.ldl_solve(LD, pivots, right)

    found = vmap(solved, in_dims=(0, None))(symmetric, right)
    assert torch.allclose(symmetric @ found, right.expand(3, 4, 2))
    LD, pivots = torch.linalg.ldl_factor(symmetric[0])
    batched = vmap(lambda column: torch.linalg.ldl_solve(LD, pivots, column))(right[None] * 2)
    assert torch.allclose(symmetric[0] @ batched[0], 2 * right)


def test_what_a_beta_of_zero_ignores_may_be_batched(matrices):
    left = torch.rand(4, 4, dtype=torch.float64)
    slopes = vmap(torch.func.grad(lambda x: torch.addmm(x, left, left, beta=0).sum()))(matrices)
    assert not slopes.any()
    assert slopes.shape == matrices.shape
