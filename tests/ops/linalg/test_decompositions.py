"""Decompositions and what is computed with them, against definitions and finite differences."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
import scipy.linalg

import pellucid as torch
from pellucid.testing.gradcheck import gradcheck, gradgradcheck
from tests.samples.grouped import together

random = np.random.default_rng(3)


def real(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(random.standard_normal(shape)))


def complex_(*shape: int) -> torch.Tensor:
    return torch.complex(real(*shape), real(*shape))


def close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a, b.to(a.dtype), rtol=1e-9, atol=1e-9)


def hermitian(a: torch.Tensor) -> torch.Tensor:
    return (a + a.mH) / 2


def definite(a: torch.Tensor) -> torch.Tensor:
    return a @ a.mH + 2 * torch.eye(a.shape[-1], dtype=a.dtype)


MAKERS = [real, complex_]
SHAPES = [(3, 3), (4, 3), (2, 3), (2, 4, 3)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_multiply_to_the_matrix(make, shape: tuple[int, ...]) -> None:
    a = make(*shape)
    Q, R = torch.linalg.qr(a)
    assert close(Q @ R, a)
    assert close(Q.mH @ Q, torch.eye(Q.shape[-1], dtype=torch.float64).expand(*Q.mH.shape[:-1], -1))
    assert close(R, R.triu())
    U, S, Vh = torch.linalg.svd(a, full_matrices=False)
    assert close((U * S.unsqueeze(-2)) @ Vh, a)
    P, L, U = torch.linalg.lu(a)
    assert close(P.to(a.dtype) @ L @ U, a)
    assert close(L, L.tril())


@pytest.mark.parametrize("make", MAKERS)
def test_eigenvectors_are_stretched_by_their_eigenvalues(make) -> None:
    a = make(2, 3, 3)
    values, vectors = torch.linalg.eig(a)
    assert close(a.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2))
    values, vectors = torch.linalg.eigh(hermitian(a))
    assert close(hermitian(a) @ vectors, vectors * values.unsqueeze(-2))


@pytest.mark.parametrize("make", MAKERS)
def test_cholesky_factors_multiply_to_the_matrix(make) -> None:
    a = definite(make(2, 3, 3))
    L, U = torch.linalg.cholesky(a), torch.linalg.cholesky(a, upper=True)
    assert close(L @ L.mH, a)
    assert close(U.mH @ U, a)
    b = make(3, 2)
    assert close(a @ torch.cholesky_solve(b, L), b.expand(2, 3, -1))
    assert close(a @ torch.cholesky_inverse(L), torch.eye(3, dtype=a.dtype).expand(2, 3, 3))


@pytest.mark.parametrize("make", MAKERS)
def test_solutions_solve_their_equations(make) -> None:
    a, b = make(2, 3, 3), make(3, 4)
    assert close(a @ torch.linalg.solve(a, b), b.expand(2, 3, -1))
    assert close(torch.linalg.solve(a, b.mT, left=False) @ a, b.mT.expand(2, -1, 3))
    factors = torch.linalg.lu_factor(a)
    assert close(a @ torch.linalg.lu_solve(*factors, b), b.expand(2, 3, -1))
    assert close(a.mH @ torch.linalg.lu_solve(*factors, b, adjoint=True), b.expand(2, 3, -1))
    upper = torch.linalg.solve_triangular(a, b, upper=True)
    assert close(a.triu() @ upper, b.expand(2, 3, -1))


def test_functions_of_matrices_are_those_of_scipy() -> None:
    a = real(3, 3)
    np.testing.assert_allclose(torch.matrix_exp(a).numpy(), scipy.linalg.expm(a.numpy()))
    np.testing.assert_allclose(
        torch.linalg.pinv(real(0, 3, 2)).numpy(), np.zeros((0, 2, 3)), strict=True
    )
    tall = real(4, 2)
    np.testing.assert_allclose(
        torch.linalg.pinv(tall).numpy(), scipy.linalg.pinv(tall.numpy()), rtol=1e-9
    )
    b = real(4, 1)
    found = torch.linalg.lstsq(tall, b, driver="gelsd")
    expected = scipy.linalg.lstsq(tall.numpy(), b.numpy())
    np.testing.assert_allclose(found.solution.numpy(), expected[0], rtol=1e-9)
    np.testing.assert_allclose(found.residuals.numpy(), expected[1], rtol=1e-9)
    assert found.rank.item() == expected[2]
    np.testing.assert_allclose(found.singular_values.numpy(), expected[3], rtol=1e-9)


def test_reflections_multiply_to_the_orthogonal_factor() -> None:
    a = complex_(4, 3)
    packed, tau = torch.geqrf(a)
    Q, R = torch.linalg.qr(a)
    assert close(torch.linalg.householder_product(packed, tau), Q)
    assert close(packed[:3].triu(), R)
    whole = torch.ormqr(packed, tau, torch.eye(4, dtype=a.dtype))
    assert close(whole[:, :3], Q)
    assert close(torch.ormqr(packed, tau, whole, transpose=True), torch.eye(4, dtype=a.dtype))


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
def test_matrix_norms_are_those_of_numpy(order) -> None:
    a = complex_(3, 4)
    found = torch.linalg.matrix_norm(a, order).item()
    assert found == pytest.approx(np.linalg.norm(a.numpy(), order))


TAU = torch.tensor([0.5, 1.5, 1.2], dtype=torch.float64)
#: functions of one matrix that do not depend on signs or phases
FUNCTIONS = {
    "cholesky": lambda a: torch.linalg.cholesky(definite(a)),
    "upper cholesky": lambda a: torch.linalg.cholesky(definite(a), upper=True),
    "qr": lambda a: torch.linalg.qr(a),
    "r alone": lambda a: torch.linalg.qr(a)[1],
    "q alone": lambda a: torch.linalg.qr(a)[0],
    "wide r": lambda a: torch.linalg.qr(a[:2])[1],
    "wide q": lambda a: torch.linalg.qr(a[:2])[0],
    "svd": lambda a: [abs(each) for each in torch.linalg.svd(a, full_matrices=False)],
    "tall svd": lambda a: [abs(each) for each in torch.linalg.svd(a[:, :2], full_matrices=False)],
    "wide svd": lambda a: [abs(each) for each in torch.linalg.svd(a[:2], full_matrices=False)],
    "svdvals": torch.linalg.svdvals,
    "projection": lambda a: (lambda u: u[:, :1] @ u[:, :1].mH)(torch.linalg.svd(a)[0]),
    "eigh": lambda a: [abs(each) for each in torch.linalg.eigh(hermitian(a))],
    "eigvalsh": lambda a: torch.linalg.eigvalsh(hermitian(a), "U"),
    "eig": lambda a: [abs(each) for each in torch.linalg.eig(a)],
    "eigvals": lambda a: abs(torch.linalg.eigvals(a)),
    "slogdet": lambda a: torch.linalg.slogdet(a)[1],
    "logdet": lambda a: torch.logdet(definite(a)).real,
    "lstsq": lambda a: torch.linalg.lstsq(a[:, :2], a[:, 2:])[0],
    "householder": lambda a: torch.linalg.householder_product(a, TAU.to(a.dtype)),
    "lu_solve": lambda a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a[:, :1], adjoint=True),
    "power": lambda a: torch.linalg.matrix_power(a, -2),
    "nuclear norm": lambda a: torch.linalg.matrix_norm(a, "nuc"),
    "cond": lambda a: torch.linalg.cond(a),
    "cross": lambda a: torch.linalg.cross(a[:1], a),
    "multi_dot": lambda a: torch.linalg.multi_dot([a[0], a, a, a[:, 1]]),
}


@together()
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_finite_differences(make, name: str) -> None:
    a = (make(3, 3) + 2 * torch.diag(torch.tensor([1.0, 2.0, 4.0]))).requires_grad_()
    assert gradcheck(FUNCTIONS[name], (a,), check_forward_ad=True, fast_mode=True)
    assert gradgradcheck(FUNCTIONS[name], (a,), atol=1e-4, fast_mode=True)


def test_the_sign_of_a_complex_determinant_has_a_gradient() -> None:
    assert gradcheck(torch.linalg.slogdet, (complex_(2, 2).requires_grad_(),))


def test_the_gradient_of_a_determinant_is_right_for_singular_matrices() -> None:
    a = torch.outer(real(3), real(3)) + torch.outer(real(3), real(3))
    assert gradcheck(torch.linalg.det, (a.requires_grad_(),))
    zeros = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(torch.linalg.det(zeros), zeros)
    assert found.abs().sum() == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize(
    "rows",
    [
        [[nan]], [[nan, 1.0], [2.0, 3.0]], [[1.0, 2.0], [3.0, nan]],
        [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [nan, 2.0, 4.0]],  # a pivot of zero before the NaN
        [[1.0] * 20] * 19 + [[nan] * 20],
    ],
)  # fmt: skip
def test_of_a_matrix_with_a_nan_nothing_is_known(rows, dtype) -> None:
    batch = torch.eye(len(rows), dtype=dtype).repeat(2, 1, 1)
    batch[1] = torch.tensor(rows, dtype=dtype)
    batch.requires_grad_()
    size = torch.linalg.slogdet(batch).logabsdet
    found = torch.linalg.det(batch)
    (gradient,) = torch.autograd.grad(found.real.sum(), batch)
    assert size.isnan().tolist() == found.isnan().tolist() == [False, True]
    assert close(gradient[0], torch.eye(len(rows)))
    assert gradient[1].isnan().all()


def test_an_inverse_of_a_matrix_with_a_nan_is_nan_in_all_its_elements() -> None:
    for dtype in (torch.float64, torch.complex64):
        batch = torch.eye(20, dtype=dtype).repeat(2, 1, 1)
        batch[1, 0, 0] = nan
        inverse = torch.linalg.inv(batch)
        assert close(inverse[0], batch[0])
        assert inverse[1].isnan().all()


@pytest.mark.parametrize("function", [torch.linalg.pinv, torch.linalg.svd, torch.linalg.cond])
def test_singular_values_of_what_is_not_finite_are_refused(function) -> None:
    with pytest.raises(
        torch.linalg.LinAlgError, match=r"^linalg\.svd: The algorithm failed to conv"
    ):
        function(torch.tensor([[nan, 1.0], [2.0, 3.0]]))


def test_eigenvalues_that_coincide_have_gradients() -> None:
    a = torch.eye(3, dtype=torch.float64, requires_grad=True)
    torch.linalg.eigh(a)[0].sum().backward()
    assert close(a.grad, torch.eye(3))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: torch.linalg.svd(a)[0],
        lambda a: torch.linalg.eigh(hermitian(a))[1],
        lambda a: torch.linalg.eig(a)[1],
    ],
)
def test_a_loss_that_depends_on_a_phase_is_refused(function) -> None:
    a = complex_(3, 3).requires_grad_()
    with pytest.raises(RuntimeError, match=r"in the complex case are specified up to .* by e\^{i"):
        function(a).imag.sum().backward()
    assert a.grad is None


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (torch.linalg.inv, r"linalg\.inv: \(Batch element 1\): The diagonal element 1 is zero"),
        (torch.linalg.cholesky, r"linalg\.cholesky: \(Batch element 1\): The factorization could"),
        (
            torch.linalg.lu_factor,
            r"linalg\.lu_factor: \(Batch element 1\): U\[1,1\] is zero",
        ),
        (lambda a: torch.linalg.solve(a, a), r"\(Batch element 1\): The solver failed because"),
    ],
)
def test_the_first_matrix_that_fails_is_named(function, sentence: str) -> None:
    a = torch.stack([torch.eye(2), torch.zeros(2, 2)]).requires_grad_()
    with pytest.raises(torch.linalg.LinAlgError, match=sentence) as caught:
        function(a)
    assert "float32[2, 2, 2]" in str(caught.value)
    assert "test_decompositions.py:" in str(caught.value)


def test_the_other_matrices_of_a_batch_are_dealt_with() -> None:
    a = torch.stack([torch.eye(2) * 2, torch.zeros(2, 2)])
    inverse, info = torch.linalg.inv_ex(a)
    assert info.tolist() == [0, 1]
    assert inverse[0].tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert inverse[1].isnan().all()
    result, info = torch.linalg.solve_ex(a, torch.ones(2, 1))
    assert info.tolist() == [0, 1]
    assert result[0].tolist() == [[0.5], [0.5]]
    factor, info = torch.linalg.cholesky_ex(torch.stack([torch.eye(2), -torch.eye(2)]))
    assert info.tolist() == [0, 1]
    assert close(factor[0], torch.eye(2))


@pytest.mark.parametrize("mode", ["r", "complete"])
def test_qr_without_what_its_gradient_needs_says_so(mode: str) -> None:
    a = real(3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match=r"depends on Q|not differentiable when mode='complete'"):
        torch.linalg.qr(a, mode=mode).R.sum().backward()


def test_results_have_names() -> None:
    assert repr(torch.linalg.slogdet(torch.eye(1))) == (
        "torch.return_types.linalg_slogdet(\nsign=tensor(1.),\nlogabsdet=tensor(0.))"
    )


def test_matrix_exp_in_single_precision_is_exact_to_its_last_places() -> None:
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]]) * 3
    wanted = torch.linalg.matrix_exp(a.double()).numpy()
    np.testing.assert_allclose(torch.linalg.matrix_exp(a).numpy(), wanted, rtol=2e-7)


def test_tensordot_broadcasts_dimensions_of_size_one() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(4.0).reshape(1, 4)
    found = torch.tensordot(torch.tensor(a), torch.tensor(b), dims=([0], [0]))
    np.testing.assert_allclose(found.numpy(), np.tensordot(a, np.repeat(b, 2, 0), ([0], [0])))


def test_the_powers_of_one_number_are_a_row() -> None:
    assert torch.linalg.vander(torch.tensor(2.0), N=3).tolist() == [[1, 2, 4]]
