"""Symmetric indefinite matrices, and low ranks, next to NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

RNG = np.random.default_rng(5)


def _symmetric(size: int, dtype: str, hermitian: bool, zeros: bool) -> np.ndarray:
    matrix = RNG.standard_normal((4, size, size)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        matrix = matrix + 1j * RNG.standard_normal(matrix.shape).astype(matrix.real.dtype)
    turned = matrix.swapaxes(-1, -2)
    matrix = matrix + (turned.conj() if hermitian else turned)
    if zeros:  # a zero diagonal makes blocks of two rows
        matrix[:, np.arange(size), np.arange(size)] = 0
    return matrix


@together()
@pytest.mark.parametrize("size", [1, 2, 3, 6, 17])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize(
    ("dtype", "hermitian"),
    [("f4", False), ("f8", False), ("f8", True), ("c16", False), ("c16", True)],
)
def test_solutions_by_ldl_satisfy_their_equations(size, zeros, dtype, hermitian):
    if zeros and size == 1:
        pytest.skip("the zero matrix")
    matrix = _symmetric(size, dtype, hermitian, zeros)
    right = RNG.standard_normal((4, size, 2)).astype(dtype)
    LD, pivots = torch.linalg.ldl_factor(torch.tensor(matrix), hermitian=hermitian)
    assert pivots.dtype == torch.int32
    assert not LD.triu(1).any()
    if zeros:
        assert (pivots < 0).any()
    solved = torch.linalg.ldl_solve(LD, pivots, torch.tensor(right), hermitian=hermitian)
    tolerance = 2e-3 if dtype == "f4" else 1e-9
    np.testing.assert_allclose(matrix @ solved.numpy(), right, rtol=tolerance, atol=tolerance)


def test_one_factorization_solves_for_a_batch_of_right_sides():
    matrix = _symmetric(4, "f8", False, True)[0]
    LD, pivots = torch.linalg.ldl_factor(torch.tensor(matrix))
    right = RNG.standard_normal((3, 4, 1))
    solved = torch.linalg.ldl_solve(LD, pivots, torch.tensor(right))
    np.testing.assert_allclose(solved.numpy(), np.linalg.solve(matrix, right))


def test_only_the_lower_triangle_counts():
    matrix = torch.tensor(_symmetric(5, "f8", False, False)[0])
    whole, lower = torch.linalg.ldl_factor(matrix), torch.linalg.ldl_factor(matrix.tril())
    assert torch.equal(whole.LD, lower.LD)
    assert torch.equal(whole.pivots, lower.pivots)


def test_singular_matrices_are_told_or_raise():
    batch = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    assert torch.linalg.ldl_factor_ex(batch).info.tolist() == [0, 1]
    with pytest.raises(torch.linalg.LinAlgError, match=r"Batch element 1.*D\[1,1\] is zero"):
        torch.linalg.ldl_factor(batch)


def test_what_does_not_fit_is_refused():
    LD, pivots = torch.linalg.ldl_factor(torch.eye(3))
    with pytest.raises(RuntimeError, match="batches of square matrices, but they are 2 by 3"):
        torch.linalg.ldl_factor(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="3 by 3 but each b matrix is 2 by 1"):
        torch.linalg.ldl_solve(LD, pivots, torch.ones(2, 1))
    with pytest.raises(RuntimeError, match=r"got pivots with shape \[2\] instead"):
        torch.linalg.ldl_solve(LD, pivots[:2], torch.ones(3, 1))
    with pytest.raises(RuntimeError, match="Expected pivots to be integers"):
        torch.linalg.ldl_solve(LD, pivots.float(), torch.ones(3, 1))
    with pytest.raises(RuntimeError, match="found b of type Double and A of type Float"):
        torch.linalg.ldl_solve(LD, pivots, torch.ones(3, 1).double())
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.linalg.ldl_solve(LD, pivots, torch.ones(3))


def test_ldl_is_recorded_and_has_no_derivative():
    LD, pivots = torch.linalg.ldl_factor(torch.eye(3, requires_grad=True))
    with pytest.raises(RuntimeError, match="linalg_ldl_factor_ex is not implemented"):
        LD.sum().backward()
    solved = torch.linalg.ldl_solve(LD.detach(), pivots, torch.ones(3, 1, requires_grad=True))
    with pytest.raises(RuntimeError, match="linalg_ldl_solve is not implemented"):
        solved.sum().backward()


# ---- low rank ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(9, 6), (6, 9), (2, 9, 6)])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_a_matrix_of_low_rank_is_found_by_a_few_products(shape, dtype):
    left = RNG.standard_normal((*shape[:-1], 2)).astype(dtype)
    matrix = left @ RNG.standard_normal((*shape[:-2], 2, shape[-1]))
    torch.manual_seed(0)
    U, S, V = torch.svd_lowrank(torch.tensor(matrix), q=3)
    assert U.shape == (*shape[:-1], 3)
    assert V.shape == (*shape[:-2], shape[-1], 3)
    np.testing.assert_allclose((U * S.unsqueeze(-2) @ V.mH).numpy(), matrix, atol=1e-9)
    largest = np.linalg.svd(matrix, compute_uv=False)[..., :3]
    np.testing.assert_allclose(S.numpy(), largest, atol=1e-9)


def test_what_is_taken_off_a_matrix_may_be_broadcast():
    matrix, row = torch.rand(5, 4, dtype=torch.float64), torch.rand(1, 4, dtype=torch.float64)
    _, S, _ = torch.svd_lowrank(matrix, q=4, M=row)
    np.testing.assert_allclose(S, np.linalg.svd((matrix - row).numpy(), compute_uv=False))


def test_principal_components_are_those_of_the_covariance():
    samples = RNG.standard_normal((50, 4)) * [5.0, 3.0, 1.0, 0.1]
    _, S, V = torch.pca_lowrank(torch.tensor(samples))
    variances, directions = np.linalg.eigh(np.cov(samples.T))
    np.testing.assert_allclose((S**2 / 49).numpy(), variances[::-1])
    np.testing.assert_allclose(abs(np.sum(V.numpy() * directions[:, ::-1], 0)), 1)
    _, uncentered, _ = torch.pca_lowrank(torch.tensor(samples + 10), q=4, center=False)
    assert uncentered[0] > 2 * S[0]


def test_a_rank_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"q\(=9\) must be non-negative integer and not greater"):
        torch.pca_lowrank(torch.ones(3, 4), q=9)
    with pytest.raises(ValueError, match=r"niter\(=-1\) must be non-negative integer"):
        torch.pca_lowrank(torch.ones(3, 4), niter=-1)


def test_low_rank_has_derivatives():
    def largest(matrix):
        torch.manual_seed(1)
        return torch.svd_lowrank(matrix, q=2, niter=3)[1]

    left = torch.rand(5, 2, dtype=torch.float64) @ torch.rand(2, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(largest, (left.requires_grad_(),), atol=1e-4)
