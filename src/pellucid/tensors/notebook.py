"""A tensor in a notebook: a small one by its values, a large one by what is known of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from pellucid.dtypes import is_complex_dtype
from pellucid.tensors.formatting import format_values
from pellucid.tensors.print_options import PrintOptions, print_options
from pellucid.tensors.summary import counts_in_parts

#: a tensor with more elements is shown by a histogram, one with more columns by its text
MOST_VALUES, MOST_COLUMNS = 100, 12
_BARS, _WIDTH, _HEIGHT = 40, 320, 72


def tensor_html(array: np.ndarray, dtype: str, suffixes: Iterable[str]) -> str:
    """Return a tensor as HTML.

    Args:
        array: Its values.
        dtype: The name of its dtype.
        suffixes: What else is to be said of it, such as ``requires grad``.
    """
    if array.dtype.kind == "V":  # bfloat16, whose numbers NumPy's functions do not all know
        array = array.astype(np.float32)
    facts = [f"{dtype}{list(array.shape)}", size_text(array.nbytes), *suffixes]
    head = f"<div><strong>tensor</strong> {escape(', '.join(facts))}</div>"
    if 0 < array.size <= MOST_VALUES and array.ndim <= 2 and array.shape[-1:] <= (MOST_COLUMNS,):
        return head + _values(array)
    if array.size <= MOST_VALUES or is_complex_dtype(array.dtype):
        return f"{head}<pre>{escape(format_values(array, 0, print_options))}</pre>"
    return head + _summary(array)


def size_text(size: int) -> str:
    """Write a number of bytes, such as ``1.5 kB``."""
    exponent = min(3, int(math.log10(size)) // 3) if size else 0
    return f"{size / 1000**exponent:.1f} {('B', 'kB', 'MB', 'GB')[exponent]}".replace(".0 B", " B")


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; the texts are escaped."""
    titles = "".join(f'<th scope="col">{escape(each)}</th>' for each in heading)
    head = f"<thead><tr>{titles}</tr></thead>" if heading else ""
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cells(row: Sequence[str]) -> str:
    return "".join(f"<td>{escape(each)}</td>" for each in row)


def _values(array: np.ndarray) -> str:
    options = PrintOptions(**{**vars(print_options), "threshold": math.inf, "linewidth": 10**9})
    texts = re.findall(r"[^\[\],\n]+", format_values(array, 0, options))
    columns = array.shape[-1] if array.ndim else 1
    cells = [text.strip() for text in texts if text.strip()]
    return table((), (cells[start : start + columns] for start in range(0, len(cells), columns)))


def _summary(array: np.ndarray) -> str:
    if array.dtype.kind == "b":
        true = int(array.sum())
        return table(("true", "false"), [(f"{true:,}", f"{array.size - true:,}")])
    values = array.astype(np.float64).ravel()
    finite = values[np.isfinite(values)]
    counts = {
        "zeros": int((values == 0).sum()),
        "NaN": int(np.isnan(values).sum()),
        "infinite": int(np.isinf(values).sum()),
    }
    facts = [(name, f"{count:,}") for name, count in counts.items() if count]
    if not finite.size:
        return table([name for name, _ in facts], [[text for _, text in facts]])
    # far from the largest double, so that no sum overflows
    scale = max(1.0, np.abs(finite).max() / 1e150)
    scaled = finite / scale
    moments = {"mean": scaled.mean() * scale, "std": scaled.std() * scale}
    ends = {"min": finite.min(), "max": finite.max()}
    facts = [*((name, f"{value:.4g}") for name, value in {**ends, **moments}.items()), *facts]
    return table([name for name, _ in facts], [[text for _, text in facts]]) + _histogram(
        counts_in_parts(finite, _BARS), *ends.values()
    )


def _histogram(numbers: np.ndarray, low: float, high: float) -> str:
    """Return bars as SVG; the tallest says how many values it stands for."""
    step, most = _WIDTH / len(numbers), int(numbers.max())
    heights = np.ceil(numbers / most * (_HEIGHT - 4))
    bars = "".join(
        f'<rect x="{position * step:.1f}" y="{14 + _HEIGHT - height:.0f}" width="{step - 1:.1f}" '
        f'height="{height:.0f}"><title>{number:,}</title></rect>'
        for position, (number, height) in enumerate(zip(numbers.tolist(), heights, strict=True))
        if number
    )
    tallest = (int(numbers.argmax()) + 0.5) * step
    anchor = "start" if tallest < 60 else "end" if tallest > _WIDTH - 60 else "middle"
    label = f"histogram from {low:.4g} to {high:.4g}, the tallest bar has {most:,} values"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'width="{_WIDTH}" height="{_HEIGHT + 32}" fill="#4a7fd0" font-size="11">{bars}'
        f'<g fill="#808793"><text x="{tallest:.0f}" y="11" text-anchor="{anchor}">{most:,}</text>'
        f'<text x="0" y="{_HEIGHT + 28}">{low:.4g}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT + 28}" text-anchor="end">{high:.4g}</text></g></svg>'
    )
