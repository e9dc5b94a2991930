"""Sums with products of matrices and vectors: `addmm`, and its like for other shapes."""

from __future__ import annotations

from typing import Any

from pellucid.core.call.compiled import replayable
from pellucid.core.definition import float8_rules
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.dtype_rules import TENSORS
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import op
from pellucid.dtypes import fitted_number
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.upcast import all_half, rounded_once
from pellucid.ops.linalg.matmul import (
    TWO_DTYPES,
    c_name,
    check_batches,
    check_matrix_vector,
    check_product_dtypes,
    check_vectors,
    matmul,
    matmul_check,
    mm,
)
from pellucid.ops.shape.broadcasting import check_expandable
from pellucid.shapes import real_dim


def scaled_sum(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """Return ``beta * input + alpha * product``; a ``beta`` of 0 ignores even NaN in the input."""
    check_expandable(input, product.shape)
    if input._array.dtype.kind in "iub" and product._array.dtype.kind in "iub":
        kind = product._array.dtype
        alpha, beta = fitted_number(alpha, kind), fitted_number(beta, kind)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return unaffected(product, input) if input.requires_grad else product
    scaled = input if beta == 1 else input * beta
    # The sum is laid out like its first operand, which has to be the product, as in PyTorch.
    return scaled + product if scaled.is_contiguous() else product + scaled


@op(node_name="add")
def unaffected(be, product, input, /):
    """Return a copy of a product to which nothing is added, but which belongs to what would be."""
    return be.array(product)


@unaffected.vjp("product")
def unaffected_product(g):
    return g


@unaffected.vjp("input")
def unaffected_input(g):
    return g * 0


def _any_sparse(*tensors: Any) -> bool:
    """Return whether a tensor has another layout than rows of strides."""
    return any(getattr(each, "_interpreter", None) is not None for each in tensors)


@public("addmm", method=True, inplace=True, out=EXACT)
@replayable
@autocasts(Autocast.LOWER)
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)`` for two matrices.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        mat1: Matrix ``[n, k]``.
        mat2: Matrix ``[k, m]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    Raises:
        RuntimeError: If the matrices have different dtypes or sizes that do not fit.

    >>> torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(3, 2), alpha=2)
    tensor([[7., 7.],
            [7., 7.]])
    """
    if _any_sparse(input, mat1, mat2):
        product = mm(mat1, mat2) * alpha
        if beta == 0:
            return product if _any_sparse(input) or not _any_sparse(product) else product.to_dense()
        return input * beta + product
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise ShapeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    return _product_added(input, mat1, mat2, beta, alpha, TWO_DTYPES)


def _product_added(
    input: Any, left: Any, right: Any, beta: Any, alpha: Any, two_dtypes: str
) -> Any:
    """Return ``beta * input + alpha * (left @ right)``, checked, by one op."""
    if right.ndim > 1:
        check_product_dtypes(left._array, right._array, input._array)
    matmul_check(left._array, right._array)
    check_same_dtype(input, left, two_dtypes)
    shape = (*left.shape[:-1], *right.shape[right.ndim - 1 :][right.ndim == 1 :])
    check_expandable(input, shape)
    return sum_with_product(input, left, right, beta, alpha)


def _sum_name(node: Any) -> str:
    return ("", "AddmvBackward0", "AddmmBackward0", "BaddbmmBackward0")[len(node.shape)]


@op(
    float8=float8_rules.of_sums_with_products,
    named=_sum_name,
    faces={
        "AddmvBackward0": Face("alpha beta mat=left vec=right"),
        "AddmmBackward0": Face(
            "alpha beta mat1=left mat1_sym_sizes=left mat1_sym_strides=left mat2=right "
            "mat2_sym_sizes=right mat2_sym_strides=right"
        ),
        "BaddbmmBackward0": Face("alpha batch1=left batch2=right beta"),
    },
)
def sum_with_product(be, input, left, right, /, beta, alpha):
    """Return ``beta * input + alpha * (left @ right)``; a ``beta`` of 0 ignores even NaN."""
    return _scaled_sum_of_arrays(be, input, matmul.op.body(be, left, right), beta, alpha)


def _scaled_sum_of_arrays(be: Any, input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    if input.dtype.kind in "iub":
        alpha, beta = fitted_number(alpha, input.dtype), fitted_number(beta, input.dtype)
    if alpha != 1:
        product = be.multiply(product, alpha)
    if beta == 0:
        return product
    return be.add(product, input if beta == 1 else be.multiply(input, beta))


@sum_with_product.vjp("input")
def sum_with_product_input(g, beta):
    return g if beta == 1 else g * beta


@sum_with_product.vjp("left")
def sum_with_product_left(g, right, alpha):
    if right.ndim == 1:
        g = g.reshape((*g.shape, 1)) * right
    else:
        g = matmul(g, right.mT)
    return g if alpha == 1 else g * alpha


@sum_with_product.vjp("right")
def sum_with_product_right(g, left, alpha):
    g = matmul(left.mT, g)
    return g if alpha == 1 else g * alpha


@op(
    float8=float8_rules.among(float8_rules.SIGNED, "addmm_impl_cpu_"),
    node_name="addbmm",
    faces=Face(
        "alpha batch1=left batch2=right beta",
        batch1_sym_argsize_0=lambda node: node.params[-1],
        batch1_sym_argsize_1=lambda node: node.shape[0],
        batch2_sym_argsize_2=lambda node: node.shape[1],
    ),
)
def sum_with_products(be, input, left, right, /, beta, alpha, length):
    """Return ``beta * input`` plus ``alpha`` times the sum of ``length`` products."""
    product = matmul.op.body(be, left, right).sum(0, dtype=left.dtype)
    return _scaled_sum_of_arrays(be, input, product, beta, alpha)


sum_with_products.vjp("input")(sum_with_product_input)
sum_with_products.vjp("left")(sum_with_product_left)
sum_with_products.vjp("right")(sum_with_product_right)


@op(
    torch_kernel_name="addr_cpu", node_name="addr", dtypes=TENSORS,
    faces=Face("alpha beta vec1=left vec2=right"),
)  # fmt: skip
def sum_with_outer(be, input, left, right, /, beta, alpha):
    """Return ``beta * input + alpha * outer(left, right)``."""
    product = be.multiply(left.reshape(-1, 1), right)
    return _scaled_sum_of_arrays(be, input, product, beta, alpha)


sum_with_outer.vjp("input")(sum_with_product_input)


@sum_with_outer.vjp("left")
def sum_with_outer_left(g, right, alpha):
    g = matmul(g, right)
    return g if alpha == 1 else g * alpha


@sum_with_outer.vjp("right")
def sum_with_outer_right(g, left, alpha):
    g = matmul(g.mT, left)
    return g if alpha == 1 else g * alpha


@public("addmv addmv_", method=True, inplace=True, out=EXACT)
@autocasts(Autocast.AS_GIVEN)
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.

    Args:
        input: Vector that broadcasts to ``[n]``.
        mat: Matrix ``[N, M]``.
        vec: Vector ``[M]``.
        beta, alpha: As for `addmm`.

    >>> torch.addmv(torch.ones(2), torch.ones(2, 3), torch.ones(3))
    tensor([4., 4.])
    """
    check_matrix_vector(input.ndim, mat, vec)
    if _any_sparse(mat):
        product = matmul(mat, vec) * alpha
        return product if beta == 0 else input * beta + product
    two_dtypes = "addmv input tensors must have the same dtype, but got {0}, {1}, and {1}"
    return _product_added(input, mat, vec, beta, alpha, two_dtypes)


