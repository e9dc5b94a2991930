"""Short-time Fourier transforms: the spectra of overlapping windows of a signal."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.dtypes import from_numpy_dtype, is_differentiable, real_counterpart
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.complexes import view_as_real
from pellucid.ops.elementwise.signs import is_complex
from pellucid.ops.nn.pad import pad, pad_constant
from pellucid.ops.shape.strided import unfold, unfold_backward
from pellucid.ops.signal.fourier import fft_fft, fft_ifft, fft_irfft, fft_rfft


def _window(function: str, like: Any, window: Any, n_fft: int, win_length: int) -> Any:
    """Return the window in the middle of ``n_fft`` places; ones by default."""
    if window is None:
        dtype = from_numpy_dtype(real_counterpart(like._array.dtype))
        window = like.detach().new_zeros(win_length, dtype=dtype) + 1
    if window.ndim != 1 or window.shape[0] != win_length:
        raise ShapeError(
            f"{function}: expected a 1D window tensor of size equal to win_length={win_length}, "
            f"but got window with size {list(window.shape)}"
        )
    left = (n_fft - win_length) // 2
    return pad_constant(window, (left, n_fft - win_length - left))


@public("stft functional.stft", method=True, reads_late=True)
@autocasts(Autocast.FLOAT32)
def stft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Any = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:  # fmt: skip
    """Return the spectra of windows of ``n_fft`` samples, ``hop_length`` apart.

    Shapes: ``[L]`` or ``[B, L]`` to ``[*, frequencies, windows]``. With ``center`` the signal is
    lengthened at both ends, so that each window lies around its time. A real signal gives half of
    the frequencies unless ``onesided=False``, and needs ``return_complex``; with False the real and
    imaginary parts form a last dimension.

    Args:
        input: Signal ``[*, L]``.
        n_fft: Length of a Fourier transform.
        hop_length: Distance between frames; by default a quarter of ``n_fft``.
        win_length: Length of the window; by default ``n_fft``.
        window: Window ``[win_length]``; by default all ones.
        center: Whether the signal is padded so that frames are centred.
        pad_mode: How the signal is padded if it is centred; see `pad`.
        normalized: Whether the transforms are divided by the square root of their length.
        onesided: Whether only the non-negative frequencies are kept.
        return_complex: Whether the result is complex.
        align_to_window: Accepted as PyTorch does where frames are not centred.

    Raises:
        RuntimeError: If a size is out of range, or the dtype is neither floating point nor complex.

    >>> torch.stft(torch.ones(8), n_fft=4, return_complex=True).shape
    torch.Size([3, 9])
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    complex_input = is_complex(input) or (window is not None and is_complex(window))
    if return_complex is None:
        if not complex_input:
            raise ShapeError(
                "stft requires the return_complex parameter be given for real inputs, and will "
                "further require that return_complex=True in a future PyTorch release."
            )
        return_complex = True
    if not is_differentiable(input._array.dtype):
        raise DtypeError("stft: expected a tensor of floating point or complex values")
    if input.ndim not in (1, 2):
        raise ShapeError(f"stft: expected a 1D or 2D tensor, but got {input.ndim}D")
    rows = input.reshape(1, -1) if input.ndim == 1 else input
    if center:
        if not rows.shape[0] and pad_mode != "constant":
            raise ShapeError(
                "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other "
                f"non-zero dimensions for input, but got: [1, {', '.join(map(str, rows.shape))}]"
            )
        rows = pad(rows.unsqueeze(1), (n_fft // 2, n_fft // 2), pad_mode).squeeze(1)
    length = rows.shape[-1]
    if not 0 < n_fft <= length:
        raise ShapeError(f"stft: expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    if hop_length <= 0:
        raise ShapeError(f"stft: expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        raise ShapeError(f"stft: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    weights = _window("stft", input, window, n_fft, win_length)
    frames = unfold(rows, -1, n_fft, hop_length)
    if window is not None or win_length < n_fft:
        frames = frames * weights
    if onesided is None:
        onesided = not complex_input
    if onesided and complex_input:
        raise ShapeError("Cannot have onesided output if window or input is complex")
    transformed = (fft_rfft if onesided else fft_fft)(
        frames, norm="ortho" if normalized else "backward"
    )
    spectra = transformed.mT
    spectra = spectra.squeeze(0) if input.ndim == 1 else spectra
    return spectra if return_complex else view_as_real(spectra)


@public("istft functional.istft", method=True)
def istft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Any = None, center: bool = True, normalized: bool = False,
    onesided: bool | None = None, length: int | None = None, return_complex: bool = False,
) -> Any:  # fmt: skip
    """Undo `stft`: add up the windows, divided by the sum of the squares of their weights.

    Shapes: ``[*, frequencies, windows]`` to ``[*, L]``, cut or lengthened to ``length``. Raises
    RuntimeError where the windows leave a sample out.

    Args:
        input: Spectrum ``[*, F, T]``, complex.
        n_fft, hop_length, win_length, window: As for `stft`.
        center: Whether the frames were centred.
        normalized, onesided: As for `stft`.
        length: Number of elements to keep.
        return_complex: Whether the result is complex.

    >>> spectra = torch.stft(torch.arange(8.0), n_fft=4, return_complex=True)
    >>> torch.istft(spectra, n_fft=4).shape
    torch.Size([8])
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if not is_complex(input):
        raise DtypeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    if input.ndim not in (2, 3) or not input.numel():
        raise ShapeError(
            f"istft: expected a tensor with 2 or 3 dimensions, but got {list(input.shape)}"
        )
    onesided = input.shape[-2] != n_fft if onesided is None else onesided
    _require_frequencies(input.shape[-2], n_fft, onesided)
    if not 0 < hop_length <= win_length:
        raise ShapeError("istft: expected 0 < hop_length <= win_length")
    if not 0 < win_length <= n_fft:
        raise ShapeError("istft: expected 0 < win_length <= n_fft")
    weights = _window("istft", input, window, n_fft, win_length)
    frames = (input.unsqueeze(0) if input.ndim == 2 else input).mT
    norm = "ortho" if normalized else "backward"
    if return_complex:
        if onesided:
            raise ShapeError("istft: cannot have onesided output if window or input is complex")
        values = fft_ifft(frames, norm=norm)
    elif onesided:
        values = fft_irfft(frames, n_fft, norm=norm)
    else:
        values = fft_irfft(frames[..., : n_fft // 2 + 1], n_fft, norm=norm)
    count = frames.shape[-2]
    whole = n_fft + hop_length * (count - 1)
    summed = unfold_backward(values * weights, (values.shape[0], whole), 1, n_fft, hop_length)
    squares = (weights * weights).unsqueeze(0).expand(count, n_fft)
    envelope = unfold_backward(squares, (whole,), 0, n_fft, hop_length)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else whole - (n_fft // 2 if center else 0)
    kept = slice(start, min(end, whole))
    divisor = envelope[kept]
    lowest = float(np.abs(divisor._array).min(initial=np.inf))
    if not lowest > 1e-11:
        raise ShapeError(f"istft: window overlap add min: {lowest}; it must not be 0 anywhere")
    signal = summed[:, kept] / divisor
    if end > whole:
        signal = pad_constant(signal, (0, end - whole))
    return signal.squeeze(0) if input.ndim == 2 else signal


def _require_frequencies(count: int, n_fft: int, onesided: Any) -> None:
    expected = n_fft // 2 + 1 if onesided else n_fft
    if count != expected:
        kind = "onesided" if onesided else "not onesided"
        raise ShapeError(
            "istft: expected the frequency dimension (3rd to the last) of the input tensor to "
            f"match {'n_fft / 2 + 1' if onesided else 'n_fft'} when it is {kind}, but got {count}"
        )
