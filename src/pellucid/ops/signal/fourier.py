"""Discrete Fourier transforms over any dimensions, by SciPy.

Three linear ops do the work; lengths are padded or cut, and shifts made, by other ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.core.call.compiled import replayable
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import linear
from pellucid.dtypes import default, from_numpy_dtype, is_complex_dtype, is_half, scalar_name
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.complexes import real
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.shape.diagonal import roll
from pellucid.shapes import Like, dim_from_end, dims_from_end, items_of, real_dim

# ---- the three transforms ---------------------------------------------------------------------


@linear(batch=Batch.ALONG_DIMS)
def fft_c2c(be, input, /, dims, normalization, forward):
    """Transform complex numbers to complex numbers."""
    return be.fft.c2c(input, dims, forward, normalization)


@fft_c2c.vjp("input")
def fft_c2c_input(g, dims, normalization, forward):
    return fft_c2c(g, dims, normalization, forward)  # the matrix of the transform is symmetric


@linear(
    holomorphic=False, batch=Batch.ALONG_DIMS, node_name="fft_r2_c",
    faces=Face("dim=dims normalization onesided self@"),
)  # fmt: skip
def fft_r2c(be, input, /, dims, normalization, onesided, forward):
    """Transform real numbers; one-sided: only the half of the last dimension that counts."""
    if onesided:
        return be.fft.r2c(input, dims, forward, normalization)
    if is_complex_dtype(input.dtype):
        raise DtypeError(f"fft_r2c expects a real input tensor, but got {input.dtype}")
    return be.fft.c2c(input, dims, forward, normalization) + 0  # which makes 0 of each -0


@fft_r2c.vjp("input")
def fft_r2c_input(g, input: Like, dims, normalization, onesided, forward):
    if not onesided:
        return real(fft_c2c(g, dims, normalization, not forward))
    size = input.shape[dims[-1]]
    halved = scale_repeated(g, dims[-1], size, 0.5)  # the transform counts each of them twice
    return fft_c2r(halved, dims, normalization, size, not forward)


@linear(holomorphic=False, batch=Batch.ALONG_DIMS)
def fft_c2r(be, input, /, dims, normalization, size, forward):
    """Transform back from the half that `fft_r2c` gives, to ``size`` real numbers."""
    return be.fft.c2r(input, dims, size, forward, normalization)


@fft_c2r.vjp("input")
def fft_c2r_input(g, dims, normalization, size, forward):
    halves = fft_r2c(g, dims, normalization, True, not forward)
    return scale_repeated(halves, dims[-1], size, 2.0)


@linear
def scale_repeated(be, input, /, dim, size, factor):
    """Multiply by a factor what occurs twice in the spectrum of ``size`` that this is half of."""
    out = input.copy()
    repeated = (*(slice(None),) * (dim % input.ndim), slice(1, 1 + size - input.shape[dim]))
    out[repeated] *= factor
    return out


@scale_repeated.vjp("input")
def scale_repeated_input(g, dim, size, factor):
    return scale_repeated(g, dim, size, factor)


# ---- arguments --------------------------------------------------------------------------------


def _padding(ndim: int, added: dict[int, int]) -> tuple[int, ...]:
    """Return what `pad_constant` takes to lengthen dimensions at their ends."""
    sizes = [added.get(axis, 0) for axis in reversed(range(ndim))]
    return tuple(each for size in sizes for each in (0, size))


def _resized(input: Any, dims: Sequence[int], sizes: Sequence[int]) -> Any:
    """Cut dimensions, or lengthen them by zeros, where a size is not -1."""
    shape = input._array.shape
    added = {}
    for dim, size in zip(dims, sizes, strict=True):
        points = shape[dim] if size == -1 else size
        _require_points(points)
        if points != shape[dim]:
            added[dim] = points - shape[dim]
    return pad_constant(input, _padding(input.ndim, added)) if added else input


def _normalization(norm: str | None, forward: bool) -> int:
    """Return PyTorch's number: 0 for none, 1 for dividing by the root of the points, 2 by them."""
    if norm == "ortho":
        return 1
    if norm in (None, "backward", "forward"):
        return 2 if (norm == "forward") == forward else 0
    raise ShapeError(f'Invalid normalization mode: "{norm}"')


def _as_floats(input: Any) -> Any:
    dtype = input._array.dtype
    if is_half(dtype):
        raise DtypeError(f"Unsupported dtype {scalar_name(dtype)}")
    return input if dtype.kind in "fc" else input.to(from_numpy_dtype(default()))


def _as_complex(input: Any) -> Any:
    input = _as_floats(input)
    return input.to(input.dtype.to_complex())


def _require_real(function: str, input: Any) -> None:
    if is_complex_dtype(input._array.dtype):
        kind = scalar_name(input._array.dtype)
        if function == "ihfftn":
            raise DtypeError(f"Only supports floating-point dtypes, but found: {kind}")
        real = "real-valued" if function == "rfftn" else "real"
        raise DtypeError(f"{function} expects a {real} input tensor, but got {kind}")