@public("addr", method=True, inplace=True, out=CASTING)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * outer(vec1, vec2)``.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        vec1: Vector ``[N]``.
        vec2: Vector ``[M]``.
        beta, alpha: As for `addmm`.

    Raises:
        RuntimeError: If the input is of integers and ``beta`` or ``alpha`` is not.

    >>> torch.addr(torch.zeros(2, 2), torch.ones(2), torch.ones(2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    if any(each._array.dtype.kind != "b" for each in (input, vec1, vec2)):
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, bool):
                raise DtypeError(
                    f"Boolean {name} only supported for Boolean results. Give a number."
                )
    if all_half(input, vec1, vec2):
        return rounded_once(addr, input, vec1, vec2, beta=beta, alpha=alpha)
    if all(each._array.dtype.kind in "biu" for each in (input, vec1, vec2)):
        for name, factor in (("alpha", alpha), ("beta", beta)):
            if isinstance(factor, float):
                raise DtypeError(
                    f"For integral input tensors, argument {name} must not be a floating point "
                    f"number; {name} is {factor}."
                )
    check_vectors(vec1, vec2)
    check_expandable(input, (len(vec1), len(vec2)))
    return sum_with_outer(input, vec1, vec2, beta, alpha)


@public("baddbmm", method=True, inplace=True, out=EXACT)
@autocasts(Autocast.LOWER)
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * bmm(batch1, batch2)``.

    Args:
        input: Tensor that broadcasts to ``[B, n, m]``.
        batch1: First batch of matrices ``[B, N, M]``.
        batch2: Second batch of matrices ``[B, M, P]``.
        beta, alpha: As for `addmm`.

    >>> torch.baddbmm(torch.ones(2), torch.ones(5, 2, 3), torch.ones(5, 3, 2)).shape
    torch.Size([5, 2, 2])
    """
    if all_half(input, batch1, batch2):
        return rounded_once(baddbmm, input, batch1, batch2, beta=beta, alpha=alpha)
    _check_products(batch1, batch2)
    _check_added_dtype(input, batch1)
    check_expandable(input, (*batch1.shape[:-1], batch2.shape[-1]))
    return sum_with_product(input, batch1, batch2, beta, alpha)


def _check_products(batch1: Any, batch2: Any) -> None:
    real_dim(1, batch1.ndim)
    real_dim(2, batch2.ndim)
    check_batches(batch1, batch2)
    matmul_check(batch1._array, batch2._array)


def _check_added_dtype(input: Any, batch: Any) -> None:
    if input.dtype != batch.dtype:
        names = [c_name(each._array.dtype) for each in (input, batch)]
        raise DtypeError(
            "Input dtypes must be the same, got: input {0}, batch1: {1}, batch2: {1}".format(*names)
        )


@public("addbmm", method=True, inplace=True, out=EXACT)
@autocasts(Autocast.LOWER)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input`` plus ``alpha`` times the sum of the products of a batch.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        batch1, batch2, beta, alpha: As for `baddbmm`.

    >>> torch.addbmm(torch.zeros(1), torch.ones(5, 1, 3), torch.ones(5, 3, 1))
    tensor([[15.]])
    """
    if all_half(input, batch1, batch2):
        return rounded_once(addbmm, input, batch1, batch2, beta=beta, alpha=alpha)
    _check_products(batch1, batch2)
    check_same_dtype(input, batch1, TWO_DTYPES)
    check_expandable(input, (batch1.shape[1], batch2.shape[2]))
    return sum_with_products(input, batch1, batch2, beta, alpha, len(batch1))
