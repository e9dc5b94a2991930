"""Products of matrices of which one or both are sparse."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import sparse_csr, strided
from pellucid.dtypes import scalar_name, to_numpy_dtype
from pellucid.errors import DtypeError, ShapeError, SparseLayoutError, UnimplementedError
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.index.scatter import scatter_reduce
from pellucid.ops.linalg import matmul as products
from pellucid.ops.reduce import reductions
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.views import reshape
from pellucid.sparse.compressed import CompressedTensor
from pellucid.sparse.coordinate import CoordinateTensor, made
from pellucid.sparse.indexing import ranges


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """Return the product of two matrices, either of which may be sparse.

    Args:
        mat1: Matrix ``[n, m]``; in CSR for a ``reduce``.
        mat2: Matrix ``[m, p]``, of the dtype of ``mat1``; dense for a ``reduce``.
        reduce: What is done with the products of a row's elements with the rows of ``mat2``:
            ``"sum"``, as without it, ``"mean"``, ``"amax"`` or ``"amin"``. A row without elements
            gives 0.

    Returns:
        A matrix ``[n, p]``, sparse if both arguments are.

    Raises:
        RuntimeError: If the sizes, dtypes or layouts do not fit.

    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> torch.sparse.mm(s, torch.ones(3, 2))
    tensor([[3., 3.],
            [4., 4.]])
    """
    if reduce is not None:
        return _reduced_products(mat1, mat2, reduce)
    return products.mm(mat1, mat2)


def _reduced_products(mat1: Any, mat2: Any, reduce: str) -> Any:
    if mat1.layout is not sparse_csr or mat2.layout is not strided:
        raise SparseLayoutError(
            f"sparse_mm_reduce: expect self to be SparseCsr, got {mat1.layout}, and mat2 to be "
            f"dense, got {mat2.layout}"
        )
    if mat1.shape[1] != mat2.shape[0]:
        raise ShapeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )
    rows, columns = mat1.coordinate()._coordinates
    each = mat1._entries.unsqueeze(-1) * index_select(mat2, 0, new_tensor(columns))
    zeros = each.new_zeros((mat1.shape[0], mat2.shape[1]))
    places = expand(new_tensor(rows[:, None]), each.shape)
    return scatter_reduce(zeros, 0, places, each, reduce, include_self=False)


@public("spmm", checked=False)
def spmm(input: Any, mat2: Any) -> Any:
    """Return the product of two matrices, either of which may be sparse, as ``sparse.mm`` does.

    Args:
        input: Matrix ``[n, m]``.
        mat2: Matrix ``[m, p]``, of the dtype of ``input``.

    Returns:
        A matrix ``[n, p]``, sparse if both arguments are.

    >>> torch.spmm(torch.eye(2).to_sparse(), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    return products.mm(input, mat2)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Return ``beta * mat + alpha * (mat1 @ mat2)``, where ``mat1`` may be sparse.

    Args:
        mat: Matrix that broadcasts to ``[n, m]``.
        mat1: Dense or sparse matrix ``[n, k]``.
        mat2: Dense matrix ``[k, m]``.
        beta: Factor of ``mat``.
        alpha: Factor of the product.

    >>> torch.sparse.addmm(torch.ones(2, 2), torch.eye(2).to_sparse(), torch.ones(2, 2))
    tensor([[2., 2.],
            [2., 2.]])
    """
    return beta * mat + alpha * products.mm(mat1, mat2)


@public("hspmm", checked=False)
def hspmm(mat1: Any, mat2: Any) -> Any:
    """Return the product of a sparse and a dense matrix, of which only the rows that it has.

    Args:
        mat1: Sparse matrix ``[n, m]`` in COO.
        mat2: Dense matrix ``[m, p]``.

    Returns:
        A hybrid tensor ``[n, p]``: one index, that of a row, and a row for each.

    Raises:
        RuntimeError: If ``mat1`` is not sparse, or the sizes do not fit.

    >>> import pellucid as torch
    >>> s = torch.sparse_coo_tensor([[1], [0]], [3.0], (2, 2))
    >>> torch.hspmm(s, torch.ones(2, 2)).coalesce().values()
    tensor([[3., 3.]])
    """
    _check_product("hspmm", mat1, mat2)
    rows = np.unique(mat1._coordinates[0])
    entries = index_select(_dense_product(mat1, mat2), 0, new_tensor(rows))
    return made(rows[None], entries, (mat1.shape[0], mat2.shape[1]))


@public("sspaddmm", checked=False)
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)`` as a sparse matrix.

    Args:
        input: Sparse matrix ``[n, p]``.
        mat1: Sparse matrix ``[n, m]`` in COO.
        mat2: Dense matrix ``[m, p]``.
        beta: Factor of ``input``.
        alpha: Factor of the product.

    Raises:
        RuntimeError: If ``input`` or ``mat1`` is not sparse, or the sizes do not fit.

    >>> import pellucid as torch
    >>> s = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(s, s, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
    _check_product("sspaddmm", mat1, mat2)
    sizes = mat1.shape[0], mat2.shape[1]
    if not isinstance(input, CoordinateTensor):
        raise SparseLayoutError("tensor.sspaddmm(...) can only be called on sparse tensors")
    for dim, size in enumerate(sizes):
        if input.shape[dim] != size:
            raise ShapeError(
                f"sspaddmm: Argument #1: Expected dim {dim} size {size}, got {input.shape[dim]}"
            )
    return beta * input + alpha * smm(mat1, mat2)


@public("smm", checked=False)
def smm(input: Any, mat2: Any) -> Any:
    """Return the product of a sparse and a dense matrix as a sparse matrix.

    Args:
        input: Sparse matrix ``[n, m]`` in COO.
        mat2: Dense matrix ``[m, p]``.

    Raises:
        RuntimeError: If ``input`` is not sparse, or the sizes do not fit.

    >>> import pellucid as torch
    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
    tensor([[1., 1.],
            [1., 1.]])
    """
    _check_product("sspaddmm", input, mat2)
    rows, columns = np.unique(input._coordinates[0]), np.arange(mat2.shape[1])
    entries = index_select(_dense_product(input, mat2), 0, new_tensor(rows))
    coordinates = np.stack([rows.repeat(columns.size), np.tile(columns, rows.size)])
    return made(coordinates, reshape(entries, (-1,)), (input.shape[0], columns.size))


def _check_product(name: str, sparse: Any, dense: Any) -> None:
    if not isinstance(sparse, CoordinateTensor):
        raise SparseLayoutError(f"tensor.{name}(...) can only be called on sparse tensors")
    if sparse.ndim != 2 or dense.ndim != 2:
        raise ShapeError(
            f"{name}: Expected 2D tensors, got a {sparse.ndim}D and a {dense.ndim}D tensor"
        )
    if dense.shape[0] != sparse.shape[1]:
        raise ShapeError(
            f"{name}: Argument #3: Expected dim 0 size {sparse.shape[1]}, got {dense.shape[0]}"
        )


def spsolve(input: Any, other: Any, *, left: bool = True) -> NoReturn:
    """Raise: a sparse system is not solved here, nor by PyTorch on the CPU.

    Args:
        input: Sparse square matrix in CSR.
        other: Right-hand side.
        left: Whether ``input`` stands on the left.

    Raises:
        NotImplementedError: Always.

    >>> import pellucid as torch
    >>> matrix, b = torch.eye(2).to_sparse_csr(), torch.ones(2)
    >>> torch.linalg.solve(matrix.to_dense(), b)
    tensor([1., 1.])
    """
    raise UnimplementedError(
        "Could not run 'aten::_spsolve' with arguments from the 'SparseCsrCPU' backend. Solve the "
        "dense system: torch.linalg.solve(input.to_dense(), other)"
    )


def sampled_addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)`` at the indices of a sparse matrix alone.

    Args:
        input: Sparse matrix ``[n, m]`` in CSR.
        mat1: Dense matrix ``[n, k]``.
        mat2: Dense matrix ``[k, m]``.
        beta: Factor of ``input``.
        alpha: Factor of the product.

    Raises:
        RuntimeError: If the sizes do not fit, or ``input`` is in another layout.

    >>> s = torch.eye(2).to_sparse_csr()
    >>> torch.sparse.sampled_addmm(s, torch.ones(2, 3), torch.ones(3, 2)).values()
    tensor([4., 4.])
    """
    if not isinstance(input, CompressedTensor) or not input.is_sparse_csr:
        layout = str(input.layout).removeprefix("torch.")
        raise ShapeError(
            f"sampled_addmm: Expected self to have sparse csr layout, but got {layout}"
        )
    if mat1.ndim != 2 or mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0]:
        raise ShapeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, mat1.shape))} and "
            f"{'x'.join(map(str, mat2.shape))})"
        )
    if (mat1.shape[0], mat2.shape[1]) != tuple(input.shape):
        raise ShapeError(
            "sampled_addmm: self.shape[-2:] must match mat1.shape[-2] and mat2.shape[-1]: "
            f"{list(input.shape)} is not {[mat1.shape[0], mat2.shape[1]]}"
        )
    rows, columns = map(new_tensor, input.coordinate()._coordinates)
    left = index_select(mat1, 0, rows)
    right = index_select(mat2.mT, 0, columns)
    return input.with_values(beta * input._entries + alpha * reductions.sum(left * right, 1))