def _one_dim(input: Any, n: int | None, dim: int) -> tuple[list[int], list[int]]:
    axis = real_dim(dim, input.ndim)
    if n is not None:
        _require_points(n)
    return [axis], [-1 if n is None else n]


def _several_dims(input: Any, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """Return dimensions and sizes as PyTorch reads them; a size of -1 leaves a dimension alone."""
    sizes = [s] if isinstance(s, int) else None if s is None else list(items_of(s))
    dims = [dim] if isinstance(dim, int) else None if dim is None else list(items_of(dim))
    if dims is not None:
        positions = [dim_from_end(each, input.ndim) for each in dims]
        if len(set(positions)) != len(positions):
            raise ShapeError("FFT dims must be unique")
        if sizes is not None and len(sizes) != len(positions):
            raise ShapeError("When given, dim and shape arguments must have the same length")
        return positions, [-1] * len(positions) if sizes is None else sizes
    if sizes is None:
        return list(range(input.ndim)), [-1] * input.ndim
    if len(sizes) > input.ndim:
        raise ShapeError(
            f"Got shape with {len(sizes)} values but input tensor only has {input.ndim} dimensions."
        )
    return list(range(input.ndim - len(sizes), input.ndim)), sizes


def _require_points(count: int) -> None:
    if count < 1:
        raise ShapeError(f"Invalid number of data points ({count}) specified")


# ---- transforms of each kind ------------------------------------------------------------------


def _complex(input: Any, dims: list[int], sizes: list[int], norm: Any, forward: bool) -> Any:
    input = _resized(_as_floats(input), dims, sizes)
    normalization = _normalization(norm, forward)
    if not dims:
        return _as_complex(input).clone()
    if is_complex_dtype(input._array.dtype):
        return fft_c2c(input, tuple(dims), normalization, forward)
    return fft_r2c(input, tuple(dims), normalization, False, forward)


def _real(
    function: str, input: Any, dims: list[int], sizes: list[int], norm: Any, forward: bool
) -> Any:
    _require_real(function, input)
    if not dims:
        raise ShapeError(f"{function} must transform at least one axis")
    input = _resized(_as_floats(input), dims, sizes)
    return fft_r2c(input, tuple(dims), _normalization(norm, forward), True, forward)


def _to_real(
    function: str, input: Any, dims: list[int], sizes: list[int], norm: Any, forward: bool
) -> Any:
    if not dims:
        raise ShapeError(f"{function} must transform at least one axis")
    last = 2 * (input.shape[dims[-1]] - 1) if sizes[-1] == -1 else sizes[-1]
    _require_points(last)
    halves = _resized(_as_complex(input), dims, [*sizes[:-1], last // 2 + 1])
    return fft_c2r(halves, tuple(dims), _normalization(norm, forward), last, forward)


@public("fft.fft", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
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
    """
    return _complex(input, *_one_dim(input, n, dim), norm, True)


@public("fft.ifft", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Undo `fft`.

    Args: As for `fft_fft`.

    >>> torch.fft.ifft(torch.tensor([3.0, -1.0]))
    tensor([1.+0.j, 2.+0.j])
    """
    return _complex(input, *_one_dim(input, n, dim), norm, False)


@public("fft.rfft", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the first ``n // 2 + 1`` elements of the transform of real numbers.

    Args: As for `fft_fft`.

    >>> torch.fft.rfft(torch.tensor([1.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j])
    """
    return _real("rfft", input, *_one_dim(input, n, dim), norm, True)


@public("fft.irfft", out=CASTING)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Undo `rfft`; ``n`` is the number of real numbers, by default an even one.

    Args: As for `fft_fft`.

    >>> torch.fft.irfft(torch.tensor([1.0, 1.0]), n=3)
    tensor([1., 0., 0.])
    """
    return _to_real("irfft", input, *_one_dim(input, n, dim), norm, False)


@public("fft.hfft", out=CASTING)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the real transform of a Hermitian signal, given its first half.

    Args: As for `fft_fft`.

    >>> torch.fft.hfft(torch.tensor([1.0, 0.0]))
    tensor([1., 1.])
    """
    return _to_real("hfft", input, *_one_dim(input, n, dim), norm, True)


@public("fft.ihfft", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Undo `hfft`.

    Args: As for `fft_fft`.

    >>> torch.fft.ihfft(torch.tensor([1.0, 1.0]))
    tensor([1.+0.j, 0.+0.j])
    """
    return _real("ihfft", input, *_one_dim(input, n, dim), norm, False)


@public("fft.fftn", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the transform over several dimensions, all of them by default.

    ``s`` are their lengths (-1 leaves one alone); alone it means the last dimensions.

    Args:
        input: Tensor with the signal along ``dim``.
        s: Size of the signal in each transformed dimension; it is cut or padded with zeros.
        dim, norm: As for `fft_fft`.

    >>> torch.fft.fftn(torch.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _complex(input, *_several_dims(input, s, dim), norm, True)


@public("fft.ifftn", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Undo `fftn`.

    Args: As for `fft_fftn`.

    >>> torch.fft.ifftn(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).real
    tensor([[1., 1.],
            [1., 1.]])
    """
    return _complex(input, *_several_dims(input, s, dim), norm, False)


@public("fft.rfftn", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return half of the transform of real numbers over several dimensions.

    Args: As for `fft_fftn`.

    >>> torch.fft.rfftn(torch.ones(2, 3)).shape
    torch.Size([2, 2])
    """
    return _real("rfftn", input, *_several_dims(input, s, dim), norm, True)


@public("fft.irfftn", out=CASTING)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Undo `rfftn`.

    Args: As for `fft_fftn`.

    >>> torch.fft.irfftn(torch.ones(2, 2), s=(2, 3)).shape
    torch.Size([2, 3])
    """
    return _to_real("irfftn", input, *_several_dims(input, s, dim), norm, False)


@public("fft.hfftn", out=CASTING)
@replayable
def fft_hfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the real transform of a signal that is Hermitian in the last dimension.

    Args: As for `fft_fftn`.

    >>> torch.fft.hfftn(torch.ones(2, 2)).shape
    torch.Size([2, 2])
    """
    return _to_real("hfftn", input, *_several_dims(input, s, dim), norm, True)


@public("fft.ihfftn", out=EXACT)
@replayable
def fft_ihfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Undo `hfftn`.

    Args: As for `fft_fftn`.

    >>> torch.fft.ihfftn(torch.ones(2, 3)).shape
    torch.Size([2, 2])
    """
    return _real("ihfftn", input, *_several_dims(input, s, dim), norm, False)


@public("fft.fft2", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the transform over two dimensions; see `fftn`.

    Args: As for `fft_fftn`.

    >>> torch.fft.fft2(torch.ones(1, 2))
    tensor([[2.+0.j, 0.+0.j]])
    """
    return fft_fftn(input, s, dim, norm)


@public("fft.ifft2", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Undo `fft2`.

    Args: As for `fft_fftn`.

    >>> torch.fft.ifft2(torch.tensor([[2.0, 0.0]])).real
    tensor([[1., 1.]])
    """
    return fft_ifftn(input, s, dim, norm)


@public("fft.rfft2", out=EXACT)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return half of the transform of real numbers over two dimensions.

    Args: As for `fft_fftn`.

    >>> torch.fft.rfft2(torch.ones(2, 3)).shape
    torch.Size([2, 2])
    """
    return fft_rfftn(input, s, dim, norm)


@public("fft.irfft2", out=CASTING)
@replayable
@autocasts(Autocast.FLOAT32)
def fft_irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Undo `rfft2`.

    Args: As for `fft_fftn`.

    >>> torch.fft.irfft2(torch.ones(2, 2), s=(2, 3)).shape
    torch.Size([2, 3])
    """
    return fft_irfftn(input, s, dim, norm)


@public("fft.hfft2", out=CASTING)
@replayable
def fft_hfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the real transform over two dimensions of a signal Hermitian in the last.

    Args: As for `fft_fftn`.

    >>> torch.fft.hfft2(torch.ones(2, 2)).shape
    torch.Size([2, 2])
    """
    return fft_hfftn(input, s, dim, norm)


@public("fft.ihfft2", out=EXACT)
@replayable
def fft_ihfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Undo `hfft2`.

    Args: As for `fft_fftn`.

    >>> torch.fft.ihfft2(torch.ones(2, 3)).shape
    torch.Size([2, 2])
    """
    return fft_ihfftn(input, s, dim, norm)


# ---- order ------------------------------------------------------------------------------------


@public("fft.fftshift")
def fft_fftshift(input: Any, dim: Any = None) -> Any:
    """Move the frequency 0 to the middle of dimensions, all of them by default.

    Args:
        input, dim: As for `fft_fft`.

    >>> torch.fft.fftshift(torch.tensor([0, 1, -1]))
    tensor([-1,  0,  1])
    """
    dims = dims_from_end(dim, input.ndim)
    return roll(input, tuple(input.shape[each] // 2 for each in dims), dims)


@public("fft.ifftshift")
def fft_ifftshift(input: Any, dim: Any = None) -> Any:
    """Undo `fftshift`.

    Args: As for `fft_fftshift`.

    >>> torch.fft.ifftshift(torch.tensor([-1, 0, 1]))
    tensor([ 0,  1, -1])
    """
    dims = dims_from_end(dim, input.ndim)
    return roll(input, tuple((input.shape[each] + 1) // 2 for each in dims), dims)
