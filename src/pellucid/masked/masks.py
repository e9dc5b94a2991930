"""Masks: of which shape they may be, what stands in for what they hide, what is left of them."""

from __future__ import annotations

import math
from typing import Any

from pellucid import dtypes
from pellucid.errors import ArgumentTypeError, DimensionError, ShapeError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones_like
from pellucid.tensors.limits import iinfo


def input_mask(input: Tensor, *args: Any, mask: Tensor | None = None, **options: Any) -> Tensor:
    """Return the mask as one of booleans with the shape of the input; True where there is none.

    Raises IndexError for a mask with more dimensions than the input.
    """
    if mask is None:
        return ones_like(input, dtype=dtypes.bool_)
    if not isinstance(mask, Tensor):
        raise ArgumentTypeError(
            f"the mask must be a tensor of booleans, not {type(mask).__name__}: it says of each "
            "element whether it takes part"
        )
    if mask.ndim > input.ndim:
        raise DimensionError(
            "_input_mask expected broadcastable mask "
            "(got mask dimensionality higher than of the input)"
        )
    return mask.expand(input.shape).bool()


def output_mask(function: Any, input: Tensor, *args: Any, **options: Any) -> Tensor:
    """Return where a reduction or normalization has results: where any element took part."""
    mask = input_mask(input, mask=options.get("mask"))
    if function.__name__ in _KEEP_SHAPE:
        return mask
    dim = args[-1] if args else options.get("dim")
    if function.__name__ == "median" and dim is None:
        dim = -1
    return mask.any(dims_of(dim, input.ndim), keepdim=bool(options.get("keepdim", False)))


_KEEP_SHAPE = frozenset({"cumsum", "cumprod", "softmax", "log_softmax", "softmin", "normalize"})


def dims_of(dim: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """Return the dimensions that ``dim`` says, all for None and ``()``, counted from the front.

    Raises RuntimeError for one that is given twice, IndexError for one that is not there.
    """
    if dim is None or dim == ():
        return tuple(range(ndim))
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else tuple(dim):
        top = max(ndim, 1)
        if not -top <= each < top:
            raise DimensionError(
                f"Dimension out of range (expected to be in range of [{-top}, {top - 1}], "
                f"but got {each})"
            )
        if each % top in found:
            raise ShapeError(f"dim={each} appears multiple times in the list of dims")
        found.append(each % top)
    return tuple(sorted(found))


def filled(input: Tensor, mask: Tensor | None, value: float) -> Tensor:
    """Return the input with a value in place of what the mask hides."""
    return input if mask is None else input.masked_fill(~input_mask(input, mask=mask), value)


def lowest(dtype: dtypes.dtype) -> float:
    """Return what no element of the dtype is less than."""
    if dtype.is_floating_point or dtype.is_complex:
        return -math.inf
    return False if dtype is dtypes.bool_ else iinfo(dtype).min


def highest(dtype: dtypes.dtype) -> float:
    """Return what no element of the dtype is greater than."""
    if dtype.is_floating_point or dtype.is_complex:
        return math.inf
    return True if dtype is dtypes.bool_ else iinfo(dtype).max


def identity(name: str, input: Tensor, ord: float = 2.0) -> Tensor | None:
    """Return what changes no result of the reduction of this name, None where there is nothing."""
    name = name.rpartition(".")[2]
    if name in ("sum", "cumsum", "prod", "cumprod", "norm", "logsumexp"):
        plain = {"prod": 1.0, "cumprod": 1.0, "logsumexp": lowest(input.dtype)}.get(name, 0.0)
        value = math.inf if name == "norm" and ord == -math.inf else plain
    elif name in ("amax", "argmax", "amin", "argmin"):
        value = lowest(input.dtype) if name.endswith("max") else highest(input.dtype)
    elif name == "median":
        value = math.nan
    else:
        return None
    return input.new_tensor(value, dtype=input.dtype)