def matmul(input: Any, other: Any) -> Any:
    """Multiply a sparse matrix and a matrix or vector, from either side."""
    if input.ndim == other.ndim == 3 and not isinstance(other, CoordinateTensor):
        return _batched_product(input, other)
    if not {input.ndim, other.ndim} <= {1, 2} or {input.ndim, other.ndim} == {1}:
        raise UnimplementedError(
            "matmul: a sparse tensor is multiplied as a matrix, by a matrix or a vector, but got "
            f"{input.ndim}D and {other.ndim}D"
        )
    if input.shape[-1] != other.shape[0]:
        raise ShapeError(_mismatch(input.shape, other.shape))
    if input.dtype != other.dtype:
        names = [scalar_name(to_numpy_dtype(each.dtype)) for each in (input, other)]
        raise DtypeError(f"expected scalar type {names[0]} but found {names[1]}")
    if not isinstance(input, CoordinateTensor):
        flipped = matmul(other.T, input if input.ndim == 1 else input.T)
        return flipped if input.ndim == 1 else flipped.T
    if input.dense_dim():
        raise SparseLayoutError(
            "matmul: the elements of a hybrid tensor are tensors; use Tensor.to_dense() first"
        )
    if isinstance(other, CoordinateTensor):
        return _sparse_product(input, other)
    if other.ndim == 1:
        return reshape(_dense_product(input, reshape(other, (-1, 1))), (-1,))
    return _dense_product(input, other)


