"""Linear algebra gives what PyTorch gives: values, gradients of both orders, errors."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
from tests.parity.side_by_side import Outcome, differences, evaluate, used

torch = pytest.importorskip("torch")


def matrices() -> dict[str, np.ndarray]:
    random = np.random.default_rng(11)

    def normal(*shape: int) -> np.ndarray:
        return np.asarray(random.standard_normal(shape))

    def complex_normal(*shape: int) -> np.ndarray:
        return normal(*shape) + 1j * normal(*shape)

    square, zsquare = normal(3, 3), complex_normal(3, 3)
    return {
        "q": square, "b": normal(2, 3, 3), "tall": normal(4, 3), "wide": normal(3, 4),
        "stack": normal(2, 4, 3), "z": zsquare, "zb": complex_normal(2, 3, 3),
        "ztall": complex_normal(4, 3), "zwide": complex_normal(2, 3),
        "pd": square @ square.T + 2 * np.eye(3),
        "zpd": zsquare @ zsquare.conj().T + 2 * np.eye(3),
        "v": normal(3), "w": normal(4), "vs": normal(2, 3), "c": normal(3, 2),
        "zc": complex_normal(3, 2), "zv": complex_normal(3), "row": normal(2, 3), "s": normal(),
        "zero": np.zeros((3, 3)), "rank1": np.outer(np.arange(1.0, 4), np.arange(2.0, 5)),
        "none": np.zeros((0, 3, 3)), "empty": np.zeros((0, 0)),
        "lower": np.tril(square) + 2 * np.eye(3), "zlower": np.tril(zsquare) + 2 * np.eye(3),
        "f": square.astype(np.float32), "h": square.astype(np.float16),
        "i": np.arange(9).reshape(3, 3), "nan": np.full((2, 2), np.nan), "t4": normal(2, 3, 6),
        "tau": random.uniform(0.5, 1.5, 3), "ztau": complex_normal(3),
        "tau2": random.uniform(0.5, 1.5, 2), "piv": np.array([2, 3, 3], np.int32),
    }  # fmt: skip


SAME = """
linalg.cholesky(pd) | linalg.cholesky(pd, upper=True) | linalg.cholesky(zpd) | linalg.cholesky(zero)
linalg.cholesky(zpd, upper=True) | linalg.cholesky(none) | linalg.cholesky(empty)
linalg.cholesky(tall) | linalg.cholesky(v) | linalg.cholesky(i) | linalg.cholesky(h)
linalg.cholesky(f @ f.mT + f.new_ones(3).diag()) | linalg.cholesky(torch.stack([pd, -pd]))
linalg.cholesky_ex(pd) | linalg.cholesky_ex(torch.stack([pd, -pd])).info
linalg.cholesky_ex(-pd, check_errors=True)
linalg.qr(q) | linalg.qr(tall) | linalg.qr(wide) | linalg.qr(stack) | linalg.qr(z) | linalg.qr(ztall)
linalg.qr(zwide) | linalg.qr(q, mode="complete") | linalg.qr(wide, mode="complete") | linalg.qr(f)
linalg.qr(tall, mode="r").R.detach() | linalg.qr(tall, mode="r") | linalg.qr(tall, mode="complete")
linalg.qr(tall.detach(), mode="complete") | linalg.qr(q, mode="x") | linalg.qr(v) | linalg.qr(i)
linalg.qr(none) | linalg.qr(empty)
linalg.svd(q) | linalg.svd(tall, full_matrices=False).U.abs() | linalg.svd(wide, full_matrices=False)
linalg.svd(stack, False).Vh.abs() | linalg.svd(tall).Vh.abs() | linalg.svd(wide) | linalg.svd(v) | linalg.svd(i)
linalg.svd(nan) | linalg.svd(z).S | linalg.svd(f) | linalg.svd(none) | linalg.svd(z)
linalg.svd(z, False).U.abs() | linalg.svd(ztall, False).Vh.abs() | linalg.svd(zwide, False).U.abs()
linalg.svdvals(q) | linalg.svdvals(ztall) | linalg.svdvals(stack) | linalg.svdvals(v)
linalg.svdvals(q.detach()) | linalg.svdvals(rank1.detach())
linalg.eigh(pd) | linalg.eigh(pd, UPLO="U") | linalg.eigh(q) | linalg.eigh(b).eigenvectors.abs() | linalg.eigh(zpd).eigenvalues
linalg.eigh(zpd).eigenvectors.abs() | linalg.eigh(zpd) | linalg.eigh(tall) | linalg.eigh(pd, "x")
linalg.eigh(i) | linalg.eigh(none) | linalg.eigh(f).eigenvalues
linalg.eigvalsh(pd) | linalg.eigvalsh(zpd) | linalg.eigvalsh(pd.detach()) | linalg.eigvalsh(zero)
linalg.eigvalsh(tall) | linalg.eigh(zero).eigenvalues
linalg.eig(q).eigenvalues | linalg.eig(q).eigenvectors.abs() | linalg.eig(z).eigenvalues
linalg.eig(z).eigenvectors.abs() | linalg.eig(b).eigenvalues | linalg.eig(tall) | linalg.eig(nan)
linalg.eig(q) | linalg.eigvals(q) | linalg.eigvals(q.detach()) | linalg.eigvals(zb) | linalg.eigvals(tall)
linalg.inv(q) | linalg.inv(b) | linalg.inv(z) | linalg.inv(zero) | linalg.inv(tall) | linalg.inv(v)
linalg.inv(i) | linalg.inv(none) | linalg.inv(empty) | linalg.inv(f) | linalg.inv(torch.stack([q, zero]))
linalg.inv_ex(q) | linalg.inv_ex(zero).info | linalg.inv_ex(torch.stack([q, zero])).info | inverse(q)
linalg.inv_ex(zero, check_errors=True) | q.inverse() | inverse(zero)
linalg.solve(q, v) | linalg.solve(q, c) | linalg.solve(b, c) | linalg.solve(b, vs) | linalg.solve(z, zc)
linalg.solve(q, row, left=False) | linalg.solve(z, zv) | linalg.solve(b, row, left=False)
linalg.solve(zero, v) | linalg.solve(torch.stack([q, zero]), vs) | linalg.solve(q, tall) | linalg.solve(q, w)
linalg.solve(tall, v) | linalg.solve(q, zc) | linalg.solve(i, i) | linalg.solve(none, c) | linalg.solve(f, f)
linalg.solve(q, v, left=False) | linalg.solve_ex(q, v) | linalg.solve_ex(zero, v).info
linalg.solve_ex(zero, v, check_errors=True) | linalg.solve(stack, c) | linalg.solve(b, b[:1])
linalg.solve_triangular(lower, c, upper=False) | linalg.solve_triangular(lower.mT, c, upper=True)
linalg.solve_triangular(q, c, upper=True, unitriangular=True) | linalg.solve_triangular(b, c, upper=False)
linalg.solve_triangular(lower, row, upper=False, left=False) | linalg.solve_triangular(zlower, zc, upper=False)
linalg.solve_triangular(zlower.mT, zc.mT, upper=True, left=False) | linalg.solve_triangular(q, v, upper=True)
linalg.solve_triangular(q, tall, upper=True) | linalg.solve_triangular(zero.detach(), c.detach(), upper=True)
linalg.solve_triangular(none, c, upper=True) | linalg.solve_triangular(tall, c, upper=True)
triangular_solve(c, lower, upper=False) | triangular_solve(c, lower, False, True) | triangular_solve(w, q)
triangular_solve(tall, q) | c.triangular_solve(q)
cholesky(pd) | cholesky(zpd, True) | cholesky(zero) | pd.cholesky() | cholesky_solve(c, lower.tril())
cholesky_solve(zc, zlower.tril()) | cholesky_solve(c, lower.mT.triu(), True) | cholesky_solve(tall, lower)
cholesky_solve(v, lower) | cholesky_inverse(lower.tril()) | cholesky_inverse(torch.cholesky(zpd).tril()) | cholesky_inverse(tall)
cholesky_inverse(lower.mT.triu(), upper=True)
linalg.det(q) | linalg.det(b) | linalg.det(z) | linalg.slogdet(zb).logabsdet | linalg.det(tall) | linalg.det(i)
linalg.det(none) | linalg.det(empty) | linalg.det(f) | det(q) | q.det() | linalg.det(v) | linalg.det(zero).detach()
linalg.slogdet(q) | linalg.slogdet(b) | linalg.slogdet(z) | linalg.slogdet(tall) | slogdet(q) | q.slogdet()
linalg.slogdet(zero.detach()) | linalg.slogdet(zb) | linalg.slogdet(none)
logdet(pd) | logdet(-pd) | logdet(z) | pd.logdet() | logdet(tall) | logdet(i)
linalg.lu(q) | linalg.lu(tall) | linalg.lu(wide) | linalg.lu(b) | linalg.lu(z) | linalg.lu(v) | linalg.lu(i)
linalg.lu(ztall) | linalg.lu(zwide) | linalg.lu(none) | linalg.lu(q, pivot=False) | linalg.lu(stack)
linalg.lu_factor(q) | linalg.lu_factor(tall) | linalg.lu_factor(zwide) | linalg.lu_factor(zero)
linalg.lu_factor_ex(q) | linalg.lu_factor_ex(zero).info | linalg.lu_factor_ex(zero, check_errors=True)
linalg.lu_solve(*linalg.lu_factor(q), c) | linalg.lu_solve(*linalg.lu_factor(z), zc)
linalg.lu_solve(*linalg.lu_factor(z), zc, adjoint=True) | linalg.lu_solve(*linalg.lu_factor(q), row, left=False)
linalg.lu_solve(*linalg.lu_factor(z), zc.mT, left=False, adjoint=True) | linalg.lu_solve(*linalg.lu_factor(b), c)
linalg.lu_solve(q, piv, tall) | linalg.lu_solve(q, piv.long(), c) | lu_solve(c, *linalg.lu_factor(q))
lu(q) | lu(q, get_infos=True) | q.lu() | lu_unpack(q, piv) | lu_unpack(q, piv.long()) | lu_unpack(q, piv + 3)
lu_unpack(*linalg.lu_factor(stack)) | lu_unpack(q, piv, True, False)
linalg.matrix_exp(q) | linalg.matrix_exp(b) | linalg.matrix_exp(z) | linalg.matrix_exp(tall) | matrix_exp(f)
linalg.matrix_exp(i) | linalg.matrix_exp(none) | linalg.matrix_exp(empty) | q.matrix_exp()
linalg.matrix_power(q, 0) | linalg.matrix_power(q, 1) | linalg.matrix_power(q, 5) | linalg.matrix_power(z, -3)
linalg.matrix_power(i, 3) | linalg.matrix_power(tall, 2) | linalg.matrix_power(q, 2.5) | q.matrix_power(2)
linalg.matrix_power(zero, -1) | linalg.matrix_power(b, 3) | linalg.matrix_power(i, 0)
linalg.matrix_norm(q) | linalg.matrix_norm(z, "nuc") | linalg.matrix_norm(q, 2) | linalg.matrix_norm(q, -2)
linalg.matrix_norm(q, 1) | linalg.matrix_norm(q, -1) | linalg.matrix_norm(z, float("inf"))
linalg.matrix_norm(stack, -float("inf"), dim=(0, 2)) | linalg.matrix_norm(stack, "nuc", dim=(2, 0), keepdim=True)
linalg.matrix_norm(stack, 1, dim=(1, 0), keepdim=True) | linalg.matrix_norm(v) | linalg.matrix_norm(q, 3)
linalg.matrix_norm(q, "x") | linalg.matrix_norm(q, dim=(0,)) | linalg.matrix_norm(q, dim=(0, 0))
linalg.matrix_norm(i) | linalg.matrix_norm(f, dtype=torch.float64) | linalg.matrix_norm(stack, 2, dim=(0, 1), keepdim=True)
linalg.vector_norm(q) | linalg.vector_norm(z, 3, dim=1) | linalg.vector_norm(i)
linalg.norm(q) | linalg.norm(stack) | linalg.norm(stack, dim=0) | linalg.norm(q, 2) | linalg.norm(v, 3)
linalg.norm(stack, 2) | linalg.norm(q, "fro", dim=0) | linalg.norm(q, 2, dim=(0, 1, 1)) | linalg.norm(i)
linalg.norm(q, "nuc", keepdim=True) | linalg.norm(stack, 1, dim=(0, 1)) | linalg.norm(v, "fro") | linalg.norm(stack, dim=(0, 2))
linalg.cond(q) | linalg.cond(tall) | linalg.cond(q, -2) | linalg.cond(q.detach(), 1) | linalg.cond(q.detach(), "fro")
linalg.cond(q, "nuc") | linalg.cond(z.detach(), float("inf")) | linalg.cond(tall, 1) | linalg.cond(q, 3) | linalg.cond(v)
linalg.cond(zero.detach(), 1) | linalg.cond(b.detach(), "fro")
linalg.pinv(q) | linalg.pinv(tall) | linalg.pinv(wide) | linalg.pinv(ztall) | linalg.pinv(zwide) | linalg.pinv(pd, hermitian=True)
linalg.pinv(zpd, hermitian=True) | linalg.pinv(v) | linalg.pinv(i) | linalg.pinv(tall, hermitian=True) | linalg.pinv(rank1.detach())
linalg.pinv(q, rtol=0.5).detach() | linalg.pinv(q, atol=1.0).detach() | linalg.pinv(b, rtol=v[:2].detach().abs()).detach()
linalg.pinv(none) | pinverse(tall) | tall.pinverse()
linalg.matrix_rank(q) | linalg.matrix_rank(rank1) | linalg.matrix_rank(b) | linalg.matrix_rank(pd, hermitian=True)
linalg.matrix_rank(q, tol=1.0) | linalg.matrix_rank(q, atol=0.1, rtol=0.5) | linalg.matrix_rank(v) | linalg.matrix_rank(zero)
linalg.multi_dot([q, c]) | linalg.multi_dot([v, q, wide, w]) | linalg.multi_dot([row, q, wide, tall, v])
linalg.multi_dot([q]) | linalg.multi_dot([q, row]) | linalg.multi_dot([q, b]) | linalg.multi_dot([q, b, q])
linalg.multi_dot([q, q, f])
linalg.cross(q, v[None]) | linalg.cross(row, vs) | linalg.cross(zc, zc * 2, dim=0) | linalg.cross(w, w) | linalg.cross(v, row)
linalg.cross(tall, row) | cross(row, vs) | cross(c, c + 1) | cross(w, w) | row.cross(vs) | cross(row, vs, dim=0)
linalg.cross(z, zv[None]) | linalg.diagonal(stack) | linalg.diagonal(stack, offset=1, dim1=0, dim2=1)
linalg.tensorinv(t4) | linalg.tensorinv(q, ind=1) | linalg.tensorinv(tall) | linalg.tensorinv(q, ind=0)
linalg.tensorinv(zero, ind=1) | linalg.tensorsolve(t4, row) | linalg.tensorsolve(tall, v) | linalg.tensorsolve(t4, w)
linalg.tensorsolve(t4.permute(2, 0, 1), row, dims=(0,))
linalg.vander(v) | linalg.vander(row, N=4) | linalg.vander(v, N=1) | linalg.vander(s) | linalg.vander(i) | linalg.vander(zv)
linalg.vecdot(row, v) | linalg.vecdot(z, zv) | linalg.vecdot(v, w) | linalg.vecdot(v, f) | linalg.vecdot(row, vs, dim=0)
linalg.householder_product(tall, tau) | linalg.householder_product(ztall, ztau) | linalg.householder_product(tall, tau2)
linalg.householder_product(wide, tau) | linalg.householder_product(c, tau) | linalg.householder_product(v, tau)
orgqr(tall, tau) | ormqr(tall, tau, tall) | ormqr(tall, tau, wide, left=False) | ormqr(tall, tau, tall, True, True)
ormqr(ztall, ztau, ztall, True, True) | ormqr(q, tau, c.new_ones(2, 1)) | geqrf(tall.detach()) | geqrf(z.detach())
linalg.lstsq(tall, w[:, None]).solution | linalg.lstsq(wide, c).solution | linalg.lstsq(ztall, ztall).solution
linalg.lstsq(tall.detach(), w.detach()[:, None]) | linalg.lstsq(tall.detach(), w[:, None].detach(), driver="gelsd")
linalg.lstsq(tall.detach(), w[:, None].detach(), driver="gels") | linalg.lstsq(rank1.detach(), c.detach(), driver="gelss")
linalg.lstsq(tall, c) | linalg.lstsq(v, c) | linalg.lstsq(q, c, driver="x")
linalg.lstsq(q, f) | linalg.lstsq(wide.detach(), c.detach(), driver="gelsd") | linalg.lstsq(stack.detach(), stack.detach())
linalg.lstsq(tall, w).solution | linalg.lstsq(b, vs).solution
svd(tall).V.abs() | svd(tall, some=False).U.detach()[:, :3].abs() | svd(q, compute_uv=False) | svd(z).S | qr(tall) | qr(tall.detach(), some=False) | q.svd() | q.qr()
nuclear_norm(q) | nuclear_norm(stack, (0, 1)) | frobenius_norm(q) | frobenius_norm(stack, (0, 1), True)
linalg.LinAlgError.__mro__[-3].__name__
"""  # noqa: E501
EXPRESSIONS = [each.strip() for line in SAME.strip().splitlines() for each in line.split(" | ")]


def both(expression: str) -> tuple[Outcome, Outcome]:
    expression = expression if expression.startswith("torch.") else _qualified(expression)
    arrays = used(expression, matrices())
    return evaluate(pellucid, expression, arrays), evaluate(torch, expression, arrays)


def _qualified(expression: str) -> str:
    """Put ``torch.`` before names of functions; methods start with the name of a matrix."""
    words = expression.replace("*linalg.", "*torch.linalg.")
    return words if words.split(".")[0] in matrices() else f"torch.{words}"


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    assert differences(*both(expression), rtol=1e-6, atol=1e-7) == []
