"""Decompositions of matrices: triangular, orthogonal, by eigenvalues, by singular values."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import modes
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.arguments import require
from pellucid.core.families import nograd, op
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import DomainError, LinAlgError, ShapeError
from pellucid.ops.elementwise.complexes import conj, real
from pellucid.ops.elementwise.signs import is_complex
from pellucid.ops.linalg.matmul import matmul
from pellucid.ops.linalg.matrices import (
    added,
    conjugate_transpose,
    first_failure,
    on_diagonal,
    require_floats,
    require_kernel,
    require_matrices,
    require_square,
)
from pellucid.ops.linalg.solving import linalg_solve_triangular, solutions
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.shape.diagonal import diagonal, tril, triu
from pellucid.ops.shape.join import cat

# Note [Phase]  # noqa: ERA001
# Complex eigenvectors and singular vectors may be turned by any phase. A loss that changes with
# that phase has no gradient; it shows in the imaginary part of the diagonal of V^H g_V.
_LARGEST_PHASE = 1e-2


def _require_no_phase(diagonal_part: Any, function: str, what: str, thing: str) -> None:
    values = getattr(diagonal_part, "_array", diagonal_part)
    if is_complex_dtype(values.dtype) and (abs(values.imag) > _LARGEST_PHASE).any():
        raise DomainError(
            f"{function}: The {what} in the complex case are specified up to multiplication by "
            f"e^{{i phi}}. The specified loss function depends on this {thing}, so it is "
            "ill-defined."
        )


# ---- Cholesky ---------------------------------------------------------------------------------


@op(
    half="bitwise", returns=named("linalg_cholesky_ex", "L", "info"), holomorphic=False,
    batch=Batch.LAST_DIMS,
)  # fmt: skip
def cholesky_factors(be, A, /, upper, function, check_errors):
    """Return Cholesky factors, and for each matrix where it failed; errors name ``function``."""
    require_square(function, A)
    require_floats(function, A, "cholesky_cpu")
    factor, info = be.cholesky(A, upper)
    failure = first_failure(info) if check_errors else None
    if failure:
        raise LinAlgError(
            f"{function}: {failure[0]}The factorization could not be completed because the input "
            f"is not positive-definite (the leading minor of order {failure[1]} is not "
            "positive-definite)."
        )
    return factor, info


@cholesky_factors.vjp("A")
def cholesky_factors_input(g_L, L, upper):
    factor, g = (conjugate_transpose(L), conjugate_transpose(g_L)) if upper else (L, g_L)
    turned = conjugate_transpose(factor)
    product = matmul(turned, g)
    symmetric = (tril(product) + conjugate_transpose(tril(product, -1))) * 0.5
    inner = linalg_solve_triangular(turned, symmetric, upper=True)
    return linalg_solve_triangular(factor, inner, upper=False, left=False)


@public("linalg.cholesky_ex", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return Cholesky factors, and for each matrix the order of the minor that it failed at, or 0.

    Raises RuntimeError for matrices that are not square, and with ``check_errors`` for those that
    are not positive-definite.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        upper: Whether the upper triangle is meant rather than the lower.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.cholesky_ex(-torch.eye(2)).info
    tensor(1, dtype=torch.int32)
    """
    return cholesky_factors(A, upper, "linalg.cholesky_ex", check_errors)


