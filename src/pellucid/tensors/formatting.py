"""The text of a tensor: what ``print`` shows, character for character as PyTorch 2.13 shows it.

The work is on arrays and names; nothing here knows the tensor. A large array is cut down to its
edges first, so its size does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pellucid.dtypes import (
    float8_e8m0fnu,
    from_numpy_dtype,
    is_complex_dtype,
    is_float8,
    is_unknown_to_numpy,
    wide_counterpart,
)
from pellucid.kernels.meta import is_meta
from pellucid.tensors.print_options import PrintOptions, print_options
from pellucid.tensors.summary import summarize


def format_tensor(
    array: np.ndarray, *, dtype_name: str, default_dtype_name: str, requires_grad: bool,
    grad_fn_name: str | None, options: PrintOptions = print_options, is_parameter: bool = False,
    type_name: str = "tensor", device: str | None = None, tangent: str | None = None,
) -> str:  # fmt: skip
    """Write a tensor as ``print`` shows it.

    The names of dtypes are written as given: "torch.float64". A ``device`` is named only where it
    is not the usual one, a ``tangent`` only where there is one. ``type_name`` is the name of a
    subclass.

    Args:
        array: Array of the values.
        dtype_name: Name of the dtype.
        default_dtype_name: Name of the dtype that is not shown.
        requires_grad: Whether operations on the result are recorded.
        grad_fn_name: Name of the node that made the tensor, or nothing.
        options: More options.
        is_parameter: Whether the tensor is a parameter.
        type_name: Name of the class that is shown.
        device: Device of the result: the CPU or ``meta``.
        tangent: Text of the tangent, or nothing.

    >>> print(
    ...     format_tensor(
    ...         np.eye(2),
    ...         dtype_name="torch.float64",
    ...         default_dtype_name="torch.float32",
    ...         requires_grad=True,
    ...         grad_fn_name=None,
    ...     )
    ... )
    tensor([[1., 0.],
            [0., 1.]], dtype=torch.float64, requires_grad=True)
    """
    opening = f"{type_name}("
    suffixes = [f"device='{device}'"] if device is not None else []
    suffixes += _size_and_dtype(array, dtype_name, default_dtype_name, options)
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    if options.summary and not is_meta(array):
        text = opening + summarize(array).text()
        suffixes = [each for each in suffixes if not each.startswith(("dtype", "size"))]
        return f"{', '.join([text, *suffixes])})"
    if is_meta(array):
        text = f"{opening}..."
    else:
        text = opening + format_values(array, len(opening), options)
    text = _with_suffixes(text, suffixes, len(opening), options.linewidth)
    return f"Parameter containing:\n{text}" if is_parameter else text


def format_sparse(
    indices: Mapping[str, np.ndarray], values: np.ndarray, size: Sequence[int], *,
    layout_name: str, dtype_name: str, default_dtype_name: str, history: str | None = None,
    options: PrintOptions = print_options,
) -> str:  # fmt: skip
    """Write a sparse tensor: where its elements are, what they are, and what ``history`` says.

    Args:
        indices: Arrays of indices by the names that they are shown under.
        values: Array of the values.
        size: Shape of the tensor.
        layout_name: Name of the layout, such as ``"sparse_coo"``.
        dtype_name: Name of the dtype.
        default_dtype_name: Name of the dtype that is not shown.
        history: Text about the history, or nothing.
        options: More options.

    >>> names = {"dtype_name": "torch.float64", "default_dtype_name": "torch.float64"}
    >>> indices, values = {"indices": np.array([[1, 0]])}, np.array([2.0, 3.0])
    >>> print(format_sparse(indices, values, (4,), layout_name="sparse_coo", **names))
    tensor(indices=tensor([[1, 0]]),
           values=tensor([2., 3.]),
           size=(4,), nnz=2, layout=torch.sparse_coo)
    """
    indent = len("tensor(")
    lines = []
    for name, array in (*indices.items(), ("values", values)):
        opening = f"{name}=tensor("
        text = opening + format_values(array, indent + len(opening), options)
        lines.append(text + (f", size={array.shape})" if array.size == 0 else ")"))
    text = "tensor(" + (",\n" + " " * indent).join(lines)
    facts = [f"size={tuple(size)}"]
    facts += ["device='meta'"] if is_meta(values) else [f"nnz={len(values)}"]
    if dtype_name != default_dtype_name and not _tells_itself(dtype_name, default_dtype_name):
        facts.append(f"dtype={dtype_name}")
    facts += [f"layout=torch.{layout_name}"] + ([] if history is None else [history])
    new_line = layout_name == "sparse_coo"
    return _with_suffixes(text, facts, indent, options.linewidth, new_line)


def format_item(array: np.ndarray, spec: str) -> str:
    """Format the value of an array of one element as the Python number it is.

    Args:
        array: Array of the values.
        spec: Format specification, as `format` takes it.

    >>> format_item(np.array(2.0), ".3f")
    '2.000'
    """
    return format(array.item(), spec)


def format_values(array: np.ndarray, indent: int, options: PrintOptions) -> str:
    """Write the values in brackets; lines after the first are indented by ``indent``."""
    if array.size == 0:
        return "[]"
    edge = options.edgeitems
    is_cut = array.size > options.threshold
    if is_cut and edge == 0 and array.ndim:
        return "[...]"
    shortened = [is_cut and size > 2 * edge for size in array.shape]
    shown = _only_edges(array, shortened, edge)
    telling = _telling_powers(shown)
    if is_unknown_to_numpy(shown.dtype):
        shown = shown.astype(wide_counterpart(shown.dtype))
    if is_complex_dtype(shown.dtype):
        styles = [_style_of(part, options) for part in (np.real(shown), np.imag(shown))]
    else:
        styles = [_style_of(shown, options, telling)]
    return _Layout(styles, shortened, edge, options.linewidth).lines(shown, indent)


def _only_edges(array: np.ndarray, shortened: Sequence[bool], edge: int) -> np.ndarray:
    """Keep the first and the last ``edge`` indices of every axis that is shortened."""
    if not any(shortened):
        return array
    positions = [
        np.r_[0:edge, size - edge : size] if cut else np.arange(size)
        for size, cut in zip(array.shape, shortened, strict=True)
    ]
    return array[np.ix_(*positions)]


# --------------------------------------------------------------------------------- one element


class _Style(NamedTuple):
    """How every element of a tensor is written: a format, a mark after whole numbers, a width."""

    spec: str
    width: int
    whole: bool = False

    def write(self, value: Any) -> str:
        """Write one element, padded on the left to the common width."""
        text = format(value, self.spec)
        if self.whole and math.isfinite(value):
            text += "."
        return text.rjust(self.width)


def _telling_powers(values: np.ndarray) -> np.ndarray | None:
    """Return the numbers of e8m0fnu that PyTorch chooses a format by; None of other dtypes.

    The least one stands for zero there, and NaN is not told from numbers.
    """
    if not is_float8(values.dtype) or from_numpy_dtype(values.dtype) is not float8_e8m0fnu:
        return None
    return values[values.view(np.uint8) != 0].astype(np.float32)


def _style_of(
    values: np.ndarray, options: PrintOptions, telling: np.ndarray | None = None
) -> _Style:
    """Choose the format that suits all values, by those that are told or by those not 0."""
    if values.dtype.kind != "f":
        extremes = [values.min().item(), values.max().item()]
        return _Style("", max(len(str(value)) for value in extremes))
    if telling is None:
        telling = values[np.isfinite(values) & (values != 0)]
    if telling.size == 0:
        return _Style(".0f", 1, whole=True)
    magnitudes = np.abs(telling).astype(np.float64)
    smallest, largest = magnitudes.min().item(), magnitudes.max().item()
    whole = bool(np.all(telling == np.ceil(telling)))
    scientific = options.sci_mode
    if scientific is None:
        scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
    if scientific:
        style = _Style(f".{options.precision}e", 1)
    elif whole:
        style = _Style(".0f", 1, whole=True)
    else:
        style = _Style(f".{options.precision}f", 1)
    widest = max(len(style.write(value)) for value in _extremes(telling))
    return style._replace(width=widest)


def _extremes(telling: np.ndarray) -> list[float]:
    """Return the values among which is the longest in any format: the ends of either sign."""
    signs = (telling[telling < 0], telling[telling > 0])
    return [end.item() for part in signs if part.size for end in (part.min(), part.max())]


# -------------------------------------------------------------------------------- all elements


class _Layout(NamedTuple):
    """How elements become lines. Two styles are for real and imaginary parts."""

    styles: Sequence[_Style]
    shortened: Sequence[bool]
    edge: int
    linewidth: int

    def lines(self, shown: np.ndarray, indent: int, axis: int = 0) -> str:
        """Write an array whose first axis is the tensor's ``axis``."""
        if shown.ndim == 0:
            return self.element(shown.item())
        if shown.ndim == 1:
            return self.vector(shown, indent, axis)
        parts = [self.lines(part, indent + 1, axis + 1) for part in shown]
        if self.shortened[axis]:
            parts.insert(self.edge, "...")
        between = "," + "\n" * (shown.ndim - 1) + " " * (indent + 1)
        return f"[{between.join(parts)}]"

    def vector(self, shown: np.ndarray, indent: int, axis: int) -> str:
        """Write a row, broken into as many lines as it takes."""
        elements = [self.element(value) for value in shown.tolist()]
        if self.shortened[axis]:
            elements.insert(self.edge, " ...")
        # An imaginary part ends in j; a comma and a space follow every element.
        width = sum(style.width for style in self.styles) + len(self.styles) + 1
        per_line = max(1, (self.linewidth - indent) // width)
        rows = [
            ", ".join(elements[start : start + per_line])
            for start in range(0, len(elements), per_line)
        ]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"

    def element(self, value: Any) -> str:
        """Write one element, in two parts if it is complex."""
        if len(self.styles) == 1:
            return self.styles[0].write(value)
        real, imaginary = (style.write(part) for style, part in self._parts(value))
        imaginary = imaginary.lstrip()
        return f"{real}{imaginary}j" if imaginary.startswith("-") else f"{real}+{imaginary}j"

    def _parts(self, value: complex) -> Iterator[tuple[_Style, float]]:
        return zip(self.styles, (value.real, value.imag), strict=True)


# ------------------------------------------------------------------------------------ suffixes


def _size_and_dtype(
    array: np.ndarray, dtype_name: str, default_dtype_name: str, options: PrintOptions
) -> list[str]:
    """Name the size and the dtype where the values do not tell them."""
    size, dtype = f"size={tuple(array.shape)}", f"dtype={dtype_name}"
    suffixes = []
    if is_meta(array):
        return [size] if dtype_name == default_dtype_name else [size, dtype]
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(size)
        if dtype_name != default_dtype_name:
            suffixes.append(dtype)
        return suffixes
    if options.edgeitems == 0:
        suffixes.append(size)
    if dtype_name != default_dtype_name and not _tells_itself(dtype_name, default_dtype_name):
        suffixes.append(dtype)
    return suffixes


def _tells_itself(dtype_name: str, default_dtype_name: str) -> bool:
    """Return whether a constructor would choose the dtype by itself for these values."""
    default_complex = "complex128" if default_dtype_name.endswith("float64") else "complex64"
    return dtype_name.rpartition(".")[2] in ("int64", "bool", default_complex)


def _with_suffixes(
    text: str, suffixes: Sequence[str], indent: int, linewidth: int, new_line: bool = False
) -> str:
    """Append the suffixes, each on a new line if it does not fit into the last."""
    # PyTorch counts one more character for the first line than for the others.
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if new_line or column + len(suffix) + 2 > linewidth:
            new_line = False
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"
