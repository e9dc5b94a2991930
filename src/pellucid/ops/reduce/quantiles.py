"""Quantiles: sort, and go between the two elements that are nearest to a rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.construct import placed_tensor
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import EXACT, public
from pellucid.dtypes import from_numpy_dtype, int64
from pellucid.errors import ArgumentTypeError, DomainError, DtypeError, ShapeError
from pellucid.ops.elementwise.combined import lerp
from pellucid.ops.elementwise.compare import isnan
from pellucid.ops.elementwise.conditional import clamp_min, where
from pellucid.ops.elementwise.rounding import ceil, floor, round
from pellucid.ops.index.scatter import gather
from pellucid.ops.reduce.sort import sort
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.copying import cast
from pellucid.ops.shape.views import movedim, reshape, squeeze, unsqueeze
from pellucid.shapes import dim_from_end

_WHOLE_RANK = {"lower": floor, "higher": ceil, "nearest": round}


@public("quantile", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def quantile(
    input: Any, q: float | TensorBase, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Any:  # fmt: skip
    """Return the quantiles of the elements at the fractions ``q``; NaN if an element is NaN.

    With a vector ``q`` the result's first dimension is that of the fractions. Between two elements
    ``interpolation`` takes a weighted mean (linear), one of them (lower, higher, nearest) or the
    middle (midpoint). Raises RuntimeError for fractions outside [0, 1] and for what is not of
    dtype float32 or float64.

    Args:
        input: float32 or float64 tensor of any shape.
        q: Quantiles: a number or vector of numbers from 0 to 1.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        interpolation: Between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
            ``"midpoint"`` or ``"nearest"``.

    >>> torch.quantile(torch.tensor([3.0, 1.0, 2.0]), 0.75)
    tensor(2.5000)
    """
    return _quantiles("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


@public("nanquantile", method=True, out=EXACT)
@autocasts(Autocast.FLOAT32)
def nanquantile(
    input: Any, q: float | TensorBase, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Any:  # fmt: skip
    """Return the quantiles at the fractions ``q`` of the elements that are not NaN.

    See `quantile`.

    Args: As for `quantile`.

    >>> torch.nanquantile(torch.tensor([3.0, torch.nan, 2.0]), 0.5)
    tensor(2.5000)
    """
    return _quantiles("nanquantile", input, q, dim, keepdim, interpolation, ignore_nan=True)


def _quantiles(
    name: str, input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str,
    ignore_nan: bool,
) -> Any:  # fmt: skip
    fractions = _fractions(name, input, q)
    if interpolation not in ("linear", "midpoint", *_WHOLE_RANK):
        raise DomainError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    ndim = input._array.ndim
    axis = None if dim is None else dim_from_end(dim, ndim)
    if axis is None or not ndim:
        rows = reshape(input, (input._array.size,))
    else:
        rows = movedim(input, axis, -1)
    ordered = sort(rows, -1)[0]
    ranks = _ranks(ordered, fractions, ignore_nan)
    found = _at_ranks(ordered, ranks, interpolation)
    return _arranged(found, fractions, ndim, axis, keepdim)


def _fractions(name: str, input: Any, q: Any) -> Any:
    """Check the operands; return the fractions as a tensor."""
    array = input._array
    if not isinstance(q, TensorBase) and not isinstance(q, int | float | np.number):
        raise ArgumentTypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, "
            f"{type(q).__name__}), but expected a number or a Tensor for q"
        )
    if not array.size:
        raise ShapeError("quantile() input tensor must be non-empty")
    if array.dtype not in (np.float32, np.float64):
        raise DtypeError("quantile() input tensor must be either float or double dtype")
    if not isinstance(q, TensorBase):
        if not 0 <= q <= 1:
            raise DomainError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        return placed_tensor(np.asarray(q, array.dtype), input.device)
    if q._array.ndim > 1:
        raise ShapeError("quantile() q must be a scalar or 1D tensor")
    if q._array.dtype != array.dtype:
        raise DtypeError("quantile() q tensor must be same dtype as the input tensor")
    if not ((q._array >= 0) & (q._array <= 1)).all():
        raise DomainError("quantile() q values must be in the range [0, 1]")
    return q


def _ranks(ordered: Any, fractions: Any, ignore_nan: bool) -> Any:
    """Return the ranks, counted from 0, of the fractions among the ordered rows: ``[*, Q]``."""
    array = ordered._array
    missing = isnan(ordered)
    last = array.shape[-1] - 1
    each = reshape(fractions, (fractions._array.size,))
    if ignore_nan:
        counts = last - missing.sum(-1, keepdim=True)
        return clamp_min(each * cast(counts, from_numpy_dtype(array.dtype)), 0)
    shape = (*array.shape[:-1], each._array.size)
    # what is NaN comes last
    spoiled = missing.any(-1, keepdim=True)
    return where(spoiled, float(last), expand(each * last, shape))


def _at_ranks(ordered: Any, ranks: Any, interpolation: str) -> Any:
    """Return the elements at ranks, or what lies between two of them."""
    if interpolation in _WHOLE_RANK:
        return _elements(ordered, _WHOLE_RANK[interpolation](ranks))
    below = floor(ranks)
    weights = ranks - below if interpolation == "linear" else below * 0 + 0.5
    return lerp(_elements(ordered, below), _elements(ordered, ceil(ranks)), weights)


def _elements(ordered: Any, ranks: Any) -> Any:
    return gather(ordered, -1, cast(ranks, int64))


def _arranged(found: Any, fractions: Any, ndim: int, axis: int | None, keepdim: bool) -> Any:
    """Put the dimension of the fractions first, or away where there is but one fraction."""
    found = squeeze(found, -1) if not fractions._array.ndim else movedim(found, -1, 0)
    if not keepdim:
        return found
    offset = fractions._array.ndim
    if axis is None:
        return reshape(found, (*found._array.shape, *[1] * ndim))
    return unsqueeze(found, axis + offset) if ndim else found