def _mismatch(left: Any, right: Any) -> str:
    if len(right) == 1 or len(left) == 1:
        return "mv: expected self.size(-1) == vec.size(-1)"
    return f"addmm: Argument #3 (dense): Expected dim 0 size {left[1]}, got {right[0]}"


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``input @ weight.T + bias``, where input or weight is sparse."""
    product = products.matmul(input, weight.t())
    return product if bias is None else product + bias


def _batched_product(input: CoordinateTensor, dense: Any) -> Any:
    """Multiply batches of matrices, of which the first is sparse, as one matrix of blocks."""
    count, height, width = input.shape
    if tuple(dense.shape[:2]) != (count, width):
        raise ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{count}, {width}] but got: [{dense.shape[0]}, {dense.shape[1]}]."
        )
    batch, rows, columns = input._coordinates
    coordinates = np.stack([batch * height + rows, batch * width + columns])
    blocks = made(coordinates, input._entries, (count * height, count * width))
    product = _dense_product(blocks, reshape(dense, (count * width, -1)))
    return reshape(product, (count, height, -1))


def _dense_product(input: CoordinateTensor, dense: Any) -> Any:
    """Add to each row of the result the rows of ``dense`` that the sparse row names, scaled."""
    rows, columns = input._coordinates
    scaled = index_select(dense, 0, new_tensor(columns)) * reshape(input._entries, (-1, 1))
    return index_select_backward(scaled, new_tensor(rows), (input.shape[0], dense.shape[1]), 0)


def _sparse_product(left: CoordinateTensor, right: CoordinateTensor) -> CoordinateTensor:
    """Multiply every element by all elements of the row that its column names."""
    order = np.argsort(right._coordinates[0], kind="stable")
    row_starts = np.searchsorted(right._coordinates[0][order], np.arange(right.shape[0] + 1))
    counts = np.diff(row_starts)[left._coordinates[1]]
    mine = np.repeat(np.arange(left._nnz()), counts)
    theirs = order[ranges(row_starts[left._coordinates[1]], counts)]
    entries = index_select(left._entries, 0, new_tensor(mine)) * index_select(
        right._entries, 0, new_tensor(theirs)
    )
    coordinates = np.stack([left._coordinates[0][mine], right._coordinates[1][theirs]])
    return made(coordinates, entries, (left.shape[0], right.shape[1])).coalesce()


setattr(CoordinateTensor, "smm", smm)  # noqa: B010 - dense tensors have no such methods
setattr(CoordinateTensor, "sspaddmm", sspaddmm)  # noqa: B010
