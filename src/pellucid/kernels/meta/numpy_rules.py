"""What NumPy's compiled functions give for arrays without values.

Those that NumPy writes in Python follow from these, from ufuncs and from methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.kernels.meta.arrays import (
    MetaArray,
    NoValues,
    as_meta,
    corner,
    elementwise,
    empty,
    grown,
    is_meta,
)


def _no_values(*args: Any, **options: Any) -> Any:
    raise NoValues


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    given = list(arrays)
    if axis is None:
        given, axis = [each.reshape(-1) for each in given], 0
    axis %= given[0].ndim
    first = given[0].shape
    shape = (*first[:axis], sum(each.shape[axis] for each in given), *first[axis + 1 :])
    return grown(np.concatenate(list(map(corner, given)), axis, **options), shape)


def _copyto(dst: Any, src: Any, *args: Any, **options: Any) -> None:
    if not is_meta(dst):
        raise NoValues
    np.broadcast_shapes(np.shape(src), dst.shape)


def _empty_like(
    prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None,
    **options: Any,
) -> MetaArray:  # fmt: skip
    if shape is not None:
        return empty(shape, prototype.dtype if dtype is None else dtype)
    return grown(np.empty_like(corner(prototype), dtype, order), prototype.shape)


def _einsum(subscripts: str, *operands: Any, **options: Any) -> MetaArray:
    given, _, wanted = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    named = zip(terms, operands, strict=True)
    sizes = {name: n for term, each in named for name, n in zip(term, each.shape, strict=True)}
    return empty([sizes[name] for name in wanted], np.result_type(*map(corner, operands)))


def _like_first(array: Any, *args: Any, **options: Any) -> MetaArray:
    return np.empty_like(array)


def _sampled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule for what depends on dtypes and kinds of arguments alone."""
    return lambda *args, **options: function(*map(corner, args), **options)


def _without_values(function: Any) -> Callable[..., Any]:
    """Return a rule for a function that looks at memory, and forgets the class of the array."""
    return lambda *args, **options: as_meta(function._implementation(*args, **options))


# ---- matrices -----------------------------------------------------------------------------------


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.real(np.empty(0, dtype)).dtype


def _eigvalsh(a: Any, *args: Any, **options: Any) -> MetaArray:
    return empty(a.shape[:-1], _real(a.dtype))


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, **options: Any) -> Any:
    *batch, rows, columns = a.shape
    least = min(rows, columns)
    values = empty((*batch, least), _real(a.dtype))
    if not compute_uv:
        return values
    left, right = (rows, columns) if full_matrices else (least, least)
    return empty((*batch, rows, left), a.dtype), values, empty((*batch, right, columns), a.dtype)


def _qr(a: Any, mode: str = "reduced") -> Any:
    *batch, rows, columns = a.shape
    inner = rows if mode == "complete" else min(rows, columns)
    r = empty((*batch, inner, columns), a.dtype)
    return r if mode == "r" else (empty((*batch, rows, inner), a.dtype), r)


def _det(a: Any) -> MetaArray:
    return empty(a.shape[:-2], a.dtype)


RULES: dict[Any, Callable[..., Any]] = {
    np.argwhere: _no_values,
    np.bincount: _no_values,
    np.broadcast_to: _without_values(np.broadcast_to),
    np.concatenate: _concatenate,
    np.copyto: _copyto,
    np.count_nonzero: lambda a, axis=None, *, keepdims=False: np.sum(
        a.astype(np.bool_), axis, np.intp, keepdims=keepdims
    ),
    np.dot: lambda a, b, out=None: (
        np.multiply(a, b) if not np.ndim(a) or not np.ndim(b) else np.matmul(a, b)
    ),
    np.einsum: _einsum,
    np.empty_like: _empty_like,
    np.flatnonzero: _no_values,
    np.histogram: lambda x, bins, *args: (empty((bins,), np.int64), empty((bins + 1,), x.dtype)),
    np.linalg.cholesky: _like_first,
    np.linalg.det: _det,
    np.linalg.eigh: lambda a, *args, **options: (_eigvalsh(a), empty(a.shape, a.dtype)),
    np.linalg.eigvals: lambda a: empty(a.shape[:-1], np.result_type(a.dtype, np.complex64)),
    np.linalg.eigvalsh: _eigvalsh,
    np.linalg.inv: _like_first,
    np.linalg.qr: _qr,
    np.linalg.slogdet: lambda a: (_det(a), empty(a.shape[:-2], _real(a.dtype))),
    np.linalg.svd: _svd,
    np.nan_to_num: elementwise(np.nan_to_num),
    np.nonzero: _no_values,
    np.result_type: _sampled(np.result_type),
    np.tril: _like_first,
    np.triu: _like_first,
    np.unique: _no_values,
    np.where: lambda condition, *choices: (
        elementwise(np.where)(condition, *choices) if choices else _no_values()
    ),
}
