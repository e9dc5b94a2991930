"""``torch.sparse``: matrices of which few elements are kept, and their products.

A sparse tensor is a list of coordinates and, as an ordinary tensor with its history, the values
there.
What is done with it is done with that tensor, so derivatives of any order follow.
"""

from __future__ import annotations

from pellucid.sparse.checks import as_sparse_gradcheck, check_sparse_tensor_invariants
from pellucid.sparse.compressed import CompressedTensor
from pellucid.sparse.conversions import from_dense
from pellucid.sparse.coordinate import CoordinateTensor
from pellucid.sparse.creation import (
    legacy_type,
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_coo_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
    spdiags,
)
from pellucid.sparse.products import addmm, hspmm, mm, sampled_addmm, smm, spmm, spsolve, sspaddmm
from pellucid.sparse.rules import sum
from pellucid.sparse.softmax import log_softmax, softmax
from pellucid.sparse.tensor import SparseTensor

__all__ = [
    "CompressedTensor", "CoordinateTensor", "SparseTensor", "addmm", "as_sparse_gradcheck",
    "check_sparse_tensor_invariants", "from_dense", "hspmm", "log_softmax", "mm", "sampled_addmm",
    "smm", "softmax", "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor",
    "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor", "spdiags", "spmm", "spsolve",
    "sspaddmm", "sum",
]  # fmt: skip

# the old constructors, from indices, values and sizes
FloatTensor = legacy_type("FloatTensor")
DoubleTensor = legacy_type("DoubleTensor")
HalfTensor = legacy_type("HalfTensor")
BFloat16Tensor = legacy_type("BFloat16Tensor")
LongTensor = legacy_type("LongTensor")
IntTensor = legacy_type("IntTensor")
ShortTensor = legacy_type("ShortTensor")
CharTensor = legacy_type("CharTensor")
ByteTensor = legacy_type("ByteTensor")