@public("linalg.cholesky", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """Return the lower triangular ``L`` with ``A = L @ L.mH``; with ``upper`` its ``L.mH``.

    Shapes: ``[*, n, n]``, Hermitian and positive-definite; one triangle is read. Raises
    RuntimeError where a matrix is not positive-definite.

    Args:
        A, upper: As for `linalg_cholesky_ex`.

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return cholesky_factors(A, upper, "linalg.cholesky", True)[0]


@public("cholesky", method=True, out=CASTING)
@autocasts(Autocast.FLOAT32)
def cholesky(input: Any, upper: bool = False) -> Any:
    """Return the Cholesky factors of positive-definite matrices; see `linalg.cholesky`.

    Args:
        input: Hermitian positive-definite matrices ``[*, n, n]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.cholesky(torch.eye(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return cholesky_factors(input, upper, "cholesky", True)[0]


# ---- QR ---------------------------------------------------------------------------------------


@public("linalg.qr", out=EXACT)
@op(
    torch_kernel_name="geqrf_cpu",
    half="bitwise", returns=named("linalg_qr", "Q", "R"), holomorphic=False, batch=Batch.LAST_DIMS,
    autocast=Autocast.FLOAT32,
)  # fmt: skip
def linalg_qr(be, A, /, mode="reduced"):
    """Return ``Q`` with orthonormal columns and the upper triangular ``R`` with ``A = Q @ R``.

    ``mode`` is "reduced", "complete" (a square ``Q``) or "r" (an empty ``Q``). Raises RuntimeError
    for another mode.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        mode: ``"reduced"``, ``"complete"`` or ``"r"``.

    >>> torch.linalg.qr(torch.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise ShapeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    require_matrices("linalg.qr", A)
    require_floats("linalg.qr", A, "geqrf_cpu")
    if mode == "r":
        return be.empty(0, A.dtype), be.linalg.qr(A, mode)
    return be.linalg.qr(A, mode)


@linalg_qr.vjp("A")
def linalg_qr_input(g_Q, g_R, Q, R, mode):
    if mode == "r":
        raise DomainError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
            "use linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    rows, columns = Q.shape[-2], R.shape[-1]
    if mode == "complete" and rows > columns:
        raise DomainError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    if rows >= columns:
        return _qr_pulled_back(g_Q, g_R, Q, R)
    if g_R is None:
        left = _qr_pulled_back(g_Q, None, Q, R[..., :rows])
        return pad_constant(left, (0, columns - rows))
    # The first columns determine Q; the others are Q times their part of R.
    right, g_right = R[..., rows:], g_R[..., rows:]
    g_Q = added(g_Q, matmul(matmul(Q, right), conjugate_transpose(g_right)))
    left = _qr_pulled_back(g_Q, g_R[..., :rows], Q, R[..., :rows])
    return cat([left, matmul(Q, g_right)], -1)


def _qr_pulled_back(g_Q: Any, g_R: Any, Q: Any, R: Any) -> Any:
    """Return the gradient for at least as many rows as columns.

    Source: Walter and Lehmann, "Algorithmic Differentiation of Linear Algebra Functions", 2010.
    """
    along_R = None if g_R is None else matmul(g_R, conjugate_transpose(R))
    along_Q = None if g_Q is None else -matmul(conjugate_transpose(Q), g_Q)
    upper = triu(added(along_R, along_Q))
    symmetric = upper + conjugate_transpose(upper)
    symmetric = symmetric - on_diagonal(real(diagonal(upper, 0, -2, -1)))
    product = added(g_Q, matmul(Q, symmetric))
    return linalg_solve_triangular(conjugate_transpose(R), product, upper=False, left=False)


_legacy_qr = named("qr", "Q", "R")


@public("qr", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def qr(input: Any, some: bool = True) -> Any:
    """Return a QR decomposition, complete unless ``some``; see `linalg.qr`.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        some: Whether to return the reduced form.

    >>> torch.qr(torch.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])
    """
    return _legacy_qr(linalg_qr(input, "reduced" if some else "complete"))


# ---- eigenvalues ------------------------------------------------------------------------------


def _require_triangle(uplo: Any) -> None:
    if str(uplo).upper() not in ("L", "U"):
        raise ShapeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")


@public("linalg.eigh", out=EXACT)
@op(
    half="bitwise", returns=named("linalg_eigh", "eigenvalues", "eigenvectors"), holomorphic=False,
    batch=Batch.LAST_DIMS, autocast=Autocast.FLOAT32,
)  # fmt: skip
def linalg_eigh(be, A, /, UPLO="L"):
    """Return the real eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns.

    One triangle is read: the lower or the upper one, as ``UPLO`` says. Raises RuntimeError for
    matrices that are not square.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        UPLO: Which triangle of ``A`` is read: ``"L"`` or ``"U"``.

    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    require_square("linalg.eigh", A)
    require_kernel("linalg_eigh_cpu", A)
    _require_triangle(UPLO)
    return tuple(be.linalg.eigh(A, str(UPLO).upper()))


@linalg_eigh.vjp("A")
def linalg_eigh_input(g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
    turned = conjugate_transpose(eigenvectors)
    if g_eigenvectors is None:
        return matmul(eigenvectors * g_eigenvalues[..., None, :], turned)
    inner = None if g_eigenvalues is None else on_diagonal(g_eigenvalues)
    product = matmul(turned, g_eigenvectors)
    _require_no_phase(
        diagonal(product, 0, -2, -1), "linalg_eigh_backward", "eigenvectors", "quantity"
    )
    inner = added(inner, _off_diagonal(product, _gaps(eigenvalues)))
    found = matmul(matmul(eigenvectors, inner), turned)
    return (found + conjugate_transpose(found)) * 0.5


def _gaps(values: Any) -> Any:
    """Return the differences ``values[j] - values[i]`` as matrices, 1 on the diagonal."""
    return values[..., None, :] - values[..., None] + on_diagonal(values * 0 + 1)


def _off_diagonal(numerator: Any, divisor: Any) -> Any:
    return (numerator - on_diagonal(diagonal(numerator, 0, -2, -1))) / divisor


@nograd(
    torch_kernel_name="linalg_eigh_cpu", half="bitwise", node_name="linalg_eigvalsh",
    batch=Batch.LAST_DIMS,
)  # fmt: skip
def hermitian_eigenvalues(be, A, /, UPLO="L"):
    """Return the eigenvalues of Hermitian matrices without their eigenvectors."""
    require_square("linalg.eigvalsh", A)
    require_kernel("linalg_eigh_cpu", A)
    _require_triangle(UPLO)
    return be.linalg.eigvalsh(A, str(UPLO).upper())


def _derivative_wanted(tensor: Any) -> bool:
    """Return whether vectors have to be computed, as the derivative of the values needs them."""
    if modes.forward_levels:
        return True
    return modes.grad_enabled and getattr(tensor, "requires_grad", False)


@public("linalg.eigvalsh", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """Return the real eigenvalues of Hermitian matrices, ascending.

    Args: As for `linalg_eigh`.

    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    return linalg_eigh(A, UPLO)[0] if _derivative_wanted(A) else hermitian_eigenvalues(A, UPLO)


def _require_finite(be: Any, array: Any) -> None:
    if not be.isfinite(array).all():
        raise DomainError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


@public("linalg.eig", out=EXACT)
@op(
    half="bitwise", returns=named("linalg_eig", "eigenvalues", "eigenvectors"), holomorphic=False,
    batch=Batch.LAST_DIMS, autocast=Autocast.FLOAT32,
)  # fmt: skip
def linalg_eig(be, A, /):
    """Return complex eigenvalues and eigenvectors (as columns of length 1) of square matrices.

    Raises RuntimeError for matrices that are not square or not finite.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.eig(torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
    require_square("linalg.eig", A)
    require_floats("linalg.eig", A)
    _require_finite(be, A)
    return be.eigenpairs(A)


@linalg_eig.vjp("A")
def linalg_eig_input(g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
    """Source: Boeddeker et al., "On the Computation of Complex-valued Gradients", 2017, 4.77."""
    turned = conjugate_transpose(eigenvectors)
    inner = None if g_eigenvalues is None else on_diagonal(g_eigenvalues)
    if g_eigenvectors is not None:
        product = matmul(turned, g_eigenvectors)
        along = diagonal(product, 0, -2, -1)
        _require_no_phase(along, "linalg_eig_backward", "eigenvectors", "quantity")
        lengths = real(along)[..., None, :]  # eigenvectors keep the length 1
        product = product - matmul(turned, eigenvectors) * lengths
        inner = added(inner, _off_diagonal(product, conj(_gaps(eigenvalues))))
    return solutions(turned, matmul(inner, turned))[0]


@nograd(half="bitwise", node_name="linalg_eigvals", batch=Batch.LAST_DIMS)
def general_eigenvalues(be, A, /):
    """Return the eigenvalues of square matrices without their eigenvectors."""
    require_square("linalg.eigvals", A)
    require_floats("linalg.eigvals", A, "linalg_eig_cpu")
    _require_finite(be, A)
    return be.eigenvalues(A)


@public("linalg.eigvals", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_eigvals(A: Any) -> Any:
    """Return the complex eigenvalues of square matrices, in no particular order.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.eigvals(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    tensor([0.+1.j, 0.-1.j])
    """
    return linalg_eig(A)[0] if _derivative_wanted(A) else general_eigenvalues(A)


# ---- singular values --------------------------------------------------------------------------


def require_singular_values(be: Any, A: Any) -> None:
    """Raise for matrices that are not finite, which have no singular values."""
    if not be.isfinite(A).all():
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained "
            "non-finite values."
        )


def _singular(be: Any, A: Any, **options: Any) -> Any:
    require_matrices("linalg.svd", A)
    require_floats("linalg.svd", A)
    require_singular_values(be, A)
    return be.linalg.svd(A, **options)


@public("linalg.svd", out=EXACT)
@op(
    half="bitwise", returns=named("linalg_svd", "U", "S", "Vh"), holomorphic=False,
    batch=Batch.LAST_DIMS, autocast=Autocast.FLOAT32,
)  # fmt: skip
def linalg_svd(be, A, /, full_matrices=True, *, driver=None):
    """Return ``U``, the singular values ``S`` (descending) and ``Vh`` with ``A = U diag(S) Vh``.

    Shapes: ``[*, m, n]``; ``U`` is ``[*, m, m]`` and ``Vh`` ``[*, n, n]``, or with
    ``full_matrices=False`` their first ``min(m, n)`` columns and rows. Raises RuntimeError for
    ``driver`` (a choice on GPUs) and for matrices that are not finite.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        full_matrices: Whether ``U`` and ``Vh`` are square.
        driver: Accepted as PyTorch does for CUDA.

    >>> torch.linalg.svd(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    if driver is not None:
        raise ShapeError("linalg.svd: keyword argument `driver=` is only supported on CUDA inputs.")
    require("linalg_svd", "bool", full_matrices=full_matrices)
    return tuple(_singular(be, A, full_matrices=full_matrices))


@linalg_svd.vjp("A")
def linalg_svd_input(g_U, g_S, g_Vh, U, S, Vh):
    count = S.shape[-1]
    U, Vh = U[..., :count], Vh[..., :count, :]
    if g_U is None and g_Vh is None:
        return matmul(U * g_S[..., None, :], Vh)
    inner = None if g_S is None else on_diagonal(g_S)
    g_U = U * 0 if g_U is None else g_U[..., :count]
    g_Vh = Vh * 0 if g_Vh is None else g_Vh[..., :count, :]
    turned = _skew(matmul(conjugate_transpose(U), g_U))
    turned_V = _skew(matmul(Vh, conjugate_transpose(g_Vh)))
    phase = diagonal(turned, 0, -2, -1)
    _require_no_phase(
        phase + diagonal(turned_V, 0, -2, -1), "svd_backward", "singular vectors", "phase term"
    )
    column, row = S[..., None], S[..., None, :]
    inner = added(inner, _off_diagonal(turned * row + column * turned_V, _gaps(S * S)))
    if is_complex(U):
        inner = inner + on_diagonal(phase / (2 * S))
    if U.shape[-2] > count:
        left = matmul(U, inner) + _beside(g_U / row, U)
        return matmul(left, Vh)
    if Vh.shape[-1] > count:
        scaled = g_Vh / column
        right = matmul(inner, Vh) + scaled - matmul(matmul(scaled, conjugate_transpose(Vh)), Vh)
        return matmul(U, right)
    return matmul(matmul(U, inner), Vh)


def _skew(matrices: Any) -> Any:
    return matrices - conjugate_transpose(matrices)


def _beside(columns: Any, basis: Any) -> Any:
    """Return what of the columns lies outside the space that orthonormal columns span."""
    return columns - matmul(basis, matmul(conjugate_transpose(basis), columns))


@nograd(
    torch_kernel_name="linalg_svd_cpu", half="bitwise", node_name="linalg_svdvals",
    batch=Batch.LAST_DIMS,
)  # fmt: skip
def singular_values(be, A, /):
    """Return the singular values of matrices without their vectors."""
    return _singular(be, A, compute_uv=False)


@public("linalg.svdvals", out=EXACT)
@autocasts(Autocast.FLOAT32)
def linalg_svdvals(A: Any, *, driver: str | None = None) -> Any:
    """Return the singular values of matrices, descending.

    Args:
        A, driver: As for `linalg_svd`.

    >>> torch.linalg.svdvals(torch.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([2., 1.])
    """
    if driver is not None or _derivative_wanted(A):
        return linalg_svd(A, False, driver=driver)[1]
    return singular_values(A)


_legacy_svd = named("svd", "U", "S", "V")


@public("svd", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """Return ``U``, ``S`` and ``V`` with ``input = U diag(S) V^H``; see `linalg.svd`.

    Without ``compute_uv``, ``U`` and ``V`` are square matrices of zeros.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        some: Whether ``U`` and ``V`` are reduced.
        compute_uv: Whether singular vectors are wanted.

    >>> torch.svd(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    if compute_uv:
        U, S, Vh = linalg_svd(input, not some)
        return _legacy_svd((U, S, conjugate_transpose(Vh)))
    values = linalg_svdvals(input)
    rows, columns = input.shape[-2:]
    batch = tuple(input.shape[:-2])
    left = input.new_zeros((*batch, rows, rows))
    return _legacy_svd((left, values, input.new_zeros((*batch, columns, columns))))
