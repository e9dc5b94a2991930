"""The functions of ``torch.functional``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

from pellucid.dtypes import dtype as _dtype
from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.tensors.methods import (
    lu_result,
)
from pellucid.tensors.tensor import Tensor

_Number: TypeAlias = _int | _float | _bool | _complex
_Ints: TypeAlias = _int | Sequence[_int]

def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def cdist(x1: Tensor, x2: Tensor, p: _Number = 2.0, compute_mode: _str | None = None) -> Tensor: ...
def chain_matmul(*matrices: _Ints, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def einsum(*args: _str | Tensor | Sequence[_int] | Sequence[Tensor]) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
def lu(
    A: Tensor,
    pivot: _bool = True,
    get_infos: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_result: ...
def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: _str | None = None
) -> tuple[Tensor, ...]: ...
def norm(
    input: Tensor,
    p: _Number | _str = "fro",
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, ...]: ...
def split(tensor: Tensor, split_size_or_sections: _Ints, dim: _int = 0) -> tuple[Tensor, ...]: ...
def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: _str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Any = None
) -> tuple[Tensor, ...]: ...
def tensordot(
    a: Tensor, b: Tensor, dims: _Ints = 2, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_counts: _bool = False,
    dim: _int | None = None,
    return_inverse: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_inverse: _bool = False,
    dim: _int | None = None,
    return_counts: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor | tuple[Tensor, ...]: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor: ...
def unravel_index(indices: Tensor, shape: _Ints) -> tuple[Tensor, ...]: ...
