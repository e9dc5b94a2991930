"""Comparing results with a tolerance: `assert_close`, which tells where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.short_tracebacks import shortening
from pellucid.core.memory.memory_formats import strided
from pellucid.dtypes import wide_counterpart
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.tensors import Tensor

#: relative and absolute tolerance by dtype, those of PyTorch; other dtypes are compared exactly
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7), "complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}  # fmt: skip


class _Options(NamedTuple):
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool


class _Difference(Exception):
    """The difference of two values, located inside of sequences and mappings."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.where = ""


@shortening
def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True,
    check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    Compares tensors, numbers, and sequences and mappings of them. By default the tolerances follow
    from the dtype. Raises ValueError if only one tolerance is given, and TypeError for values that
    cannot be compared.

    Args:
        actual: Tensor, number, or sequence or mapping of these.
        expected: What it is compared with.
        allow_subclasses: Accepted, and without effect.
        rtol: Tolerance relative to ``expected``; that of the dtype if None.
        atol: Absolute tolerance; that of the dtype if None.
        equal_nan: Whether NaN equals NaN.
        check_device: Accepted, and without effect.
        check_dtype: Whether the dtypes have to be equal.
        check_layout: Accepted, and without effect.
        check_stride: Whether the strides have to be equal.
        msg: Text of the error, or a function that makes another of it.

    >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ArgumentError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    try:
        _compare(actual, expected, _Options(rtol, atol, equal_nan, check_dtype, check_stride))
    except _Difference as difference:
        text = difference.text
        if difference.where:
            text += f"\n\nThe failure occurred for item {difference.where}"
        raise AssertionError(msg(text) if callable(msg) else msg or text) from None


def _compare(actual: Any, expected: Any, options: _Options) -> None:
    both = (actual, expected)
    if all(isinstance(each, Mapping) for each in both):
        _compare_mappings(actual, expected, options)
    elif all(isinstance(each, Sequence) and not isinstance(each, str | bytes) for each in both):
        if len(actual) != len(expected):
            raise _Difference(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            )
        for number, pair in enumerate(zip(actual, expected, strict=True)):
            _compare_item(number, *pair, options)
    elif all(isinstance(each, Tensor | np.ndarray) for each in both):
        _compare_tensors(actual, expected, options)
    elif all(isinstance(each, bool | int | float | complex | np.number) for each in both):
        _compare_values(np.asarray(actual), np.asarray(expected), options)
    elif not (actual is None and expected is None):
        raise ArgumentTypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and "
            f"{type(expected)}."
        )


def _compare_item(key: Any, actual: Any, expected: Any, options: _Options) -> None:
    try:
        _compare(actual, expected, options)
    except _Difference as difference:
        difference.where = f"[{key!r}]{difference.where}"
        raise


def _compare_mappings(actual: Any, expected: Any, options: _Options) -> None:
    missing = [key for key in expected if key not in actual]
    additional = [key for key in actual if key not in expected]
    if missing or additional:
        raise _Difference(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}"
        )
    for key in expected:
        _compare_item(key, actual[key], expected[key], options)


def _compare_tensors(actual: Any, expected: Any, options: _Options) -> None:
    compared = [("shape", True), ("dtype", options.check_dtype)]
    for name, is_compared in compared:
        first, second = getattr(actual, name), getattr(expected, name)
        if is_compared and first != second:
            raise _Difference(
                f"The values for attribute '{name}' do not match: {first} != {second}."
            )
    if isinstance(actual, Tensor) and actual.layout is not strided:
        _compare_sparse(actual, expected, options)
        return
    arrays = [x.detach()._array if isinstance(x, Tensor) else x for x in (actual, expected)]
    if options.check_stride and arrays[0].strides != arrays[1].strides:
        raise _Difference("The values for attribute 'stride()' do not match.")
    _compare_values(arrays[0], arrays[1], options)


def _compare_sparse(actual: Any, expected: Any, options: _Options) -> None:
    """Compare indices and values of two tensors of one layout."""
    if actual.layout is not expected.layout:
        raise _Difference(
            f"The values for attribute 'layout' do not match: {actual.layout} != {expected.layout}."
        )
    if actual.is_sparse:
        actual, expected = actual.coalesce(), expected.coalesce()
    if actual._nnz() != expected._nnz():
        raise _Difference(
            f"The number of specified values in sparse tensors does not match: {actual._nnz()} != "
            f"{expected._nnz()}"
        )
    for (name, own), other in zip(
        actual.index_parts().items(), expected.index_parts().values(), strict=True
    ):
        if not np.array_equal(own, other):
            raise _Difference(f"The {name} of sparse tensors are not equal!")
    _compare_tensors(actual.values(), expected.values(), options)


def _compare_values(actual: Any, expected: Any, options: _Options) -> None:
    chosen = [_TOLERANCES.get(each.dtype.name, (0.0, 0.0)) for each in (actual, expected)]
    rtol = max(r for r, _ in chosen) if options.rtol is None else options.rtol
    atol = max(a for _, a in chosen) if options.atol is None else options.atol
    # NumPy does not know in what complex32 and others meet
    wide = np.result_type(*(wide_counterpart(each.dtype) for each in (actual, expected)), "d")
    first, second = actual.astype(wide), expected.astype(wide)
    close = np.isclose(first, second, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    exact = actual.dtype.kind in "biu" and expected.dtype.kind in "biu"
    if exact and not rtol and not atol:
        close = actual == expected
    if np.all(close):
        return
    with np.errstate(all="ignore"):
        absolute = np.where(close, 0, np.abs(first - second))
        relative = np.where(close, 0, absolute / np.abs(second))
    kind = "equal" if not rtol and not atol else "close"
    limits = [f" (up to {limit} allowed)" if kind == "close" else "" for limit in (atol, rtol)]
    if not close.ndim:
        raise _Difference(
            f"Scalars are not {kind}!\n\nExpected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {absolute.item()}{limits[0]}\n"
            f"Relative difference: {relative.item()}{limits[1]}"
        )
    wrong = int(close.size - np.count_nonzero(close))
    text = f"Tensor-likes are not {kind}!\n\nMismatched elements: {wrong} / {close.size}"
    text += f" ({wrong / close.size:.1%})"
    for name, differences, limit in zip(
        ("absolute", "relative"), (absolute, relative), limits, strict=True
    ):
        index = np.unravel_index(int(np.argmax(differences)), differences.shape)
        place = tuple(int(each) for each in index)
        greatest = differences[index].item()
        if exact and name == "absolute":
            greatest = int(greatest)
        text += f"\nGreatest {name} difference: {greatest} at index {place}{limit}"
    raise _Difference(text)
