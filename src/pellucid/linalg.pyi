"""The functions of ``torch.linalg``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import TypeAlias

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

_Number: TypeAlias = _int | _float | _bool | _complex
_Ints: TypeAlias = _int | Sequence[_int]

def cholesky(
    A: Tensor, *, upper: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def cholesky_ex(
    A: Tensor,
    *,
    upper: _bool = False,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_cholesky_ex_result: ...
def cond(
    A: Tensor, p: _Number | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def cross(
    input: Tensor,
    other: Tensor | _Number,
    *,
    dim: _int = -1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def det(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def eig(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> linalg_eig_result: ...
def eigh(
    A: Tensor, UPLO: _str = "L", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_eigh_result: ...
def eigvals(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def eigvalsh(
    A: Tensor, UPLO: _str = "L", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def householder_product(
    A: Tensor, tau: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def inv_ex(
    A: Tensor, *, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_inv_ex_result: ...
def ldl_factor(A: Tensor, *, hermitian: _bool = False) -> linalg_ldl_factor_result: ...
def ldl_factor_ex(
    A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False
) -> linalg_ldl_factor_ex_result: ...
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False) -> Tensor: ...
def lstsq(
    A: Tensor, B: Tensor, rcond: _float | None = None, *, driver: _str | None = None
) -> linalg_lstsq_result: ...
def lu(
    A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_lu_result: ...
def lu_factor(
    A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_lu_factor_result: ...
def lu_factor_ex(
    A: Tensor,
    *,
    pivot: _bool = True,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_lu_factor_ex_result: ...
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def matmul(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def matrix_exp(A: Tensor) -> Tensor: ...
def matrix_norm(
    A: Tensor,
    ord: _Number | _str | None = "fro",
    dim: _Ints = ...,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def matrix_power(
    A: Tensor, n: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def matrix_rank(
    A: Tensor,
    tol: Tensor | _Number | None = None,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def multi_dot(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def norm(
    A: Tensor,
    ord: _Number | _str | None = None,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def pinv(
    A: Tensor,
    rcond: _float | Tensor | None = None,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def qr(
    A: Tensor, mode: _str = "reduced", *, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_qr_result: ...
def slogdet(
    A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> linalg_slogdet_result: ...
def solve(
    A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_solve_ex_result: ...
def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: _Number | Tensor,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def svd(
    A: Tensor,
    full_matrices: _bool = True,
    *,
    driver: _str | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> linalg_svd_result: ...
def svdvals(
    A: Tensor, *, driver: _str | None = None, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def tensorinv(
    A: Tensor, ind: _int = 2, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def tensorsolve(
    A: Tensor,
    B: Tensor,
    dims: _Ints | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def vander(x: Tensor, *, N: _int | None = None) -> Tensor: ...
def vecdot(
    x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def vector_norm(
    x: Tensor,
    ord: _Number | _str | None = 2,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
