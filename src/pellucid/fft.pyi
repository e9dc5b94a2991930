"""The functions of ``torch.fft``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import TypeAlias

from pellucid.core.memory.memory_formats import layout as _layout
from pellucid.device import device as _device
from pellucid.dtypes import dtype as _dtype
from pellucid.tensors.tensor import Tensor

_Number: TypeAlias = _int | _float | _bool | _complex
_Ints: TypeAlias = _int | Sequence[_int]

def fft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def fft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def fftfreq(
    n: Tensor | _Number,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def fftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def fftshift(input: Tensor, dim: _Ints | None = None) -> Tensor: ...
def hfft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def hfft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def hfftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ifft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ifft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ifftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ifftshift(input: Tensor, dim: _Ints | None = None) -> Tensor: ...
def ihfft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ihfft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ihfftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def irfft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def irfft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def irfftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rfft(
    input: Tensor,
    n: Tensor | _Number | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rfft2(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rfftfreq(
    n: Tensor | _Number,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rfftn(
    input: Tensor,
    s: _Ints | None = None,
    dim: _Ints | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
