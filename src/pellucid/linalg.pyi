"""The functions of ``torch.linalg``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence

from pellucid.dtypes import dtype as _dtype
from pellucid.errors import LinAlgError as LinAlgError
from pellucid.tensors.methods import (
    linalg_cholesky_ex_result,
    linalg_eig_result,
    linalg_eigh_result,
    linalg_inv_ex_result,
    linalg_ldl_factor_ex_result,
    linalg_ldl_factor_result,
    linalg_lstsq_result,
    linalg_lu_factor_ex_result,
    linalg_lu_factor_result,
    linalg_lu_result,
    linalg_qr_result,
    linalg_slogdet_result,
    linalg_solve_ex_result,
    linalg_svd_result,
)
from pellucid.tensors.tensor import Tensor

def cholesky(
    A: Tensor, *, upper: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the lower triangular ``L`` with ``A = L @ L.mH``; with ``upper`` its ``L.mH``.

    Shapes: ``[*, n, n]``, Hermitian and positive-definite; one triangle is read. Raises
    RuntimeError where a matrix is not positive-definite.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def cholesky_ex(
    A: Tensor,
    *,
    upper: _bool = False,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_cholesky_ex_result:
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

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def cond(
    A: Tensor,
    p: _int | _float | _complex | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the condition numbers of matrices: the norm times that of the inverse.

    By default the largest singular value over the smallest. Infinite for a singular matrix.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        p: Order of the norm.

    Raises:
        RuntimeError: If the input is not a matrix, or the norm is unknown.

    >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """

