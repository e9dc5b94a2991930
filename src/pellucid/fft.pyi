"""The functions of ``torch.fft``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence

from pellucid.core.memory.memory_formats import layout as _layout
from pellucid.device import device as _device
from pellucid.dtypes import dtype as _dtype
from pellucid.tensors.tensor import Tensor

def fft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the discrete Fourier transform along a dimension.

    The dimension is cut or filled with zeros to ``n``. ``norm`` says where to divide: "backward"
    (not here), "forward" (by n) or "ortho" (by its root). Raises RuntimeError for another one.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.fft(torch.tensor([1.0, 2.0]))
    tensor([ 3.+0.j, -1.+0.j])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def fft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the transform over two dimensions; see `fftn`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.fft2(torch.ones(1, 2))
    tensor([[2.+0.j, 0.+0.j]])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def fftfreq(
    n: Tensor | _int | _float | _complex,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the frequencies of `fft`'s elements for samples a distance ``d`` apart.

    Args:
        n: Length of the transform.
        d: Distance between samples.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.

    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])

    Defined in ``pellucid/ops/signal/frequencies.py``.
    """

def fftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the transform over several dimensions, all of them by default.

    ``s`` are their lengths (-1 leaves one alone); alone it means the last dimensions.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.fftn(torch.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Move the frequency 0 to the middle of dimensions, all of them by default.

    Args:
        input: Tensor with the signal along ``dim``.
        dim: Dimension or dimensions to transform.

    >>> torch.fft.fftshift(torch.tensor([0, 1, -1]))
    tensor([-1,  0,  1])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def hfft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the real transform of a Hermitian signal, given its first half.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.hfft(torch.tensor([1.0, 0.0]))
    tensor([1., 1.])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def hfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the real transform over two dimensions of a signal Hermitian in the last.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.hfft2(torch.ones(2, 2)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def hfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the real transform of a signal that is Hermitian in the last dimension.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.hfftn(torch.ones(2, 2)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ifft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `fft`.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ifft(torch.tensor([3.0, -1.0]))
    tensor([1.+0.j, 2.+0.j])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ifft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `fft2`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ifft2(torch.tensor([[2.0, 0.0]])).real
    tensor([[1., 1.]])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ifftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `fftn`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ifftn(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).real
    tensor([[1., 1.],
            [1., 1.]])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Undo `fftshift`.

    Args:
        input: Tensor with the signal along ``dim``.
        dim: Dimension or dimensions to transform.

    >>> torch.fft.ifftshift(torch.tensor([-1, 0, 1]))
    tensor([ 0,  1, -1])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ihfft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `hfft`.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ihfft(torch.tensor([1.0, 1.0]))
    tensor([1.+0.j, 0.+0.j])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ihfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `hfft2`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ihfft2(torch.ones(2, 3)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def ihfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `hfftn`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.ihfftn(torch.ones(2, 3)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def irfft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `rfft`; ``n`` is the number of real numbers, by default an even one.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.irfft(torch.tensor([1.0, 1.0]), n=3)
    tensor([1., 0., 0.])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def irfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `rfft2`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.irfft2(torch.ones(2, 2), s=(2, 3)).shape
    torch.Size([2, 3])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def irfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Undo `rfftn`.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.irfftn(torch.ones(2, 2), s=(2, 3)).shape
    torch.Size([2, 3])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def rfft(
    input: Tensor,
    n: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the first ``n // 2 + 1`` elements of the transform of real numbers.

    Args:
        input: Tensor with the signal along ``dim``.
        n: Length of the signal; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.rfft(torch.tensor([1.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def rfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return half of the transform of real numbers over two dimensions.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.rfft2(torch.ones(2, 3)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """

def rfftfreq(
    n: Tensor | _int | _float | _complex,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the frequencies of `rfft`'s elements for samples a distance ``d`` apart.

    Args:
        n: Length of the transform.
        d: Distance between samples.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.

    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])

    Defined in ``pellucid/ops/signal/frequencies.py``.
    """

def rfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return half of the transform of real numbers over several dimensions.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim: Dimension or dimensions to transform.
        norm: Scaling: ``"forward"``, ``"backward"`` (the default) or ``"ortho"``.

    >>> torch.fft.rfftn(torch.ones(2, 3)).shape
    torch.Size([2, 2])

    Defined in ``pellucid/ops/signal/fourier.py``.
    """
