"""Windows for signals: ``torch.signal.windows``, on `scipy.signal.windows`.

All are symmetric unless ``sym=False``, which leaves out the last point of a window that is one
longer, for use with Fourier transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from pellucid import dtypes
from pellucid.core.construct import fresh, numpy_dtype_of, placed
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall",
]  # fmt: skip

_SHARED = """

    Args:
        M: Number of elements.
        {own}sym: Whether the window is symmetric; else it is one period of a periodic function.
        dtype: Dtype of the result; the default one unless given.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.

    Returns:
        A tensor of shape ``[M]``.

    Raises:
        ValueError: If ``M`` is negative, or a number that shapes the window is not possible.
    """


def _window(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Make a window of PyTorch's from a function that computes it by SciPy."""
    name = function.__name__

    @wraps(function)
    def window(
        M: int, *args: Any, sym: bool = True, dtype: Any = None, layout: Any = None,
        device: Any = None, requires_grad: bool = False, **shape: Any,
    ) -> Tensor:  # fmt: skip
        placed(device)
        if args:
            raise TypeError(f"{name}() takes 1 positional argument but {len(args) + 1} were given")
        if M < 0:
            raise ArgumentError(f"{name} requires non-negative window length, got M={M}")
        numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
        if numpy_dtype.char not in "fd":
            raise ArgumentError(
                f"{name} expects float32 or float64 dtypes, got: "
                f"{dtypes.from_numpy_dtype(numpy_dtype)}"
            )
        return fresh(function(M, sym, **shape).astype(numpy_dtype), requires_grad)

    options = [
        Parameter(option, Parameter.KEYWORD_ONLY, default=default)
        for option, default in (
            ("sym", True), ("dtype", None), ("layout", None), ("device", None),
            ("requires_grad", False),
        )
    ]  # fmt: skip
    mine = signature(function)
    length, _, *own = mine.parameters.values()
    own = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
    window.__signature__ = mine.replace(  # pyright: ignore[reportAttributeAccessIssue]
        parameters=[length, *own, *options]
    )
    sentence, _, told = (function.__doc__ or "").partition("\n\n")
    lines = "".join(f"{line.strip()}\n        " for line in told.strip().splitlines())
    window.__doc__ = sentence + _SHARED.format(own=lines)
    return window


@_window
def bartlett(M: int, sym: bool) -> Any:
    """Return a triangle."""
    from scipy.signal import windows

    return windows.bartlett(M, sym)


@_window
def blackman(M: int, sym: bool) -> Any:
    """Return Blackman's window, a sum of three cosines."""
    return _of_cosines(M, (0.42, 0.5, 0.08), sym)


@_window
def cosine(M: int, sym: bool) -> Any:
    """Return half a period of a sine."""
    from scipy.signal import windows

    return windows.cosine(M, sym)


@_window
def exponential(M: int, sym: bool, center: float | None = None, tau: float = 1.0) -> Any:
    """Return an exponential function that falls on both sides of a place.

    center: The place; the middle, and only that for a symmetric window, unless given.
    tau: The distance over which it falls by a factor e.
    """
    if tau <= 0:
        raise ArgumentError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ArgumentError("Center must be None for symmetric windows")
    from scipy.signal import windows

    return windows.exponential(M, center, tau, sym)


@_window
def gaussian(M: int, sym: bool, std: float = 1.0) -> Any:
    """Return the bell curve.

    std: Its standard deviation.
    """
    if std <= 0:
        raise ArgumentError(f"Standard deviation must be positive, got: {std} instead.")
    from scipy.signal import windows

    return windows.gaussian(M, std, sym)


@_window
def general_cosine(M: int, sym: bool, a: Iterable[float]) -> Any:
    """Return a sum of cosines of rising frequency, of which each second one is subtracted.

    a: Their weights.
    """
    weights = tuple(a)
    if not weights:
        raise ArgumentError("Coefficients cannot be empty")
    return _of_cosines(M, weights, sym)


@_window
def general_hamming(M: int, sym: bool, alpha: float = 0.54) -> Any:
    """Return a constant minus a cosine.

    alpha: The constant; the weight of the cosine is one minus it.
    """
    return _of_cosines(M, (alpha, 1 - alpha), sym)


@_window
def hamming(M: int, sym: bool) -> Any:
    """Return Hamming's window, 0.54 minus 0.46 of a cosine."""
    return _of_cosines(M, (0.54, 1 - 0.54), sym)


@_window
def hann(M: int, sym: bool) -> Any:
    """Return Hann's window, half of one minus a cosine."""
    return _of_cosines(M, (0.5, 0.5), sym)


@_window
def kaiser(M: int, sym: bool, beta: float = 12.0) -> Any:
    """Return Kaiser's window, made of a Bessel function.

    beta: How narrow it is.
    """
    if beta < 0:
        raise ArgumentError(f"beta must be non-negative, got: {beta} instead.")
    from scipy.signal import windows

    return windows.kaiser(M, beta, sym)


@_window
def nuttall(M: int, sym: bool) -> Any:
    """Return Nuttall's window, a sum of four cosines."""
    return _of_cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


def _of_cosines(length: int, weights: tuple[float, ...], sym: bool) -> Any:
    from scipy.signal import windows

    return windows.general_cosine(length, weights, sym)