def cross(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    dim: _int = -1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the cross product of vectors of 3 elements along a dimension; the others broadcast.

    Args:
        input: Tensor with size 3 along ``dim``.
        other: Tensor of vectors of three elements, which broadcasts with ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If the dtypes differ, or the dimension does not have size 3.

    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def det(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the determinants of square matrices: ``[*, n, n]`` to ``[*]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)

    Defined in ``pellucid/ops/linalg/determinants.py``.
    """

def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Return a view of a diagonal of matrices, by default in the last two dimensions.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def eig(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> linalg_eig_result:
    """Return complex eigenvalues and eigenvectors (as columns of length 1) of square matrices.

    Raises RuntimeError for matrices that are not square or not finite.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.eig(torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    tensor([0.+1.j, 0.-1.j])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def eigh(
    A: Tensor, UPLO: _str = "L", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_eigh_result:
    """Return the real eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns.

    One triangle is read: the lower or the upper one, as ``UPLO`` says. Raises RuntimeError for
    matrices that are not square.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        UPLO: Which triangle of ``A`` is read: ``"L"`` or ``"U"``.

    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def eigvals(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the complex eigenvalues of square matrices, in no particular order.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.eigvals(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    tensor([0.+1.j, 0.-1.j])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def eigvalsh(
    A: Tensor, UPLO: _str = "L", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the real eigenvalues of Hermitian matrices, ascending.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        UPLO: Which triangle of ``A`` is read: ``"L"`` or ``"U"``.

    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def householder_product(
    A: Tensor, tau: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the first columns of a product of Householder reflections, as `geqrf` leaves them.

    Shapes: ``A`` is ``[*, m, n]`` with ``m >= n``, ``tau`` is ``[*, k]`` with ``k <= n``; the
    result is ``[*, m, n]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tau: Scale factors of the reflections, as `geqrf` returns them.

    Raises:
        RuntimeError: If the shapes of ``A`` and ``tau`` do not fit.

    >>> torch.linalg.householder_product(torch.zeros(2, 1), torch.zeros(1))
    tensor([[1.],
            [0.]])

    Defined in ``pellucid/ops/linalg/householder.py``.
    """

def inv(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverses of square matrices; raise RuntimeError where one is singular.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def inv_ex(
    A: Tensor, *, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_inv_ex_result:
    """Return inverses, and for each matrix the index of the zero on U's diagonal, or 0.

    A singular matrix has an inverse of NaN; with ``check_errors`` it raises RuntimeError.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.inv_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def ldl_factor(A: Tensor, *, hermitian: _bool = False) -> linalg_ldl_factor_result:
    """Return ``L`` and ``D`` with ``A = P L D L^T P^T`` in one triangle, and the pivots.

    ``A``, of shape ``[*, n, n]``, is symmetric, or with ``hermitian`` equal to its conjugate
    transpose; its lower triangle counts. Pivots are as LAPACK's ``sytrf`` leaves them: a positive
    one is the row exchanged with, from 1; two equal negative ones make a block of two rows. Raises
    RuntimeError for singular matrices. As in PyTorch there is no derivative.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
    >>> LD
    tensor([[2.0000, 0.0000],
            [0.5000, 2.5000]])

    Defined in ``pellucid/ops/linalg/ldl.py``.
    """

def ldl_factor_ex(
    A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False
) -> linalg_ldl_factor_ex_result:
    """Return what `linalg.ldl_factor` does, and the first block of each ``D`` that is zero, or 0.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)

    Defined in ``pellucid/ops/linalg/ldl.py``.
    """

def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False) -> Tensor:
    """Solve ``A X = B`` with what `linalg.ldl_factor` made of ``A``.

    Shapes: ``[*, n, n]``, ``[*, n]``, ``[*, n, k]``, with the batches broadcast. Raises
    RuntimeError for shapes and dtypes that do not fit.

    Args:
        LD: Packed factors, as `linalg.ldl_factor` returns them.
        pivots: Row exchanges as the factorization returns them.
        B: Right-hand side: vectors or matrices that fit ``A``.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]]))
    tensor([[2.],
            [1.]])

    Defined in ``pellucid/ops/linalg/ldl.py``.
    """

def lstsq(
    A: Tensor, B: Tensor, rcond: _float | None = None, *, driver: _str | None = None
) -> linalg_lstsq_result:
    """Find the ``X`` of least norm that makes ``A @ X - B`` least, by the pseudoinverse of ``A``.

    Shapes: ``[*, m, n]``, ``[*, m, k]`` (or one vector ``[m]``), and ``[*, n, k]``. Singular values
    up to ``rcond`` times the largest count as zero. What the LAPACK routine named by ``driver``
    leaves out is left out here: residuals, rank or singular values are then empty.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        rcond: Singular values below this share of the largest count as 0.
        driver: Name of the LAPACK routine: ``"gelsy"``, ``"gels"``, ``"gelsd"`` or
            ``"gelss"``.

    Raises:
        RuntimeError: If a matrix does not have full rank and ``driver`` is ``"gels"``.

    >>> torch.linalg.lstsq(torch.ones(2, 1), torch.tensor([[1.0], [4.0]])).solution
    tensor([[2.5000]])

    Defined in ``pellucid/ops/linalg/least_squares.py``.
    """

def lu(
    A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_lu_result:
    """Return ``P``, ``L`` and ``U`` with ``A = P @ L @ U``: a permutation and triangular factors.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.

    >>> torch.linalg.lu(torch.tensor([[0.0, 1.0], [2.0, 0.0]])).U
    tensor([[2., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def lu_factor(
    A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_lu_factor_result:
    """Return ``L`` and ``U`` in one matrix, and the row exchanged with at each step, from 1.

    Raises RuntimeError where ``U`` has a zero on its diagonal.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.

    >>> torch.linalg.lu_factor(torch.tensor([[0.0, 1.0], [2.0, 0.0]])).pivots
    tensor([2, 2], dtype=torch.int32)

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def lu_factor_ex(
    A: Tensor,
    *,
    pivot: _bool = True,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_lu_factor_ex_result:
    """Return what `linalg.lu_factor` does, and the first zero on each U's diagonal, or 0.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Solve ``A X = B`` (``A.mH`` with ``adjoint``) with the LU factorization of ``A``.

    Args:
        LU: Packed factors ``[*, N, N]``, as `linalg.lu_factor` returns them.
        pivots: Row exchanges as the factorization returns them.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        adjoint: Whether the conjugate transpose of the matrix is used.

    Raises:
        RuntimeError: If the pivots are not int32, or shapes or dtypes do not fit.

    >>> factors = torch.linalg.lu_factor(torch.eye(1) * 4)
    >>> torch.linalg.lu_solve(*factors, torch.ones(1, 1))
    tensor([[0.2500]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def matmul(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Multiply matrices; a vector counts as a row on the left and as a column on the right.

    Dimensions before the last two are a batch, and broadcast. Raises RuntimeError where the inner
    sizes or the dtypes differ.

    Args:
        input: Tensor ``[n]`` or ``[*, n, k]``, of any dtype but bool.
        other: Tensor of at least one dimension that fits.

    >>> torch.matmul(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponentials of square matrices.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def matrix_norm(
    A: Tensor,
    ord: _int | _float | _complex | _str | None = "fro",
    dim: _int | Sequence[_int] = ...,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a norm of matrices: "fro", "nuc", or of order 1, 2 or inf, also negative.

    Orders 1 and inf are the largest sum of a column and of a row; 2 is the largest singular value;
    negative orders take the smallest.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        RuntimeError: If the order is unknown, or the dtype neither floating point nor complex.

    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)
    tensor(6.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """

def matrix_power(
    A: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply square matrices ``n`` times with themselves; a negative ``n`` inverts them first.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        n: Exponent, an integer.

    Raises:
        TypeError: If ``n`` is not an int.
        RuntimeError: If a matrix is not square, or is singular and ``n`` negative.

    >>> torch.linalg.matrix_power(torch.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def matrix_rank(
    A: Tensor,
    tol: Tensor | _int | _float | _complex | None = None,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Count the singular values above ``max(atol, rtol * largest)``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tol: Tolerance below which values count as 0.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        atol: Absolute tolerance.
        rtol: Relative tolerance.

    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def multi_dot(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Multiply matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors. Raises RuntimeError for sizes that do not match.

    Args:
        tensors: Matrices to multiply; the first and the last may be vectors.

    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def norm(
    A: Tensor,
    ord: _int | _float | _complex | _str | None = None,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a norm of vectors or matrices, depending on ``ord`` and ``dim``.

    One ``dim`` means vectors and two mean matrices; without ``dim`` the tensor itself is one or the
    other. With neither, it is the norm of all elements as one vector.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        RuntimeError: If ``dim`` has neither one nor two dimensions, or there is none and ``A`` has
            more.

    >>> torch.linalg.norm(torch.ones(2, 2))
    tensor(2.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """

def pinv(
    A: Tensor,
    rcond: _float | Tensor | None = None,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the pseudoinverses (Moore-Penrose) of matrices: ``[*, m, n]`` to ``[*, n, m]``.

    Singular values no larger than ``max(atol, rtol * largest)`` count as zero.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        rcond: Singular values below this share of the largest count as 0.
        hermitian: Whether the matrices are taken to be Hermitian (symmetric if real).
        atol: Absolute tolerance.
        rtol: Relative tolerance.

    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def qr(
    A: Tensor, mode: _str = "reduced", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_qr_result:
    """Return ``Q`` with orthonormal columns and the upper triangular ``R`` with ``A = Q @ R``.

    ``mode`` is "reduced", "complete" (a square ``Q``) or "r" (an empty ``Q``). Raises RuntimeError
    for another mode.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        mode: ``"reduced"``, ``"complete"`` or ``"r"``.

    >>> torch.linalg.qr(torch.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def slogdet(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> linalg_slogdet_result:
    """Return the signs (for complex numbers: units) of determinants, and the logarithms of sizes.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sign
    tensor(-1.)

    Defined in ``pellucid/ops/linalg/determinants.py``.
    """

def solve(
    A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Solve ``A X = B``, or ``X A = B`` with ``left=False``.

    Shapes: ``A`` is ``[*, n, n]``, ``B`` is ``[*, n, k]``, or one vector ``[n]`` or ``[*, n]``.
    Raises RuntimeError where a matrix is singular.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.

    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2))
    tensor([0.5000, 0.2500])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_solve_ex_result:
    """Solve ``A X = B``, and say for each matrix where it is singular; see `linalg.solve`.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        check_errors: Whether to raise if the factorization fails, rather than return
            ``info``.

    >>> torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2)).info
    tensor(1, dtype=torch.int32)

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: _int | _float | _complex | Tensor,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Solve ``A X = B``, or ``X A = B`` with ``left=False``, reading one triangle of ``A``.

    With ``unitriangular`` the diagonal counts as 1. Zeros on it give infinities, and no error.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        upper: Whether the upper triangle is meant rather than the lower.
        left: Whether the system is ``A X = B`` rather than ``X A = B``.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> torch.linalg.solve_triangular(torch.eye(2) * 4, torch.ones(2, 1), upper=True)
    tensor([[0.2500],
            [0.2500]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def svd(
    A: Tensor,
    full_matrices: _bool = True,
    *,
    driver: _str | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_svd_result:
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

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def svdvals(
    A: Tensor, *, driver: _str | None = None, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the singular values of matrices, descending.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        driver: Accepted as PyTorch does for CUDA.

    >>> torch.linalg.svdvals(torch.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([2., 1.])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def tensorinv(
    A: Tensor, ind: _int = 2, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the inverse of ``tensordot(A, ., dims=ndim - ind)`` as a tensor.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        ind: Number of leading dimensions that make up a row.

    Raises:
        RuntimeError: If ``ind`` is not positive, or the tensor is not square over its dimensions.

    >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4)).shape
    torch.Size([4, 2, 2])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def tensorsolve(
    A: Tensor,
    B: Tensor,
    dims: _int | Sequence[_int] | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Solve ``tensordot(A, X, dims=X.ndim) = B``; ``dims`` of ``A`` are moved to its end first.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        B: Right-hand side: vectors or matrices that fit ``A``.
        dims: Dimensions; negative ones count from the end.

    Raises:
        RuntimeError: If the tensor is not square over its dimensions.

    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([1., 1., 1., 1.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Return the powers 0 to ``N - 1`` of the elements: ``[*, n]`` to ``[*, n, N]``.

    Args:
        x: Vectors ``[*, n]``, not of booleans.
        N: Number of columns; by default that of the rows.

    Raises:
        RuntimeError: If ``N`` is not greater than 1, or ``x`` is boolean.

    >>> torch.linalg.vander(torch.tensor([2, 3]))
    tensor([[1, 2],
            [1, 3]])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def vecdot(
    x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Sum ``conj(x) * y`` along a dimension; the others broadcast.

    Args:
        x: Tensor of any shape.
        y: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.linalg.vecdot(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def vector_norm(
    x: Tensor,
    ord: _int | _float | _complex | _str | None = 2,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the norm of vectors along dimensions, of order ``ord``; of all elements by default.

    Args:
        x: Floating-point or complex tensor of any shape.
        ord: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """
