"""Methods about layouts: a dense tensor made sparse, and what only sparse tensors have.

The sparse tensors themselves come with `pellucid.sparse`, which is built on tensors and so loaded
when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.core.from_above import from_above
from pellucid.core.memory import memory_formats
from pellucid.dtypes import dtype as dtype_class
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.ops.shape.copying import to
from pellucid.outbuildings import outbuildings


@public(method="to_dense")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """Return the tensor, in a dtype if one is given: it is dense already.

    Args:
        dtype: Dtype of the result; as it is if None.
        masked_grad: Accepted, and without effect.
    """
    if dtype is not None and not isinstance(dtype, dtype_class):
        raise ArgumentTypeError(
            f"to_dense(): argument 'dtype' (position 1) must be torch.dtype, not "
            f"{type(dtype).__name__}"
        )
    return self if dtype is None else to(self, dtype)


def _to_layout(tensor: Any, wanted: Any, **options: Any) -> Any:
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(f"a tensor was expected, not {type(tensor).__name__}")
    return outbuildings.sparse().conversions.to_layout(tensor, wanted, **options)


def is_sparse(wanted: Any, like: Any = None) -> bool:
    """Return whether a layout that is asked for, or the one of a tensor, is a sparse one."""
    if wanted is None:
        wanted = getattr(like, "layout", None)
    return wanted is not None and wanted is not memory_formats.strided


def empty_in_layout(sizes: Any, numpy_dtype: Any, wanted: Any, requires_grad: bool = False) -> Any:
    """Return a sparse tensor without elements."""
    like = new_tensor(np.zeros(0, numpy_dtype))
    made = outbuildings.sparse().conversions.empty_in_layout(tuple(sizes), wanted, like)
    return made.requires_grad_(requires_grad)


def empty_like_sparse(input: Any, dtype: Any, wanted: Any, requires_grad: bool) -> Any:
    """Return a sparse tensor without elements, of the size of a dense or sparse one."""
    dtype = input.dtype if dtype is None else dtype
    if wanted is None or wanted is input.layout:
        return input.emptied().to(dtype).requires_grad_(requires_grad)
    return empty_in_layout(input.shape, dtypes.to_numpy_dtype(dtype), wanted, requires_grad)


def refuse_other_layout(input: Any, wanted: Any) -> None:
    """Raise RuntimeError where a layout is asked for that a sparse tensor does not have."""
    if wanted not in (None, input.layout) and input.layout is not memory_formats.strided:
        raise GraphError(
            f"empty_like with different sparse layout is not supported (self is "
            f"{input.layout.title} but you requested {wanted.title})"
        )


@public(method="to_sparse")
def to_sparse(
    self: Any, sparse_dim: int | None = None, *, layout: Any = None, blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:  # fmt: skip
    """Return the tensor as a sparse one, of the elements that are not zero.

    Raises RuntimeError where the layout is not for such a tensor.

    Args:
        sparse_dim: How many of the first dimensions are sparse; all by default.
        layout: Layout of the result; ``torch.sparse_coo`` by default.
        blocksize: Height and width of the blocks, for ``torch.sparse_bsr`` and ``sparse_bsc``.
        dense_dim: How many of the last dimensions are dense, for layouts of rows and columns.

    >>> torch.eye(2).to_sparse().indices()
    tensor([[0, 1],
            [0, 1]])
    """
    options = {"blocksize": blocksize, "dense_dim": dense_dim}
    return _to_layout(self, layout, sparse_dim=sparse_dim, **options)


@public(method="to_sparse_coo")
def to_sparse_coo(self: Any) -> Any:
    """Return the tensor in coordinate format, of the elements that are not zero."""
    return _to_layout(self, memory_formats.sparse_coo)


@public(method="to_sparse_csr")
def to_sparse_csr(self: Any, dense_dim: int | None = None) -> Any:
    """Return a matrix in compressed sparse rows.

    Args:
        dense_dim: How many of the last dimensions are dense.

    >>> torch.eye(2).to_sparse_csr().col_indices()
    tensor([0, 1])
    """
    return _to_layout(self, memory_formats.sparse_csr, dense_dim=dense_dim)


@public(method="to_sparse_csc")
def to_sparse_csc(self: Any, dense_dim: int | None = None) -> Any:
    """Return a matrix in compressed sparse columns.

    Args:
        dense_dim: How many of the last dimensions are dense.
    """
    return _to_layout(self, memory_formats.sparse_csc, dense_dim=dense_dim)


@public(method="to_sparse_bsr")
def to_sparse_bsr(self: Any, blocksize: Any, dense_dim: int | None = None) -> Any:
    """Return a matrix in compressed sparse rows of blocks.

    Args:
        blocksize: Height and width of the blocks.
        dense_dim: How many of the last dimensions are dense.
    """
    return _to_layout(self, memory_formats.sparse_bsr, blocksize=blocksize, dense_dim=dense_dim)


@public(method="to_sparse_bsc")
def to_sparse_bsc(self: Any, blocksize: Any, dense_dim: int | None = None) -> Any:
    """Return a matrix in compressed sparse columns of blocks.

    Args: As for `to_sparse_bsr`.
    """
    return _to_layout(self, memory_formats.sparse_bsc, blocksize=blocksize, dense_dim=dense_dim)


@public(method="sparse_mask")
def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the elements at the indices of a sparse tensor, as a sparse tensor.

    Args:
        mask: Sparse tensor of the same size, of any layout and dtype.

    >>> torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse()).values()
    tensor([1., 1.])
    """
    return mask.masked(self)


@public(method="dense_dim")
def dense_dim(self: Any) -> int:
    """Return the number of dimensions: all are dense."""
    return self._array.ndim


@public(method="sparse_dim")
def sparse_dim(self: Any) -> int:
    """Return 0: no dimension is sparse."""
    return 0


def _expects_layout(name: str, layout: str) -> Callable[..., Any]:
    def refuse(self: Any) -> Any:
        own = getattr(type(self), name)
        if own is not getattr(
            from_above.tensor, name
        ):  # the method of a sparse tensor, asked for by ``Tensor.values(x)``
            return own(self)
        raise GraphError(f"{name} expected {layout} tensor layout but got {self.layout.title}")

    refuse.__doc__ = f"Raise RuntimeError: {name}() is there for {layout} tensors."
    return refuse


public(method="values")(_expects_layout("values", "sparse"))
public(method="indices")(_expects_layout("indices", "sparse coordinate"))
public(method="coalesce")(_expects_layout("coalesce", "sparse coordinate"))
public(method="is_coalesced")(_expects_layout("is_coalesced", "sparse coordinate"))
public(method="crow_indices")(_expects_layout("crow_indices", "sparse row compressed"))
public(method="col_indices")(_expects_layout("col_indices", "sparse row compressed"))
public(method="ccol_indices")(_expects_layout("ccol_indices", "sparse column compressed"))
public(method="row_indices")(_expects_layout("row_indices", "sparse column compressed"))
