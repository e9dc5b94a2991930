"""What an array is like in a few numbers: for one-line texts, recordings and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pellucid.dtypes import is_complex_dtype, wide_counterpart
from pellucid.kernels.meta import is_meta

#: bars of a histogram, and the most cells of a small picture along each side
BARS = 16
CELLS = 12


class Summary(NamedTuple):
    """What an array is like.

    Attributes:
        shape: Its shape.
        dtype: The name of its dtype.
        mean: The mean of the finite elements; NaN where there are none.
        std: Their standard deviation.
        least: The smallest of them.
        most: The largest of them.
        zeros: How many elements are zero.
        nans: How many are not a number.
        infs: How many are infinite.
        count: How many there are.
        histogram: How many of the finite elements fall into each of equal parts from ``least`` to
            ``most``; empty if that was not asked for.
        picture: Rows of means of neighbouring elements, of the array as a matrix; empty likewise.
    """

    shape: tuple[int, ...]
    dtype: str
    mean: float
    std: float
    least: float
    most: float
    zeros: int
    nans: int
    infs: int
    count: int
    histogram: tuple[int, ...] = ()
    picture: tuple[tuple[float, ...], ...] = ()

    def text(self) -> str:
        """Return all of it, without the pictures, on one line."""
        parts = [f"{self.dtype}{list(self.shape)}"]
        if self.count == 1:
            parts.append(number_text(self.mean if not self.nans else math.nan))
        elif self.count and self.dtype == "bool":
            parts.append(f"{round(self.mean * self.count):,} of {self.count:,} true")
        elif self.nans + self.infs < self.count:
            parts.append(f"{number_text(self.mean)} ± {number_text(self.std)}")
            parts.append(f"from {number_text(self.least)} to {number_text(self.most)}")
        if self.zeros and self.count > 1 and self.dtype != "bool":
            parts.append("all zero" if self.zeros == self.count else _counted(self.zeros, "zero"))
        parts += [f"{self.nans:,} NaN!"] if self.nans and self.count > 1 else []
        parts += [f"{self.infs:,} infinite!"] if self.infs else []
        return "  ".join(parts)


_BARS = " ▁▂▃▄▅▆▇█"


def bars(histogram: Sequence[int]) -> str:
    """Return a histogram as a row of bars.

    Args:
        histogram: How many elements there are in each part.

    >>> bars((1, 4, 8))
    '▁▄█'
    """
    most = max(histogram, default=0) or 1
    return "".join(
        _BARS[max(1, round(each / most * (len(_BARS) - 1)))] if each else " " for each in histogram
    )


def summarize(array: Any, pictures: bool = False) -> Summary:
    """Return what an array is like.

    Args:
        array: An array of any shape and dtype.
        pictures: Whether the histogram and the small picture are made, too.

    >>> summarize(np.array([0.0, 1.0, 2.0, np.nan], np.float32)).text()
    'float32[4]  1 ± 0.816  from 0 to 2  1 zero  1 NaN!'
    """
    dtype = getattr(array.dtype, "name", str(array.dtype))
    if is_meta(array) or not array.size or array.dtype.kind not in "fciubVW":
        return _without_numbers(array.shape, dtype, 0, 0, 0, 0)
    values = array.astype(wide_counterpart(array.dtype), copy=False)
    values = np.abs(values) if is_complex_dtype(values.dtype) else values
    zeros = array.size - int(np.count_nonzero(values))
    nans, infs = 0, 0
    finite = values
    if values.dtype.kind == "f" and not math.isfinite(float(np.sum(values, dtype=np.float64))):
        nans, infs = int(np.isnan(values).sum()), int(np.isinf(values).sum())
        finite = values[np.isfinite(values)]
    if not finite.size:
        return _without_numbers(array.shape, dtype, zeros, nans, infs, array.size)
    least, most = float(finite.min()), float(finite.max())
    with np.errstate(over="ignore", invalid="ignore"):
        mean, std = (float(each(finite, dtype=np.float64)) for each in (np.mean, np.std))
    found = Summary(array.shape, dtype, mean, std, least, most, zeros, nans, infs, array.size)
    if not pictures:
        return found
    histogram = tuple(counts_in_parts(finite, BARS).tolist())
    return found._replace(histogram=histogram, picture=_cells(values))


def _without_numbers(
    shape: tuple[int, ...], dtype: str, zeros: int, nans: int, infs: int, count: int
) -> Summary:
    nan = math.nan
    return Summary(shape, dtype, nan, nan, nan, nan, zeros, nans, infs, count)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' if count != 1 else ''}"


def number_text(number: float) -> str:
    """Return a number with three digits."""
    return f"{number:.3g}"


def counts_in_parts(finite: Any, parts: int) -> Any:
    """Return how many elements fall into each of equal parts, from the least to the most.

    They are counted by their share of the range: where that is tiny beside the numbers, the edges
    of its parts are not floats. Halves are taken because the range of the largest is infinite.

    Args:
        finite: An array of finite numbers.
        parts: How many parts there are.

    >>> counts_in_parts(np.array([0.0, 1.0, 2.0]), 2)
    array([1, 2])
    """
    halves = finite.astype(np.float64) / 2
    least = halves.min()
    width = halves.max() - least
    shares = (halves - least) / width if width else np.full_like(halves, 0.5)
    return np.histogram(shares, parts, (0.0, 1.0))[0]


def _cells(values: Any) -> tuple[tuple[float, ...], ...]:
    """Return the means of neighbouring elements, of the first matrix in the array."""
    matrix = np.atleast_2d(values).astype(np.float64)
    while matrix.ndim > 2:
        matrix = matrix[0]
    rows, columns = (np.linspace(0, size, min(size, CELLS) + 1).astype(int)
                     for size in matrix.shape)  # fmt: skip
    with np.errstate(all="ignore"):
        sums = np.add.reduceat(np.add.reduceat(matrix, rows[:-1], 0), columns[:-1], 1)
        means = sums / np.outer(np.diff(rows), np.diff(columns))
    return tuple(tuple(float(f"{each:.4g}") for each in row) for row in means.tolist())
