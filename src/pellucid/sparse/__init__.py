"""``torch.sparse``: matrices of which few elements are kept, and their products.

A sparse tensor is a list of places and, as an ordinary tensor with its history, the values there.
What is done with it is done with that tensor, so derivatives of any order follow.
"""

from __future__ import annotations

from functools import partial

from pellucid import dtypes
from pellucid.sparse.products import addmm, mm, spmm
from pellucid.sparse.rules import sum
from pellucid.sparse.tensor import SparseTensor, from_dense, sparse_coo_tensor

__all__ = ["SparseTensor", "addmm", "from_dense", "mm", "sparse_coo_tensor", "spmm", "sum"]

#: the old constructors, from indices, values and sizes
FloatTensor = partial(sparse_coo_tensor, dtype=dtypes.float32)
DoubleTensor = partial(sparse_coo_tensor, dtype=dtypes.float64)
LongTensor = partial(sparse_coo_tensor, dtype=dtypes.int64)
IntTensor = partial(sparse_coo_tensor, dtype=dtypes.int32)
